"""What the name system says of a sender: SPF, DMARC, and how it is asked."""
