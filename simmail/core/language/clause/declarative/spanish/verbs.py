"""
The forms of Spanish verbs, as far as a question said again as a statement needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language_data import read_yaml

#: The persons of a tense.
YO, TU, EL, NOSOTROS, VOSOTROS, ELLOS = range(6)
#: The tenses that are known.
PRESENT, PAST, IMPERFECT, FUTURE, CONDITIONAL = range(5)
_FUTURE = ("é", "ás", "á", "emos", "éis", "án")
_CONDITIONAL = ("ía", "ías", "ía", "íamos", "íais", "ían")
_STRONG = ("e", "iste", "o", "imos", "isteis", "ieron")
#: Present, past and imperfect of the three conjugations.
_ENDINGS = {
    "ar": (("o", "as", "a", "amos", "áis", "an"), ("é", "aste", "ó", "amos", "asteis", "aron"),
           ("aba", "abas", "aba", "ábamos", "abais", "aban")),
    "er": (("o", "es", "e", "emos", "éis", "en"), ("í", "iste", "ió", "imos", "isteis", "ieron"), _CONDITIONAL),
    "ir": (("o", "es", "e", "imos", "ís", "en"), ("í", "iste", "ió", "imos", "isteis", "ieron"), _CONDITIONAL),
}
_WENT = ("fui", "fuiste", "fue", "fuimos", "fuisteis", "fueron")
#: Forms that follow no rule.
_OTHER = {
    ("ser", PAST): _WENT, ("ir", PAST): _WENT, ("dar", PAST): ("di", "diste", "dio", "dimos", "disteis", "dieron"),
    ("ver", PAST): ("vi", "viste", "vio", "vimos", "visteis", "vieron"),
    ("ser", IMPERFECT): ("era", "eras", "era", "éramos", "erais", "eran"),
    ("ir", IMPERFECT): ("iba", "ibas", "iba", "íbamos", "ibais", "iban"),
    ("ver", IMPERFECT): ("veía", "veías", "veía", "veíamos", "veíais", "veían"),
    ("hacer", PAST): ("hice", "hiciste", "hizo", "hicimos", "hicisteis", "hicieron"),
}
#: How a stem is written before "e" and "o".
_BEFORE_E = {"g": "gu", "c": "qu", "z": "c"}
_PRESENT_FORMS = 6
#: Letters of a word too short for an infinitive that nobody knows; pronouns behind one, the longest first.
_SHORT = 4
_PRONOUNS = tuple(sorted((
    *(f"{whom}{what}" for whom in ("me", "te", "se", "nos", "os") for what in ("lo", "la", "los", "las")),
    "me", "te", "se", "lo", "la", "los", "las", "le", "les", "nos", "os"), key=len, reverse=True))
_ACCENTS = str.maketrans("áéí", "aei")


class Spanish(Struct, frozen=True, forbid_unknown_fields=True, rename={"not_": "not", "or_": "or"}):
    """How Spanish says a question again as a statement; the data file says what each field is for."""

    irregular: Mapping[str, tuple[str, ...]]
    ie: frozenset[str]
    ue: frozenset[str]
    i: frozenset[str]
    weak: tuple[str, ...]
    familiar: frozenset[str]
    alone_words: frozenset[str]
    polite: frozenset[str]
    asker_words: frozenset[str]
    spoken_to: frozenset[str]
    clitics: frozenset[str]
    of_asker: Mapping[str, str]
    of_reader: Mapping[str, str]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    adverbs: frozenset[str]
    intransitive: frozenset[str]
    dropped: tuple[str, ...]
    first_dropped: tuple[str, ...]
    unstated: frozenset[str]
    tags: frozenset[str]
    beside: tuple[str, ...]
    percent: str
    agreed: tuple[str, ...]
    whether: tuple[str, ...]
    still: frozenset[str]
    already: frozenset[str]
    also: frozenset[str]
    nobody: Mapping[str, str]
    no_longer: str
    not_yet: str
    not_: str
    or_: str
    needless: str
    present_for: frozenset[str]
    conditional_for: frozenset[str]
    asking_for: frozenset[str]
    pleasing: frozenset[str]
    things: frozenset[str]
    feminine_endings: tuple[str, ...]
    masculine_endings: tuple[str, ...]
    asked_as: Mapping[str, str]
    nouns: frozenset[str]
    giving: frozenset[str]
    people: frozenset[str]
    moved: Mapping[str, str]
    none_left: Mapping[str, str]
    states: frozenset[str]
    numbers: frozenset[str]
    times: frozenset[str]
    impersonal: frozenset[str]
    that: str
    having_to: frozenset[str]
    of_whom: frozenset[str]
    subjects: frozenset[str]
    there_is: frozenset[str]
    staying: frozenset[str]
    whom: tuple[str, ...]
    whom_words: frozenset[str]
    ours: frozenset[str]
    doubted: frozenset[str]
    offered: frozenset[str]
    said_of_things: frozenset[str]
    persons: frozenset[str]
    can: frozenset[str]
    wanting: frozenset[str]
    have: frozenset[str]
    must: frozenset[str]
    be: frozenset[str]
    of_things: frozenset[str]
    uncertain: frozenset[str]
    been: str
    there_was: str
    who: frozenset[str]
    reflexive: frozenset[str]
    of_things_too: frozenset[str]
    with_us: frozenset[str]
    pleased_with: frozenset[str]
    of_firms: frozenset[str]
    somebody: frozenset[str]
    moved_on: frozenset[str]
    softened: frozenset[str]
    obliged: frozenset[str]
    going: frozenset[str]
    itself: frozenset[str]
    myself: str
    yourself: Mapping[str, str]
    him: Mapping[str, str]
    things_meant: frozenset[str]
    whose: Mapping[str, str]
    whose_far: frozenset[str]
    inside: frozenset[str]
    merged: Mapping[str, Mapping[str, str]]
    joined_first: tuple[str, ...]
    undenied: frozenset[str]
    going_on: frozenset[str]
    more: frozenset[str]
    a_bit: str
    comparing: frozenset[str]
    no_such: Mapping[str, str]
    measures: frozenset[str]
    modals: frozenset[str]
    alone: tuple[str, ...]
    little: frozenset[str]


@cache
def spanish() -> Spanish:
    """Return how Spanish says a question again."""
    return convert(read_yaml("es", "statement.yaml"), Spanish, strict=False)


class SpanishForm(NamedTuple):
    """A verb in a tense and a person."""

    verb: str
    tense: int
    person: int


@cache
def _tenses() -> dict[str, tuple[tuple[str, ...], ...]]:
    how = spanish()
    every = {*how.irregular, *how.ie, *how.ue, *how.i, *how.weak}
    return {verb: _all(verb, how) for verb in sorted(every)}


def _all(verb: str, how: Spanish) -> tuple[tuple[str, ...], ...]:
    group = verb[-2:].replace("í", "i")
    stem = verb[:-2]
    present_ends, past_ends, imperfect_ends = _ENDINGS[group]
    row = how.irregular.get(verb)
    strong = row[_PRESENT_FORMS] if row and row[_PRESENT_FORMS] != "-" else ""
    future = row[-1] if row and row[-1] != "-" else verb
    present = row[:_PRESENT_FORMS] if row else tuple(
        f"{_stressed(stem, verb, how) if person not in (NOSOTROS, VOSOTROS) else stem}{end}"
        for person, end in enumerate(present_ends))
    if not row:
        if group != "ar" and stem.endswith("g"):
            present = (f"{present[YO][:-2]}jo", *present[1:])
        elif group != "ar" and verb.endswith(("cer", "cir")):
            zed = "zo" if verb in ("convencer",) else "zco"
            present = (f"{present[YO][:-2]}{zed}", *present[1:])
        elif verb.endswith(("tener", "poner")):
            present = (f"{stem}go", *present[1:])
    past = tuple(f"{strong}{end}" for end in _STRONG) if strong else tuple(f"{stem}{end}" for end in past_ends)
    if not strong:
        if group == "ar" and stem[-1:] in _BEFORE_E:
            past = (f"{stem[:-1]}{_BEFORE_E[stem[-1]]}é", *past[1:])
        elif group != "ar" and stem.endswith(("a", "e", "o")):
            past = (f"{stem}í", f"{stem}íste", f"{stem}yó", f"{stem}ímos", f"{stem}ísteis", f"{stem}yeron")
        elif verb in how.i or verb in how.ie and group == "ir" or verb.endswith(("seguir", "egir")):
            at = stem.rindex("e")
            weak = f"{stem[:at]}i{stem[at + 1:]}"
            past = (past[0], past[1], f"{weak}ió", *past[3:5], f"{weak}ieron")
    if strong.endswith("j"):
        past = (*past[:5], f"{strong}eron")
    imperfect = tuple(f"{stem}{end}" for end in imperfect_ends)
    tenses = {PRESENT: present, PAST: past, IMPERFECT: imperfect,
              FUTURE: tuple(f"{future}{end}" for end in _FUTURE),
              CONDITIONAL: tuple(f"{future}{end}" for end in _CONDITIONAL)}
    return tuple(_OTHER.get((verb, tense), forms) for tense, forms in sorted(tenses.items()))


def _stressed(stem: str, verb: str, how: Spanish) -> str:
    """The stem where the stress is on it: "piens", "cuent", "pid"."""
    for verbs, vowel, changed in ((how.ie, "e", "ie"), (how.ue, "o", "ue"), (how.i, "e", "i")):
        if verb in verbs:
            at = stem.rindex(vowel)
            return f"{stem[:at]}{changed}{stem[at + 1:]}"
    return stem


@cache
def _known() -> dict[str, tuple[SpanishForm, ...]]:
    found: dict[str, list[SpanishForm]] = {}
    for verb, tenses in _tenses().items():
        for tense, forms in enumerate(tenses):
            for person, form in enumerate(forms):
                found.setdefault(form, []).append(SpanishForm(verb, tense, person))
    found["hay"] = [SpanishForm("haber", PRESENT, EL)]
    return {form: tuple(sorted(forms, key=lambda one: (one.tense, one.person))) for form, forms in found.items()}


def forms_of(word: str) -> tuple[SpanishForm, ...]:
    """Return what forms of verbs a word may be."""
    return _known().get(word, ())


def said(form: SpanishForm, person: int, tense: int | None = None) -> str:
    """Return a verb in a person, in its tense unless in another."""
    return _tenses()[form.verb][form.tense if tense is None else tense][person]


def is_infinitive(word: str) -> bool:
    """Return whether a word is an infinitive, with pronouns or without."""
    return word in _tenses() or bool(joined(word)) or word.endswith(("ar", "er", "ir")) and len(word) > _SHORT and (
        word not in spanish().nouns)


def joined(word: str) -> str:
    """Return the pronouns that an infinitive has behind it: C{melo} of C{enviármelo}, C{""} for none."""
    plain = word.translate(_ACCENTS)
    for pronouns in _PRONOUNS:
        if plain.endswith(pronouns) and plain[:-len(pronouns)] in _plain_infinitives():
            return pronouns
    for pronouns in _PRONOUNS:
        base = plain.removesuffix(pronouns)
        if pronouns != "os" and base != plain and base.endswith(("ar", "er", "ir")) and len(base) > _SHORT:
            return pronouns
    return ""


def apart(word: str) -> str:
    """Return an infinitive without the pronouns behind it, and without the accent that they bring."""
    return word.removesuffix(joined(word)).translate(_ACCENTS)


@cache
def _plain_infinitives() -> frozenset[str]:
    return frozenset(verb.translate(_ACCENTS) for verb in _tenses())


def is_participle(word: str) -> bool:
    """Return whether a word is a past participle as it stands behind "he"."""
    return word.endswith(("ado", "ido", "ído")) or word in (
        "hecho", "visto", "dicho", "puesto", "escrito", "abierto", "vuelto", "muerto", "roto", "devuelto", "cubierto",
        "resuelto", "impreso", "propuesto", "satisfecho", "descubierto")
