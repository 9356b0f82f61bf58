"""
What mails do to what was agreed: they propose, agree, call off, prefer one of several, name a place.

The words are data, C{templates/<code>/conversation.yaml}; a language that has none of its own is read with those of the
others, for a mail is not always in the one that it is taken for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from msgspec import Struct, convert

from simmail.core.language.dates import Slot
from simmail.core.language.phrases import noun_phrase, words
from simmail.core.language.tables import LANGUAGES, Language, read_yaml

_FILE = "conversation.yaml"
_STOPS = frozenset(",;:()–—")
_PARTS = re.compile("[,;:–—]")
#: Sentences that are looked at.
_SENTENCES = 60
#: Places taken from one mail.
_MOST_PLACES = 3


class Cues(Struct, frozen=True, forbid_unknown_fields=True):
    """Beginnings of words and phrases in lower case; the data files say what each is for."""

    agreeing: tuple[str, ...] = ()
    declining: tuple[str, ...] = ()
    dropping: tuple[str, ...] = ()
    dropping_all: tuple[str, ...] = ()
    not_dropping: tuple[str, ...] = ()
    keeping: tuple[str, ...] = ()
    appointments: tuple[str, ...] = ()
    preferring: tuple[str, ...] = ()
    preferred_before: tuple[str, ...] = ()
    suiting: tuple[str, ...] = ()
    meeting: tuple[str, ...] = ()
    offering: tuple[str, ...] = ()
    inviting: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    online: tuple[str, ...] = ()
    streets_behind: tuple[str, ...] = ()
    streets_joined: tuple[str, ...] = ()
    streets_before: tuple[str, ...] = ()
    nobody_reads: tuple[str, ...] = ()
    parcel: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    to_many: tuple[str, ...] = ()


@cache
def cues() -> Cues:
    """Return the cues of all languages that have some."""
    found: dict[str, dict[str, None]] = {}
    for code in LANGUAGES:
        try:
            own: dict[str, Any] = read_yaml(code, _FILE)
        except FileNotFoundError:
            continue
        for name, some in own.items():
            found.setdefault(name, {}).update(dict.fromkeys(some))
    return convert({name: tuple(some) for name, some in found.items()}, Cues)


@cache
def _spaced(field: str) -> tuple[str, ...]:
    return tuple(f" {cue}" if cue[0].isalpha() else cue for cue in getattr(cues(), field))


def _has(field: str, low: str) -> bool:
    """Whether one of the cues of a field stands in a folded text, at the beginning of a word."""
    return any(map(low.__contains__, _spaced(field)))


def _found(field: str, low: str) -> tuple[int, int] | None:
    """Where in a folded text the first cue of a field stands, and the longest of those."""
    places = [(at, -len(cue)) for cue in _spaced(field) for at in (low.find(cue),) if at >= 0]
    if not places:
        return None
    at, length = min(places)
    return at, at - length


def _folded(text: str) -> str:
    return f" {text.lower().replace(chr(0x2019), chr(39)).replace(chr(10), chr(32))} "


def nobody_reads(address: str) -> bool:
    """Return whether mail to an address is read by nobody: no-reply@, in any spelling."""
    local = "".join(filter(str.isalnum, address.partition("@")[0].lower()[:100]))
    return local.startswith(cues().nobody_reads) or local.endswith("noreply")


def greets_many(greeting: str) -> bool:
    """Return whether a greeting is for all of a group: "Dear all", "Liebe Eltern"."""
    return _has("to_many", _folded(greeting))


def looks_made(text: str) -> bool:
    """Return whether a text has words of mail that no person wrote."""
    return _has("machine", _folded(text))


def of_a_parcel(text: str) -> bool:
    """Return whether a text tells of a parcel that goes or comes."""
    return _has("parcel", _folded(text))


def agrees(sentence: str) -> bool:
    """Return whether a sentence agrees to what was proposed."""
    low = _folded(sentence)
    return "?" not in low and _has("agreeing", low) and not _has("declining", low)


def calls_off(text: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """
    Return the sentences that say something is not wanted any more.

    @param text: all of them, looked at first.
    """
    if not _has("dropping", _folded(text)):
        return ()
    return tuple(
        one for one, low in ((one, _folded(one)) for one in sentences[:_SENTENCES])
        if _has("dropping", low) and not _has("not_dropping", low))


def names_nothing(sentence: str) -> bool:
    """Return whether what is not wanted any more is what was spoken of last: "please cancel it"."""
    return _has("dropping_all", _folded(sentence)) and not keeps(sentence)


def keeps(sentence: str) -> bool:
    """Return whether a sentence says that something is still wanted: "the measurements I still need"."""
    return _has("keeping", _folded(sentence))


def is_appointment(phrase: str) -> bool:
    """Return whether a phrase speaks of an appointment: "our call on Thursday"."""
    return _has("appointments", _folded(phrase))


def thing(sentence: str, language: Language) -> str:
    """Return what is not wanted any more, as its writer has it: "refund"; C{""} where it has no name."""
    kept = keeps(sentence)
    if kept:
        # "The carrying is no longer needed, the measurements I still need."
        sentence = " ".join(part for part in _PARTS.split(sentence) if not keeps(part))
    tokens = words(sentence)
    low = _folded(" ".join(tokens))
    cue = _found("dropping", low)
    if cue is None:
        return ""
    # Words before the cue, and those that it has, the last of them whole.
    before, inside = low[:cue[0]].split(), low[:cue[1]].split()
    # "The refund is no longer needed", "forget the refund".
    whole = low[cue[0]:cue[1]] in _spaced("dropping_all") and not kept
    for first, last in ((0, 0 if whole else len(before)), (max(len(inside) - 1, 0), len(inside) + 3)):
        for position in range(first, min(last, len(tokens))):
            if whole and tokens[position] in _STOPS:
                break  # "call the whole thing off, the crane is broken"
            if tokens[position].lower() in language.determiners:
                phrase = noun_phrase(tokens, position + 1, language)
                if language.inflected:
                    # A verb may follow: "den Vertrag brauchen wir nicht mehr".
                    end = max((n for n, word in enumerate(phrase) if word[0].isupper() or word[0].isdigit()),
                              default=-1)
                    phrase = phrase[:end + 1]
                if phrase:
                    return " ".join(phrase)
    return ""


def suits(sentence: str) -> bool:
    """Return whether a question asks if a time suits its reader."""
    return _has("suiting", _folded(sentence))


def meets(sentence: str) -> bool:
    """Return whether a question asks its reader to meet, or to have somebody come."""
    return _has("meeting", _folded(sentence))


def invites(sentence: str) -> bool:
    """Return whether what a sentence asks its reader is to come."""
    return _has("inviting", _folded(sentence))


def offers(sentence: str) -> bool:
    """Return whether a sentence says which times its writer has."""
    return _has("offering", _folded(sentence))


def preferred(sentences: Sequence[str], named: Callable[[str], Sequence[Slot]]) -> Slot | None:
    """
    Return the time that is said to be liked best, None where nothing is said about that.

    @param named: the times in a part of a sentence.
    """
    for sentence in sentences[:_SENTENCES]:
        low = f" {sentence.lower()}"
        cue = _found("preferred_before", low)
        if cue is None:
            cue = _found("preferring", low)
            after = named(sentence[cue[0]:]) if cue is not None else ()
            if after:
                return after[0]
        if cue is not None:
            before = named(sentence[:cue[0]])
            if before:
                return before[-1]
    return None


def places(text: str) -> tuple[str, ...]:
    """Return the places that a text names: "room 4", "Room Elbe", "Zoom"."""
    low = _folded(text)
    if not _has("places", low) and not _has("online", low):
        return ()
    return tuple(dict.fromkeys(" ".join(match.group().split()) for match in _place().finditer(text)))[:_MOST_PLACES]


def addresses(text: str) -> tuple[str, ...]:
    """Return the streets with a number that a text names: "12 Larch Close", "Birkenweg 7", "calle Mayor, 5"."""
    if not any(map(str.isdigit, text)):
        return ()
    return tuple(dict.fromkeys(" ".join(match.group().split()) for match in _address().finditer(text)))[:_MOST_PLACES]


@cache
def _address() -> re.Pattern[str]:
    behind, joined, before = ("|".join(map(re.escape, sorted(some, key=len, reverse=True))) for some in (
        cues().streets_behind, cues().streets_joined, cues().streets_before))
    name, number = r"[A-ZÀ-ÖØ-Þ][\w'’-]+", r"[0-9]{1,4}[a-z]?(?![\w:.,]?[0-9])"
    named = rf"(?i:{before})(?: (?:[a-z']{{1,3}} ?){{0,2}})? ?{name}(?: {name}){{0,2}}"
    return re.compile(
        rf"(?<![\w.,])(?:{number},? (?:{name} ){{1,3}}(?i:{behind})(?!\w)"
        rf"|(?:{name} (?:[A-ZÄÖÜ][\w-]*)?|[A-ZÄÖÜ][\w-]+)(?i:{joined}) {number}"
        rf"|{number}(?: bis| ter)?,? {named}|{named},? (?:n[.º°]* ?)?{number})")


@cache
def _place() -> re.Pattern[str]:
    housed = "|".join(re.escape(one) for one in sorted(cues().places, key=len, reverse=True))
    online = "|".join(re.escape(one) for one in cues().online)
    # Followed by a number, a letter or a name.
    return re.compile(
        rf"(?<![\w-])(?:(?i:{housed}) (?:[A-Z]?[0-9][\w.-]{{0,6}}(?<![.-])|[A-Z](?![\w'])|[A-Z][\w'-]{{2,20}})"
        rf"|(?i:{online})(?!\w))")
