"""
What is done when a job is due: letters are written, links opened, notices sent.
"""
