"""
Web addresses, and where requests may go.
"""
