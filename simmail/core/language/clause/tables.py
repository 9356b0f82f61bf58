"""
How a language turns its sentences round, as data, and the words of a sentence that may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from msgspec import Struct, convert

from simmail.core.language.text import say
from simmail.core.language_data import read_optional

#: Words, and characters, of a clause that is still said again.
MOST_WORDS, LONGEST = 16, 120

# A word of a clause: letters and figures with what stands inside them; nothing that looks like an address or a link.
_WORD = re.compile(r"[€$£#]?[^\W_][\w’'.,:/&+-]*%?|[€$£]|[-–—,;:()!?…]")
STOPS = frozenset(",;:()!?…-–—")


class Restate(Struct, frozen=True, forbid_unknown_fields=True):
    """
    How one language turns sentences round; the data files say what each field is for.

    @ivar order: C{inverted} (the verb goes before the subject in a question), C{verb_second} (the verb goes last in a
        clause), C{infinitive} (only what is to be done is said again), C{""} for a language that is not turned round.
    """

    order: Literal["", "inverted", "verb_second", "infinitive"] = ""
    fillers: frozenset[str] = frozenset()
    first_fillers: tuple[str, ...] = ()
    question_starts: tuple[str, ...] = ()
    asked: Mapping[str, str] = {}
    asking: Mapping[str, str] = {}
    subjects: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    nobody: tuple[str, ...] = ()
    besides: frozenset[str] = frozenset()
    abilities: frozenset[str] = frozenset()
    abiding: frozenset[str] = frozenset()
    wishing: frozenset[str] = frozenset()
    bothering: tuple[str, ...] = ()
    unbothered: str = ""
    inseparable: tuple[str, ...] = ()
    first_person: Mapping[str, str] = {}
    also: str = ""
    suffixes: Mapping[str, str] = {}
    elided: Mapping[str, str] = {}
    objects: Mapping[str, str] = {}
    ours: frozenset[str] = frozenset()
    yours: frozenset[str] = frozenset()
    causative: str = ""
    perfect: frozenset[str] = frozenset()
    comparative: tuple[str, ...] = ("\0",)
    repeating: frozenset[str] = frozenset()
    unasked: frozenset[str] = frozenset()
    them: frozenset[str] = frozenset()
    theirs: Mapping[str, str] = {}
    auxiliaries: frozenset[str] = frozenset()
    mine: Mapping[str, str] = {}
    myself: str = ""
    you: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()
    denying: frozenset[str] = frozenset()
    clitics: Mapping[str, str] = {}
    past: Mapping[str, str] = {}
    verbs: frozenset[str] = frozenset()
    deeds: frozenset[str] = frozenset()
    verb_starts: frozenset[str] = frozenset()
    verb_endings: tuple[str, ...] = ()
    mine_of: tuple[str, ...] = ()
    whom: Mapping[str, str] = {}
    can: str = ""
    base: str = ""
    no_verbs: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    polite_requests: frozenset[str] = frozenset()
    leisurely: tuple[str, ...] = ()
    states: frozenset[str] = frozenset()
    own_states: frozenset[str] = frozenset()
    granted: tuple[str, ...] = ()
    light: tuple[list[str], ...] = ()
    request_starts: tuple[str, ...] = ()
    pleading: frozenset[str] = frozenset()
    this: str = ""
    themselves: frozenset[str] = frozenset()
    itself: tuple[str, ...] = ()
    request_fillers: frozenset[str] = frozenset()
    ways: Mapping[str, str] = {}
    ways_ends: Mapping[str, str] = {}
    stressed: Mapping[str, str] = {}
    leads: Mapping[str, str] = {}
    to_deed: str = ""
    courtesies: tuple[str, ...] = ()
    unelided: Mapping[str, str] = {}
    proceeding: tuple[str, ...] = ("\0",)
    choosing: frozenset[str] = frozenset()
    relaying: frozenset[str] = frozenset()
    quantities: frozenset[str] = frozenset()
    handled: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    reporting_that: frozenset[str] = frozenset()
    any_good: frozenset[str] = frozenset()
    undecided: tuple[str, ...] = ("\0",)
    problems: tuple[str, ...] = ("\0",)
    no_problem: str = ""
    is_problem: str = ""
    singular: Mapping[str, str] = {}
    priced: Mapping[str, str] = {}
    proceeding_told: tuple[str, ...] = ("\0",)
    readiness: tuple[str, ...] = ()
    if_leads: tuple[str, ...] = ("\0",)
    offered_by: frozenset[str] = frozenset()
    let: str = "\0"
    asked_about: Mapping[str, str] = {}
    negation: str = "\0"
    not_at_all: str = ""
    not_known: str = ""
    or_so: str = "\0"
    former: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    accepts: str = ""
    willing: frozenset[str] = frozenset()
    no_deeds: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    not_yet: str = ""
    past_words: frozenset[str] = frozenset()
    modals: frozenset[str] = frozenset()
    pointing: frozenset[str] = frozenset()
    reported: frozenset[str] = frozenset()
    mailed: tuple[str, ...] = ()
    any_words: frozenset[str] = frozenset()
    trailing: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    finding: tuple[str, ...] = ()
    whether: tuple[str, ...] = ()
    reporting: tuple[str, ...] = ()
    askers: frozenset[str] = frozenset()
    negated: Mapping[str, str] = {}
    asked_for: frozenset[str] = frozenset()
    wished: frozenset[str] = frozenset()
    will: str = ""
    softened: Mapping[str, str] = {}
    common: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    offering: tuple[str, ...] = ("",)
    offerer: str = ""
    together: tuple[str, str] = ("", "")
    please: str = ""
    needless: str = ""
    you_do: str = ""
    unsaid: Mapping[str, str] = {}
    predicate_endings: tuple[str, ...] = ()
    alike: str = ""
    quoting: frozenset[str] = frozenset()
    knowing: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    undone: str = ""
    plural: frozenset[str] = frozenset()
    themselves_all: tuple[str, str] = ("", "")
    of_one: Mapping[str, str] = {}
    other_predicates: frozenset[str] = frozenset()
    unbidden: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    inquiring: frozenset[str] = frozenset()
    limiting: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    weighed: frozenset[str] = frozenset()
    anybody: frozenset[str] = frozenset()
    there: str = ""
    other_negations: frozenset[str] = frozenset()
    roundabout: Mapping[str, str] = {}
    pronouns: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset()
    would: tuple[str, str] = ("", "")
    to: str = ""
    contracted: Mapping[str, str] = {}
    based: frozenset[str] = frozenset()
    being: frozenset[str] = frozenset()
    having: frozenset[str] = frozenset()
    available: tuple[str, ...] = ()
    things: frozenset[str] = frozenset()
    arranged: frozenset[str] = frozenset()
    habitual: frozenset[str] = frozenset()
    arranging: Mapping[str, str] = {}
    permitting: frozenset[str] = frozenset()
    needing: frozenset[str] = frozenset()
    mental: frozenset[str] = frozenset()
    third: Mapping[str, str] = {}
    some: Mapping[str, str] = {}
    none: Mapping[str, str] = {}
    none_of: Mapping[str, str] = {}
    not_any: Mapping[str, str] = {}
    no_longer: str = ""
    any_more: str = ""
    unstated: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    noun_joints: frozenset[str] = frozenset()
    pointing_words: frozenset[str] = frozenset()
    helping: frozenset[str] = frozenset()
    place_words: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    before_verbs: frozenset[str] = frozenset()
    when_words: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    participles: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    own_persons: frozenset[str] = frozenset()


class Sides(NamedTuple):
    """
    Who speaks to whom.

    @ivar we: who says something again speaks for others as well; house: it has a firm, whose things are ours.
    @ivar they: who asked speaks for others, and not of itself and who is asked; far: who asked is called "Sie", "vous",
        "usted" where it is called neither that nor "du" itself.
    """

    we: bool = False
    house: bool = True
    they: bool = False
    far: bool = True


@cache
def restating(code: str) -> Restate:
    """Return how a language turns sentences round."""
    return convert(read_optional(code, "restate.yaml") or {}, Restate, strict=False)


def clause_words(sentence: str) -> list[str]:
    """Return the words of a sentence and the marks between them; nothing when something else is in it."""
    plain = " ".join(say(sentence, 400).replace("’", "'").split())
    if "@" in plain or "://" in plain or "www." in plain:
        return []
    found: list[str] = []
    for word in _WORD.findall(plain):
        bare = word.rstrip(".,:") or word
        found.append(bare)
        if bare != word and word[len(bare)] != ".":
            found.append(word[len(bare)])
    return found


def parts_of(question: str, how: Restate) -> Iterator[list[str]]:
    """Yield the words of each part of a question, the last first, without what leads in, fills, or is cut away."""
    parts: list[list[str]] = [[]]
    for word in clause_words(question):
        if word in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    for part in reversed(parts):
        yield cut([word for word in led_in(part, how) if word.lower() not in how.fillers], how)


def asking_part(question: str, how: Restate) -> list[str]:
    """Return the words of the last part of a question that begins as one, with its verb and a subject."""
    for part in parts_of(question, how):
        if 1 < len(part) <= MOST_WORDS and part[0].lower() not in how.determiners and (
                part[0].lower() in how.auxiliaries or part[1].lower() in {*how.asked, *how.asking}) and (
                part[0].lower() not in how.question_starts):
            return part
    return []


def led_in(words: list[str], how: Restate) -> list[str]:
    """Return words without what leads them in: "and", "could you tell me"."""
    low = " ".join(words[:8]).lower()
    for start in how.first_fillers if low.startswith(how.first_fillers) else ():
        if low.startswith(start) and low[len(start):len(start) + 1] == " ":
            words = words[len(start.split()):]
            while words and words[0] in STOPS:
                words = words[1:]
            low = " ".join(words[:8]).lower()
    return words


def without_dropped(words: Sequence[str], dropped: Iterable[str], first: Iterable[str], least: int) -> list[str]:
    """
    Return words without what says nothing wherever it stands, and without what leads them in.

    @param least: of so few words no more is taken off.
    """
    text = f" {' '.join(words)} "
    for one in dropped:
        at = text.lower().find(f" {one} ")
        if at >= 0:
            text = f"{text[:at]} {text[at + len(one) + 2:]}"
    kept = text.split()
    before: list[str] = []
    while before != kept and len(kept) > least:
        before = kept
        for one in first:
            if " ".join(kept).lower().startswith(f"{one} "):
                kept = kept[len(one.split()):]
    return kept


def cut(words: list[str], how: Restate) -> list[str]:
    """Return words up to where something else begins."""
    # A comma early on leads in ("Anna, could you"), later on something else begins.
    while words and words[0] in STOPS:
        words = words[1:]
    end = next((
        at for at, word in enumerate(words) if word in STOPS or at > 1 and word.lower() in how.ends), len(words))
    while end and words[end - 1].lower() in how.trailing:
        end -= 1
    return words[:end]


def done(word: str, how: Restate) -> bool:
    """Return whether a lower-case word is a verb in its plain form, where one may stand."""
    return word in how.verbs or word in how.deeds


def third(word: str, how: Restate) -> bool:
    """Return whether a word is a verb as "he" or "she" has it."""
    return word.endswith("s") and (word[:-1] in how.verbs or word[:-2] in how.verbs)


def past(word: str, how: Restate) -> bool:
    """Return whether a word is a verb of the past."""
    return word in how.past.values() or word.endswith(how.verb_endings) and bool(
        how.verbs.intersection((word[:-1], word[:-2])))


def fit(clause: str) -> str:
    """Return a clause on one line, C{""} for one that is too long to be said again."""
    clause = " ".join(clause.split())
    return clause if 0 < len(clause) <= LONGEST else ""
