"""Tests of what dials out."""
