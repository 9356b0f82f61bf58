"""
What is said to a question that nobody has told the answer to, by its type.
"""

from __future__ import annotations

import re

from simmail.core.language.clause.declarative.languages import is_own_deed
from simmail.core.language.clause.inverted import plain_of_ing
from simmail.core.language.clause.opening import without_leads
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.statement import clause_stated, stated
from simmail.core.language.clause.wonder import wondered
from simmail.core.language.clause.tables import led_in, restating
from simmail.core.language.phrases import words
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language, counted
from simmail.core.language.text import capital
from simmail.core.rng import Dice
from simmail.core.writer.answers.yes_no import agrees, is_request
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.life import LIFE
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import asks_state, in_full, without_topic
from simmail.core.writer.sources.side import asks_what_is_done
from simmail.core.writer.speech_act import Said

#: Figures of no number of things.
_FIGURES = 5
_FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d\d)?")
#: Of such sums one can tell what is asked for less; of which a price is a multiple.
_LEAST, _MOST, _ROUND = 20, 20_000, 5
#: Mail to which somebody says how long what it offers takes.
_OFFERING = frozenset(("question", "enquiry", "information", "private", "task", "order", "details"))
#: Words of a question that names but what it asks after: "how was Whitby?".
_BRIEF = 4
#: Words of the longest way that is chosen.
_WAY = 5
#: Mail in which a customer asks when something is done.
_SERVING = frozenset(("question", "status", "complaint", "bug", "support", "task", "details"))


def unknown(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said:
    """What is said to a question that nobody has told the answer to, by its type."""
    language, how = scene.language, asking(scene.language.code)
    plain = {**values}
    sheet, low = known.sheet, question.text.lower()
    area = sheet.area_of(low)
    colleague = sheet.colleague(area) if area and area != sheet.area else None
    if question.type == "who" and mentions_any(low, how.asking_whom) and how.ask_me:
        return Said(act="answer.own", values={**without_topic(plain), "value": how.ask_me})
    if question.type == "who" and mentions_any(low, (*how.in_charge, *how.reached)) and not mentions_any(
            low, how.together):
        phone = sheet.told("phone") if mentions_any(low, how.reached) else None
        if phone is not None:
            return Said(act="answer.own", values={**plain, "value": how.reach_me.format(phone=phone.value)})
        other = sheet.colleague(area or sheet.area)
        if colleague is None or other is None:
            return Said(act="answer.me", values=plain)
        return Said(act="answer.who", values={**plain, "colleague": other.name, "area": other.area})
    if question.type == "who" and mentions_any(low, how.standing_in) and (other := sheet.colleague(sheet.area)):
        return Said(act="answer.own", values={**without_topic(plain), "value": f"{other.name}."})
    ahead = [day for day in read.found.dates if day > scene.calendar.today]
    if question.type == "when" and ahead and mentions_any(low, how.picking_days):
        mood = Dice(scene.request.persona.id).on("day", question.text)
        timed = [slot for slot in read.found.slots if slot.timed and slot.start.date() in ahead]
        if timed:
            return Said(act="answer.own", values={**without_topic(plain), "value": (
                f"{capital(scene.calendar.appointment(mood.choice(timed), language, dated=True))}.")})
        day = mood.choice(ahead)
        return Said(act="answer.own", values={
            **without_topic(plain), "value": f"{capital(scene.calendar.when(day, language))}."})
    if question.type == "when" and question.needs and not mentions_any(f" {low}", how.clock):
        return Said(act="answer.need", values={**values, **scene.by(scene.calendar.workday(scene.manner.days + 4))})
    past = restating(language.code).past_words
    if question.type == "many" and past.isdisjoint(words(low)) and (question.needs or any(
            word in low for word in language.counted_words)):
        most = _of_how_many(question, read) or 8
        number = min(2, most) + Dice(scene.request.persona.id).on("invented", question.topic.lower()).below(
            max(1, min(most - 1, 8)), "many")
        return Said(act="answer.number", values={**values, "value": str(number)})
    if question.type == "long" and scene.request.persona.org and mentions_any(low, how.tenure):
        # Who worked for somebody is known to it: always the same number of years.
        years = 2 + Dice(scene.request.persona.id).on("tenure", values.get("subject", "").lower()).below(7, "years")
        return Said(act="answer.own", values={**plain, "value": f"{years} {how.tenure_unit}."})
    if offered := _offered(scene, read, question):
        return Said(act="answer.own", values={**without_topic(plain), "value": offered})
    if question.type == "why" and mentions_any(low, how.late):
        return Said(act="answer.why", values=plain)
    if question.form == "either" and (way := _first_way(question, language)):
        return Said(act="answer.way", values={**without_topic(plain), "option": way})
    if question.form == "either" and not (question.options or question.recalls) and _leaves_choice(low, language):
        return Said(act="answer.either", values=without_topic(plain))
    # A question that calls its reader "you" is the reader's own matter, but not "do you know who ...?".
    restate = restating(language.code)
    brief = len(low.split()) <= _BRIEF and not scene.request.persona.org and low.startswith(how.was_briefly or ("\0",))
    if question.type == "how" and (brief or mentions_any(f"{low} ", how.was)):
        return Said(act="answer.was", values=without_topic(plain))
    if question.type == "who" and not scene.request.persona.org and (mine := _mine(scene, question)):
        return Said(act="answer.own", values={**without_topic(plain), "value": mine})
    clause = wondered(question.text, language, scene.sides)
    if clause and _goes_on(low, language):
        return Said(act="answer.think", values=without_topic(plain))  # "where are you going?"
    if clause and not restate.weighed.isdisjoint(low.split()):
        return Said(act="answer.weigh", values={**without_topic(plain), "value": clause})
    if not {*restate.asked, *language.polite_words, *language.familiar_words}.isdisjoint(
            led_in(words(question.text), restate)):
        gone = any(f" {word} " in f" {low} " for word in restate.past_words)
        clock = mentions_any(f" {low}", how.clock)
        costs = mentions_any(f" {low}", tuple(f" {one}" for one in how.costing))
        if clause and scene.request.persona.org and not gone and (
                costs or restate.wishing.isdisjoint(low.split())) and (
                question.type != "when" or clock):
            # What a firm does and needs can be looked up.
            return Said(act="answer.find_out", values={**without_topic(plain), "value": clause})
        if question.type == "when" and not gone and scene.request.persona.org and read.intent in _SERVING:
            # Who serves customers says a day.
            day = scene.due(scene.manner.days, read.found.deadlines)
            return Said(act="answer.when", values={**plain, **counted("", language), **scene.by(day)})
        if question.type == "where":
            return Said(act="answer.unknown", values=plain)  # where a thing is, nobody makes up its mind about
        return Said(act="answer.past" if gone else "answer.think",
                    values=without_topic(values) if asks_what_is_done(question.text, language) else plain)
    if asks_state(question, language):
        return LIFE["status"](scene, read, "status", 0)[0]
    if colleague is not None and not clause:
        plain.update(colleague=colleague.name, area=colleague.area)
        return Said(act="answer.unknown", values=plain)
    return Said(act="answer.find_out", values={**without_topic(plain), "value": clause}) if clause else Said(
        act="answer.unknown", values=plain)


def _offered(scene: Scene, read: Read, question: MailQuestion) -> str:
    """
    What somebody who has a firm names of what it offers: how long it takes, what it costs where its mail names a sum,
    which is never passed; C{""} for what was, and for what its reader pays or has.
    """
    how, restate = asking(scene.language.code), restating(scene.language.code)
    low = f" {question.text.lower().replace(',', ' ')} "
    if not scene.request.persona.org or question.recalls or any(f" {word} " in low for word in restate.past_words):
        return ""
    mood = Dice(scene.request.persona.id).on("offered", read.mail.subject.lower(), question.type)
    if question.type == "long" and how.spans and read.intent in _OFFERING and mentions_any(low, how.taking) and (
            restate.pronouns.isdisjoint(low.split()) or mentions_any(
                f" {read.found.prose.body.lower()}", how.made)) and not mentions_any(low, how.attended):
        return mood.choice(how.spans)
    of_reader = not restate.yours.isdisjoint(low.split()) or not restate.yours
    sums = [(int(float(figure.replace(",", ""))), one) for one in read.found.amounts for figure in (
        _FIGURE.findall(one)[:1])]
    if question.type != "much" or of_reader or not sums:
        return ""
    most, named = max(sums)
    if not _LEAST <= most <= _MOST:
        return ""
    sum = _ROUND * max(1, most * (4 + mood.below(6, "price")) // (10 * _ROUND))
    return f"{_FIGURE.sub(str(sum), named, count=1)}."


def _mine(scene: Scene, question: MailQuestion) -> str:
    """That somebody does what is asked who of several does: "I'm bringing the map"; C{""} for what is no such thing."""
    how, contracted = restating(scene.language.code), scene.language.contractions
    first, *behind = question.text.replace("\u2019", "'").strip(" ?").split()
    _, verb, *rest = (*contracted.get(first.lower(), first).split(), *behind, "", "")
    if how.order != "inverted" or not rest or verb.lower() not in (*how.being, *how.modals):
        return ""
    told = stated(f"{how.asked_about.get(verb.lower(), verb)} {next(iter(how.asked))} {' '.join(rest)}", scene.language)
    if told is None or not told.yes or not agrees(scene, question):
        return ""
    return f"{capital(told.yes)}."


def _goes_on(low: str, language: Language) -> bool:
    """Whether a question is what its reader is doing, or will do: "where are you going?"."""
    how, said = restating(language.code), low.split()
    return any(verb in how.being and who in how.asked and plain_of_ing(deed.strip("?,"), how) != ""
               for verb, who, deed in zip(said, said[1:], said[2:]))


def _of_how_many(question: MailQuestion, read: Read) -> int:
    """How many there are of what a question asks for a part of, as its mail says: "5 adults"; 0 for nothing said."""
    said = words(read.found.prose.body.lower())
    noun = question.topic.lower().rpartition(" ")[2]
    return next((int(number) for number, thing in zip(said, said[1:]) if number.isdigit() and len(
        number) < _FIGURES and thing == noun), 0)


def _first_way(question: MailQuestion, language: Language) -> str:
    """The first of several ways that are offered, where it is no sentence: "by post, or do you fetch it?"."""
    clause = without_leads(question.text, asking(language.code).opening)
    way = clause.partition(",")[0].partition(f" {language.or_} ")[0]
    first = way.partition(" ")[0].lower()
    return f"{first}{way[len(first):]}" if first in language.choice_prepositions and len(
        way.split()) <= _WAY else ""


def looked_into(
    scene: Scene, read: Read, question: MailQuestion, asked: str, values: dict[str, str], known: AnswerSources
) -> Said:
    """What is said to who wants something found out: it is, or it is not known; nobody knows it before having asked."""
    told, how = clause_stated(asked, scene.language, scene.sides), restating(scene.language.code)
    if told is None and how.order != "inverted" and is_request(question, scene):
        # What it is of its reader is not told: it is looked into.
        day = scene.due(scene.manner.days, read.found.deadlines)
        return Said(act="answer.do", values={**without_topic(values), **scene.by(day)})
    if told is None or not told.yes or told.wished:
        return unknown(scene, read, question, values, known)
    whole = read.sentence_of(question)
    if mentions_any(whole, how.knowing):
        return Said(act="answer.find_out", values={
            **without_topic(values), "value": f"{how.whether[0]} {told.yes}"})
    found = told.yes if agrees(scene, question) or not told.no else told.no
    return Said(act="answer.checked", values={**without_topic(values), "value": in_full(found, scene)})


def _leaves_choice(low: str, language: Language) -> bool:
    """Whether one of two questions in the second person or the first asks how it is to be, and not how it was."""
    said, how = low.replace(",", " ").split(), restating(language.code)
    persons = {*language.asker, *language.asked_one, *language.polite_words, *language.familiar_words, *how.asking,
               *how.speakers, *how.persons}
    acts = any(is_own_deed(pair, language.code) for pair in zip(said, said[1:]))
    return (acts or not persons.isdisjoint(said)) and how.past_words.isdisjoint(said)
