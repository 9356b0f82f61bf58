"""
The Model Context Protocol: what the API does, as tools for agents.
"""
