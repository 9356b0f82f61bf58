"""
What a language model is asked: which kinds of mail a text is like, and how near two texts are in meaning.

The rules of C{core.language} decide where they are sure; where they are not, whoever reads a mail may have been given a
model to ask.  It is a function: the same text always has the same answer, rounded so that another processor's last
digit changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

#: Longer texts are asked about by their beginning: characters.
ASKED = 300
_FIGURES = re.compile(r"[0-9][0-9.,:]*")


class IMeaning(Protocol):
    """A language model; one is the same as itself alone."""

    def __hash__(self) -> int:
        """Return a number of its own."""

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return the kinds of mail that a text is like, each with its likelihood, from 0.01 to 1 and rounded so."""

    def exchange(self, sentence: str) -> tuple[str, float]:
        """Return the exchange that a sentence is likeliest to begin, and how far to trust that, in hundredths."""

    def nearness(self, one: str, other: str) -> float:
        """Return how near two texts are in meaning: 1 the same, 0 nothing in common; rounded to hundredths."""


def plain(text: str) -> str:
    """Return a text as a model is asked about it: on one line, short, every figure the same."""
    return _FIGURES.sub("5", " ".join(text[:2 * ASKED].split())[:ASKED])
