"""Sentences as vectors, and what vectors are told to be."""
