"""Tests of simmail.core.inspection."""
