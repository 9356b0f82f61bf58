"""IMAP and IMAPS."""
