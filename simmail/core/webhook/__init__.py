"""
Webhooks as values: what is configured, how a request is signed and checked, when it is tried again.
"""
