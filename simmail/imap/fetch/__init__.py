"""
FETCH.
"""
