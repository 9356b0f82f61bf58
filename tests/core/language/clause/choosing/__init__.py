"""What a mail leaves its reader to choose from."""
