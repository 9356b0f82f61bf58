"""Tests for C{simmail.core.world}."""
