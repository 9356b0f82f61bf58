"""What is asked for without a question."""
