"""Fakes and fixtures, shipped and tested."""
