"""
Rules of the service: recipients, faults, spam, plans, waits, and fields from outside.
"""
