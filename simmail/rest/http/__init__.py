"""
HTTP: connections, requests, streams.
"""
