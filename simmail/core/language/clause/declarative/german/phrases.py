"""
The phrases of a German clause: what is said of whom, of what, and when.

German writes nouns with a capital, so that a phrase ends where its noun stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from simmail.core.language.clause.declarative.german.verbs import (
    German, is_infinitive, is_participle,
)
from simmail.core.language_data import given_names

Kind = Literal["pronoun", "definite", "indefinite", "bare", "person", "number", "time", "place", "some", "a_bit",
               "word", "still", "already", "also", "quantity"]

#: Endings of an adjective before a noun.
_ADJECTIVE = ("e", "en", "er", "es", "em")
#: Letters of a word too short to be one.
_SHORT = 3


class Phrase(NamedTuple):
    """Some words of a clause that belong together."""

    kind: Kind
    words: tuple[str, ...]


def phrases(words: Sequence[str], verb: str, how: German) -> list[Phrase]:
    """
    Return the words of a clause in phrases.

    @param words: what stands behind its first verb; verb: that verb.
    """
    found: list[Phrase] = []
    at = 0
    while at < len(words):
        kind, end = _phrase(words, at, verb, how)
        found.append(Phrase(kind, tuple(words[at:end])))
        at = end
    return found


def _phrase(words: Sequence[str], at: int, verb: str, how: German) -> tuple[Kind, int]:
    word = words[at]
    if word in how.still and words[at + 1:at + 2] and words[at + 1] in how.again:
        return "word", at + 2
    small: dict[str, Kind] = {
        **dict.fromkeys(how.still, "still"), **dict.fromkeys(how.already, "already"), **dict.fromkeys(how.also, "also")}
    if word in small:
        return small[word], at + 1
    when = _time_end(words, at, how)
    if when:
        return "time", when
    if word in how.prepositions and at + 1 < len(words):
        inner = at + 2 if words[at + 1] in how.prepositions and at + 2 < len(words) else at + 1
        when = _time_end(words, inner, how) if words[inner - 1] in how.time_prepositions and word != "gegen" else 0
        when = when or _clock_end(words, inner, how)
        if when:
            return "time", when
        kind, end = noun_phrase(words, inner, verb, how)
        if end:
            return ("time" if word in how.frames else "place"), end
        if words[inner] in how.pronouns or words[inner] in how.nobody or words[inner].isdigit():
            return "place", inner + 1
    if word == how.some and _is_a_bit(words, at, how):
        return "a_bit", at + 1
    after = words[at + 1] if at + 1 < len(words) else ""
    if word in how.nobody and not (word == how.some and after.islower() and not _ends(words, at + 1, how)):
        return "some", at + 2 if after[:1].isupper() and after.endswith("es") else at + 1  # "etwas Neues"
    if word == "ein" and words[at + 1:at + 2] == ["paar"]:
        return "number", _single(words, at + 1, how)[1] or at + 2
    kind, end = noun_phrase(words, at, verb, how)
    if end:
        return kind, end
    if word in how.indefinite and is_adjective(after, how):
        return "indefinite", at + 2  # "ein neues"
    if word in how.none_left and word not in how.unstated:
        return "indefinite", at + 1
    if is_possessive(word, how) and word not in how.pronouns:
        return "definite", at + 1
    if word in how.definite:
        return "pronoun", at + 1
    if word in how.quantities:
        return "quantity", at + 1
    if word in how.pronouns:
        return "pronoun", at + 1
    return "word", at + 1


def _is_a_bit(words: Sequence[str], at: int, how: German) -> bool:
    """Whether "etwas" says how much: "die Heizung etwas herunterdrehen", "etwas früher"."""
    for spot in range(at):
        given = words[spot].endswith(("em", "er")) or spot and words[spot - 1] in how.prepositions
        if not given and _single(words, spot, how)[0] == "definite":
            return True
    after = words[at + 1] if at + 1 < len(words) else ""
    return after[:1].islower() and after.endswith("er")


def _ends(words: Sequence[str], at: int, how: German) -> bool:
    """Whether a word is of those that end a clause, or begins what stands behind an object."""
    word = words[at]
    last = at == len(words) - 1
    if at == len(words) - 2 and is_participle(words[-1]):
        return True  # "etwas falsch gemacht"
    return word in how.prepositions or last and (
        is_infinitive(word) or word in how.prefixes or is_participle(word))


def _time_end(words: Sequence[str], at: int, how: German) -> int:
    """The place behind an expression of time without a preposition, 0 for none."""
    if at >= len(words):
        return 0
    word = words[at]
    if word in how.times:
        after = words[at + 1] if at + 1 < len(words) else ""
        return at + 2 if is_time_noun(after, how) or after == "früh" and word != after else at + 1
    spot = at
    while spot < len(words) and spot < at + 2 and (
            is_adjective(words[spot], how) or words[spot] in how.definite or is_possessive(words[spot], how)):
        spot += 1  # "nächste", "diese", "den ganzen"
    if spot < len(words) and (words[spot].rstrip(".").isdigit() or words[spot] in how.numbers):
        spot += 1
    if spot < len(words) and is_time_noun(words[spot], how):
        spot += 1
        clock = spot
        if clock + 1 < len(words) and words[clock] in how.until:
            return _clock_end(words, clock + 1, how) or spot
        return _time_end(words, spot, how) or spot
    return 0


def _clock_end(words: Sequence[str], at: int, how: German) -> int:
    """The place behind a time of day or a date: "sechs Uhr", "halb neun", "14. Mai"; 0 for none."""
    spot = at
    while spot < len(words) and (words[spot] in how.hours or words[spot].strip(".")[:1].isdigit()):
        spot += 1
    if spot == at:
        return 0
    after = words[spot] if spot < len(words) else ""
    if after[:1].isupper() and not is_time_noun(after, how) and after not in how.enough:
        return 0  # "um zwei Karten", but "um elf Zeit"
    return spot + 1 if spot < len(words) and is_time_noun(words[spot], how) else spot


def noun_phrase(words: Sequence[str], at: int, verb: str, how: German) -> tuple[Kind, int]:
    """Return of what kind the noun phrase at a place is, and where it ends, 0 for none."""
    kind, end = _single(words, at, how)
    if not end:
        return kind, 0
    while end + 1 < len(words) and words[end] == "und":
        other, further = _single(words, end + 1, how)
        if not further:
            break
        kind, end = (kind if other == kind else "definite"), further
    if end + 1 < len(words):
        after = words[end]
        genitive = after in how.whose_articles or is_possessive(after, how) and after.endswith(("es", "er")) or (
            after in how.small_articles and verb in how.being)
        if genitive and (kind != "bare" or after == "des"):
            _, further = _single(words, end, how)
            return kind, further or end
        motion = after in how.about and verb in how.being and is_participle(words[-1])  # "über die Straße gelaufen"
        if after in how.attached and kind in ("definite", "indefinite") and not motion:
            # "Die Rechnung für März", "das Foto von Anna".
            further = _attribute_end(words, end, how)
            return kind, further or end
    return kind, end


def _attribute_end(words: Sequence[str], at: int, how: German) -> int:
    """The place behind what a preposition adds to a noun, 0 for none: not a time."""
    if _time_end(words, at + 1, how) and words[at] not in how.of_time:
        return 0
    end = _single(words, at + 1, how)[1]
    if end and words[end:end + 1] == ["der"]:
        end = _single(words, end, how)[1] or end
    if end and end + 1 < len(words) and (words[end] == "nach" or words[end] in how.attached):
        return _attribute_end(words, end, how) or end
    return end or _clock_end(words, at + 1, how) or _time_end(words, at + 1, how)


def with_attribute(words: Sequence[str], end: int, verb: str, how: German) -> int:
    """
    Return the place behind a subject and what a preposition adds to it: "die Frau mit dem Hund", where something is
    said of it still.
    """
    if end + 2 < len(words) and words[end] in how.attached_to_being and (
            verb in how.being or words[end] == "aus" or verb in how.at_nouns):
        if _time_end(words, end + 1, how) or _clock_end(words, end + 1, how):
            return end
        kind, further = _single(words, end + 1, how)
        contained = words[-1] in how.contained or is_participle(words[-1]) and words[end] not in how.with_things
        if further and kind != "time" and further < len(words) and not contained and words[further] not in how.prefixes:
            return further
    return end


def _single(words: Sequence[str], at: int, how: German) -> tuple[Kind, int]:
    if at >= len(words):
        return "word", 0
    word = words[at]
    spot = at
    kind: Kind = "bare"
    if word in how.definite or is_possessive(word, how):
        kind, spot = "definite", at + 1
    elif word in how.indefinite:
        kind, spot = "indefinite", at + 1
    elif word in how.numbers or word.isdigit():
        kind, spot = "number", at + 1
    elif word in how.quantities and word.endswith(("e", "en")) and word in how.subjects | how.numbers | how.definite:
        kind, spot = "quantity", at + 1
    while spot < len(words) and (is_adjective(words[spot], how) or spot > at and (
            words[spot] in how.numbers or words[spot].isdigit())):
        spot += 1
    if spot >= len(words) or not words[spot][0].isupper() or words[spot] in how.polite:
        return "word", 0
    if is_time_noun(words[spot], how):
        return "time", spot + 1
    if kind == "bare" and spot == at and (words[spot] in how.persons or words[spot].lower() in given_names()):
        kind = "person"
    end = spot + 1
    after = words[end] if end < len(words) else ""
    if after[:1].isupper() and (after[1:].isdigit() or len(after) == 1) or after.isdigit() and not (
            words[end + 1:end + 2] and words[end + 1][0].isupper()):
        end += 1  # "Zelle F30", "Rechnung 107"
    if words[spot] in how.titles:
        kind = "person" if kind == "bare" else kind
        while end < len(words) and words[end][0].isupper() and words[end] not in how.polite and (
                not is_time_noun(words[end], how)):
            end += 1
    elif kind == "bare" and end < len(words) and words[spot].endswith("s") and words[end][0].isupper() and (
            words[end] not in how.polite):
        return "definite", end + 1  # "Annas Auto"
    return kind, end


def is_adjective(word: str, how: German) -> bool:
    """Return whether a word may be an adjective before a noun, by its ending."""
    other = (how.adverbs, how.pronouns, how.subjects, how.times, how.numbers, how.indefinite, how.definite,
             how.prepositions)
    return word[:1].islower() and word.endswith(_ADJECTIVE) and len(word) > _SHORT and not (
        is_possessive(word, how) or any(word in one for one in other))


def is_time_noun(word: str, how: German) -> bool:
    """Return whether a noun is of a time: "Montag", "Donnerstagabend", "Herbstferien"."""
    return word in how.time_nouns or word[:1].isupper() and word.endswith(how.time_endings) or any(
        word.startswith(day) and word[len(day):] in how.day_parts for day in how.weekdays)


def is_possessive(word: str, how: German) -> bool:
    """Return whether a word is a possessive: "meine", "Ihrem"."""
    return any(word == one or word.startswith(one) and word[len(one):] in _ADJECTIVE for one in how.possessive)
