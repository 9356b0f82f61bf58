"""Tests of L{simmail.adapters}, each with the real library where that is installed."""
