"""What the writer does to Maildirs: deliver, copy, move, replace."""
