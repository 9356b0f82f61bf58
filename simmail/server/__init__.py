"""
The installation: its universes, organisations, users, keys, logins.
"""
