"""
Token buckets: so many calls a second, and some more at once.

A bucket is whole at first and fills again at its rate.  C{scripts/draw.lua} does the same in Redis.
Source: API contract, "Limits"; decisions, section 23.
"""

from __future__ import annotations

from typing import NamedTuple


class Bucket(NamedTuple):
    """What is in a bucket: C{tokens} at the real time C{at} (seconds)."""

    tokens: float
    at: float


def draw(bucket: Bucket | None, rate: float, burst: int, wanted: int, now: float) -> tuple[int, Bucket]:
    """
    Take up to C{wanted} whole tokens.

    @param bucket: as it was left, None for one that is whole.
    @param rate: tokens a second, above 0; burst: those of a whole bucket.
    @param now: real time in seconds; one before that of the bucket fills nothing.
    @return: how many were taken, and the bucket as it is left.
    """
    tokens, at = bucket or Bucket(float(burst), now)
    now = max(now, at)
    tokens = min(float(burst), tokens + (now - at) * rate)
    taken = min(wanted, int(tokens))
    return taken, Bucket(tokens - taken, now)
