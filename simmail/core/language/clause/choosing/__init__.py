"""What a mail leaves its reader to choose from: ways to go on, and times."""
