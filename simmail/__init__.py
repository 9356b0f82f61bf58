"""A universe of simulated e-mail: real SMTP and IMAP, people who behave, a clock you own."""

__version__ = "0.1.0"
