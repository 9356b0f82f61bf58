"""
The people of a universe: what they make of mail, remember, and do when it is time.
"""
