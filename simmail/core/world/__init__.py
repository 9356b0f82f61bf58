"""
The world outside: what comes to the company by itself, as values drawn from dice.
"""
