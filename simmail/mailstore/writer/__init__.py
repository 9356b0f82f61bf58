"""The process that writes mail, and how it is spoken to."""
