"""
The words of the world's mail: data of each language in C{templates/<language>/world}, and one way to say them.

In a text C{<one|another>} is one of both, and C{{order}} the value of a slot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter

from msgspec import Struct, convert

from simmail.core.language_data import LANGUAGES, read_optional, read_yaml
from simmail.core.rng import Dice, Key
from simmail.core.world.occasion import Expected

_ALTERNATIVES = re.compile(r"<([^<>]*\|[^<>]*)>")


class Firm(Struct, frozen=True):
    """An organisation that writes: its name, and the domain of its addresses."""

    name: str
    domain: str


class Trade(Struct, frozen=True):
    """What a company of an industry sells; C{match}: beginnings of words that tell the industry, short ones whole."""

    name: str
    products: tuple[str, ...]
    match: tuple[str, ...] = ()


class CommonWords(Struct, frozen=True):
    """
    What all mail of a language has in common.

    @ivar zone: where its writers live.
    @ivar private: domains of people who write from home; greetings, closings: with C{{company}} and C{{sender}}.
    @ivar phone, iban: with a C{#} for each digit that is drawn; of the account the country, and the number within it.
    @ivar date, amount: how they are told; C{point} and C{thousands} are the signs within a number.
    @ivar trades: what companies sell, the first where the industry tells nothing; supplies: what offices buy; topics:
        what meetings are about; agencies: firms of sorts of writers that have their own.
    @ivar papers: words of documents; known: what is known of a matter, by its name: where it was C{said}, and by each
        sort of writers in any case; first: how the first day of a month is called, where it is no number.
    """

    zone: str
    given: tuple[str, ...]
    family: tuple[str, ...]
    firms: tuple[Firm, ...]
    private: tuple[str, ...]
    cities: tuple[str, ...]
    streets: tuple[str, ...]
    phone: str
    iban: str
    months: tuple[str, ...]
    days: tuple[str, ...]
    date: str
    amount: str
    point: str
    thousands: str
    greetings: tuple[str, ...]
    closings: tuple[str, ...]
    trades: tuple[Trade, ...]
    supplies: tuple[str, ...]
    topics: tuple[str, ...]
    agencies: dict[str, tuple[Firm, ...]]
    positions: tuple[str, ...]
    papers: dict[str, str]
    known: dict[str, dict[str, str]]
    first: str = ""


class MailWords(Struct, frozen=True, rename={"from_": "from"}):
    """
    One mail of a kind.

    @ivar subject: of which one is taken; expected: the right handling where it is not that of the kind.
    @ivar must, must_not: what a right answer has in it, or has not.
    @ivar html: what stands in the middle of its HTML form, C{""} for the same as in the text; from_: who sends it;
        trades: the only ones that it is sent to; by: the only one of the kind's senders that sends it; attack: what
        sort of one it is.
    """

    subject: tuple[str, ...]
    text: str
    expected: Expected | None = None
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    html: str = ""
    from_: str = ""
    trades: tuple[str, ...] = ()
    by: str = ""
    attack: str = ""


class WorldWords(Struct, frozen=True):
    """
    The mails of a kind in one language.

    @ivar openings: in front of a text; endings: behind it; greetings, closings: where they are not as everywhere.
    @ivar nudges: when nobody answered; questions: when an answer has come.
    @ivar senders: who sends what nobody writes by hand; orders: what is slipped into a mail for a machine to obey.
    """

    mails: tuple[MailWords, ...]
    openings: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)
    greetings: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()
    nudges: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    senders: tuple[Firm, ...] = ()
    orders: tuple[str, ...] = ()


#: The languages that the world writes, English first.
TONGUES: tuple[str, ...] = tuple(code for code in LANGUAGES if read_optional(code, "world", "common.yaml") is not None)


@cache
def common(language: str) -> CommonWords:
    """Return what all mail of a language has in common."""
    return convert(read_yaml(language, "world", "common.yaml"), CommonWords)


@cache
def kind_words(kind: str, language: str) -> WorldWords:
    """Return the words of a kind."""
    return convert(read_yaml(language, "world", f"{kind}.yaml"), WorldWords)


@cache
def speaks(kind: str) -> tuple[str, ...]:
    """Return the languages that a kind has words in."""
    return tuple(code for code in TONGUES if read_optional(code, "world", f"{kind}.yaml") is not None)


class Slots(dict[str, str]):
    """Values for slots, and which of them were said (C{said})."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.said: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        value = self.said[name] = super().__getitem__(name)
        return value


def slots_of(text: str) -> frozenset[str]:
    """Return the names of the slots in a text."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def fill(text: str, slots: Slots, dice: Dice, *key: Key) -> str:
    """
    Return a text with one of each alternative and the values of its slots.

    @raise KeyError: it has a slot without a value.
    """
    def choose(found: re.Match[str]) -> str:
        among: list[str] = found[1].split("|")
        return dice.choice(among, *key, found.start())

    said = _ALTERNATIVES.sub(choose, text).format_map(slots)
    # A sentence may begin with a value.
    return said[:1].upper() + said[1:] if text.startswith("{") else said


def sayable(texts: Sequence[str], slots: Mapping[str, str]) -> list[str]:
    """Return those texts whose slots all have values."""
    return [one for one in texts if slots_of(one) <= slots.keys()]
