"""
The seven voices: their lines from the data files, how one line is filled in, and the last touches of its writer.

A line is text with C{{names}} and C{[far|near]} choices.  Only what stands in
the line itself is the writer's own wording, and that alone is touched by the
writer's habits: capitals, long forms for formal writers, slips of the keyboard.
What is filled in (names, addresses, references, amounts) is never touched
again: not expanded, not mistyped, not read as a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional, read_yaml
from simmail.core.rng import Dice
from simmail.core.writer.exchanges import bank

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

    @property
    def text(self) -> str:
        """Return its own words, small."""
        return "".join(part if isinstance(part, str) else part[0] for part in self.parts).lower()


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
    warm: bool = False
    cross: float = 0.0


class PersonaVoice(Struct, frozen=True):
    """
    How one temperament writes one language.

    @ivar code: of the language; greeting, closing: by formality; acts: those of the temperament and common ones.
    """

    code: str
    greeting: Mapping[str, tuple[TemplateLine, ...]]
    closing: Mapping[str, tuple[TemplateLine, ...]]
    acts: Mapping[str, tuple[TemplateLine, ...]]

    def lines(self, act: str) -> tuple[TemplateLine, ...]:
        """
        Return the lines of an act.

        @raise KeyError: there is no such act.
        """
        return _exchanged(self.code, act) if act.startswith(bank.PREFIX) else self.acts[act]


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


@lru_cache(4096)
def _exchanged(code: str, act: str) -> tuple[TemplateLine, ...]:
    return tuple(parse(way) for text in bank.said(code, act) for way in ways(text))


@cache
def _file(language: str, name: str) -> PersonaVoice:
    data = own(language, name)
    return PersonaVoice(language, *(_lines(data[table]) for table in ("greeting", "closing", "acts")))


@cache
def voice(language: str, temperament: str) -> PersonaVoice:
    """Return the voice of a temperament, with the common lines where it has none of its own."""
    common, mine = _file(language, "common"), _file(language, temperament)
    return PersonaVoice(language, *(
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
    cheer: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    hushed: tuple[str, ...] = ()
    ringing: tuple[str, ...] = ()


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


def fitting(
    lines: Sequence[TemplateLine], code: str, grave: bool, more: bool, read: str = ""
) -> Sequence[TemplateLine]:
    """
    Return the lines that fit a mail, all of them where none does.

    @param grave: its writer is in trouble or angry, and nobody is cheerful; more: something else is answered as well,
        and is not put off; read: the mail, in lower case, which may want no call.
    """
    known = _words(code)
    hushed = known.ringing if any(map(read.__contains__, known.hushed)) else ()
    unfit = (*known.cheer, *hushed, *(known.waits if more else ())) if grave else ()
    return [line for line in lines if not any(map(line.text.__contains__, unfit))] or lines if unfit else lines


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
        elif had and low.endswith("'s") and following in ("been", "got", "heard", "told"):
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
