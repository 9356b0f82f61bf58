"""Tests of L{simmail.scenario}."""
