"""
The score: what the tested application made of its mail, graded against what should have been.
"""
