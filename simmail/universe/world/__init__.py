"""The world of one universe: its streams of mail, and the jobs that bring it."""
