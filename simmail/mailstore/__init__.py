"""The only code that touches mail on disk."""
