"""Inspections of mail, and the scores of what the application sends."""
