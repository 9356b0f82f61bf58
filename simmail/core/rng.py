"""
Repeatable draws: each is a function of a seed and of what it is about.

A draw is keyed by (seed, purpose, subject ...), so the order in which draws
are made changes nothing, and the same question always has the same answer
(decisions, "Conventions").  Nothing here keeps state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")
Key = str | int

_NORMAL = NormalDist()
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Dice:
    """
    Draws under one seed.

    C{Dice(seed).on("reply", sender, recipient, nth)} is dice for one subject;
    its draws are then named: C{.chance(0.3, "typo", 4)}.
    """

    __slots__ = ("_prefix",)

    def __init__(self, seed: str) -> None:
        self._prefix = _encode((seed,))

    def on(self, *key: Key) -> Dice:
        """Dice whose every draw is about C{key} as well."""
        dice = Dice.__new__(Dice)
        dice._prefix = self._prefix + _encode(key)
        return dice

    def bits(self, *key: Key) -> int:
        """64 even bits."""
        return int.from_bytes(blake2b(self._prefix + _encode(key), digest_size=8).digest(), "big")

    def uniform(self, *key: Key) -> float:
        """A number in [0, 1)."""
        return (self.bits(*key) >> 11) / (1 << 53)

    def chance(self, probability: float, *key: Key) -> bool:
        """Whether something of this probability happens."""
        return self.uniform(*key) < probability

    def below(self, n: int, *key: Key) -> int:
        """A whole number in [0, n)."""
        return int(self.uniform(*key) * n)

    def choice(self, among: Sequence[T], *key: Key) -> T:
        """One of a sequence."""
        return among[self.below(len(among), *key)]

    def weighted(self, among: Sequence[tuple[T, float]], *key: Key) -> T:
        """One of a sequence of (value, weight)."""
        left = self.uniform(*key) * sum(weight for _, weight in among)
        for value, weight in among:
            left -= weight
            if left < 0:
                return value
        return among[-1][0]

    def lognormal(self, median: float, spread: float, *key: Key) -> float:
        """A log-normal number with this median and geometric standard deviation (>= 1)."""
        # The open interval: inv_cdf is not defined at 0.
        quantile = (self.bits(*key) >> 11) / (1 << 53) + 2.0**-54
        return median * math.exp(math.log(spread) * _NORMAL.inv_cdf(quantile))

    def shuffled(self, among: Sequence[T], *key: Key) -> list[T]:
        """All of a sequence, in a drawn order."""
        order = sorted(range(len(among)), key=lambda i: self.bits(*key, i))
        return [among[i] for i in order]

    def token(self, length: int, *key: Key) -> str:
        """An identifier of C{length} (at most 50) characters of Crockford's base 32, lower case."""
        number = int.from_bytes(blake2b(self._prefix + _encode(key), digest_size=32).digest(), "big")
        return "".join([_ALPHABET[(number >> (5 * i)) & 31] for i in range(length)])


def _encode(key: tuple[Key, ...]) -> bytes:
    # Length-prefixed, so that no two keys run into one another.
    found = ""
    for part in key:
        text = str(part)
        # In octets: most often as many as characters.
        found += f"{len(text) if text.isascii() else len(text.encode('utf-8', 'surrogatepass'))}:{text}"
    return found.encode("utf-8", "surrogatepass")
