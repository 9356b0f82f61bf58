"""Tests of what ships for testing."""
