"""The rules: pure functions and frozen records; no I/O, no clock, no free randomness."""
