"""Tests of replies as a whole."""
