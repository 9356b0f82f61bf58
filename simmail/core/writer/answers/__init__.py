"""What is said to each thing that a mail asks."""
