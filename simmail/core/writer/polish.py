"""
The last touches on a text: habits of its writer, capitals, long forms for formal writers, slips of the keyboard.

Only the writer's own wording is touched, so names, addresses, references and
amounts that were picked up stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from msgspec import Struct, convert

from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional
from simmail.core.rng import Dice
from simmail.core.writer.voice import Piece

# Both are matched against our own wording only, and neither can backtrack.
_WORD = re.compile(r"[^\W\d_]+")
_SHORT = re.compile(r"([A-Za-z]+['’][a-z]+)(?:( )([a-z]+))?")
_STOPPED = re.compile(r"(?<=[^\W\d_])\.(?=\s|$)")
_CALLED = re.compile(r"(?<=[^\W\d_])!+(?=\s|$)")
# "¡Gracias!", "Gracias."; none of them holds another.
_BOTH = re.compile(r"¡([^¡!¿?]{1,200})!(?=\s|$)")
_FIRST = re.compile(r"([^\W\d_][^.!?¡¿:…\n]{2,60})\.(?=\s|$)")
#: What stands before a question or an exclamation in Spanish.
OPENING = "¿¡"
_NEIGHBOURS = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "j": "k", "k": "l",
    "l": "k", "m": "n", "n": "m", "o": "p", "p": "o", "q": "w", "r": "t", "s": "d", "t": "r", "u": "i", "v": "b",
    "w": "e", "x": "c", "y": "u", "z": "x",
}


class HabitWords(Struct, frozen=True, forbid_unknown_fields=True):
    """What habits are made of in one language; the data files say what each is for."""

    favourites: tuple[tuple[str, ...], ...] = ()
    emoticons: tuple[str, ...] = ("",)
    opened: bool = False


class Habits(Struct, frozen=True):
    """
    How one person writes, whatever it writes: drawn once.

    @ivar opens, adds: how much more or less than its temperament it begins and ends with a courtesy.
    @ivar leans: whether of several ways it takes the shorter or the longer ones, C{""} for neither.
    @ivar exclaims: the share of its full stops that are exclamation marks or, below 0, the other way round.
    @ivar contracts: it says "I'm"; joins: it writes everything in one paragraph; full: it signs with its whole name.
    @ivar emoticon: what it ends lively mail with, C{""} for nothing.
    @ivar favourites: what it says, by what others say.
    @ivar opened: what it exclaims has a mark at both ends.
    """

    opens: float
    adds: float
    leans: str
    exclaims: float
    contracts: bool
    joins: bool
    full: bool
    emoticon: str
    favourites: tuple[tuple[str, str], ...]
    opened: bool = False


@cache
def _words(code: str) -> HabitWords:
    return convert(read_optional(code, "habits.yaml") or {}, HabitWords, strict=False)


@lru_cache(maxsize=4096)
def habits(persona_id: str, code: str) -> Habits:
    """Return the habits of a person in a language."""
    dice, known = Dice(persona_id).on("habits"), _words(code)
    return Habits(
        opens=(0.0, 0.4, 1.0, 1.6, 2.4)[dice.below(5, "opens")], adds=(0.0, 0.5, 1.0, 1.8)[dice.below(4, "adds")],
        leans=("short", "", "", "long")[dice.below(4, "leans")],
        exclaims=(-1.0, -0.5, 0.0, 0.0, 0.25, 0.6)[dice.below(6, "exclaims")],
        contracts=not dice.chance(0.25, "contracts"), joins=dice.chance(0.2, "joins"), full=dice.chance(0.2, "full"),
        emoticon=dice.choice(known.emoticons, "emoticon"),
        favourites=tuple((group[0], dice.choice(group, "favourite", group[0])) for group in known.favourites),
        opened=known.opened,
    )


def in_habit(pieces: list[Piece], own: Habits, dice: Dice, lively: bool) -> list[Piece]:
    """
    Return pieces as this person says them: with its favourite words, and its marks at the end.

    @param lively: it may exclaim.
    """
    done: list[Piece] = []
    for place, piece in enumerate(pieces):
        text = piece.text
        if piece.own:
            text = _favoured(text, own)
            if own.opened:
                text = _exclaimed(text, own, dice.on(place), lively and not place)
            elif own.exclaims < 0:
                text = _CALLED.sub(lambda match: "." if dice.chance(-own.exclaims, "calm", place, match.start())
                                   else match.group(), text)
            elif own.exclaims and lively:
                text = _STOPPED.sub(lambda match: "!" if dice.chance(own.exclaims, "call", place, match.start())
                                    else match.group(), text)
        done.append(Piece(text, piece.own))
    return done


def _exclaimed(text: str, own: Habits, dice: Dice, lively: bool) -> str:
    # Only what begins and ends in this stretch: half a pair is no exclamation.
    if own.exclaims < 0:
        return _BOTH.sub(lambda match: f"{match[1]}." if dice.chance(-own.exclaims, "calm", match.start())
                         else match.group(), text)
    match = _FIRST.match(text) if lively and own.exclaims else None
    return f"¡{match[1]}!{text[match.end():]}" if match and dice.chance(own.exclaims, "call") else text


def _favoured(text: str, own: Habits) -> str:
    for one, other in own.favourites:
        large = f"{one[0].upper()}{one[1:]}"
        if one != other and one in text:
            # "No problem at all" is no "no trouble at all at all".
            tail = text.partition(one)[2].split()[:2]
            text = text if tail and other.split()[-2:] == tail else text.replace(one, other, 1)
        elif one[0].islower() and large in text:
            text = text.replace(large, f"{other[0].upper()}{other[1:]}", 1)
    return text


def capitals(pieces: Iterable[Piece], starts: bool = True) -> list[Piece]:
    """
    Return the pieces with a capital at the start of each sentence.

    @param starts: the first piece starts one.
    """
    done: list[Piece] = []
    for piece in pieces:
        text = piece.text
        if starts and text and not piece.own and text[0].islower() and not _is_name(text):
            text = text[0].upper() + text[1:]
        elif starts and text and piece.own and text.lstrip(OPENING)[:1].islower():
            at = len(text) - len(text.lstrip(OPENING))
            text = text[:at] + text[at].upper() + text[at + 1:]
        done.append(Piece(text, piece.own))
        if text.strip(OPENING):
            # What opens a question or an exclamation in Spanish opens the sentence with it.
            text = text.rstrip(OPENING)
            tail = text.rstrip(" ")
            starts = text.endswith("\n") or (
                tail.endswith((".", "!", "?")) and tail != text and not tail.endswith(("...", "e.g.", "z. B."))
            )
    return done


def small_start(pieces: list[Piece], language: Language) -> list[Piece]:
    """Return the pieces as they stand after a greeting with a comma, where the language goes on small."""
    if not pieces or not pieces[0].own:
        return pieces
    text = pieces[0].text
    word = _WORD.match(text)
    if word is None or word.group().lower() not in language.small_words:
        return pieces
    return [Piece(text[0].lower() + text[1:], True), *pieces[1:]]


def _is_name(text: str) -> bool:
    # Addresses and file names keep their small letters.
    first = text.split(" ", 1)[0]
    return "@" in first or "." in first.strip(".,")


def long_forms(pieces: Iterable[Piece], language: Language) -> list[Piece]:
    """Return the pieces without contractions."""
    if not language.contractions:
        return list(pieces)

    def expand(match: re.Match[str]) -> str:
        short, space, following = match.group(1), match.group(2) or "", match.group(3) or ""
        plain = short.replace("’", "'")
        low = plain.lower()
        long = language.contractions.get(plain) or language.contractions.get(low)
        if long is None:
            return match.group()
        had = following in language.had_before or (
            following.endswith("ed") and following not in language.had_not_before and len(following) > 4
        )
        if had and low.endswith("'d"):
            long = long.rsplit(" ", 1)[0] + " had"
        elif had and low.endswith("'s") and following in ("been", "done", "gone", "got", "heard", "told"):
            long = long.rsplit(" ", 1)[0] + " has"
        if short[0].isupper():
            long = long[0].upper() + long[1:]
        return f"{long}{space}{following}"

    return [Piece(_SHORT.sub(expand, piece.text), True) if piece.own else piece for piece in pieces]


def slips(pieces: Iterable[Piece], rate: float, dice: Dice) -> str:
    """Return the text, with this share of the writer's own words mistyped."""
    if rate <= 0:
        return "".join(piece.text for piece in pieces)
    count = 0
    done = []

    def mistype(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        word = match.group()
        if len(word) < 3 or not word[1:].islower() or not dice.chance(rate, "slip", count):
            return word
        return _slip(word, dice, count)

    for piece in pieces:
        done.append(_WORD.sub(mistype, piece.text) if piece.own else piece.text)
    return "".join(done)


def _slip(word: str, dice: Dice, count: int) -> str:
    # Never the first letter: that is how people mistype, and names start with it.
    at = 1 + dice.below(len(word) - 2, "at", count)
    kind = dice.choice(("swap", "swap", "drop", "double", "neighbour"), "kind", count)
    if kind == "swap" and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    if kind == "double":
        return word[:at] + word[at] + word[at:]
    if kind == "neighbour" and word[at] in _NEIGHBOURS:
        return word[:at] + _NEIGHBOURS[word[at]] + word[at + 1:]
    return word[:at] + word[at + 1:]
