"""Tests of the IMAP room."""
