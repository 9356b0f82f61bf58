"""The set of mails and conversations as values, checked as it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec
import yaml
from msgspec import Struct

HERE = Path(__file__).parent

#: The Monday of the week that C{at} is in.
MONDAY = datetime(2026, 9, 7)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
#: When a turn arrives that does not say it.
USUAL = timedelta(hours=10)

Answer = Literal["due", "welcome", "none"]


class Background(Struct, frozen=True, forbid_unknown_fields=True):
    """What the reader of a mail knows of its case."""

    facts: dict[str, Any] = {}
    secrets: dict[str, Any] = {}
    keys: tuple[str, ...] = ()
    wants: str = ""


class Specimen(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """One mail; see the package.  C{itip}: the method a calendar reply has to have."""

    name: str
    kind: str
    to: str
    from_: str
    at: str
    subject: str
    good: str
    bad: str
    language: str = "en"
    text: str = ""
    html: str = ""
    calendar: str = ""
    attached: tuple[str, ...] = ()
    case: Background | None = None
    notes: tuple[str, ...] = ()
    answer: Answer = "due"
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    itip: str = ""


class Turn(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """One mail of a conversation; one with a C{from} or C{subject} of its own begins another thread."""

    text: str
    good: str
    at: str = ""
    from_: str = ""
    subject: str = ""
    recall: bool = False
    given: str = ""
    keep: dict[str, str] = {}
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Conversation(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Turns of one side; see the package."""

    name: str
    to: str
    from_: str
    subject: str
    about: str
    turns: tuple[Turn, ...]
    language: str = "en"
    case: Background | None = None
    notes: tuple[str, ...] = ()


class Patterns(Struct, frozen=True, forbid_unknown_fields=True):
    """What C{patterns.yaml} holds; C{numbers}: words from zero up, by language."""

    named: dict[str, dict[str, str]]
    never: tuple[str, ...]
    foreign: dict[str, str]
    numbers: dict[str, tuple[str, ...]]

    def compiled(self, text: str, language: str, kept: Mapping[str, str] = {}) -> re.Pattern[str]:
        """
        A regular expression of the set, its names put in.

        @param kept: words of earlier answers by name.
        @raise KeyError: a name nobody gave.
        """
        def named(match: re.Match[str]) -> str:
            name = match[1]
            return self._either(kept[name], language) if name in kept else self.named[language][name]
        return re.compile(re.sub(r"<([a-z_]+)>", named, text), re.IGNORECASE)

    def _either(self, word: str, language: str) -> str:
        """A word that was kept, or its number, in figures or in letters."""
        words = self.numbers[language]
        number = int(word) if word.isdecimal() else words.index(word.lower()) if word.lower() in words else -1
        if number < 0:
            return re.escape(word)
        return rf"\b({number}{'|' + words[number] if number < len(words) else ''})\b"


def _read(folder: Path, pattern: str, kind: Any) -> Any:
    found: list[Any] = []
    for path in sorted(folder.glob(pattern)):
        found += yaml.safe_load(path.read_text(encoding="utf-8"))
    return msgspec.convert(found, kind)


def mails(folder: Path = HERE) -> tuple[Specimen, ...]:
    """All mails of a folder, in the order of their files."""
    found: tuple[Specimen, ...] = _read(folder, "mails_*.yaml", tuple[Specimen, ...])
    return found


def conversations(folder: Path = HERE) -> tuple[Conversation, ...]:
    """All conversations of a folder, in the order of their files."""
    found: tuple[Conversation, ...] = _read(folder, "conversations_*.yaml", tuple[Conversation, ...])
    return found


def people(folder: Path = HERE) -> dict[str, dict[str, Any]]:
    """The fields of a folder's people by their short names."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((folder / "people.yaml").read_text(encoding="utf-8"))
    return found


def patterns() -> Patterns:
    """What C{patterns.yaml} holds."""
    return msgspec.convert(yaml.safe_load((HERE / "patterns.yaml").read_text(encoding="utf-8")), Patterns)


def instant(at: str, zone: str) -> datetime:
    """
    C{Tue 10:12} or C{Tue 15 10:12} in a zone.

    @raise ValueError: the day of the month is another day of the week, or it is none of this.
    """
    day, *date, clock = at.split()
    hours, minutes = clock.split(":")
    found = MONDAY + timedelta(days=DAYS.index(day), hours=int(hours), minutes=int(minutes))
    if date:
        found = MONDAY.replace(day=int(date[0]), hour=int(hours), minute=int(minutes))
        if DAYS[found.weekday()] != day:
            raise ValueError(f"{at}: that is a {DAYS[found.weekday()]}")
    return found.replace(tzinfo=ZoneInfo(zone))


def instants(conversation: Conversation, zone: str) -> list[datetime]:
    """When the turns arrive: where they do not say it, at ten on the next working day."""
    found: list[datetime] = []
    for turn in conversation.turns:
        if turn.at:
            found.append(instant(turn.at, zone))
            continue
        day = found[-1].replace(tzinfo=None, hour=0, minute=0) + timedelta(days=1) if found else MONDAY
        while day.weekday() > 4:
            day += timedelta(days=1)
        found.append((day + USUAL).replace(tzinfo=ZoneInfo(zone)))
    return found


def right_answers() -> dict[str, dict[int, list[str]]]:
    """What is right to say, by conversation and turn (from 1)."""
    text = (HERE / "right_answers.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), dict[str, dict[int, list[str]]])
