"""
What personas decide, as functions of values and of now.
"""
