"""
IMAP on the wire: what clients send, and what is sent to them.
"""
