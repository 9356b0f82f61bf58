"""What answers are taken from: what was said in the thread, and what a person knows of itself."""
