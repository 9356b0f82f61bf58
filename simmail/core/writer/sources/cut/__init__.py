"""Cuts the piece of a sentence that answers a question."""
