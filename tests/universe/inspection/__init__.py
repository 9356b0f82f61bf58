"""Tests of simmail.universe.inspection."""
