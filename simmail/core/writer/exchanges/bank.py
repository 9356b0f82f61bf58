"""
The bank of exchanges: what begins each, in several languages, and what is said to it, by stance.

An exchange is a pair of turns as the analysis of conversation has them (Schegloff and Sacks, "Opening up closings",
1973: adjacency pairs): a request and its granting or refusal, news and their reception.  The bank is data,
C{templates/<code>/exchanges/*.yaml}, the same exchanges in each language; what its sentences are told by is learned
from C{heard} (C{scripts/bench/exchanges --learn}).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct, convert

from simmail.core.language_data import folder_yaml

#: What the act of an exchange begins with: C{exchange.borrow_a_tool.yes}.
PREFIX = "exchange."
#: The stances to what asks, and those to what tells.
ASKED, TOLD = ("yes", "no", "later"), ("warm", "plain", "cross")


class Exchange(Struct, frozen=True):
    """
    What is said to one thing that is written; each line as L{simmail.core.writer.voice.ways} has it.

    @ivar heard: sentences that begin it, as examples.
    @ivar yes, no, later: what is said to what asks for something; warm, plain, cross: to what tells something.
    @ivar silent: the share of people who say nothing to it.
    @ivar fits: where alone it fits, as the bank of the first language has it; C{""} for anywhere.  C{"thread"}: it is
        about what its reader wrote before; C{"named"}: what is asked about is named; C{"advice"}: advice is asked of a
        person, not of a firm, and not what is to be done now;
        C{"private"}: among people who answer for themselves.
    """

    heard: tuple[str, ...]
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    warm: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    cross: tuple[str, ...] = ()
    silent: float = 0.0
    fits: Literal["", "thread", "named", "advice", "private"] = ""

    @property
    def questions(self) -> float:
        """The share of its examples that are questions."""
        return sum("?" in text for text in self.heard) / len(self.heard)

    @property
    def stances(self) -> tuple[str, ...]:
        """The stances that it has lines of."""
        return tuple(name for name in (*ASKED, *TOLD) if getattr(self, name))


@cache
def exchanges(code: str) -> Mapping[str, Exchange]:
    """Return the exchanges of a language by their names; none where it has no bank."""
    found: dict[str, Exchange] = {}
    for table in folder_yaml(code, "exchanges"):
        found.update({name: convert(one, Exchange, strict=False) for name, one in table.items()})
    return found


@lru_cache(4096)
def said(code: str, act: str) -> tuple[str, ...]:
    """
    Return the lines of an act of an exchange.

    @raise KeyError: there is no such exchange in that language.
    """
    name, stance = act.removeprefix(PREFIX).rsplit(".", 1)
    lines: tuple[str, ...] = getattr(exchanges(code)[name], stance)
    return lines


def heard(codes: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Give the language, the exchange and the text of each sentence that begins one."""
    for code in codes:
        for name, one in sorted(exchanges(code).items()):
            for text in one.heard:
                yield code, name, text
