"""What was said in a thread: what a mail asks of it, which of its sentences answers that, and how they are told."""
