"""
What the server tells unasked: untagged responses.
"""
