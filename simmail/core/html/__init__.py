"""
HTML mail: read, made safe to show, and its links and codes.
"""
