"""
The way of mail through a universe: accepted, routed, delivered, bounced, found, awaited.
"""
