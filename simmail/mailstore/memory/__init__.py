"""The mail store in dicts: for tests, and for a universe that need not last."""
