"""
What a sentence is told to be, of very many things: a linear model names it, and how near it lies to the examples of
that thing, and to all others, says how far that can be trusted.

A linear model alone is as sure of what it has never met as of what it knows.  The nearest examples tell the two apart
(Cover and Hart, "Nearest neighbor pattern classification", 1967).  They are compared in few dimensions, those in which
the examples differ most: what all sentences have in common says nothing.
"""

from __future__ import annotations

import math
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from simmail.core.language.vectors.embedding import Matrix
from simmail.core.language_data import read_octets

#: Dimensions in which examples are compared.
DIMENSIONS = 64
#: The name of what is an example of nothing.
NOTHING = ""
#: What vectors of whole numbers were multiplied by.
_STEPS = 127.0
#: Examples of one thing that are looked at.
_NEAREST = 3
#: A likelihood is no smaller, for its logarithm.
_LEAST = 1e-6


class Exemplars:
    """
    A linear model and the examples that it was learned from.

    @ivar names: of the things, L{NOTHING} the first; examples: the digest of what it was learned from.
    """

    def __init__(
        self, names: tuple[str, ...], weights: Matrix, mean: Matrix, axes: Matrix, known: Matrix, of: Any,
        trust: Matrix, examples: str = "",
    ) -> None:
        """
        Take what was learned.

        @param weights: of the linear model, a row for each number of a vector and the last for none; a column a name.
        @param mean, axes: what is taken from a vector, and what it is multiplied by, to get to the few dimensions.
        @param known: the examples there, rows of length 1; of: the place of each one's name.
        @param trust: what L{evidence} is multiplied by, and at the end what is added.
        """
        self.names, self.examples = names, examples
        self._weights, self._mean, self._axes, self._known, self._of, self._trust = (
            weights, mean, axes, known, of, trust)

    @classmethod
    def read(cls, name: str) -> Exemplars:
        """Read a file of the templates."""
        return cls.unpacked(BytesIO(read_octets("simmail.core", "templates", name)))

    @classmethod
    def unpacked(cls, file: BinaryIO) -> Exemplars:
        """Read what L{packed} gave C{numpy.savez}."""
        with np.load(file, allow_pickle=False) as packed:
            weights, mean, axes, known, trust = (
                packed[one].astype(np.float32) for one in ("weights", "mean", "axes", "known", "trust"))
            return cls(tuple(map(str, packed["names"])), weights, mean, axes, _unit(known / _STEPS),
                       packed["of"], trust, str(packed["examples"]))

    def packed(self) -> dict[str, Any]:
        """Return what L{unpacked} reads, small, by names."""
        return {
            "names": np.array(self.names), "examples": np.array(self.examples), "of": self._of.astype(np.uint16),
            "known": np.rint(self._known * _STEPS).astype(np.int8), "trust": self._trust,
            **{name: value.astype(np.float16) for name, value in (
                ("weights", self._weights), ("mean", self._mean), ("axes", self._axes))}}

    def best(self, vector: Matrix) -> tuple[str, float]:
        """Return what a vector is likeliest to be, and how far that is to be trusted: 0 to 1, to hundredths."""
        place, found = self.evidence(vector)
        return self.names[place], self.trusted(found)

    def trusted(self, evidence: Matrix) -> float:
        """Return how far something is to be trusted that there is such evidence for: 0 to 1, to hundredths."""
        return round(1 / (1 + math.exp(-float(evidence @ self._trust[:-1] + self._trust[-1]))), 2)

    def evidence(self, vector: Matrix) -> tuple[int, Matrix]:
        """
        Return the place of the likeliest name that is not L{NOTHING}, and what speaks for it.

        @return: how likely it is and how much likelier than the next (logarithms), how near its nearest examples are
            (the first, the second, and on the average), how much nearer the first is than the nearest of another name,
            and than the nearest that is of nothing.
        """
        scores = vector @ self._weights[:-1] + self._weights[-1]
        shares = np.exp(scores - scores.max())
        shares = np.maximum(shares / shares.sum(), _LEAST)
        named = shares[1:]
        place = int(named.argmax()) + 1
        second = float(np.partition(named, -2)[-2]) if len(named) > 1 else _LEAST
        near: Matrix = self._known @ _unit((vector - self._mean) @ self._axes)
        same = self._of == place
        nearest = np.zeros(_NEAREST, np.float32)
        own = np.sort(near[same])[::-1][:_NEAREST]
        nearest[:len(own)] = own
        others, nothing = near[~same], near[self._of == 0]
        return place, np.array([
            np.log(shares[place]), np.log(shares[place] / second), nearest[0], nearest[1], nearest.mean(),
            nearest[0] - (others.max() if len(others) else 0), nearest[0] - (nothing.max() if len(nothing) else 0),
        ], np.float32)


def reduced(vectors: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return the mean of some vectors, the axes of the few dimensions in which they differ most, and them there."""
    mean: Matrix = vectors.mean(axis=0)
    axes: Matrix = np.linalg.svd(vectors - mean, full_matrices=False)[2][:DIMENSIONS].T
    return mean, axes, _unit((vectors - mean) @ axes)


def _unit(rows: NDArray[Any]) -> Matrix:
    length: NDArray[Any] = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: Matrix = (rows / np.maximum(length, 1e-9)).astype(np.float32)
    return unit
