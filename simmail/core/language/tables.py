"""
The languages, and which one a mail is in.

What is known of a language is in C{templates/<code>/language.yaml}, written for
translators; this module only gives it types.  Read once, then a constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_origin

from msgspec import Struct, convert
from msgspec.structs import fields

from simmail.core.language_data import LANGUAGES as LANGUAGES, WRITTEN as WRITTEN, read_optional, read_yaml as read_yaml

#: Hits of words of another language than English, below which a text is not in it.
_FEWEST = 2

#: Only so much of a mail is looked at to tell its language.
_TASTE = 4000
#: Texts whose language is remembered: it is asked when a mail is scored, decided about and answered.
_TOLD = 256


class Days(Struct, frozen=True):
    """
    How days, times and appointments are written.

    @ivar first: the first of a month, where that is no plain number.
    @ivar year: a date with its year; by_date: one that lies behind, where it says by when.
    """

    today: str
    tomorrow: str
    on_today: str
    on_tomorrow: str
    near: str
    date: str
    plain_date: str
    on: str
    slot: str
    elsewhere: str
    tonight: str
    times: str
    clock: str
    half_clock: str
    first: str = ""
    year: str = "{date} {year}"
    by_date: str = "{date}"


class What(Struct, frozen=True):
    """Phrases for what is promised."""

    answer: str
    answer_plain: str
    payment: str
    payment_plain: str
    news: str
    task: str
    document: str
    quote: str
    order: str
    order_plain: str


class Subjects(Struct, frozen=True):
    """Prefixes and subjects of mail that answers nothing."""

    reply: str
    outlook_reply: str
    forward: str
    outlook_forward: str
    ooo: str
    question: str
    promised: str
    delivered: str


class Wants(Struct, frozen=True):
    """Sentences around what a persona wants."""

    verb: str
    noun: str
    other: str


class Labels(Struct, frozen=True, rename={"from_": "from"}):
    """Words that stand in a document made on the fly."""

    from_: str
    to: str
    date: str
    reference: str
    subject: str
    signed: str
    copy: str
    item: str
    detail: str


class Language(Struct, frozen=True, forbid_unknown_fields=True, rename={"and_": "and", "or_": "or"}):
    """One language; word lists are lower case.  The data files say what each field is for."""

    code: str
    common_words: frozenset[str]
    months: tuple[str, ...]
    month_forms: dict[str, int]
    weekdays: tuple[str, ...]
    weekday_forms: dict[str, int]
    near_days: dict[str, int]
    past_words: frozenset[str]
    not_past: frozenset[str]
    following: frozenset[str]
    week_words: frozenset[str]
    due_words: frozenset[str]
    range_words: frozenset[str]
    halves: dict[str, int]
    mornings: tuple[str, ...]
    hour_words: frozenset[str]
    said_times: dict[str, str]
    day_ends: dict[str, int]
    day_marks: frozenset[str]
    weekday_marks: frozenset[str]
    day_openers: frozenset[str]
    no_day_after: frozenset[str]
    numbered: frozenset[str]
    may_choose: tuple[str, ...]
    would_rather: str
    periods: dict[str, Literal["day", "week", "next_week", "next_month"]]
    zones: dict[str, int]
    day: Days
    and_: str
    quotes: tuple[str, str]
    one: dict[str, str]
    many: dict[str, str]
    small_words: frozenset[str]
    wants: Wants
    document: Labels
    what: What
    subjects: Subjects
    reply_prefixes: tuple[str, ...]
    reply_subject_prefixes: tuple[str, ...]
    sent_from: dict[str, str]
    greeting_words: tuple[str, ...]
    greeting_nobody: frozenset[str]
    honorifics: frozenset[str]
    closing_words: frozenset[str]
    organisation_words: frozenset[str]
    nicknames: tuple[frozenset[str], ...]
    send_words: frozenset[str]
    ask_words: tuple[str, ...]
    documents: tuple[str, ...]
    generic_documents: frozenset[str]
    table_words: tuple[str, ...]
    signed_words: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    phrase_stops: frozenset[str]
    phrase_verbs: frozenset[str]
    flips: dict[str, str]
    default_determiner: str
    question_words: tuple[str, ...]
    question_verbs: tuple[str, ...]
    question_fillers: tuple[str, ...]
    question_prepositions: frozenset[str]
    when_words: tuple[str, ...]
    number_words: tuple[str, ...]
    reason_words: tuple[str, ...]
    many_endings: tuple[str, ...]
    one_endings: tuple[str, ...]
    yes: str
    no: str
    short_answers: dict[str, str]
    short_subjects: dict[str, str]
    idle_questions: tuple[str, ...]
    mentions: tuple[str, ...]
    do_words: tuple[str, ...]
    social: tuple[str, ...]
    contracts: tuple[str, ...]
    failed_payment: tuple[str, ...]
    paid: tuple[str, ...]
    overdue: frozenset[str]
    at_words: frozenset[str]
    after_hour: frozenset[str]
    led_small: frozenset[str]
    no_doing: tuple[str, ...]
    sorry_words: tuple[str, ...]
    not_sorry: tuple[str, ...]
    choice_words: frozenset[str]
    choice_prepositions: frozenset[str]
    time_asked: tuple[str, ...]
    same_time: tuple[str, ...]
    called_off: tuple[str, ...]
    need_words: frozenset[str]
    confirm_words: tuple[str, ...]
    wish_asked: tuple[str, ...]
    rating_words: tuple[str, ...]
    opinion: tuple[str, ...]
    objecting: tuple[str, ...]
    interview: tuple[str, ...]
    applying: tuple[str, ...]
    total_words: tuple[str, ...]
    order_number: tuple[str, ...]
    details: frozenset[str]
    tell_words: frozenset[str]
    counted_words: tuple[str, ...]
    price_words: tuple[str, ...]
    within: frozenset[str]
    within_valid: frozenset[str]
    valid_words: tuple[str, ...]
    ahead: frozenset[str]
    spans: dict[str, int]
    counts: dict[str, int]
    span_fillers: frozenset[str]
    asks_of: tuple[str, ...]
    pleased: tuple[str, ...]
    or_: str
    contractions: dict[str, str]
    reference_words: frozenset[str]
    reference_nouns: frozenset[str]
    had_before: frozenset[str]
    had_not_before: frozenset[str]
    first_person: dict[str, str]
    want_verbs: frozenset[str]
    want_openers: frozenset[str]
    want_prefixes: tuple[str, ...]
    inflected: bool
    compounds: bool
    figure_blank: str
    polite_words: frozenset[str]
    familiar_words: frozenset[str]
    letters: str
    question_links: tuple[str, ...]
    choosing_words: tuple[str, ...]
    embedding_verbs: frozenset[str]
    not_words: frozenset[str]
    clause_openers: frozenset[str]
    option_ends: frozenset[str]
    no_topics: frozenset[str]
    asked_things: dict[str, str]
    asker: frozenset[str]
    asked_one: frozenset[str]
    permission_verbs: frozenset[str]
    courtesy_verbs: frozenset[str]
    noun_verbs: dict[str, str]
    do_so: str
    do_not: str
    offered_with: frozenset[str]
    ordering: frozenset[str]
    pointing: frozenset[str]
    deed_thanks: frozenset[str]
    deed_joints: frozenset[str]
    deed_endings: tuple[str, ...]
    deed_ends: frozenset[str]
    deed_tail: frozenset[str]
    deed_flips: dict[str, str]
    verb_next: frozenset[str]
    of_words: frozenset[str]
    of_any: frozenset[str]
    right_words: frozenset[str]
    told_details: frozenset[str]
    details_of: frozenset[str]
    answer_things: tuple[str, ...]
    payment_things: tuple[str, ...]
    task_things: tuple[str, ...]
    account_words: frozenset[str]
    abbreviations: frozenset[str]
    quote_starts: tuple[str, ...]
    attribution_starts: tuple[str, ...]
    attribution_ends: tuple[str, ...]
    attribution_verbs: tuple[str, ...]
    quoted_from: tuple[str, ...]
    quoted_fields: tuple[str, ...]
    name_joints: tuple[str, ...]
    name_particles: frozenset[str]
    formal_signs: tuple[str, ...]
    casual_signs: tuple[str, ...]
    occupations: tuple[str, ...]
    role_words: frozenset[str]
    paying: frozenset[str]
    ordering_words: frozenset[str]
    vague_words: frozenset[str]
    flags: frozenset[str]
    articles: tuple[str, ...]
    thanks_first: tuple[str, ...]
    from_words: tuple[str, ...]
    task_for: tuple[str, ...]
    task_by: tuple[str, ...]
    day_endings: tuple[str, ...]
    own_words: frozenset[str]
    lead_small: bool
    lead_keeps: tuple[str, ...]
    thanking: tuple[str, ...]
    not_thanking: tuple[str, ...]
    nagging: tuple[str, ...]
    pressing: tuple[str, ...]
    complaining: tuple[str, ...]
    bringing: tuple[str, ...]
    announcing: tuple[str, ...]
    farewells: tuple[str, ...]
    answer_asked: tuple[str, ...]
    promising: tuple[str, ...]
    only_waiting: tuple[str, ...]
    promises_nothing: tuple[str, ...]
    deeds: dict[str, str]
    promise_fillers: frozenset[str]
    promise_ends: frozenset[str]
    promise_tail: frozenset[str]
    pronouns: frozenset[str]
    telling_nothing: frozenset[str]
    arriving: tuple[str, ...]
    money_words: tuple[str, ...]
    cues: dict[str, dict[str, float]]
    since_words: frozenset[str] = frozenset()
    dated_by: frozenset[str] = frozenset()
    before_hour: dict[str, int] = {}
    behind_hour: dict[str, int] = {}
    hours_from: frozenset[str] = frozenset()
    evenings: tuple[str, ...] = ()
    this_coming: frozenset[str] = frozenset()
    week_behind: tuple[str, ...] = ()
    week_before: tuple[str, ...] = ()
    next_week_behind: tuple[str, ...] = ()
    state_being: frozenset[str] = frozenset()
    colon: str = ": "
    near_by_first_name: bool = True
    question_mark: str = ""
    head_first: bool = False
    short_own: dict[str, str] = {}
    common_verbs: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    existing: frozenset[str] = frozenset()
    no_topics_alone: frozenset[str] = frozenset()
    no_topics_behind: frozenset[str] = frozenset()
    no_topic_verbs: tuple[str, ...] = ()
    clock_parts: frozenset[str] = frozenset()
    adverb_ending: str = ""
    no_adverbs: frozenset[str] = frozenset()
    kin_titles: frozenset[str] = frozenset()
    belonging: frozenset[str] = frozenset()
    hedge: str = ""
    not_asked_for: tuple[str, ...] = ()
    asking_only: tuple[str, ...] = ()
    purposes: frozenset[str] = frozenset()
    kin_signed: frozenset[str] = frozenset()
    option_verbs: frozenset[str] = frozenset()


@cache
def language(code: str) -> Language:
    """
    Return what is known of one of L{LANGUAGES}.

    What reading it needs stands in C{language.yaml}; what writing it needs stands there too, or in C{words.yaml}.
    """
    known = _known(code)
    return convert(known if code in WRITTEN else {**_unwritten(), **known}, Language, strict=False)


@cache
def _known(code: str) -> dict[str, Any]:
    return {**read_yaml(code, "language.yaml"), **(read_optional(code, "words.yaml") or {})}


@cache
def _unwritten() -> dict[str, Any]:
    """Return the fields of a language of which nothing is known: its lists empty, all else as in English."""
    english = _known(LANGUAGES[0])
    lists = {one.encode_name for one in fields(Language) if get_origin(one.type) in (tuple, frozenset, dict)}
    lists -= {"one", "many", "sent_from", "quotes"}
    return {name: type(value)() if name in lists else value for name, value in english.items()}


@cache
def spaced(code: str, words: str) -> tuple[str, ...]:
    """Return words of one of L{LANGUAGES} with a blank before each, to be looked for at the beginning of words."""
    return tuple(f" {word}" for word in getattr(language(code), words))


@cache
def every(field: str) -> tuple[str, ...]:
    """Return the words that a field has in any language: a mail is not always in the one it is taken for."""
    return tuple(dict.fromkeys(word for code in LANGUAGES for word in getattr(language(code), field)))


@cache
def merged(field: str) -> Mapping[str, int]:
    """Return what the words of a field stand for in any language; of two languages the first counts."""
    found: dict[str, int] = {}
    for code in LANGUAGES:
        found = {**getattr(language(code), field), **found}
    return MappingProxyType(found)


@cache
def _meanings(code: str, field: str) -> Mapping[str, list[tuple[list[str], str]]]:
    # By their first word, the longest first.
    found: dict[str, list[tuple[list[str], str]]] = {}
    for phrase, meaning in sorted(getattr(language(code), field).items(), key=lambda one: -len(one[0].split())):
        words = phrase.split()
        found.setdefault(words[0], []).append((words, meaning))
    return found


def meaning(known: Language, field: str, low: Sequence[str], position: int) -> tuple[str, int] | None:
    """Return what the longest phrase of a field stands for that begins at a position, and how many words it has."""
    for words, stands_for in _meanings(known.code, field).get(low[position], ()):
        if low[position:position + len(words)] == words:
            return stands_for, len(words)
    return None


def counted(phrase: str, known: Language) -> dict[str, str]:
    """Return how a thing is spoken of: C{is} and C{it} for one, the same for several."""
    several = f" {known.and_} " in phrase or (
        bool(known.many_endings) and phrase.endswith(known.many_endings) and not phrase.endswith(known.one_endings)
    )
    return known.many if several else known.one


def tell(text: str, otherwise: str = LANGUAGES[0]) -> str:
    """Return the code of the language a text is in; C{otherwise} when nothing shows one."""
    return _told(text[:_TASTE], otherwise)


@lru_cache(_TOLD)
def _told(text: str, otherwise: str) -> str:
    hits = _hits(text, LANGUAGES)
    most, next_most = sorted(LANGUAGES, key=lambda code: -hits[code])[:2]
    if "?" in text and hits[next_most] and 2 * hits[next_most] >= hits[most]:
        # Where two are spoken, the question says in which it wants to be answered.
        asked = _hits(" ".join(part.rpartition(".")[2].rpartition("!")[2] for part in text.split("?")[:-1]),
                      (most, next_most))
        if asked[most] != asked[next_most]:
            hits = asked
    best = max(hits, key=lambda code: (hits[code], code == otherwise))
    # One word tells it where no other language has a word there.
    sure = hits[best] >= _FEWEST or hits[best] == sum(hits.values()) > 0
    return best if sure else otherwise


def _hits(text: str, codes: tuple[str, ...]) -> dict[str, int]:
    low = text.lower().replace("\u2019", "'")
    known = _common()
    hits = dict.fromkeys(LANGUAGES, 0)
    words = [word.strip(".,;:!?¿¡()\"'«»") for word in low.split()]
    if "'" in low:
        # "L'eau", "j'ai", "qu'il": what is elided is a word as well.
        words += [word[:word.index("'") + 1] for word in words if "'" in word]
    for some in filter(None, map(known.get, words)):
        for code in some:
            hits[code] += 1
    for code in codes:
        hits[code] += any(map(low.__contains__, language(code).letters))
    return {code: hits[code] for code in codes}


@cache
def _common() -> Mapping[str, tuple[str, ...]]:
    # The languages in which a word is common.
    found: dict[str, tuple[str, ...]] = {}
    for code in LANGUAGES:
        known = language(code)
        telling = {word for word in (
            *known.question_words, *known.when_words, *known.weekday_forms, *known.determiners, *known.short_answers)
                   if len(word) > _FEWEST + 1 and " " not in word}
        for word in known.common_words | telling:
            found[word] = (*found.get(word, ()), code)
    return MappingProxyType(found)
