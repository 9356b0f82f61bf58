"""
What a mail asks that may have been said in its thread, in whatever words: a question, with a mark or without, a thing
that somebody wants to be told, or a statement that is to be confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language.clause.question_types import asking, mentions_any, named_type, type_of
from simmail.core.language.clause.tables import past, restating, third
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known_language
from simmail.core.language_data import read_optional
from simmail.core.writer.sources.said_words import content

_WORD = re.compile(r"[^\W_][\w'’.:/&£€$%-]*")
_MARKS = " ?!.,;:-–—\"'“”‘’()"
#: What is asked is kept of so many texts, of at most so many characters.
_KEPT, _LONGEST_KEPT = 4096, 600
#: Words among which stands the verb of a question without a mark, and of a question that is but a phrase.
_VERB_BY, _PHRASE = 7, 11
#: Words among which stands the thing that "what" asks for, and what it may make of it.
_NAMED_BY, _NAMED = 4, frozenset(("when", "much", "where", "who", "many"))
#: A statement has more words than so many with its tag.
_TAGGED = 3
#: A clause with fewer words of its own says what it asks together with its neighbours.
_OWN = 2


class RecallWords(Struct, frozen=True, forbid_unknown_fields=True):
    """How one language asks for what was said; C{templates/<code>/recall.yaml} says what each field is for."""

    shortened: Mapping[str, str] = {}
    after: tuple[str, ...] = ()
    wanting: tuple[str, ...] = ()
    things: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    marked: frozenset[str] = frozenset()
    bare_tags: frozenset[str] = frozenset()
    joints: tuple[str, ...] = ()
    being: frozenset[str] = frozenset()
    pleading: tuple[str, ...] = ()
    pointing: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    asking_new: tuple[str, ...] = ()
    saying: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    changing: tuple[str, ...] = ()
    undoing: tuple[str, ...] = ()
    holding: tuple[str, ...] = ()
    totals: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    offering: tuple[str, ...] = ()
    asked_if: str = "{value}"
    makes: str = "{value}"


class ThreadQuestion(NamedTuple):
    """
    One thing that is asked.

    @ivar text: the words that ask; whole: these and what stands beside them, to know what they are about.
    @ivar type: what it asks for, one of L{simmail.core.language.clause.question_types.TYPES}.
    @ivar thing: it is only named.
    @ivar claim: the statement that is to be confirmed, C{""} for a question that is open.
    """

    text: str
    whole: str
    type: str
    claim: str = ""
    thing: bool = False

    @property
    def question(self) -> MailQuestion:
        """Return it as the question of a mail."""
        return MailQuestion(text=self.text, form=self.type, topic="", short=("", ""), options=(), type=self.type,
                            recalls=True)


@cache
def wording(code: str) -> RecallWords:
    """Return how one language asks for what was said."""
    return convert(read_optional(code, "recall.yaml") or {}, RecallWords, strict=False)


def askings(sentences: Sequence[str], language: Language) -> tuple[ThreadQuestion, ...]:
    """Return what the sentences of a mail ask, in their order."""
    # A thread's sentences are read again with each of its mails.
    short = sum(map(len, sentences)) <= _LONGEST_KEPT
    return (_kept if short else _askings)(tuple(sentences), language.code)


def _askings(sentences: tuple[str, ...], code: str) -> tuple[ThreadQuestion, ...]:
    language, found = known_language(code), list[ThreadQuestion]()
    for at, sentence in enumerate(sentences):
        before = sentences[at - 1] if at else ""
        some = _checks(sentence, before, language) or list(_opens(sentence, language))
        if not some or not some[0].claim and wording(language.code).wanting:
            head = sentence.lower().partition(some[0].text.lower())[0] if some else sentence
            some = [*_things(head if some else sentence, language), *some]
        near = ""
        for one in some:
            if not content(one.text, language.code) and not one.claim:
                # "Who comes, and when?", "did I give you the number, and what was it?"
                one = one._replace(text=f"{near}, {one.text}" if near else one.whole)
            near = one.text
            if len(content(one.text, language.code)) < _OWN:
                # "What have we got to spend?  And what was it at first?"
                beside = f"{before} {one.whole}" if at else f"{one.whole} {' '.join(sentences[1:2])}"
                one = one._replace(whole=beside)
            if one not in found:
                found.append(one)
    return tuple(found)


_kept = lru_cache(_KEPT)(_askings)


def _plain(text: str, language: Language) -> str:
    """A text in lower case, its verbs in full behind question words."""
    how = wording(language.code).shortened
    low = text.lower().replace("\u2019", "'").replace("\u2018", "'")
    return " ".join(how.get(word, word) for word in low.split())


def _asked_for(clause: str, language: Language) -> str:
    """What a clause asks for that begins with a question word, after what leads it in."""
    plain = _plain(clause.lstrip(_MARKS), language)
    leads = asking(language.code).opening.leads
    while lead := next((one for one in leads if plain.startswith((f"{one} ", f"{one}, "))), ""):
        plain = plain[len(lead):].lstrip(" ,")
    found = type_of(plain, language)
    if found == "what":
        named = named_type(" ".join(plain.split()[:_NAMED_BY]), language)
        return named if named in _NAMED else found  # "at what hour"
    return "" if found == "yes_no" else found


def _opens(sentence: str, language: Language) -> Iterator[ThreadQuestion]:
    """The open questions of a sentence."""
    opening, how = asking(language.code).opening, wording(language.code)
    marked = sentence.rstrip(_MARKS.replace("?", "")).endswith("?")
    low = sentence.lower()
    starts = [0, *(match.end() for match in _joint(language.code).finditer(sentence))]
    parts = [(start, sentence[start:end].strip()) for start, end in zip(starts, [*starts[1:], len(sentence)])]
    text, type, begun, restate = "", "", False, restating(language.code)
    for at, (start, part) in enumerate(parts):
        kind = _asked_for(part, language)
        words = _plain(part.strip(_MARKS), language).split()
        rest = words[1:] if kind else []
        inner = ""
        if kind and rest and rest[0] in opening.nominative and not begun and (kind in ("when", "where") or not marked):
            # "When you come, bring ...": a clause of time, unless something wants to know it.
            if not _cued(low[:start], how):
                kind = ""
        if kind and not marked and not begun and not _cued(low[:start], how):
            verbs = opening.verbs | opening.being | how.being
            told = any(third(one, restate) or past(one, restate) for one in words[1:2]) and kind != "when"
            kind = kind if told or any(one in verbs for one in words[1:_VERB_BY]) else ""
        if not kind:
            inner, kind = _inside(part, low[:start], marked, language)
        if kind:
            if text:
                yield ThreadQuestion(text, sentence, type)
            text, type, begun = (inner or part).strip(_MARKS), kind, True
        elif text:
            ends = sentence[:start].rstrip()[-1:] in "?!"
            if ends:
                yield ThreadQuestion(text, sentence, type)
                text = ""
            else:
                text = f"{text}, {part}"
    if text:
        yield ThreadQuestion(text, sentence, type)


@cache
def _tags(code: str) -> tuple[str, ...]:
    """What asks at the end of a statement whether it is so, the longest first."""
    return tuple(sorted({*wording(code).tags, *asking(code).checks}, key=lambda one: (-len(one), one)))


@cache
def _joint(code: str) -> re.Pattern[str]:
    """Where a clause may begin."""
    joints = "|".join(map(re.escape, wording(code).joints))
    return re.compile(
        r"[?;:!…]\s+|,\s+|\s[-–—]+\s|\(" + (rf"|\s(?=(?:{joints})\s)" if joints else ""))


@cache
def _parting(code: str) -> re.Pattern[str]:
    """Where another thing begins that is asked for."""
    things = "|".join(map(re.escape, sorted(wording(code).things)))
    return re.compile(rf"(?:,? {re.escape(known_language(code).and_)} |, )(?=(?:{things})\s)")


def _cued(low: str, how: RecallWords) -> bool:
    return any(f" {cue} " in f" {low.replace(',', ' ').replace(':', ' ')} " for cue in how.after)


def _inside(part: str, before: str, marked: bool, language: Language) -> tuple[str, str]:
    """The clause inside of another that asks, and for what: behind what says that somebody would know it."""
    how, words = wording(language.code), part.split()
    for at in range(1, len(words)):
        clause = " ".join(words[at:])
        kind = _asked_for(clause, language) if words[at].lower().strip(_MARKS).replace("’", "'") not in (
            asking(language.code).opening.leads) else ""
        head = f"{before} {' '.join(words[:at]).lower()}"
        if kind and (marked or _cued(head, how)):
            return clause, kind
    return "", ""


def _things(sentence: str, language: Language) -> list[ThreadQuestion]:
    """The things that a sentence wants to be told: "could you give me the headcount, and the boat we're on?"."""
    how = wording(language.code)
    low = _plain(sentence, language)
    marked = low.endswith("?")
    plain = low.strip(_MARKS)
    opening = asking(language.code).opening
    words = plain.split()
    lead = len(words) < _PHRASE + 1 and marked and not any(one in opening.verbs for one in words[:_PHRASE])
    cue = max(((low.find(f"{one} ") + len(one) + 1, one) for one in how.wanting if f" {one} " in f" {low}"),
              default=(0, ""))
    please = low.rstrip(".!? ").endswith(how.pleading) and len(words) < _PHRASE
    if cue[1] and not (lead or please):
        rest = low[cue[0]:]
        colon = rest.partition(": ")[2]
        rest = colon or rest
        if rest.split()[:1] and rest.split()[0].strip(_MARKS) in how.things and named_type(rest, language):
            return [ThreadQuestion(part.strip(_MARKS), sentence, named_type(part, language) or "what", thing=True)
                    for part in _parting(language.code).split(rest)]
        return []
    if (lead or please) and words[0] not in restating(language.code).any_words:
        if len(content(plain, language.code)) and not any(one in plain for one in how.asking_new):
            text = sentence.strip(_MARKS)
            return [ThreadQuestion(text, sentence, named_type(sentence, language) or "what", thing=True)]
    return []


def _checks(sentence: str, before: str, language: Language) -> list[ThreadQuestion]:
    """The statement that a sentence wants to be confirmed, with what it asks openly before it."""
    how, known = wording(language.code), asking(language.code)
    low = _plain(sentence, language).rstrip(" .!\"'”")
    marked = low.endswith("?")
    plain = low.strip(_MARKS)
    if any(plain.startswith(f"{one} ") or plain == one for one in how.asking_new):
        return []
    if before and (plain in how.tags or plain in known.checks or _is_tag(plain, language)):
        return [ThreadQuestion(f"{before.strip(_MARKS)}, {plain}", before, "yes_no", before.strip(_MARKS))]
    if before and marked and any(plain == one or plain.startswith(f"{one} ") for one in how.pointing) and len(
            plain.split()) < _PHRASE + 4:
        if not _asked_for(before, language):
            return [ThreadQuestion(sentence.strip(_MARKS), f"{before} {sentence}", "yes_no", before.strip(_MARKS))]
    tag = next((one for one in _tags(language.code) if plain.endswith(f" {one}") and len(
        plain.split()) > len(one.split()) + 1), "")
    last_two = " ".join(plain.split()[-2:])
    if not tag and len(plain.split()) > _TAGGED and _is_tag(last_two, language):
        tag = last_two
    spoken = mentions_any(f" {plain} ", tuple(f" {cue} " for cue in how.said))
    said_so = spoken and tag in how.marked
    if tag and not marked and not said_so and (len(tag.split()) < 2 or tag.split()[0] == language.or_):
        tag = ""
    if tag:
        short = len(tag.split()) == 1
        comma = plain[:-len(tag)].rstrip().endswith(","), low.rstrip("? ").endswith(f"- {tag}")
        if short and not any(comma) and not said_so and tag not in how.bare_tags:
            tag = ""
        last = re.split(r"[,;:]\s+", plain)[-1]
        if not short and _asked_for(last, language):
            tag = ""  # "how many were you?"
    if tag:
        head = sentence.strip(_MARKS)
        head = head[:max(0, len(head) - len(tag))].strip(_MARKS)
        return _with_open(head, sentence, language)
    if not marked:
        return []
    opens = list(_opens(sentence, language))
    if opens:
        # "What held us up, was it the plumber?"
        last = re.split(r"[,:;]\s+|\s[-–—]\s", plain)[-1]
        if len(opens) == 1 and last != plain and any(last.startswith(f"{one} ") for one in how.past) and len(
                last.split()) > 2 and not _asked_for(last, language):
            return [opens[0]._replace(claim=last)]
        return []
    if any(plain.startswith(f"{one} ") for one in how.past):
        return [_claim(sentence)]
    if spoken and not any(one in known.opening.verbs for one in plain.split()[:1]):
        return [_claim(sentence)]  # "and it is as I asked?"
    digits = any(map(str.isdigit, plain))
    if digits and len(plain.split()) < _PHRASE and not any(one in plain.split() for one in known.opening.modals):
        return [_claim(sentence, before)]
    return []


def _claim(sentence: str, before: str = "") -> ThreadQuestion:
    """A sentence that is to be confirmed."""
    claim = sentence.strip(_MARKS)
    return ThreadQuestion(claim, f"{before} {sentence}".strip(), "yes_no", claim)


@cache
def _negatives(code: str) -> frozenset[str]:
    """The verbs that a tag denies, without an apostrophe: "dont"."""
    return frozenset(one.replace("'", "") for one in restating(code).negated.values())


def _is_tag(low: str, language: Language) -> bool:
    """Whether two words ask whether it is so: "don't I", "isnt it"."""
    restate = restating(language.code)
    verb, _, who = low.partition(" ")
    persons = {*restate.subjects, *map(str.lower, restate.asked), *map(str.lower, restate.asking)}
    return who in persons and (
        verb.replace("'", "") in _negatives(language.code))


def _with_open(head: str, sentence: str, language: Language) -> list[ThreadQuestion]:
    opens = list(_opens(f"{head}?", language))
    if opens and _asked_for(head.partition(", ")[0], language):
        return [opens[0]._replace(claim=head.rpartition(", ")[2] or head, whole=sentence)]
    return [ThreadQuestion(head, sentence, "yes_no", head)]
