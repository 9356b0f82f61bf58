"""
The forms of French verbs, as far as a question said again as a statement needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language_data import read_yaml

#: The persons of a tense.
JE, TU, IL, NOUS, VOUS, ILS = range(6)
#: The tenses that are known, and the endings of all but the present.
PRESENT, IMPERFECT, FUTURE, CONDITIONAL = range(4)
_ENDINGS = {
    IMPERFECT: ("ais", "ais", "ait", "ions", "iez", "aient"), FUTURE: ("ai", "as", "a", "ons", "ez", "ont"),
    CONDITIONAL: ("ais", "ais", "ait", "ions", "iez", "aient"),
}
#: Words of a row of an irregular verb: six forms, the stem of the future, and that of the imperfect.
_FORMS, _STEMS = 6, 8


class French(Struct, frozen=True, forbid_unknown_fields=True, rename={"not_": "not", "or_": "or"}):
    """How French says a question again as a statement; the data file says what each field is for."""

    irregular: Mapping[str, tuple[str, ...]]
    re_verbs: tuple[str, ...]
    ir_verbs: tuple[str, ...]
    er_verbs: tuple[str, ...]
    grave: frozenset[str]
    doubled: frozenset[str]
    subjects: frozenset[str]
    inverted: frozenset[str]
    clitics: frozenset[str]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    familiar: frozenset[str]
    polite: frozenset[str]
    possessive: Mapping[str, str]
    clitic_of: Mapping[str, str]
    tonic: Mapping[str, str]
    feminine: frozenset[str]
    masculine: frozenset[str]
    feminine_endings: tuple[str, ...]
    masculine_endings: tuple[str, ...]
    dropped: tuple[str, ...]
    first_dropped: tuple[str, ...]
    led_in: tuple[str, ...]
    unstated: frozenset[str]
    tags: frozenset[str]
    beside: tuple[str, ...]
    percent: str
    present_for: frozenset[str]
    conditional_for: frozenset[str]
    obliged: frozenset[str]
    asking_for: frozenset[str]
    needless: str
    common: frozenset[str]
    things: frozenset[str]
    still: frozenset[str]
    already: frozenset[str]
    also: frozenset[str]
    nobody: Mapping[str, str]
    vowels: tuple[str, ...]
    aspirated: frozenset[str]
    be: frozenset[str]
    adverbs: frozenset[str]
    relatives: frozenset[str]
    nouns: frozenset[str]
    whether: tuple[str, ...]
    indefinite: frozenset[str]
    singular_endings: tuple[str, ...]
    articles: frozenset[str]
    amounts: frozenset[str]
    no_participles: frozenset[str]
    participles: frozenset[str]
    measures: frozenset[str]
    intransitive: frozenset[str]
    after_well: frozenset[str]
    which: frozenset[str]
    asked_as: Mapping[str, str]
    losing: frozenset[str]
    regaining: Mapping[str, str]
    him: frozenset[str]
    told_of: frozenset[str]
    spoken_to: frozenset[str]
    speaking: frozenset[str]
    of_reader: frozenset[str]
    your: str
    our: str
    ours: frozenset[str]
    my: tuple[str, str]
    well: str
    everybody: str
    articles_too: frozenset[str]
    plural_articles: frozenset[str]
    auxiliaries: frozenset[str]
    modals: frozenset[str]
    unchanging: frozenset[str]
    together: str
    lasting: frozenset[str]
    go: str
    want: str
    tell: str
    it: frozenset[str]
    all: frozenset[str]
    always: str
    half: frozenset[str]
    a_bit: str
    none: Mapping[str, str]
    something: frozenset[str]
    some: frozenset[str]
    one: frozenset[str]
    some_of: frozenset[str]
    partitive: frozenset[str]
    no_longer: str
    yet: str
    nothing: str
    not_: str
    or_: str
    how_many: str


@cache
def french() -> French:
    """Return how French says a question again."""
    return convert(read_yaml("fr", "statement.yaml"), French, strict=False)


class FrenchForm(NamedTuple):
    """A verb in a tense and a person."""

    verb: str
    tense: int
    person: int


@cache
def _tenses() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The forms of each known verb: its tenses, of six persons each."""
    how = french()
    found = {}
    for verb, row in how.irregular.items():
        imperfect = row[_FORMS + 1] if len(row) == _STEMS else row[NOUS].removesuffix("ons")
        found[verb] = _all(row[:_FORMS], imperfect, row[_FORMS])
    for verb in how.re_verbs:
        stem = verb.removesuffix("re")
        found[verb] = _all(
            (f"{stem}s", f"{stem}s", stem, f"{stem}ons", f"{stem}ez", f"{stem}ent"), stem, f"{stem}r")
    for verb in how.ir_verbs:
        stem = verb.removesuffix("r")
        long = f"{stem}ss"
        found[verb] = _all(
            (f"{stem}s", f"{stem}s", f"{stem}t", f"{long}ons", f"{long}ez", f"{long}ent"), long, verb)
    for verb in how.er_verbs:
        if verb.endswith("er") and verb not in found:
            found[verb] = _first_group(verb, how)
    return found


def _all(present: tuple[str, ...], imperfect: str, future: str) -> tuple[tuple[str, ...], ...]:
    stems = {IMPERFECT: imperfect, FUTURE: future, CONDITIONAL: future}
    return present, *(tuple(f"{stems[tense]}{one}" for one in _ENDINGS[tense]) for tense in (
        IMPERFECT, FUTURE, CONDITIONAL))


def _first_group(verb: str, how: French) -> tuple[tuple[str, ...], ...]:
    stem = verb.removesuffix("er")
    stressed = stem
    if verb in how.grave:
        stressed = f"{stem[:-2]}è{stem[-1]}"
    elif verb in how.doubled:
        stressed = f"{stem}{stem[-1]}"
    elif verb.endswith("yer"):
        stressed = f"{stem[:-1]}i"
    elif "é" in stem[-3:] and stem[-1] not in "aeiouyé":
        at = stem.rindex("é")
        stressed = f"{stem[:at]}è{stem[at + 1:]}"
    soft = f"{stem}e" if stem.endswith("g") else f"{stem[:-1]}ç" if stem.endswith("c") else stem
    future = f"{stressed}er" if verb in how.grave | how.doubled or verb.endswith("yer") else verb
    tenses = _all((f"{stressed}e", f"{stressed}es", f"{stressed}e", f"{soft}ons", f"{stem}ez", f"{stressed}ent"),
                  soft, future)
    imperfect = tuple(one.replace(soft, stem, 1) if one.endswith(("ions", "iez")) else one for one in tenses[IMPERFECT])
    return tenses[PRESENT], imperfect, tenses[FUTURE], tenses[CONDITIONAL]


@cache
def _known() -> dict[str, tuple[FrenchForm, ...]]:
    found: dict[str, list[FrenchForm]] = {}
    for verb, tenses in _tenses().items():
        for tense, forms in enumerate(tenses):
            for person, form in enumerate(forms):
                if form:
                    found.setdefault(form, []).append(FrenchForm(verb, tense, person))
    found["puis"] = [FrenchForm("pouvoir", PRESENT, JE)]
    return {form: tuple(forms) for form, forms in found.items()}


def form_of(word: str, person: int) -> FrenchForm | None:
    """Return what form of a verb a word is in a person, None for none that is known; of "-er" also by its ending."""
    known = next((one for one in _known().get(word, ()) if one.person == person), None)
    if known is not None or word in _known():
        return known
    ending = {TU: "es", VOUS: "ez"}.get(person)
    stem = word.removesuffix(ending) if ending and word.endswith(ending) else ""
    if len(stem) > 2 and not stem.endswith(("i", "r")):
        return FrenchForm(f"{stem}er", PRESENT, person)
    return None


def is_finite(word: str) -> bool:
    """Return whether a word is a form of a known verb in the third person."""
    return any(one.person in (IL, ILS) for one in _known().get(word, ()))


def said(form: FrenchForm, person: int, tense: int | None = None) -> str:
    """Return a verb in a person, C{""} for a form that it has not; in its tense unless in another."""
    tenses = _tenses().get(form.verb) or _first_group(form.verb, french())
    return tenses[form.tense if tense is None else tense][person]


def is_infinitive(word: str) -> bool:
    """Return whether a word is an infinitive that is known."""
    return word in _tenses() or word.endswith(("er", "ir", "oir", "dre", "tre", "ire")) and len(word) > 4 and (
        word not in french().feminine | french().masculine)


def is_participle(word: str) -> bool:
    """Return whether a word may be a past participle: "reçu", "arrivée", "ouverts"."""
    how = french()
    bare = word.removesuffix("s").removesuffix("e")
    if bare in how.participles:
        return True
    if len(bare) < 3 or word in how.no_participles or word in how.determiners or word in how.prepositions:
        return False
    return bare.endswith(("é", "u", "i", "is", "it", "ert", "int", "ort")) or word.endswith(("is", "us"))
