"""The only code that dials out."""
