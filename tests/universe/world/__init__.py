"""Tests for C{simmail.universe.world}."""
