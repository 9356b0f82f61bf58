"""Scenarios: files that say who is there, what happens and what is expected of the application, played and reported."""
