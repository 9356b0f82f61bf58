"""Tests for C{simmail.core.wording}."""
