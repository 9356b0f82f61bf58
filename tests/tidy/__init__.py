"""The rules of the house: each reads the source and returns what breaks it, a sorted line each."""
