"""
The forms of German verbs, as far as a question said again as a statement needs them.

A verb is changed from the person that a question has it in into the one of its statement: "kommst" is "komme".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct, convert

from simmail.core.language_data import read_yaml

#: The persons of a row of forms.
ICH, DU, ER, WIR, IHR = range(5)
#: A stem that "st" and "t" go behind with an "e", unless "l" or "r" stands before: "arbeit", "öffn".
_HARD = ("t", "d", "chn", "ffn", "gn", "tm", "ckn", "dn")
#: A stem whose second person ends as its third does: "du heißt".
_HISSING = ("s", "ß", "z", "x")
#: How words end that are no participles, though they begin as one: "ent", "eben".
_NO_PARTICIPLE = ("ent", "ant", "eben")
#: How infinitives end.
_INFINITIVE = ("en", "ern", "eln", "tun", "sein")
#: Letters of the shortest verb behind a prefix.
_SHORT_VERB = 4


class German(Struct, frozen=True, forbid_unknown_fields=True, rename={"and_": "and", "or_": "or", "not_": "not"}):
    """How German says a question again as a statement; the data file says what each field is for."""

    rows: tuple[tuple[str, str, str, str, str], ...]
    strong: Mapping[str, tuple[str, str]]
    weak: frozenset[str]
    joined_prefixes: tuple[str, ...]
    being: frozenset[str]
    having: frozenset[str]
    becoming: frozenset[str]
    modals: frozenset[str]
    would: frozenset[str]
    softened: Mapping[str, str]
    agreed: frozenset[str]
    if_so: frozenset[str]
    pointing: frozenset[str]
    wished: frozenset[str]
    those: frozenset[str]
    rather: str
    familiar: frozenset[str]
    alone: frozenset[str]
    polite: frozenset[str]
    subjects: frozenset[str]
    pronouns: frozenset[str]
    definite: frozenset[str]
    oblique: frozenset[str]
    possessive: frozenset[str]
    indefinite: Mapping[str, str]
    bare: Mapping[str, str]
    bare_endings: Mapping[str, str]
    persons: frozenset[str]
    titles: frozenset[str]
    prepositions: frozenset[str]
    attached: frozenset[str]
    attached_to_being: frozenset[str]
    dative_after: frozenset[str]
    times: frozenset[str]
    liking: frozenset[str]
    time_prepositions: frozenset[str]
    frames: frozenset[str]
    among: frozenset[str]
    weekdays: tuple[str, ...]
    day_parts: frozenset[str]
    time_endings: tuple[str, ...]
    time_nouns: frozenset[str]
    hours: frozenset[str]
    numbers: frozenset[str]
    adverbs: frozenset[str]
    quantities: frozenset[str]
    dropped: frozenset[str]
    first_dropped: frozenset[str]
    unstated: frozenset[str]
    ours: frozenset[str]
    own: frozenset[str]
    common: frozenset[str]
    obliged: frozenset[str]
    inexact: frozenset[str]
    mental: frozenset[str]
    dative: frozenset[str]
    at_least: frozenset[str]
    there: frozenset[str]
    toward: frozenset[str]
    directions: frozenset[str]
    accusatives: frozenset[str]
    places: frozenset[str]
    contained: frozenset[str]
    at_nouns: frozenset[str]
    none_left: Mapping[str, str]
    imagining: frozenset[str]
    some: str
    oneself: str
    us: str
    to_us: str
    of_us: str
    of_itself: Mapping[str, str]
    of_asker: Mapping[str, str]
    of_reader: Mapping[str, str]
    whose: Mapping[str, str]
    whose_reader: frozenset[str]
    whose_alone: Mapping[str, str]
    both: frozenset[str]
    that: str
    one: str
    any_of: frozenset[str]
    suiting: frozenset[str]
    each: frozenset[str]
    loose: frozenset[str]
    enough_verbs: frozenset[str]
    of_them: frozenset[str]
    about: frozenset[str]
    lasting: frozenset[str]
    helping: frozenset[str]
    goals: frozenset[str]
    staying: frozenset[str]
    and_: str
    or_: str
    obliging: frozenset[str]
    preferring: frozenset[str]
    suggesting: str
    how: str
    which: tuple[str, ...]
    small_articles: frozenset[str]
    whose_articles: frozenset[str]
    of_time: frozenset[str]
    until: frozenset[str]
    with_things: frozenset[str]
    adjectives: frozenset[str]
    local: frozenset[str]
    locating: frozenset[str]
    again: frozenset[str]
    nobody: Mapping[str, str]
    all: frozenset[str]
    no_longer: str
    not_yet: str
    never: str
    not_: str
    still: frozenset[str]
    already: frozenset[str]
    also: frozenset[str]
    always: str
    more: str
    it: str
    enough: frozenset[str]
    tags: frozenset[str]
    beside: tuple[str, ...]
    percent: str
    you_do: str
    hearsay: tuple[str, ...]
    hence: frozenset[str]
    whether: str
    participles: frozenset[str]
    prefixes: frozenset[str]

    def none_of(self, noun: str) -> str:
        """Return what denies a noun without an article: "keine" of "Zeit"; C{""} where that is not known."""
        return self.bare.get(noun) or next(
            (no for ending, no in self.bare_endings.items() if noun.lower().endswith(ending)), "")


@cache
def german() -> German:
    """Return how German says a question again."""
    return convert(read_yaml("de", "statement.yaml"), German, strict=False)


def regular(infinitive: str, second: str = "", third: str = "") -> tuple[str, str, str, str, str]:
    """Return the five forms of the present of a verb, with what is irregular of its second and third person."""
    stem = infinitive.removesuffix("n").removesuffix("e") if infinitive.endswith("en") else infinitive.removesuffix("n")
    middle = "e" if stem.endswith(_HARD) else ""
    first = f"{stem[:-2]}le" if infinitive.endswith("eln") else f"{stem}e"
    ends = f"{stem}{middle}t"
    return first, second or (ends if stem.endswith(_HISSING) else f"{stem}{middle}st"), third or ends, infinitive, ends


@cache
def _rows() -> dict[str, tuple[tuple[str, str, str, str, str], ...]]:
    """The rows of forms that a form stands in."""
    how = german()
    found: dict[str, list[tuple[str, str, str, str, str]]] = {}
    every = [
        *how.rows, *(regular(verb, *forms) for verb, forms in how.strong.items()),
        *(regular(verb) for verb in sorted(how.weak) if verb not in how.strong)]
    for row in every:
        for form in dict.fromkeys(row):
            found.setdefault(form, []).append(row)
    return {form: tuple(rows) for form, rows in found.items()}


def known(form: str, person: int) -> bool:
    """Return whether a word is a form of a known verb in a person."""
    return any(f"{prefix}{row[person]}" == form for prefix, row in _found(form))


def _found(form: str) -> list[tuple[str, tuple[str, str, str, str, str]]]:
    rows = _rows()
    if form in rows:
        return [("", row) for row in rows[form]]
    for prefix in german().joined_prefixes:
        if form.startswith(prefix) and form[len(prefix):] in rows and len(form) - len(prefix) > _SHORT_VERB - 1:
            return [(prefix, row) for row in rows[form[len(prefix):]]]
    return []


def changed(form: str, before: int, after: int) -> str:
    """
    Return a verb in another person: C{komme} of C{kommst}.

    @param before: the person it is in, one of L{ICH}, L{DU}, L{ER}, L{WIR}, L{IHR}; after: the one that is wanted.
    @return: C{""} for what is no form of that person.
    """
    if before == after:
        return form
    for prefix, row in _found(form):
        if f"{prefix}{row[before]}" == form:
            return f"{prefix}{row[after]}"
    infinitive = _infinitive(form, before)
    return regular(infinitive)[after] if infinitive else ""


def _infinitive(form: str, person: int) -> str:
    """A regular verb that nobody knows, by its ending."""
    if person == WIR:
        return form if form.endswith(("en", "ern", "eln")) else ""
    if person == ICH:
        return f"{form}n" if form.endswith("e") else ""
    if person == DU and form.endswith(("zt", "ßt")):
        return f"{form[:-1]}en"
    ending = "st" if person == DU else "t"
    if not form.endswith(ending):
        return ""
    stem = form.removesuffix(ending)
    if stem.endswith(("el", "er")):
        return f"{stem}n"
    return f"{stem.removesuffix('e')}en" if stem.endswith("e") else f"{stem}en"


def finite(infinitive: str, person: int) -> tuple[str, str]:
    """
    Return what is to be done as somebody does it, and what stands apart from it: C{("backe", "")} of C{backen},
    C{("drehe", "herunter")} of C{herunterdrehen}.

    @return: C{("", "")} for a verb that is not known.
    """
    how = german()
    apart = max((one for one in how.prefixes if infinitive.startswith(one) and (
        known(infinitive[len(one):], WIR))), key=len, default="")
    rest = infinitive[len(apart):]
    if known(infinitive, WIR) and (infinitive in how.weak or infinitive in how.strong or not apart):
        return changed(infinitive, WIR, person), ""
    return (changed(rest, WIR, person), apart) if apart else ("", "")


def apart(word: str) -> tuple[str, str]:
    """Return a finite verb at the end of a clause as it stands in one of its own: "kommt" and "mit" of "mitkommt"."""
    if _found(word):
        return word, ""
    prefix = max((one for one in german().prefixes if word.startswith(one) and _found(word[len(one):])), key=len,
                 default="")
    return (word[len(prefix):], prefix) if prefix else ("", "")


def is_participle(word: str) -> bool:
    """Return whether a word is a past participle: "bekommen", "abgegeben", "repariert"."""
    how = german()
    if word in how.participles:
        return True
    if word in how.adjectives or not word.islower() or not word.endswith(("t", "n")) or len(word) <= _SHORT_VERB:
        return False
    for prefix in ("", *sorted(how.prefixes, key=len, reverse=True)):
        base = word[len(prefix):] if word.startswith(prefix) else ""
        if base.startswith("ge") and len(base) > _SHORT_VERB and (base == "gefallen" or base not in how.weak and (
                base not in how.strong)):
            return True
        if base.endswith("iert") or base.startswith(how.joined_prefixes) and not base.startswith("ge") and (
                len(base) > _SHORT_VERB + 1 and not base.endswith(_NO_PARTICIPLE)):
            return True
    return False


def is_infinitive(word: str) -> bool:
    """Return whether a word in lower case may be an infinitive."""
    how = german()
    return word.islower() and word.endswith(_INFINITIVE) and word not in how.adverbs and (
        word not in how.definite and word not in how.none_left and word not in how.pronouns)
