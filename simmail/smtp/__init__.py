"""SMTP, SMTPS and submission."""
