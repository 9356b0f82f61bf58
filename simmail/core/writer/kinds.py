"""
What mails say that are no plain replies: asking again, putting right, absence, first mails, promises.
"""

from __future__ import annotations

from datetime import date, timedelta

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.clause.restate import deed, found_out
from simmail.core.language.phrases import is_document, pieces, things, what_kind
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import counted
from simmail.core.language.text import say
from simmail.core.writer.agenda import clock, numbered, plain_date
from simmail.core.writer.answers.answer import answer
from simmail.core.writer.by_intent import counters
from simmail.core.writer.choice import timed
from simmail.core.writer.context import Scene, set_scene
from simmail.core.writer.reply.reply import reply
from simmail.core.writer.request import WordsRequest
from simmail.core.writer.sources.aim import aim, offered
from simmail.core.writer.sources.known import asks_state, sources
from simmail.core.writer.sources.self_sheet import SelfSheet
from simmail.core.writer.speech_act import Said
from simmail.core.writer.wishes import want_sentence

_WANT = 300
#: Remarks about an appointment.
_TIMES = frozenset({"agreed", "proposed", "called_off"})
#: Mail that was promised to be looked into; of all else that was to be found out nothing was.
_LOOKED_INTO = frozenset({"complaint", "redress", "support", "bug", "status"})


def said_by(scene: Scene) -> list[Said]:
    """Return everything the requested kind of mail says, in order."""
    match scene.request.kind:
        case "followup":
            return _followup(scene)
        case "correction":
            return _correction(scene)
        case "ooo":
            return _away(scene)
        case "initiate":
            return _initiate(scene)
        case "deliver":
            return _deliver(scene)
        case "nudge":
            return _nudge(scene)
        case "forward":
            return [Said(act="forward.note", values=scene.common)]
        case _:
            # A reply to nothing is a first mail.
            return reply(scene) if scene.read else _initiate(scene)


def idle(request: WordsRequest) -> bool:
    """Return whether a reminder has nothing to ask: what it is about is over or off, or was never wanted."""
    if request.kind == "nudge" and request.promise is not None:
        language = set_scene(request).language
        after, offer = aim(request.persona, language), offered(request.promise.what, language)
        return after is not None and bool(offer) and bool(after.kinds) and not offer & after.kinds
    last = next((one for one in reversed(request.remarks) if one.when is not None and one.kind in _TIMES), None)
    if request.kind != "followup" or last is None or last.when is None:
        return False
    # What is asked behind an appointment is about something else.
    asked = request.own[-1].date if request.own else None
    return (asked is None or asked < last.when) and (
        last.kind == "called_off" or last.kind == "agreed" and last.when <= request.now)


def _followup(scene: Scene) -> list[Said]:
    """Ask again; times that have gone by meanwhile are not offered again, others are."""
    times = [one for one in scene.request.remarks if one.when is not None and one.kind in _TIMES]
    mine = [one.when for one in times if one.at == times[-1].at and one.kind == "proposed" and one.by == "persona"]
    if any(when is not None and when <= scene.request.now for when in mine):
        slots = counters(scene, [], 0)
        first, second = (scene.calendar.appointment(slot, scene.language) for slot in slots)
        return [Said(act="followup.late", values={**scene.common, "counter": first, "counter2": second},
                     remarks=tuple(timed(scene, "proposed", slot) for slot in slots))]
    question = say(scene.request.question, 240)
    values = {**scene.common, **({"question": question} if question else {})}
    return [Said(act="followup", values=values)]


def _correction(scene: Scene) -> list[Said]:
    promise = scene.request.promise
    if promise is not None:
        day = promise.due.astimezone(scene.calendar.zone).date()
        later = day + timedelta(days=1)
        while not scene.calendar.working(later):
            later += timedelta(days=1)
        return [Said(act="correction.day", values={**scene.common, **scene.by(later)},
                     promise=scene.promise(promise.what, later))]
    values = dict(scene.common)
    close = scene.calendar.close(scene.calendar.today)
    if scene.calendar.working(scene.calendar.today) and close - scene.calendar.now > timedelta(minutes=45):
        values["until"] = clock(close, False, scene.language)
    return [Said(act="correction.add", values=values)]


def _away(scene: Scene) -> list[Said]:
    period = scene.request.ooo
    last = scene.calendar.today
    if period is not None:
        try:
            last = date.fromisoformat(period.to)
        except ValueError:
            pass  # stored periods were validated; a record that was not must not stop the notice
    back = last + timedelta(days=1)
    while not scene.calendar.working(back):
        back += timedelta(days=1)
    return [Said(act="ooo.away", values={
        **scene.common, "until": plain_date(last, scene.language),
        "back": scene.language.day.date.format(
            weekday=scene.language.weekdays[back.weekday()], day=numbered(back, scene.language),
            month=scene.language.months[back.month - 1],
        ),
    })]


def _initiate(scene: Scene) -> list[Said]:
    wants = scene.request.persona.wants
    want = "" if wants is UNSET else say(wants, _WANT)
    want = want_sentence(want, scene.language)
    if want:
        return [Said(act="initiate.want", values={**scene.common, "want": want})]
    if scene.common.get("case"):
        return [Said(act="initiate.about", values=scene.common)]
    return [Said(act="initiate.plain", values=scene.common)]


def _deliver(scene: Scene) -> list[Said]:
    """One promise may hold two things, "the offer and an answer on the address"; each is kept."""
    promise = scene.request.promise
    if promise is None:
        return [Said(act="deliver.done", values=scene.common)]
    said: list[Said] = []
    for place, what in enumerate(things(promise.what, scene.language)):
        one = _keep(scene, what, place == 0)
        if said and one.act == said[-1].act == "deliver.answer":
            # Two answers are given in one go.
            both = f"{said[-1].values['value']} {one.values['value']}"
            said[-1] = replace(said[-1], values={**said[-1].values, "value": both})
        else:
            said.append(replace(one, joins=False) if said else one)
    return said


def _keep(scene: Scene, what: str, first: bool) -> Said:
    language, promise = scene.language, scene.request.promise
    what = say(what, 160).rstrip(".") or language.what.document
    values = {**scene.common, "what": what}
    kind = what_kind(what, language)
    if kind == "answer":
        for sentence in (what, *(sentence for read in scene.read for sentence in read.found.prose.sentences
                                 if sentence.endswith("?"))):
            fact = facts.answering(sentence, scene.facts, language, scene.request.meaning)
            if fact is not None:
                said = fact.values(language)
                value = f"{said['label']}{language.colon}{said['value']}."
                return Said(act="deliver.answer", values={**values, "value": value[:1].upper() + value[1:]})
        asked = _asked(scene, what)
        if asked is not None and _missed(asked) and is_document(asked.topic.rpartition(" ")[2].lower(), language):
            # "Where is the certificate?" is answered by the certificate.
            return Said(act="deliver.document", values={**values, "what": asked.topic, **counted(
                asked.topic, language)}, documents=(asked.topic,))
        if asked is not None:
            told = answer(scene, scene.read[-1], asked, 0, False, sources(scene))
            if told is not None:
                return told
        state = any(asks_state(one, language) for read in scene.read for one in read.found.points)
        intent = scene.read[-1].intent if scene.read else ""
        if intent == "offer":
            return Said(act="offer.accept", values=values)
        if state or intent in _LOOKED_INTO:
            return Said(act="deliver.explained", values=values)  # what comes of it nobody knows yet
        return _not_found(scene, values, _to_find_out(scene))
    if kind == "payment":
        return Said(act="deliver.payment", values=values)
    if kind == "task":
        return _deed_done(scene)
    if what.split(" ", 1)[0].lower() not in language.determiners and not any(letter.isdigit() for letter in what):
        # A case calls what is owed by its name, "March invoice"; one with a number needs no article.
        what = f"{language.default_determiner} {what}".strip()
        values["what"] = what
    late = promise is not None and scene.request.now - promise.due > timedelta(hours=24)
    return Said(
        act="deliver.late" if late and first else "deliver.document", values={**values, **counted(what, language)},
        documents=pieces(what, language),
    )


def _deed_done(scene: Scene) -> Said:
    """Word that something is done, by its name; of what was to be found out, that nobody knew it."""
    asked = _to_find_out(scene)
    if asked:
        return _not_found(scene, dict(scene.common), asked)
    deeds = (deed(point.text, scene.language, scene.far)[0] for read in scene.read for point in read.found.points)
    done = next(filter(None, deeds), "")
    act = "deliver.task" if done else "deliver.about" if scene.common.get("about") else "deliver.done"
    return Said(act=act, values={**scene.common, "task": done})


def _to_find_out(scene: Scene) -> str:
    """What the mails want found out, as they have it."""
    asked = (found_out(one, scene.language) for read in scene.read for one in read.found.prose.sentences[:20])
    return next(filter(None, asked), "")


def _not_found(scene: Scene, values: dict[str, str], asked: str) -> Said:
    """That nobody knew what was to be found out, and who may know it."""
    sheet = SelfSheet(scene.request.persona, scene.calendar, scene.language, scene.far)
    text = f"{values.get('subject', '')} {values.get('what', '')} {asked}".lower()
    area = sheet.area_of(text)
    colleague = sheet.colleague(area) if area and area != sheet.area else None
    if colleague is not None:
        values = {**values, "colleague": colleague.name, "area": colleague.area}
    return Said(act="deliver.unfound", values={"what": scene.language.what.answer_plain, **values})


def _asked(scene: Scene, what: str) -> MailQuestion | None:
    """The question that an answer was promised to, where it can be given in words."""
    open_ones = [question for read in scene.read for question in read.found.questions]
    low = what.lower()
    named = [question for question in open_ones if question.topic and low.endswith(question.topic.lower())]
    if not named and low.startswith(scene.language.what.answer_plain.lower()):
        named = [question for question in open_ones if not question.topic] or open_ones
    return named[0] if named and named[0].form not in ("choice", "either", "time", "opinion") else None


def _missed(question: MailQuestion) -> bool:
    """Whether a question asks where a document is."""
    return question.type == "where" and bool(question.topic)


def _nudge(scene: Scene) -> list[Said]:
    promise = scene.request.promise
    what = say(promise.what, 160).rstrip(".") if promise is not None else ""
    what = what or scene.language.what.document
    head, _, tail = what.partition(" ")
    if head.lower() in ("a", "an") and tail:
        what = f"the {tail}"  # promised was "an answer", missed is "the answer"
    values = {**scene.common, "what": what, **counted(what, scene.language)}
    if promise is not None:
        day = promise.due.astimezone(scene.calendar.zone).date()
        values["deadline"] = (
            scene.language.day.near.format(weekday=scene.language.weekdays[day.weekday()])
            if 0 < (scene.calendar.today - day).days < 6
            else scene.language.day.by_date.format(date=plain_date(day, scene.language))
        )
    return [Said(act="nudge", values=values)]
