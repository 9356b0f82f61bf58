"""
Instants, durations, working hours, and the arithmetic of a simulated clock.
"""
