"""Tests of simmail.smtp."""
