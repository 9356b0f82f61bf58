"""
What is told from the facts of the case: in answer to each sentence of a mail the facts that belong to it, in its order.

Facts are told as they were given, by their names where there are several: nothing is made of them, and beside them
nothing is decided, drawn or promised that they settle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.language.clause.question_types import type_of
from simmail.core.language.facts import Fact, stem, value_type
from simmail.core.writer.sources.known import looked_up
from simmail.core.writer.sources.matching import Asked, compared, is_of_type, likeliest, matched
from simmail.core.language.phrases import words
from simmail.core.language.questions import MailQuestion, is_question, read_question, stands_in
from simmail.core.language.tables import Language, every
from simmail.core.writer.answers.answer import exchanged
from simmail.core.writer.answers.wanted import wants_doing
from simmail.core.writer.answers.yes_no import is_request
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.life import kind_words, moved
from simmail.core.writer.reply.points import beside
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.speech_act import Said

#: Temperaments that call each thing by its name.
_NAMING = frozenset(("procedural", "skeptical", "busy"))
#: And those that do so whatever it is.
_EXACT = frozenset(("procedural",))
#: Questions that are open where nothing is known, and those of them that no fact of another type or thing answers.
OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "why", "how", "what"))
_TYPED = frozenset(("who", "when", "long", "much", "many"))
#: Letters that words of one root begin with.
_ROOT = 4
#: Answers from what was said before.
_OF_THREAD = frozenset(("answer.piece", "answer.recall"))
#: A value of so many words that has one of its name or of the question says itself what it is about.
_SPEAKING = 4
#: Types of values that say what they are, where no other of theirs is told.
_PLAIN = ("much", "who", "when", "long")
#: With so many words it mostly is a sentence.
_SENTENCE = 6


class ToldFacts(Struct, frozen=True):
    """
    The facts that answer a sentence, the likeliest first.

    @ivar point: the question of the mail that they answer, None for a sentence that asks nothing.
    """

    sentence: str
    point: MailQuestion | None
    facts: tuple[Fact, ...]


def told(scene: Scene, read: Read, points: Sequence[MailQuestion], known: AnswerSources) -> list[ToldFacts]:
    """Return what the facts of the case answer of a mail, in its order."""
    facts = [fact for fact in known.facts if not _is_said(scene, fact)]
    sentences = read.found.prose.sentences
    if not facts or not sentences:
        return []
    of = {sentence: [one for one in points if stands_in(one, sentence)] for sentence in sentences}
    asked = [_asked(scene.language, read, sentence, before, of[sentence]) for before, sentence in zip(
        (read.mail.subject[:200], *sentences), sentences)]
    found: list[ToldFacts] = []
    said = known.without(known.facts)
    for sentence, some in zip(sentences, matched(asked, facts, scene.language, scene.request.meaning)):
        here = of[sentence]
        if here and all(wants_doing(scene, one) for one in here):
            continue  # "book the hall for us": what the hall costs is not asked
        if known.remarks and any(_is_nearer(scene, read, one, some, said) for one in here):
            continue
        if len(here) < 2:
            found.extend([ToldFacts(sentence, here[0] if here else None, _as_given(some, facts))] if some else ())
            continue
        # Of several questions in a sentence each fact answers the one it is nearest to.
        rows = compared([Asked(one.text, "question", one.type) for one in here], some, scene.language,
                        scene.request.meaning)
        nearest = [likeliest([row[place] for row in rows], scene.request.meaning) for place in range(len(some))]
        found.extend(ToldFacts(sentence, one, mine) for at, one in enumerate(here) if (
            mine := tuple(fact for fact, near in zip(some, nearest) if near == at)))
    return found


def _is_nearer(
    scene: Scene, read: Read, question: MailQuestion, some: Sequence[Fact], said: AnswerSources
) -> bool:
    """Whether what was said in the thread answers a question, and no fact that is called what it asks for."""
    asked = {stem(word) for word in words(question.text)}
    if question.recalls or any(stem(word) in asked for fact in some for word in fact.label.split() if len(word) > 3):
        return question.recalls
    return (told := looked_up(scene, read, question, said)) is not None and told.act in _OF_THREAD


def _as_given(some: Sequence[Fact], facts: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple(one for one in facts if one in some)


def in_words(
    one: ToldFacts, alone: bool, named: bool, language: Language, plain: frozenset[str] = frozenset()
) -> str:
    """
    Return the facts of one answer as they are told.

    @param alone: nothing else is told, so that there is no doubt what they answer.
    @param named: whether each is called by its name where that is not certain to be needless.
    @param plain: types of values of which only one is told: the sum says itself that it is the price.
    """
    if alone and len(one.facts) == 1:
        return _sentence(one.facts[0].value)
    return " ".join(_sentence(
        fact.value if _speaks(fact, one, named) or one.point is not None and value_type(
            fact.value) in plain else f"{fact.label}{language.colon}{fact.value}")
        for fact in one.facts)


def acts(scene: Scene, found: Sequence[ToldFacts], points: int) -> list[Said]:
    """
    Return the answers that tell what was found.

    @param points: how many points of the mail are answered in all.
    """
    alone = points < 2 and len(found) == 1
    types = Counter(value_type(fact.value) for one in found for fact in one.facts)
    exact = scene.request.persona.temperament in _EXACT
    plain = frozenset(type for type in _PLAIN if types[type] == 1 and not exact)
    return [Said(act="answer.told", asked=one.point, values={**scene.common, "value": in_words(
        one, alone, scene.request.persona.temperament in _NAMING, scene.language, plain)}) for one in found]


def amends(facts: Sequence[Fact], language: Language) -> bool:
    """Return whether one of some facts is of amends: a refund, a mistake of one's own."""
    cues = kind_words(language.code).amends
    return any(cue in f"{fact.label}: {fact.value}".lower() for fact in facts for cue in cues)


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.!?…' else '.'}"


def _speaks(fact: Fact, one: ToldFacts, named: bool) -> bool:
    """Whether a value says by itself what it is about: it has a word of its name, or is a yes, or a sentence."""
    tokens = [stem(word) for word in words(fact.value) if word[0].isalnum()]
    if len(tokens) < _SPEAKING:
        return False
    first = fact.value.lower().replace(",", " ").split()[0]
    said_yes = one.point is not None and one.point.type == "yes_no" and first in every("flags")
    if len(one.facts) == 1 and not named and (sum(map(str.isalpha, tokens)) >= _SENTENCE or said_yes):
        return True
    return not {stem(word) for word in fact.label.split() if len(word) > 3}.isdisjoint(tokens)


def covers(one: ToldFacts, point: MailQuestion) -> bool:
    """Return whether a question is settled with what was told: it is one of the same sentence that it may answer."""
    if point == one.point:
        return True
    if not stands_in(point, one.sentence):
        return False
    asked = {stem(word)[:_ROOT] for word in words(point.text) if len(word) > _ROOT}
    return point.type not in _TYPED or any(
        is_of_type(point.type, fact) or not asked.isdisjoint(
            stem(word)[:_ROOT] for word in words(f"{fact.label} {fact.value}")) for fact in one.facts)


def _is_said(scene: Scene, fact: Fact) -> bool:
    """Whether one has told it in this thread before; who asks for it again recalls it."""
    return any(fact.value.lower() in mail.text.lower() for mail in scene.request.own)


def _asked(language: Language, read: Read, sentence: str, before: str, points: Sequence[MailQuestion]) -> Asked:
    """A sentence as the facts are compared with it."""
    type = type_of(sentence.lower(), language)
    if is_question(sentence) or "?" in sentence or type:
        return Asked(sentence, "question", points[0].type if len(points) == 1 else type or read_question(
            sentence, language).type, before, len(points))
    wants = points or sentence in read.found.requests
    return Asked(sentence, "request" if wants else "telling", "", before, len(points))


def briefed(
    scene: Scene, read: Read, points: list[MailQuestion], number: int, known: AnswerSources
) -> list[Said]:
    """
    Return what is said where facts of the case answer something of a mail: those, and to the rest what is known of it.

    @param number: of the mail in its batch, for draws.
    """
    if len(points) == 1 and (several := looked_up(scene, read, points[0], known)) and several.act == "answer.details":
        return []  # one sentence lists all it asks for, and is answered with a list
    found = told(scene, read, points, known)
    if not found:
        return []
    facts = [fact for one in found for fact in one.facts]
    sorry = read.found.complaint or read.intent in ("complaint", "bug") or amends(facts, scene.language)
    private = read.intent == "grief" or not scene.common.get("org")
    said = (moved(scene, read) if private else []) or (
        [Said(act="answer.regret", values=scene.common)] if sorry else [])
    known = known.without(facts)
    left = [one for one in points if not any(covers(its, one) for its in found) or all(
        one != its.point for its in found) and looked_up(scene, read, one, known) is not None]

    def settled(one: MailQuestion) -> bool:
        return looked_up(scene, read, one, known) is not None or exchanged(scene, read, one) is not None

    open_ = [one for one in left if one.type in OPEN and not settled(one)]
    if len(facts) > 1 and known.facts:
        # What nothing tells is not drawn by who knows more of it than was found.
        left = [one for one in left if one.type not in ("yes_no", "choice", "either") or is_request(
            one, scene) or settled(one)]
    # Facts stand in no list, and nothing beside them does.
    scene = replace(scene, manner=replace(scene.manner, layout="topics"))
    rest = beside(scene, read, [one for one in left if one not in open_ and (
        one.form != "time" or read.intent == "meeting")], number, known)
    order = [one.text for one in points]
    at, placed = -1.0, list[tuple[float, Said]]()
    for one, act in zip(found, acts(scene, found, len(points) - len(left) + len(rest))):
        at = order.index(one.point.text) if one.point is not None else at + 0.5
        placed.append((at, act))
    placed += [(order.index(act.asked.text) if act.asked is not None and act.asked.text in order else len(order), act)
               for act in rest]
    return [*said, *(act for _, act in sorted(placed, key=itemgetter(0))), *(
        [Said(act="answer.rest", values=scene.common)] if open_ else [])]
