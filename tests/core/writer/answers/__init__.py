"""Tests of answers to single questions."""
