"""
What is answered to each question of a mail.
"""

from __future__ import annotations

from datetime import date

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.phrases import asks_for_something, say
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import counted
from simmail.core.rng import Dice
from simmail.core.writer.by_intent import LOW, meeting, values_of, what_for
from simmail.core.writer.context import Read, Scene, without_determiner
from simmail.core.writer.polish import long_forms
from simmail.core.writer.speech_act import Said
from simmail.core.writer.voice import Piece
from simmail.core.writer.wishes import want_sentence


def answers(scene: Scene, read: Read, questions: list[MailQuestion], number: int) -> list[Said]:
    """An answer to each question, led in where there are several."""
    said: list[Said] = []
    layout = scene.manner.layout if len(questions) > 1 else ""
    for place, question in enumerate(questions):
        back = all(one.act != "answer.back" for one in said)  # nobody answers every question with another
        if question.form == "time":
            said.extend(meeting(scene, read, number))
            continue
        act = _answer(scene, read, question, number * 100 + place, back)
        lead = None
        values = dict(act.values)
        if layout in ("topics", "bare", "numbered") and act.act not in ("answer.fact", "answer.flag"):
            ordinal = scene.language.ordinals[min(place, len(scene.language.ordinals) - 1)]
            if question.topic and question.form not in ("why", "either"):
                thing = without_determiner(question.topic, scene.language)
                lead = Said(act="lead.topic", values={"topic": question.topic, "thing": thing})
            elif layout != "numbered":
                lead = Said(act="lead.nth", values={"ordinal": ordinal})
            values.pop("topic", None)
        said.append(replace(
            act, values=values, lead=lead, number=place + 1 if layout == "numbered" else 0,
            quote=question.text if layout == "quoted" else "",
        ))
    return said


def _answer(scene: Scene, read: Read, question: MailQuestion, place: int, back: bool) -> Said:
    dice, language = scene.dice, scene.language
    values = values_of(scene, read)
    if question.topic and question.form != "why":
        values["topic"] = question.topic
    if question.form == "opinion":
        return Said(act="answer.opinion", values=values)
    fact = facts.answering(question.text, scene.facts, language)
    if fact is not None and question.form != "why":
        return Said(act=fact.act(), values={**values, **fact.values(language)})
    if question.form == "choice" and question.options:
        option = dice.choice(question.options, "which", place)
        act = "answer.option" if question.options[1].split()[0].lower() in language.determiners else "answer.way"
        return Said(act=act, values={**values, "option": option})
    if question.form == "either":
        answers = language.answers
        values.pop("topic", None)
        return Said(act="answer.either", values={
            **values, "option": dice.choice((answers.first, answers.second), "either", place)})
    promised = _promised_day(scene, question)
    if promised is not None:
        return Said(act="answer.when", values={
            **values, **counted(question.topic, language), **scene.by(promised)})
    own = _own(scene, question)
    if own:
        return Said(act="answer.own", values={**values, "value": own})
    asked_to_do = is_request(question, scene) and asks_to_do(question.text, language)
    bare = len(question.text.split()) < 3  # "ok?"
    if back and not asked_to_do and not bare and (
        dice.weighted(scene.manner.does["question"], "answers", place) == "back"
        or scene.request.trust < LOW and dice.chance(0.7, "trusts", place)
    ):
        return Said(act="answer.back", values=values)
    values.update(counted(question.topic, language))
    day = scene.due(scene.manner.days, read.found.deadlines)
    if question.form in ("yes_no", "choice"):
        return _yes_or_no(scene, question, values, day)
    values.update(scene.by(day))
    if question.form == "when" and question.needs:
        return Said(act="answer.need", values={**values, **scene.by(scene.calendar.workday(scene.manner.days + 4))})
    if question.form == "when":
        return Said(act="answer.when", values=values)
    return Said(act="answer.check", values=values, promise=scene.promise(what_for(scene, "answer.check", values), day))


def _promised_day(scene: Scene, question: MailQuestion) -> date | None:
    """The day that something asked after was promised for, if it is still to come."""
    if question.form != "when" or question.needs:
        return None
    low = question.text.lower()
    days = (one.due.astimezone(scene.calendar.zone).date() for one in scene.request.owes
            if without_determiner(one.what, scene.language).lower() in low)
    return next((day for day in days if day >= scene.calendar.today), None)


def _yes_or_no(scene: Scene, question: MailQuestion, values: dict[str, str], day: date) -> Said:
    """A yes or a no; to a request a promise, an agreement or a refusal."""
    # Somebody who says yes in a thread goes on saying yes in it, and does not contradict itself in one mail.
    mood = Dice(scene.request.persona.id).on("yes", values.get("subject", "").lower())
    asked = is_request(question, scene)
    # Who asks to have something done or confirmed mostly gets it.
    agrees = mood.chance(max(scene.manner.yes, 0.95) if asked else scene.manner.yes, "yes")
    if asked and question.confirms:
        return Said(act="answer.confirm" if agrees else "answer.dont", values=values)
    if asked and asks_to_do(question.text, scene.language):
        if not agrees:
            return Said(act="answer.dont", values=values)
        return Said(act="answer.do", values={**values, **scene.by(day)},
                    promise=scene.promise(scene.language.what.task, day))
    if any(word in question.text.lower() for word in scene.language.pleased):
        return Said(act="answer.glad" if agrees else "answer.sorry", values=values)
    yes, no = (in_full(answer, scene) for answer in question.short)
    return Said(act="answer.yes" if agrees else "answer.no", values={**values, "yes": yes, "no": no})


def _own(scene: Scene, question: MailQuestion) -> str:
    """What somebody knows of itself, as a sentence; the same person answers the same question alike."""
    if question.form not in ("what", "why", "many", "choice", "yes_no"):
        return ""
    low, persona, language = question.text.lower(), scene.request.persona, scene.language
    wants = "" if persona.wants is UNSET else say(persona.wants, 200)
    if wants and any(cue in low for cue in language.wish_asked):
        return want_sentence(wants, language)
    for own in language.own:
        if any(cue in low for cue in own.cues):
            return Dice(persona.id).on("own", own.cues[0]).choice(own.says, language.code)
    counted_things = question.needs or any(word in low for word in language.counted_words)
    if question.form == "many" and counted_things and question.topic and low.startswith(language.answers.many_words):
        return f"{how_many(persona.id, question.topic)}."
    return ""


def how_many(persona_id: str, topic: str) -> int:
    """How many of something a person says it is; asked twice, the same."""
    return 2 + Dice(persona_id).on("invented", topic.lower()).below(30, "many")


def is_request(question: MailQuestion, scene: Scene) -> bool:
    # "Could you send us the contract?" is answered by sending it.
    return question.form in ("yes_no", "choice") and asks_for_something(question.text, scene.language)


def in_full(answer: str, scene: Scene) -> str:
    """A short answer as this writer says it: without contractions when formal."""
    if scene.formality != "formal":
        return answer
    return "".join(piece.text for piece in long_forms([Piece(answer, True)], scene.language))
