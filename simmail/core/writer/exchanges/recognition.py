"""
Which sentences of a mail begin an exchange of the bank, and with what stance a person answers them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from simmail.core.language import dates
from simmail.core.language.clause.question_types import mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.meaning import plain
from simmail.core.language.questions import MailQuestion
from simmail.core.language_data import LANGUAGES, given_names
from simmail.core.rng import Dice
from simmail.core.writer.choice import HIGH, LOW
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.exchanges.bank import ASKED, PREFIX, Exchange, exchanges
from simmail.core.writer.exchanges.evidence import bears_out
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.speech_act import Said

#: A sentence is taken for one that begins an exchange where that is to be trusted so far: a question or a request, and
#: one that tells something.
LIKELY, LIKELY_TOLD = 0.5, 0.62
#: In a thread, where most is about what was said before, from this on.
LIKELY_IN_THREAD = 0.75
#: What such a share of examples are, or are not, the sentence is, or is not: a question.
_ALL, _NONE = 0.9, 0.1
#: Sentences that are looked at, and those of a mail that are answered.
_LOOKED_AT, _ANSWERED = 10, 3
#: What names what it asks about has so many words of its own.
_NAMED = 2
#: Shorter sentences are greetings and the like: characters.
_SHORTEST = 8


class Begun(Struct, frozen=True):
    """
    A sentence that begins an exchange.

    @ivar name: of the exchange; likely: from L{LIKELY} to 1.
    """

    sentence: str
    name: str
    likely: float


def begun(scene: Scene, sentence: str, asked: bool, point: str = "", type: str = "") -> Begun | None:
    """
    Return what a sentence begins, None for nothing and without a language model.

    @param asked: whether it asks for something.
    @param point: that of it which is to be answered, where it asks several things; type: what that asks for.
    """
    meaning, known = scene.request.meaning, exchanges(scene.language.code)
    if meaning is None or not known or len(sentence) < _SHORTEST:
        return None
    name, likely = meaning.exchange(plain(sentence))
    if name not in known or likely < (LIKELY_IN_THREAD if scene.request.own else LIKELY if asked else LIKELY_TOLD):
        return None
    first = exchanges(LANGUAGES[0])[name]
    if not _fits(scene, first.fits, point or sentence) or not bears_out(
            name, point or sentence, type, likely, scene.language.code, asked):
        return None
    share = first.questions
    if share >= _ALL and "?" not in sentence and not asked or share <= _NONE and (
            "?" in sentence or type not in ("", "request")):
        return None
    return Begun(sentence, name, likely)


def _fits(scene: Scene, where: str, sentence: str) -> bool:
    """Whether an exchange fits a sentence, by where alone it does."""
    code = scene.language.code
    if where == "thread":
        return bool(scene.request.own)  # "I don't understand that": what its reader wrote
    if where == "named":
        return len(content(sentence, code)) >= _NAMED  # "who decided this?" asks nobody to take it on
    if where == "private":
        return not scene.sides.we  # who sells something is asked what it costs, and no friend is
    # "What would you suggest?" asks a firm for no counsel in life.
    return where != "advice" or not (scene.sides.we or mentions_any(sentence, restating(code).proceeding))


def told(scene: Scene, read: Read, sentences: Sequence[str]) -> dict[str, Said]:
    """
    Return what is said to those of some sentences that tell something, the likeliest of many; in their order.

    To some a person says nothing.
    """
    found: dict[str, Begun] = {}
    for one in filter(None, (begun(scene, sentence, False) for sentence in sentences[:_LOOKED_AT])):
        if one.name not in found or one.likely > found[one.name].likely:
            found[one.name] = one
    heard = [one for one in found.values() if not _mood(scene, one.name).chance(
        exchanges(scene.language.code)[one.name].silent, "silent")]
    kept = sorted(heard, key=lambda one: -one.likely)[:_ANSWERED]
    return {one.sentence: _said(scene, read, one) for one in sorted(
        kept, key=lambda one: sentences.index(one.sentence))}


def answered(scene: Scene, read: Read, question: MailQuestion) -> Said | None:
    """Return what is said to a question or a request, None where it begins no exchange."""
    whole = read.sentence_of(question)
    one = begun(scene, whole, True, question.text, question.type) or (
        begun(scene, question.text, True, type=question.type) if whole != question.text else None)
    return None if one is None else _said(scene, read, one)


def _said(scene: Scene, read: Read, one: Begun) -> Said:
    stance = _stance(scene, one.name, exchanges(scene.language.code)[one.name])
    return Said(act=f"{PREFIX}{one.name}.{stance}", values={
        **{name: value for name, value in scene.common.items() if name not in ("when", "who")},
        **_named(scene, read, one.sentence)})


def _mood(scene: Scene, name: str) -> Dice:
    """What a person holds of a thing is always the same, whoever asks."""
    return Dice(scene.request.persona.id).on("exchange", name)


def _stance(scene: Scene, name: str, exchange: Exchange) -> str:
    stances, mood = exchange.stances, _mood(scene, name)
    if stances[0] in ASKED:
        if scene.request.trust < LOW or not mood.chance(scene.manner.yes, "yes"):
            return mood.choice([one for one in stances if one != "yes"] or stances, "instead")
        return stances[0]
    if "cross" in stances and mood.chance(scene.manner.cross, "cross"):
        return "cross"
    warm = scene.manner.warm or scene.request.warmth > HIGH
    return next(one for one in (("warm", "plain") if warm else ("plain", "warm")) + stances if one in stances)


def _named(scene: Scene, read: Read, sentence: str) -> dict[str, str]:
    """The day that a sentence names, and who else."""
    found: dict[str, str] = {}
    slots = dates.find(sentence, read.base, read.found.language).slots
    ahead = [slot for slot in slots if slot.start > read.base]
    if len(ahead) == 1:
        found["when"] = scene.calendar.when(ahead[0].start.date(), scene.language)
    own = {word.lower() for name in (scene.request.persona.name, read.found.sender.name) for word in name.split()}
    who = [word for raw in sentence.split() if (word := raw.strip(".,;:!?()'’\"")) and word[0].isupper()
           and word.lower() in given_names() and word.lower() not in own]
    if len(set(who)) == 1:
        found["who"] = who[0]
    return found
