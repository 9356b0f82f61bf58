"""Tests of simmail.core.inspection.sender."""
