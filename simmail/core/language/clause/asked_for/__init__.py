"""What is asked for without a question: items and lists of what is wanted, what is claimed or to be confirmed."""
