"""Insights of one universe, kept as events are recorded, and the reports of it that are shared."""
