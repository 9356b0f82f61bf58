"""
The commands of IMAP.
"""
