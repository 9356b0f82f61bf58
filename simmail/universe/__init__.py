"""The application: the only code that changes state."""
