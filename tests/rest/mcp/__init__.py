"""Tests of the Model Context Protocol over a universe in memory."""
