"""Tests of the mail store: everything on disk."""
