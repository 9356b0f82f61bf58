"""Webhooks of a universe: the event log, told to endpoints outside."""
