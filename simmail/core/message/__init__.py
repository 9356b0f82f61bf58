"""
A message as people, lists and searches see it.
"""
