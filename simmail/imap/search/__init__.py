"""
SEARCH, SORT and THREAD.
"""
