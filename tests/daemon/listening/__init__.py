"""Tests for C{simmail.daemon.listening}."""
