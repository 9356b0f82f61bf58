"""
What makes a service of it: ports, certificate, log, signals, the first start.
"""
