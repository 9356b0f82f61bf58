"""Tests for C{simmail.workers}."""
