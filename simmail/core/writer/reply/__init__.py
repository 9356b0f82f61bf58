"""
Replies: what is said to a mail as a whole.
"""
