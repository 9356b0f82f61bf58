"""
Messages that are written: mail of people, notifications, what a submission server completes.
"""
