"""
What a thread tells in answer to a question: the piece of the sentence that comes nearest, as it holds now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.words import cutting, read, times
from simmail.core.writer.sources.cut.piece import piece, turned
from simmail.core.writer.sources.cut.fitting import fits
from simmail.core.writer.sources.said_words import content, kin, shared
from simmail.core.writer.sources.sentence import Hit, asks_only

#: What it is worth to be said by who is asked for.
_WHOSE = 0.25
#: What can be changed later without saying of what.
_MOVED = frozenset(("when", "where"))
#: What holds as it was said last, wherever the same words are.
_LAST = frozenset(("when", "where", "much", "many", "long", "who"))


class Recalled(NamedTuple):
    """A piece, as the answering side says it, and whether it answers this question for certain."""

    text: str
    remark: Remark
    sure: bool


class _Cut(NamedTuple):
    # A piece, the sentence that it was cut out of, and the one that is near to the question.

    hit: Hit
    text: str
    near: str


def recalled(
    question: MailQuestion, remarks: Sequence[Remark], near: Sequence[Hit], language: Language, far: bool
) -> Recalled | None:
    """
    Return the piece of a thread that answers a question, None where none does.

    @param near: its sentences that are near to the question; far: the reader is called "Sie", "vous", "usted".
    """
    first = mentions_any(question.text.lower(), asking(language.code).first)
    said = [one for one in remarks if one.kind == "said" and not asks_only(one.value, language)]
    hits = _by_whom(question, near, language)
    how = cutting(language.code)
    cuts = (one for one in _cut(question, hits, said, first, language) if fits(question, one.text, language))
    led = f"{question.text.split()[0].lower()} "
    found = None
    if led.strip() in how.kept:
        # "Until when" wants what stands behind "until", if that was said.
        every = list(cuts)
        found = next((one for one in every if one.text.lower().startswith(led)
                      and one.hit.shared >= every[0].hit.shared), next(iter(every), None))
    else:
        led, found = "", next(cuts, None)
    if found is None:
        return None
    hit, cut = found.hit, found.text
    asked = content(question.text, language.code)
    asked = asked - content(" ".join(how.skip), language.code) or asked
    here = shared(asked, content(found.near, language.code))
    sure = mentions_any(question.text.lower(), how.phones) or kin(
        question.text, hit.remark.value, language) is True or bool(led) and cut.lower().startswith(led) or (
        bool(here) and (
            question.recalls or hit.shared > 1 or question.type not in ("what", "how") or here == asked
            or bool(shared(asked, content(cut, language.code)))))
    if not first:
        later, new = _latest(question, hit, cut, said, language)
        if new.lower().startswith(led) or not cut.lower().startswith(led):
            hit, cut = later, new
    text = cut if hit.remark.by == "persona" else turned(cut, language, far)
    return Recalled(text, hit.remark, sure) if text else None


def _cut(
    question: MailQuestion, hits: Sequence[Hit], said: Sequence[Remark], first: bool, language: Language
) -> Iterator[_Cut]:
    """The pieces of the sentences, the nearest first, then of those that go on with them, then of all that would do."""
    for hit in hits:
        cut = piece(question, hit.remark.value, language)
        if cut:
            yield _Cut(hit, cut, hit.remark.value)
    how = cutting(language.code)
    moves = question.type == "why" and mentions_any(question.text, asking(language.code).moving)
    if question.type == "why" and (hits or moves):
        # "Why not on Thursday?", "why did we move it?": what moved it says so.
        moved = [] if not moves else [one for one in said if times(read(one.value, (), language), how)]
        for one in (*reversed(moved), *reversed(said)):
            cut = piece(question, one.value, language) if not hits or one.at > hits[-1].remark.at else ""
            if cut:
                yield _Cut(Hit(one, 0.0, 0), cut, hits[0].remark.value if hits else one.value)
    if hits and mentions_any(question.text.lower(), how.trouble):
        for one in said:
            # "I brought you the trousers.  The zip is stuck."
            cut = piece(question, one.value, language) if one.at == hits[0].remark.at and kin(
                question.text, one.value, language) else ""
            if cut:
                yield _Cut(hits[0]._replace(remark=one), cut, hits[0].remark.value)
    for hit in hits:
        at = said.index(hit.remark) + 1 if hit.remark in said else len(said)
        for next_one in said[at:at + 1]:
            # "Our teacher comes by train.  Her name is Wilma."
            if next_one.at == hit.remark.at and next_one.value.split()[0].lower() in how.skip | how.persons:
                cut = piece(question, next_one.value, language)
                if cut:
                    yield _Cut(hit._replace(remark=next_one), cut, hit.remark.value)
    asked = content(question.text, language.code) - content(" ".join(how.skip), language.code)
    around, known = _around(said, language), asking(language.code)
    asked -= content(" ".join((*known.nouns.get("much", ()), *known.numbered, *language.price_words)), language.code)
    for one in said if first else reversed(said):
        # "The dryer is noisy.  We bought it in May."
        common = shared(asked, around[one])
        led = question.type == "who" and f" {question.text.split()[0].lower()} " in f" {one.value.lower()} " and (
            question.text.split()[0].lower() in how.asked_by)
        placed = led or question.type == "where" and mentions_any(question.text.lower(), how.addresses) or (
            mentions_any(question.text.lower(), how.phones))
        cut = piece(question, one.value, language) if common or placed or first and question.type in _MOVED else ""
        if cut and (first or placed or common == asked or shared(common, content(cut, language.code))):
            yield _Cut(Hit(one, 0.0, len(common)), cut, one.value)
    told = [one for one in said if one.by == "correspondent"]
    if told and mentions_any(question.text.lower(), how.trouble):
        # What somebody wrote for at first was the trouble.
        yield _Cut(Hit(told[0], 0.0, 0), told[0].value.strip(" .!"), told[0].value)


def _around(said: Sequence[Remark], language: Language) -> dict[Remark, frozenset[str]]:
    """The words of each sentence and of the one before it in its mail."""
    before = (None, *said)
    return {one: content(one.value, language.code) | (
        content(last.value, language.code) if last is not None and last.at == one.at else frozenset())
        for last, one in zip(before, said)}


def _by_whom(question: MailQuestion, hits: Sequence[Hit], language: Language) -> list[Hit]:
    """The sentences in order, those first that were said by who is asked for."""
    low, how = f"{question.text.lower()} ", cutting(language.code)
    low = f" {low}"
    # "What did I ask you": the longer says more.
    mine, yours = (max((len(cue) for cue in cues if cue in low), default=0) for cues in (how.mine, how.yours))
    wanted = "" if mine == yours else "persona" if mine > yours else "correspondent"
    # What has a word of the question comes before what is only near to it.
    return sorted(hits, key=lambda hit: (not hit.shared, -hit.score - _WHOSE * (hit.remark.by == wanted)))


def _latest(
    question: MailQuestion, hit: Hit, cut: str, said: Sequence[Remark], language: Language
) -> tuple[Hit, str]:
    """The same as it was changed later: in a mail that moves something, or in the same words."""
    moving = asking(language.code).moving
    asked = content(question.text, language.code)
    before = asked | content(hit.remark.value, language.code)
    around = _around(said, language)
    same = shared(asked, around.get(hit.remark, frozenset()))
    later = [one for one in said if one.at > hit.remark.at and one.by == hit.remark.by]
    now = mentions_any(f"{question.text.lower()} ", cutting(language.code).now)
    cues = (*moving, *(f" {cue} " for cue in cutting(language.code).so)) if now else moving
    moved = {one.at for one in later if mentions_any(one.value, cues)}
    measured = frozenset[str]().union(*cutting(language.code).measures.values())
    unit = measured.intersection(cut.lower().split())
    of_family = kin(question.text, cut, language) and not mentions_any(
        question.text.lower(), cutting(language.code).trouble)
    for one in reversed(later):
        right = next((one.value.partition(cue)[0] for cue in asking(language.code).corrects if shared(
            content(cut, language.code), content(one.value.partition(cue)[2], language.code))), "")
        if not right and mentions_any(one.value, moving) and shared(
                content(cut, language.code), content(one.value, language.code)):
            right = one.value  # "Stefan is ill, Lukas comes instead"
        new = piece(question, right, language, "" if right != one.value else cut) if right else ""
        if new:
            return hit._replace(remark=one), new
        akin = of_family and kin(question.text, one.value, language)
        words = around[one] if now else content(one.value, language.code)
        mail = frozenset[str]().union(*(content(other.value, language.code) for other in later if other.at == one.at))
        common = same & shared(asked, words)
        again = akin and question.type in ("what", "how") or (
            question.type in _LAST or one.at in moved) and bool(same) and same <= common
        # "120 cm long" was measured again.
        again = again or question.type in ("long", "what", "how", "many") and bool(unit) and unit <= {
            *one.value.lower().strip(" .!").split()}
        about = now or shared(before, words) or mentions_any(one.value, cues) and shared(before, mail)
        movable = question.type in _MOVED or now and question.type == "how"
        # "In the end we'll be fifteen."
        bare = not again and question.type == "many" and one.at in moved and bool(common)
        if not again and not bare and not (movable and one.at in moved and about):
            continue
        # "There is no 120 cm board left, only 100 cm."
        gone = one.at in moved or bool(unit) and cut.split()[0] in one.value.split()
        new = piece(question, one.value, language, cut if gone else "")
        placed = question.type != "where" or kin(question.text, new, language) or new.lower() != new  # "au chocolat"
        if new and new != cut and placed and not (bare and " " in new):
            return hit._replace(remark=one), new
    return hit, cut
