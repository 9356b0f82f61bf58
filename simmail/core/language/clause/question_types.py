"""
What a question asks for: a person, a place, a day, a span, a sum, a number, a reason, a way, a thing.

Told by how it begins, from C{templates/<code>/questions.yaml}; an answer has to be of the same type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct, convert

from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional

#: A word of so many letters begins conditions as well.
_SHORT = 2
_CURLY, _PLAIN, _OPENED, _MARKS = "\u2019", "'", "¿¡", " ?!¿¡.,"
#: What a question can ask for; the last ones are no questions with a question word.
TYPES = ("who", "where", "when", "long", "often", "much", "many", "why", "how", "what", "yes_no", "choice", "either",
         "time", "opinion", "request")


class Attribute(Struct, frozen=True, forbid_unknown_fields=True):
    """What a fact may be called, and how one asks for it without saying so; pieces of lower-case text."""

    named: tuple[str, ...]
    asked: tuple[str, ...]


class Opening(Struct, frozen=True, forbid_unknown_fields=True):
    """How clauses that ask begin in one language; the data files say what each field is for."""

    leads: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    before_words: frozenset[str] = frozenset()
    relative: frozenset[str] = frozenset()
    asked_alone: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    clitics: frozenset[str] = frozenset()
    imperative: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    modals: frozenset[str] = frozenset()
    being: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    nominative: frozenset[str] = frozenset()
    addressed: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    third: tuple[str, ...] = ()
    subjects: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    no_verbs: frozenset[str] = frozenset()
    subordinate: frozenset[str] = frozenset()
    inside: bool = False


class Asking(Struct, frozen=True, forbid_unknown_fields=True):
    """How questions of one language begin and what they are about; the data files say what each field is for."""

    opening: Opening = Opening()
    free_choice: tuple[str, ...] = ()
    replying: tuple[str, ...] = ()
    demanding: tuple[str, ...] = ()
    insisting: tuple[str, ...] = ()
    proposing: tuple[str, ...] = ()
    enquiring: tuple[str, ...] = ()
    of_those: tuple[str, ...] = ()
    explaining: Mapping[str, str] = {}
    past_verbs: frozenset[str] = frozenset()
    beginnings: Mapping[str, str] = {}
    elliptical: Mapping[str, str] = {}
    conditions: tuple[str, ...] = ()
    say_so: tuple[str, ...] = ()
    deciding: tuple[str, ...] = ()
    assured: tuple[str, ...] = ()
    either: str = ""
    between: str = ""
    forbidding: tuple[str, ...] = ()
    taking: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    made: tuple[str, ...] = ("",)
    attended: tuple[str, ...] = ()
    advised: tuple[str, ...] = ("\0",)
    obliged: tuple[str, ...] = ("\0",)
    careful_words: tuple[str, ...] = ()
    grave: tuple[str, ...] = ()
    sooner: tuple[str, ...] = ()
    social: frozenset[str] = frozenset()
    risky: tuple[str, ...] = ("\0",)
    hearsay: tuple[str, ...] = ()
    not_so: str = ""
    helping: tuple[str, ...] = ()
    looking: tuple[str, ...] = ()
    wanting: tuple[str, ...] = ()
    types: Mapping[str, tuple[str, ...]] = {}
    whether: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    knowing_ends: frozenset[str] = frozenset()
    own_plans: tuple[str, ...] = ()
    contacting: tuple[str, ...] = ()
    oneself: frozenset[str] = frozenset()
    lasting: tuple[str, ...] = ()
    ever_after: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    checks: frozenset[str] = frozenset()
    rhetorical: tuple[str, ...] = ()
    courtesies: frozenset[str] = frozenset()
    only_told: tuple[str, ...] = ()
    recalls: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    not_reminders: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    nouns: Mapping[str, tuple[str, ...]] = {}
    sums: Mapping[str, tuple[str, ...]] = {}
    clock: tuple[str, ...] = ()
    costing: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    preceding: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    plans: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()
    not_numbered: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    taken_off: tuple[str, ...] = ()
    priced_at: frozenset[str] = frozenset()
    beyond: frozenset[str] = frozenset()
    moving: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    rather: tuple[str, ...] = ()
    spoken_of: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    kin: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    apart: tuple[str, ...] = ()
    joining: frozenset[str] = frozenset()
    each: tuple[str, ...] = ()
    units: Mapping[str, tuple[str, str]] = {}
    said_things: Mapping[str, tuple[str, ...]] = {}
    late: tuple[str, ...] = ()
    coming: tuple[str, ...] = ()
    in_charge: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    reach_me: str = ""
    limiting: tuple[str, ...] = ()
    each_of: frozenset[str] = frozenset()
    of_time: frozenset[str] = frozenset()
    behind_verbs: frozenset[str] = frozenset()
    together: tuple[str, ...] = ()
    claiming: tuple[str, ...] = ()
    claiming_own: tuple[str, ...] = ()
    claim_ends: tuple[str, ...] = ()
    claim_joints: tuple[str, ...] = ()
    as_agreed: tuple[str, ...] = ()
    another_time: tuple[str, ...] = ("\0",)
    claim_leads: frozenset[str] = frozenset()
    claim_relatives: frozenset[str] = frozenset()
    claimed: tuple[str, ...] = ()
    claimed_asked: str = ""
    claimed_deeds: tuple[str, ...] = ()
    rejecting: tuple[str, ...] = ()
    prohibiting: tuple[str, ...] = ("\0",)
    asking_whom: tuple[str, ...] = ()
    ask_me: str = ""
    picked: frozenset[str] = frozenset()
    picking_days: tuple[str, ...] = ("\0",)
    suiting_words: tuple[str, ...] = ("\0",)
    around: frozenset[str] = frozenset()
    spanning: frozenset[str] = frozenset()
    joining_days: frozenset[str] = frozenset()
    existing: str = ""
    listing: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    purpose_leads: tuple[str, ...] = ("\0",)
    vague: frozenset[str] = frozenset()
    to_know: str = "\0"
    therefore: tuple[str, ...] = ()
    reckoning: tuple[str, ...] = ("\0",)
    time_words: tuple[str, ...] = ()
    confirming: tuple[str, ...] = ()
    confirmed: str = "\0"
    no_papers: tuple[str, ...] = ()
    in_replies: tuple[str, ...] = ("\0",)
    those_days: tuple[str, ...] = ("\0",)
    picking: tuple[str, ...] = ("\0",)
    standing_in: tuple[str, ...] = ()
    sending: frozenset[str] = frozenset()
    senders: frozenset[str] = frozenset()
    secret: tuple[str, ...] = ()
    suggesting: tuple[str, ...] = ()
    supposing: tuple[str, ...] = ()
    perhaps: frozenset[str] = frozenset()
    unquoted: frozenset[str] = frozenset()
    if_not: tuple[str, ...] = ("\0",)
    if_so: tuple[str, ...] = ("\0",)
    was: tuple[str, ...] = ()
    was_briefly: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    tenure: tuple[str, ...] = ()
    tenure_unit: str = ""
    status: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    state_named: tuple[str, ...] = ()
    no_paper_after: frozenset[str] = frozenset()
    attributes: tuple[Attribute, ...] = ()


@cache
def asking(code: str) -> Asking:
    """Return how one language asks."""
    return convert(read_optional(code, "questions.yaml") or {}, Asking, strict=False)


@cache
def _starts(code: str) -> tuple[tuple[str, str], ...]:
    # By beginning, the longest first.
    found = [(f"{start} ", kind) for kind, starts in asking(code).types.items() for start in starts]
    return tuple(sorted(found, key=lambda one: -len(one[0])))


@cache
def _all_starts(code: str) -> tuple[str, ...]:
    return tuple(start for start, _ in _starts(code))


@cache
def _spaced(code: str, cues: str) -> tuple[str, ...]:
    # With a blank before each, to be looked for at the beginning of words.
    return tuple(f" {cue}" for cue in getattr(asking(code), cues))


def type_of(clause: str, language: Language) -> str:
    """Return what a lower-case question asks for by its question word, C{""} for one that has none."""
    clause = f"{clause.strip(' ?!.')} ".replace("\u2019", "'").replace(",", "").replace("'s ", " is ", 1).replace(
        "'re ", " are ", 1).replace("'ll ", " will ", 1)
    # Most begin with none of them, which is told at once.
    if not clause.startswith(_all_starts(language.code)):
        first, _, clause = clause.partition(" ")  # "from which address"
        if first not in language.question_prepositions or not clause.startswith(_all_starts(language.code)):
            return ""
    return next(kind for start, kind in _starts(language.code) if clause.startswith(start))


def type_inside(clause: str, language: Language) -> str:
    """Return what a lower-case question with a question inside asks for: "could you tell me who signs"."""
    words = clause.split()
    for at in range(1, min(len(words), 14)):
        found = type_of(" ".join(words[at:]), language)
        if found:
            return found
    return ""


def checked(sentence: str, language: Language) -> str:
    """Return what a sentence asks to be told is so, without "right?"; C{""} for one that asks no such thing."""
    plain = sentence.strip().rstrip("?! ")
    lead = next((one for one in asking(language.code).supposing if plain.lower().startswith(f"{one} ")), "")
    if lead and sentence.rstrip().endswith("?"):
        return plain[len(lead):].strip()  # "I hope that is all right?"
    for mark in (", ", " - ", " – ", "; "):
        head, found, tail = plain.rpartition(mark)
        if found and tail.lower().lstrip("¿¡ ") in asking(language.code).checks and len(head.split()) > 1:
            return head
    words = plain.split()
    # "We did say Thursday didn't we?"
    tail = " ".join(words[-2:]).lower().replace(_CURLY, _PLAIN)
    return " ".join(words[:-2]) if len(words) > 4 and tail in asking(language.code).checks else ""


def says_only(sentence: str, language: Language) -> bool:
    """Return whether a sentence only asks whether the one before it is so: "Is that right?"."""
    return sentence.strip().rstrip("?! ").lstrip("¿¡ ").lower() in asking(language.code).checks


def clauses(sentence: str, language: Language) -> tuple[str, ...]:
    """Return what stands behind each "whether" of a sentence that asks to be told."""
    how, low = asking(language.code), sentence.lower()
    if not how.whether or len(low) != len(sentence):
        return ()
    found: list[str] = []
    place = 0
    while len(found) < 4:
        starts = [(low.find(f" {word} ", place), len(word) + 2) for word in how.whether]
        at, size = min(((at, size) for at, size in starts if at >= 0), default=(-1, 0))
        if at < 0:
            break
        # "Order some if there are too few" is a condition, unless what asks to be told stands right before it.
        long = size - 2 > _SHORT
        near = f" {low[max(0, at - (60 if long else 25)):at]} "
        other = any(f" {language.or_} {word} " in near for word in how.telling) and not mentions_any(
            f" {low[:at].rpartition('. ')[2]}", how.contacting)
        again = bool(found) and (long or near.rstrip().endswith((f" {language.and_}", f" {language.or_}", ",")))
        behind = max((near.rfind(f" {word} ") + len(word) for word in how.telling if f" {word} " in near), default=-1)
        told = again or behind >= 0 and (long or len(near.split()) < 7 and f" {language.and_} " not in near[behind:])
        rest = sentence[at + size:]
        ends = [rest.lower().find(f" {word} ") for word in how.whether] + [rest.find(mark) for mark in ",;:.?!"]
        joint = f" {language.and_} "
        # "Whether it can stay and who will sign", "if it fits and I'll send the other one"
        ends += [one for one in (rest.lower().find(joint),) if rest.lower()[one + len(joint):].startswith((
            *_all_starts(language.code), *how.own_plans))]
        end = min((one for one in ends if one > 0), default=len(rest))
        # "I don't know whether I'll even try" asks nothing.
        whose = rest.lower().partition(" ")[0].partition("'")[0]
        mine = whose in how.oneself and any(map(near.__contains__, how.unsure))
        if told and not mine and not other:  # "reply with the figure, or tell us if you want a visit"
            found.append(rest[:end].strip())
        place = at + size
    return tuple(clause for clause in found if len(clause.split()) > 1)


def is_rhetorical(sentence: str, language: Language) -> bool:
    """Return whether a question asks nothing: "Who would have thought?"."""
    low = f" {sentence.lower().replace(_CURLY, _PLAIN).lstrip(_OPENED)}"
    return any(f" {cue}" in low for cue in asking(language.code).rhetorical)


def is_courtesy(sentence: str, language: Language) -> bool:
    """Return whether a question asks after its reader in passing: "How are you?"."""
    return sentence.lower().replace(_CURLY, _PLAIN).strip(_MARKS) in asking(language.code).courtesies


def only_asks_to_be_told(sentence: str, language: Language) -> bool:
    """Return whether a request wants what is asked beside it answered, and nothing more: "Please let me know."."""
    low = f" {sentence.lower().replace(_CURLY, _PLAIN)} "
    return any(f" {cue}" in low for cue in asking(language.code).only_told)


def forbids(sentence: str, language: Language) -> bool:
    """Return whether a request is that something be left undone, which is only heeded: "please don't pick b"."""
    low = f" {sentence.lower().replace(_CURLY, _PLAIN)} "
    return any(f" {cue} " in low for cue in asking(language.code).forbidding)


def recalled(sentence: str, language: Language) -> bool:
    """Return whether a question asks for what was said before."""
    low = f"{sentence.lower()} "
    return any(map(low.__contains__, asking(language.code).recalls))


def reminder(sentence: str, language: Language, gone: bool = False) -> str:
    """
    Return what a statement asks to be told again, one of L{TYPES}; C{""} for one that asks no such thing.

    "Remind me which day we said" asks when; "I have lost track of the price", how much.

    @param gone: beside it stands that the mails are gone, so that what it names is asked for.
    """
    how, low = asking(language.code), f" {sentence.lower()} "
    if not (gone or any(map(low.__contains__, _spaced(language.code, "reminders")))) or any(
            map(low.__contains__, how.not_reminders)):
        return ""
    plain = " ".join(low.replace(",", " ").replace(":", " ").rstrip(" .!").split())
    inside = type_of(plain, language) or type_inside(plain, language)
    if inside and inside != "what":
        return inside
    if not inside and any(map(str.isdigit, low)):
        return ""  # "just to be sure: the date is 5 May" tells it
    return named_type(sentence, language) or inside


def named_type(sentence: str, language: Language) -> str:
    """Return what the noun is of that a sentence asks for, one of L{TYPES}: "the price"; C{""} where it has none."""
    low = f" {sentence.lower()} "
    hits = [(len(cue), kind) for kind, cues in asking(language.code).nouns.items() for cue in cues
            if (cue[1:] if cue[0] == "-" else f" {cue}") in low]
    return max(hits)[1] if hits else ""


@cache
def _attribute_cues(code: str) -> tuple[re.Pattern[str], Mapping[str, re.Pattern[str]]]:
    # One search finds the cues of a question; for each the names of the facts it may ask for.
    names: dict[str, list[str]] = {}
    for attribute in asking(code).attributes:
        for cue in attribute.asked:
            names.setdefault(cue, []).extend(attribute.named)
    # A cue may begin inside of another, so none is passed by.
    cues = "|".join(re.escape(cue) for cue in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?=({cues}))" if cues else r"(?!)"), {
        cue: re.compile("|".join(map(_piece, named))) for cue, named in names.items()}


def _piece(name: str) -> str:
    return re.escape(name[1:]) if name[0] == "-" else rf"(?<!\w){re.escape(name)}"


def attribute_names(question: str, language: Language) -> list[re.Pattern[str]]:
    """Return what may be in the name of a fact that answers a question, by the longest cue first: "how heavy"."""
    search, names = _attribute_cues(language.code)
    found = search.findall(" ".join(question.lower().replace("\u2019", "'").split()))
    # Where a long cue stands, those that begin it stand too.
    cues = {cue[:size] for cue in found for size in range(1, len(cue) + 1)}
    return [names[cue] for cue in sorted(cues, key=lambda cue: (-len(cue), cue)) if cue in names]


def passed_on(sentence: str, language: Language) -> tuple[str, str]:
    """
    Return what a statement says that somebody asks, one of L{TYPES}, and in which words: "when you come" of "my boss
    wonders when you come"; two C{""} for nothing.
    """
    low = f" {' '.join(sentence.lower().replace(',', ' ').split())} "
    cue = min(((at, -len(cue)) for cue in asking(language.code).reported for at in (low.find(f" {cue} "),) if at >= 0),
              default=None)
    if cue is None:
        return "", ""
    clause = low[cue[0] - cue[1] + 2:].strip(" ,:")
    type = type_of(clause, language)
    # Its words, as they were written.
    return (type, " ".join(sentence.split()[-len(clause.split()):])) if type else ("", "")


def is_lost(sentence: str, language: Language) -> bool:
    """Return whether a sentence says that the mails are gone in which all stood: what is asked beside it was said."""
    low = f" {sentence.lower()} "
    return any(map(low.__contains__, _spaced(language.code, "lost")))


def said_thing(sentence: str, language: Language) -> str:
    """Return the thing that a question asks for by its name: C{order number}, C{date}; C{""} for another."""
    low = f" {sentence.lower()}"
    hits = [(len(cue), name) for name, cues in asking(language.code).said_things.items() for cue in cues
            if f" {cue}" in low]
    return max(hits)[1] if hits else ""


def mentions_any(sentence: str, cues: tuple[str, ...]) -> bool:
    """Return whether a sentence has one of some lower-case cues."""
    return any(map(f"{sentence.lower()} ".__contains__, cues))
