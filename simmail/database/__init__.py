"""The only code that speaks Redis."""
