"""
Messages and conversations as JSON.
"""
