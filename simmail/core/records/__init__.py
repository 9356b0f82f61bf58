"""
Values that are kept and passed on: messages on their way, events, jobs, personas, cases.
"""
