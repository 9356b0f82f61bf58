"""
The seven voices: their lines from the data files, and how one line is filled in.

A line is text with C{{names}} and C{[far|near]} choices.  Only what stands in
the line itself is the writer's own wording; what is filled in is never
touched again: not expanded, not mistyped, not read as a template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language_data import read_optional, read_yaml
from simmail.core.rng import Dice

FORMALITIES = ("casual", "neutral", "formal")
#: Files that hold lines of all seven voices side by side, act by act.
TOPICS = ("notices", "trade", "office", "persons", "answers", "life", "told", "tongues")
#: The file of lines that add to those of a voice, and replace none.
MORE = "ways.yaml"
_TABLES = ("greeting", "closing")
_NEARNESS = frozenset((*FORMALITIES, "solemn"))


class Piece(NamedTuple):
    """A part of a line or of a text; C{own}: the writer's wording, not something filled in."""

    text: str
    own: bool


class TemplateLine(Struct, frozen=True):
    """
    One way to say an act.

    @ivar parts: text, names (as C{{name}}), and choices as pairs (far, near).
    @ivar size: words of its own; longest: its longest stretch of own text, folded; stretches: all that are long.
    """

    parts: tuple[str | tuple[str, str], ...]
    names: frozenset[str]
    size: int
    longest: str
    stretches: tuple[str, ...]


class Manner(Struct, frozen=True):
    """How a temperament goes about things; C{manners.yaml} and C{does.yaml} explain each."""

    length: str
    formality: str
    days: int
    layout: str
    apart: bool
    opener: float
    extra: float
    sign: str
    yes: float
    does: Mapping[str, tuple[tuple[str, float], ...]]
    mark: float = 0.7
    capitals: bool = True


class PersonaVoice(Struct, frozen=True):
    """How one temperament writes one language."""

    greeting: Mapping[str, tuple[TemplateLine, ...]]
    closing: Mapping[str, tuple[TemplateLine, ...]]
    acts: Mapping[str, tuple[TemplateLine, ...]]


#: So many ways to say an act are choice enough.
ENOUGH = 12
#: One line stands for no more ways to say it.
MOST_WAYS = 64

_BAR = re.compile(r"\|(?![^\[]*\])")  # of our own lines only
_CONTRACTED = re.compile(r"[^\s'’]*['’]\S*")
_NAME = re.compile(r"\{([a-z0-9]+)\}|\[([^\]|]*)\|([^\]|]*)\]")  # of our own lines only


def folded(text: str) -> str:
    """Return text in lower case and in one line, without marks of quotation, to look for lines in."""
    return " ".join(text.lower().replace(">", " ").split())


def parse(text: str) -> TemplateLine:
    """Return a line of a data file."""
    parts: list[str | tuple[str, str]] = []
    names = []
    own = []
    last = 0
    for match in _NAME.finditer(text):
        if match.start() > last:
            parts.append(text[last:match.start()])
            own.append(text[last:match.start()])
        if match.group(1):
            parts.append(match.group())
            names.append(match.group(1))
        else:
            parts.append((match.group(2), match.group(3)))
            own.append(match.group(2))
        last = match.end()
    if last < len(text) or not parts:
        parts.append(text[last:])
        own.append(text[last:])
    # Formal writers say "I would" for "I'd": what stands between contractions is always the same.
    stretches = [folded(part) for text in own for part in _CONTRACTED.split(text)]
    return TemplateLine(
        parts=tuple(parts), names=frozenset(names), size=sum(len(part.split()) for part in own),
        longest=max(stretches, key=len, default=""), stretches=tuple(one for one in stretches if len(one) > 11),
    )


def _lines(table: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[TemplateLine, ...]]:
    return MappingProxyType({
        name: tuple(parse(way) for text in texts for way in ways(text)) for name, texts in table.items()})


def ways(text: str) -> list[str]:
    """
    Return all that a line of a data file stands for: C{<a|b> c} is "a c" and "b c".

    @raise ValueError: more than L{MOST_WAYS}.
    """
    head, found, rest = text.partition("<")
    if not found:
        return [text]
    inside, _, tail = rest.partition(">")
    tails = ways(tail)
    # The bar of "[Sie|du]" parts no ways.
    found_ways = [f"{head}{one}{end}".replace("  ", " ").rstrip(" ") for one in _BAR.split(inside) for end in tails]
    if len(found_ways) > MOST_WAYS:
        raise ValueError(f"more than {MOST_WAYS} ways to say {text!r}")
    return found_ways


def own(language: str, temperament: str) -> dict[str, dict[str, list[str]]]:
    """
    Return the lines of one voice as they stand in the data files: greeting, closing, acts.

    @param temperament: or C{common}, for what any of them may say.
    """
    found: dict[str, dict[str, list[str]]] = read_yaml(language, f"{temperament}.yaml")
    for topic in TOPICS:
        for act, voices in (read_optional(language, f"{topic}.yaml") or {}).items():
            if temperament in voices:
                table, _, name = act.partition(".")
                if table in _TABLES and name in _NEARNESS:
                    found[table][name] = voices[temperament]
                else:
                    found["acts"][act] = voices[temperament]
    for act, voices in (read_optional(language, MORE) or {}).items():
        if temperament in voices:
            found["acts"][act] = [*found["acts"].get(act, ()), *voices[temperament]]
    return found


@cache
def _file(language: str, name: str) -> PersonaVoice:
    data = own(language, name)
    return PersonaVoice(greeting=_lines(data["greeting"]), closing=_lines(data["closing"]), acts=_lines(data["acts"]))


@cache
def voice(language: str, temperament: str) -> PersonaVoice:
    """Return the voice of a temperament, with the common lines where it has none of its own."""
    common, mine = _file(language, "common"), _file(language, temperament)
    return PersonaVoice(*(
        MappingProxyType({**every, **each}) for every, each in (
            (common.greeting, mine.greeting), (common.closing, mine.closing), (common.acts, mine.acts))
    ))


@cache
def manners() -> Mapping[str, Manner]:
    """Return the manner of each temperament."""
    does = read_yaml("does.yaml")
    return MappingProxyType({
        name: convert({**fields, "does": {
            intent: tuple((act, float(weight)) for act, weight in each[name].items()) for intent, each in does.items()
        }}, Manner, strict=False)
        for name, fields in read_yaml("manners.yaml").items()
    })


def choose(
    lines: Sequence[TemplateLine], known: Mapping[str, str], length: str, said: str, dice: Dice, *key: str | int
) -> TemplateLine | None:
    """
    Return the line to say: all it names is known, it says what can be said, was not said before, and fits the length.

    @param said: what stands in the mails below, folded; a line found in it is avoided.
    @return: None when no line fits what is known.
    """
    fit = [line for line in lines if all(known.get(name) for name in line.names)]
    if not fit:
        return None
    fit = _telling(fit)
    fresh = [line for line in fit if not any(map(said.__contains__, line.stretches))]
    fit = fresh or fit
    if len(fit) > 2 and length != "medium":
        by_size = sorted(fit, key=lambda line: line.size)
        half = (len(fit) + 1) // 2
        fit = by_size[:half] if length == "short" else by_size[-half:]
    return dice.choice(fit, "line", *key)


def _telling(lines: Sequence[TemplateLine]) -> list[TemplateLine]:
    # Those that name most of what is known, and as many lesser ones as it takes to have a choice; those that name
    # nothing only where there are too few others.
    kept: list[TemplateLine] = []
    enough = ENOUGH if len(lines) >= ENOUGH else 2
    for count in sorted({len(line.names) for line in lines}, reverse=True):
        if not count and len(kept) > 1:
            break
        kept.extend(line for line in lines if len(line.names) == count)
        if len(kept) >= enough:
            break
    return kept


def fill(line: TemplateLine, known: Mapping[str, str], far: bool) -> list[Piece]:
    """Return a line with its names filled in; C{far} takes the first of each choice."""
    pieces = []
    for part in line.parts:
        if isinstance(part, tuple):
            pieces.append(Piece(part[0] if far else part[1], True))
        elif part.startswith("{") and part[1:-1] in line.names:
            pieces.append(Piece(known[part[1:-1]], False))
        else:
            pieces.append(Piece(part, True))
    return pieces
