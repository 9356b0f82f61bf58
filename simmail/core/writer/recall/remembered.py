"""
The answers to a mail that asks in a thread for what was said in it: the sentences that tell it, as the other side says
them, what was claimed put right by them, and of what nobody said that it cannot be found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from simmail.core.language.clause.question_types import asking, mentions_any, said_thing
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import read_question, topic
from simmail.core.language.shifts import time_shift
from simmail.core.language.tables import Language
from simmail.core.language.text import capital, say
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.recall.askings import ThreadQuestion, askings, wording
from simmail.core.writer.recall.passages import Passage
from simmail.core.writer.recall.reckoned import reckoned
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.cut.piece import turned
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.known import standing
from simmail.core.writer.sources.marks import Marks, marks
from simmail.core.writer.sources.recall import is_gone
from simmail.core.writer.sources.said_words import content, kin, shared
from simmail.core.writer.speech_act import Said

#: How near what was said has to be, with what it has of the words, so that something was said of a thing: where one
#: says that it was, of a claim, and else.
_SAID, _SAID_SURE, _CLAIMED, _ASKED = 0.25, 0.35, 0.38, 0.05
#: The same of a question that nothing says to be for what was said, where less and where more mails came than so many.
_EARLY, _LATER, _THREAD = 0.28, 0.14, 2
#: So near a sentence is told as the nearest that there is.
_NEAREST = 0.2
#: What mail is that only asks, or tells something beside it.
_ASKING = frozenset(("question", "private", "information"))
#: How sure a sentence is out of which an answer can be cut.
_CUT = 0.4
#: So many words name a thing.
_NAME = 5
#: What the words of a question are worth that a sentence has, of all of them.
_WORDS = 0.25
#: The share of the words of a claim that a sentence has which says the same.
_SAME = 0.6
#: Answers from what stands written elsewhere.
_STANDING = frozenset(("answer.fact", "answer.details", "answer.sum", "answer.recall", "answer.piece"))
#: Things that have a number of their own.
_NUMBERED = frozenset(("order number", "invoice number", "ticket number"))
#: A sentence that tells all of what another asks is told once.
_FIGURE = re.compile(r"[0-9]+(?:[.:,][0-9]+)*")


def remembered(scene: Scene, read: Read, known: AnswerSources) -> list[Said]:
    """Return an answer to each thing that a mail asks of its thread; nothing for a mail that asks anything else."""
    language = scene.language
    if not scene.request.own or not cutting(language.code).tells_sentences or not known.remarks or (
            scene.request.meaning is None):
        return []  # words alone do not tell what was never said
    asked = askings(read.found.prose.sentences, language)
    if not asked or not _asks_thread(read, asked, scene, known):
        return []
    said, told = list[Said](), set[str]()
    for one in asked:
        answer = _answer(one, scene, read, known, told)
        if answer is not None and all(answer.values.get("value") != other.values.get("value") for other in said):
            said.append(answer)
    return said


def _asks_thread(read: Read, asked: Sequence[ThreadQuestion], scene: Scene, known: AnswerSources) -> bool:
    """Whether all that a mail asks may have been said before: it changes nothing and wants nothing done."""
    how, language, code = wording(scene.language.code), scene.language, scene.language.code
    sentences = read.found.prose.sentences
    body = f" {' '.join(sentences).lower()} "
    known_cues = asking(code)
    recalls = mentions_any(body, (*known_cues.reminders, *known_cues.recalls, *known_cues.lost, *(
        f" {one}" for one in known_cues.again)))
    if any(f" {one.text.lower()} ".startswith(tuple(f" {cue} " for cue in how.asking_new)) for one in asked):
        return False
    if read.found.slots and all(one.type in ("when", "many", "much", "what") and one.thing for one in asked):
        return False  # "we come on Friday.  Could you repeat the day?"
    rest = [one for one in sentences if not any(one in other.whole for other in asked)]
    if not recalls and (read.intent not in _ASKING or any(
            mentions_any(f" {one.text.lower()} ", how.offering) for one in asked)):
        return False
    if not recalls and any(mentions_any(one, known_cues.moving) for one in rest):
        return False
    if recalls or mentions_any(body, how.after):
        return True
    early = len({one.at for one in known.remarks if one.kind == "said" and one.by == "correspondent"}) < _THREAD
    clear = [one for one in asked if _own(one.text, code)]
    return bool(clear) and any(not early and _of_asker(one, language) or _evidence(one, known, scene)[1] >= (
        _EARLY if early else _LATER) for one in clear)


def _of_asker(one: ThreadQuestion, language: Language) -> bool:
    """Whether what is asked is about who asks, who would not ask if it had not been told before."""
    how = restating(language.code)
    return not {*how.asking, *how.theirs, *how.objects}.isdisjoint(one.text.lower().split())


def _evidence(one: ThreadQuestion, known: AnswerSources, scene: Scene) -> tuple[list[Passage], float]:
    """The sentences that may answer, and how near the nearest of them is with what it has of the words."""
    code = scene.language.code
    low = f" {one.text.lower()} "
    first = mentions_any(low, asking(code).first) and not mentions_any(low, wording(code).holding)
    cut = None if one.claim else known.piece(one.question)
    found = known.passages.best(one.question, one.whole, first, cut)
    own = _own(one.text, code)
    common = max((len(shared(own, content(each.remark.value, code))) for each in found), default=0) / max(len(own), 1)
    sure = max((each.near for each in found), default=0.0) + _WORDS * common
    if cut is None or not cut.sure:
        return found, sure
    if cut.remark not in [each.remark for each in found] and sure < _SAID:
        found = [Passage(cut.remark, 0.0, 0, 0.0)]
    return found, max(sure, _CUT if cut.remark in [each.remark for each in found] else 0.0)


def _own(text: str, code: str) -> frozenset[str]:
    """The words of a question that are its own, and do not only speak of saying."""
    saying = wording(code).saying
    return content(" ".join(word for word in re.findall(r"\w+", text) if word.lower() not in saying), code)


def _answer(one: ThreadQuestion, scene: Scene, read: Read, known: AnswerSources, told: set[str]) -> Said | None:
    """What is said to one thing that is asked; None where it was told already."""
    language, code = scene.language, scene.language.code
    stands = None if one.claim else _stands(one, scene, read, known)
    if stands is not None:
        return stands
    found, sure = _evidence(one, known, scene)
    said = mentions_any(f" {one.text.lower()} {one.whole.lower()} ", tuple(f" {cue} " for cue in wording(code).said))
    if one.claim:
        return _checked(one, scene, read, known, found, sure, said)
    own = _own(one.text, code)
    akin = any(kin(one.text, each.remark.value, language) is True for each in found)
    strange = bool(own - known.passages.spoken_of(own)) and not akin
    if said and strange and not known.passages.has_kin(one.question):
        return _nothing(one, scene)  # "what colour did I say?": none was said
    if not found or sure < (_NEAREST if said and strange else _ASKED):
        return _nothing(one, scene) if said else None
    if said and strange and sure < _SAID_SURE:
        text = _told(found[:1], scene, known, told)
        return Said(act="answer.nearest", values={"value": text}) if text else None
    text = _told(found, scene, known, told)
    comes_to = reckoned([each.remark for each in found], known.remarks, language)
    if text and comes_to and comes_to not in text:
        text = f"{text} {wording(code).makes.format(value=comes_to)}"
    return Said(act="answer.own", values={"value": text}) if text else None


def _stands(one: ThreadQuestion, scene: Scene, read: Read, known: AnswerSources) -> Said | None:
    """What stands in the facts of the case, or has to be reckoned up; None where only the thread tells it."""
    question = replace(read_question(f"{one.text}?", scene.language), checks=False, behind="")
    if question.type in ("yes_no", "choice", "either"):
        return None
    found = standing(scene, read, question, known)
    if found is None or found.act not in _STANDING:
        return None
    if question.type == "when" and any(
            one.kind == "said" and one.by == "correspondent" and time_shift(one.value, scene.language) is not None
            for one in known.remarks):
        return found  # "an hour later than I said" is a time that no sentence tells
    match found.act:
        case "answer.recall":
            stands = said_thing(question.text, scene.language) in _NUMBERED or known.passages.asks_reader(question)
        case "answer.sum":
            stands = question.type in ("much", "many") or mentions_any(
                f" {one.text.lower()} ", wording(scene.language.code).totals)
        case "answer.piece":
            stands = known.passages.asks_reader(question)
        case _:
            stands = True
    return found if stands else None


def _told(found: Sequence[Passage], scene: Scene, known: AnswerSources, told: set[str]) -> str:
    """Sentences of the thread, in their order, as the other side says them, but those that were told."""
    sentences = []
    for remark in sorted((one.remark for one in found), key=known.remarks.index):
        said = remark.value if remark.by == "persona" else _turned(remark.value, scene)
        if remark.value not in told and said.strip(" .!?"):
            told.add(remark.value)
            sentences.append(f"{capital(said.rstrip(' .!?:'))}.")
    return " ".join(sentences)


def _turned(sentence: str, scene: Scene) -> str:
    """A sentence as the other side says it, without what leads it in; of a question that it was asked."""
    how, language = wording(scene.language.code), scene.language
    while lead := next((one for one in how.leads if sentence.lower().startswith(one) and len(sentence) > len(one)), ""):
        sentence = sentence[len(lead):].lstrip(" ,:-–")
    words = turned(sentence, language, scene.distant).split()
    if not sentence.rstrip().endswith("?") or len(words) <= 2:
        return " ".join(words)
    first, who = words[0].lower(), words[1]
    restate = restating(language.code)
    if first in restate.modals | restate.auxiliaries and who in {*restate.subjects, *restate.asked, *restate.asking}:
        # "Could we make it an hour later?"
        return how.asked_if.format(value=" ".join((who, first, *words[2:])))
    return " ".join(words)


def _checked(
    one: ThreadQuestion, scene: Scene, read: Read, known: AnswerSources, found: Sequence[Passage], sure: float,
    said: bool
) -> Said | None:
    """Whether a claim is so, with the sentence that says it; that it was never said, where none has to do with it."""
    language, code = scene.language, scene.language.code
    opened = one.type != "yes_no"
    if not found or sure < (_CLAIMED if said and not opened else _SAID):
        return _nothing(one, scene)
    if not opened and is_gone(one.claim, known.remarks, language):
        return Said(act="answer.own", values={"value": f"{capital(language.no)}. {_told(found, scene, known, set())}"})
    own = _own(one.claim, code)
    figures = set(_FIGURE.findall(one.claim))
    claimed = marks(one.claim, read.base, language)
    text = _told(found, scene, known, set())
    for each in sorted(found, key=lambda one: known.remarks.index(one.remark), reverse=True):
        words = content(each.remark.value, code)
        there = set(_FIGURE.findall(each.remark.value))
        so = marks(each.remark.value, each.remark.at, language)
        days = bool(claimed.days & so.days) or bool(claimed.times & so.times) or bool(claimed.sums & so.sums)
        if figures or claimed != Marks():
            if mentions_any(f" {each.remark.value.lower()} ", wording(code).undoing):
                return Said(act="answer.own", values={"value": text})
            if figures <= there or days and not figures - there:
                return Said(act="answer.own", values={"value": f"{capital(language.yes)}. {text}"})
            if there and figures or so.days and claimed.days:
                break  # what was said last holds
        elif own and len(shared(own, words)) >= _SAME * len(own):
            return Said(act="answer.own", values={"value": text if opened else f"{capital(language.yes)}. {text}"})
    wrong = bool(figures) or claimed != Marks() or opened
    return Said(act="answer.own", values={"value": f"{capital(language.no)}. {text}" if wrong else text})


def _nothing(one: ThreadQuestion, scene: Scene) -> Said:
    """That something cannot be found in the thread, by its name where it has one."""
    language = scene.language
    about = topic(one.claim or one.text, language)
    own = content(about, language.code) - content(" ".join(wording(language.code).unnamed), language.code)
    about = about if own and "'" not in about and len(about.split()) <= _NAME else ""
    return Said(act="answer.nothing", values={"topic": say(about, 60)} if about else {})
