"""Tests of simmail.universe.insights."""
