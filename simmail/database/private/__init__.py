"""A Redis of our own, for when none is configured."""
