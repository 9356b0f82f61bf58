"""Tests of simmail.core.insights."""
