"""
The answers to the questions of a mail: from the facts of the case, the thread, the notes, what the person knows of
itself, an exchange, or none.

An answer is of the type that is asked for: a wh-question gets no yes, and what nobody knows is not promised but said to
be unknown, asked back, or left to whom it concerns.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.restate import asks_ability, deed, found_out, own_matter, wants_deed
from simmail.core.language.clause.statement import either_stated, stated, wondered
from simmail.core.language.clause.tables import led_in, restating
from simmail.core.language.phrases import asks_for_something, documents, is_document, noun_phrase, words
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import Language, counted
from simmail.core.rng import Dice
from simmail.core.writer.by_intent import meeting
from simmail.core.writer.choice import LOW
from simmail.core.writer.context import Read, Scene, without_determiner
from simmail.core.writer.life import LIFE
from simmail.core.writer.exchanges import recognition
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import (
    asks_state, in_full, is_told, looked_up, option_said, said_before, values_for, without_topic,
)
from simmail.core.writer.sources.noted import liked
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.sources.side import asks_what_is_done
from simmail.core.writer.speech_act import Said

#: Mail in which a customer asks when something is done.
_SERVING = frozenset(("question", "status", "complaint", "bug", "support", "task", "details"))
#: Types of questions that a thread answers or leaves open.
_REMEMBERED = frozenset(("who", "where", "when", "long", "much", "many", "what", "how"))
#: Words of a thing to choose that needs no article.
_SHORT = 2
#: Words of the longest thing that is promised by its whole name.
_LONGEST_SENT = 10
#: Answers that say by themselves what they are the answer to.
_NAMED = frozenset({
    "answer.fact", "answer.said_so", "answer.said_not",
    "answer.own", "answer.life", "answer.propose", "answer.details", "answer.recall", "answer.piece",
    "answer.sum", "answer.never", "answer.open", "answer.called_off", "answer.confirm", "answer.do", "answer.dont",
    "answer.option", "answer.way", "answer.who", "answer.me", "answer.opinion",
    "answer.stated", "answer.denied", "answer.find_out",
})
#: How often the first of two things is what is so; how often a yes or a no is said in full, by how much somebody writes.
_FIRST = 0.6
_IN_FULL = {"short": 0.6, "medium": 0.85, "long": 0.95}
#: Answers that compare what is asked with what is known.
_COMPARED = frozenset({"answer.said_so", "answer.said_not"})
#: Answers that are a yes or a no, and which.
_YES_NO = {"answer.yes": "yes", "answer.so": "yes", "answer.no": "no", "answer.not_so": "no"}
#: Mail among friends: nobody quotes or numbers their questions.
CLOSE = frozenset({"private", "greeting", "event", "congrats", "sick"})
#: What a line may name to say what it is the answer to.
_NAMING = frozenset(("task", "undone"))


def answer(
    scene: Scene, read: Read, question: MailQuestion, place: int, back: bool, known: AnswerSources
) -> Said | None:
    """
    Return the answer to one question; None for a request that is answered by what is done.

    @param place: its number, for draws.
    @param back: it may be answered with a question.
    """
    values = values_for(scene, read, question, known)
    found = looked_up(scene, read, question, known) if question.form != "opinion" else None
    if found is not None:
        return found
    begins = exchanged(scene, read, question)
    if question.form == "opinion":
        return begins or Said(act="answer.opinion", values=values)
    if begins is not None and question.type == "request":
        return begins
    asked = _to_find_out(read, question, scene.language)
    if asked and not own_matter(asked, scene.language):
        # Nobody knows it before having asked.
        return _unknown(scene, read, question, values, known)
    if question.type == "request" and not question.recalls:
        return _request(scene, read, question, place, values)
    quoted = said_before(scene, question, values, known)
    if quoted is None and mentions_any(question.text, asking(scene.language.code).secret):
        return Said(act="answer.secret", values=values)
    if quoted is not None or begins is not None:
        return quoted or begins
    settled = _either_stated(scene, question)
    if settled is not None:
        return settled
    chosen = _chosen(scene, read, question, place, values, known)
    if chosen is not None:
        return chosen
    if is_request(question, scene) and (
            asks_to_do(question.text, scene.language) or deed(question.text, scene.language, scene.far)[0]):
        return _request(scene, read, question, place, values)
    if question.recalls and known.remarks and question.type in _REMEMBERED:
        return Said(act="answer.open", values=without_topic(values))
    if back and _asks_back(scene, question, place):
        return Said(act="answer.back", values=values)
    if question.form == "yes_no" or question.form != "either" and question.type in ("yes_no", "choice") or (
            _of_things(question, scene.language)):
        return _yes_or_no(scene, read, question, values)
    return _unknown(scene, read, question, values, known)


def _either_stated(scene: Scene, question: MailQuestion) -> Said | None:
    """Which of two things is so, said in full; the first more often than the other."""
    if question.type in ("who", "what", "much", "many", "where", "when") or question.behind:
        return None
    both = either_stated(question.text, scene.language, scene.for_firm)
    if not both:
        return None
    liked_one = liked(both, scene.request.notes, scene.language)
    mood = Dice(scene.request.persona.id).on("either", *both)
    told = liked_one or both[0 if mood.chance(_FIRST, "which") else -1]
    return Said(act="answer.own", values={"value": f"{told[:1].upper()}{told[1:]}."})


def _of_things(question: MailQuestion, language: Language) -> bool:
    """
    Whether the first of two questions settles both: by saying that something is ("is there a lift, or stairs?"), or
    that it is granted ("is that ok with you, or does it mess up the rota?").
    """
    said = [word.lower() for word in led_in(words(question.text), restating(language.code))]
    return question.form == "either" and question.short[0] != language.yes and said[1:2] != [] and (
        said[0] in language.short_answers) and (said[1] in language.existing or _asks_leave(said, language))


def _asks_leave(said: list[str], language: Language) -> bool:
    """Whether a question, in lower case, is whether something is all right, so that it is granted or refused."""
    return f"{' '.join(said[2:])} ".startswith(tuple(f"{one} " for one in restating(language.code).granted))


def exchanged(scene: Scene, read: Read, question: MailQuestion) -> Said | None:
    """Return the answer of an exchange; what offers things to choose has one of those, what asks for papers those."""
    if read.found.options or question.options or question.needs or documents(question.text, scene.language):
        return None
    return recognition.answered(scene, read, question)


def _to_find_out(read: Read, question: MailQuestion, language: Language) -> str:
    """What a question wants found out; where it is but the clause, its sentence says that it does."""
    asked = found_out(question.text, language)
    if not asked and question.behind:
        whole = (found_out(one, language) for one in read.found.prose.sentences if question.behind in one)
        asked = next((one for one in whole if one and one in question.behind), "")
    return asked


def _alike(options: tuple[str, ...], language: Language) -> bool:
    """Whether things to choose begin alike, so that they are things: two numbers, days, "by post" and "at the door"."""
    def kind(option: str) -> str:
        first = option.split()[0].lower().strip(".,")
        if first[0].isdigit() or first in language.weekday_forms or first in language.near_days:
            return "number"
        if first in language.determiners or first in language.choice_prepositions:
            return "phrase"
        return first if len(option.split()) > _SHORT else "word"
    return len({kind(one) for one in options}) == 1


def _chosen(
    scene: Scene, read: Read, question: MailQuestion, place: int, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """One of two things that are offered, None where nothing is."""
    dice, language = scene.dice, scene.language
    if question.options and question.form == "choice":
        wants = () if scene.request.persona.wants is UNSET else (scene.request.persona.wants,)
        option = liked(question.options, (*wants, *scene.request.notes), language) or dice.choice(
            question.options, "which", place)
        if len(question.options) == 1:
            return Said(act="answer.own", values={**values, "value": language.would_rather.format(option=option)})
        if question.options[1].lower().startswith(asking(language.code).limiting):
            return Said(act="answer.own", values={**values, "value": f"{option[:1].upper()}{option[1:]}."})
        return option_said(option, values, language) if _alike(question.options, language) else _unknown(
            scene, read, question, values, known)
    if question.type == "who" and len(question.options) == 2:
        how = restating(language.code)
        option = dice.choice(question.options, "which", place)
        turned = how.asked.get(option) or how.asking.get(option.lower(), option).split("|")[-1 if scene.far else 0]
        told = how.objects.get(option.lower(), turned)
        return Said(act="answer.own", values={**without_topic(values), "value": f"{told[:1].upper()}{told[1:]}."})
    return None


def _asks_back(scene: Scene, question: MailQuestion, place: int) -> bool:
    """Whether a question is answered with another: only where it asks for something to be told."""
    if question.type not in ("what", "who", "why", "much", "many") or len(question.text.split()) < 3 or asks_state(
            question, scene.language):
        return False
    return scene.dice.weighted(scene.manner.does["question"], "answers", place) == "back" or (
        scene.request.trust < LOW and scene.dice.chance(0.7, "trusts", place))


def _request(scene: Scene, read: Read, question: MailQuestion, place: int, values: dict[str, str]) -> Said | None:
    """What is asked to be done: done for a day, or not."""
    if question.confirms:
        return Said(act="answer.confirm" if agrees(scene, question, asked=True) else "answer.dont", values=values)
    will, wont = deed(question.text.rpartition("; ")[2], scene.language, scene.far)
    yes = agrees(scene, question, asked=True)
    plain, how = without_topic(values), asking(scene.language.code)
    lasting = mentions_any(question.text, (*how.lasting, *how.ever_after))
    if not will:
        if question.type == "request" and not asks_to_do(question.text, scene.language) and (
                documents(question.text, scene.language) or not wants_deed(question.text, scene.language)):
            return _granted(scene, read, question, values)
        if lasting:
            return Said(act="answer.yes" if yes else "answer.dont", values={**plain, "yes": scene.language.yes})
        day = scene.due(scene.manner.days, read.found.deadlines)
        return Said(act="answer.do" if yes else "answer.dont", values={**values, **scene.by(day)})
    if not yes:
        return Said(act="answer.wont", values={**plain, "undone": wont}) if wont else Said(
            act="answer.dont", values=values)
    day = scene.due(scene.manner.days, read.found.deadlines)
    what = _sent(will, scene.language) or scene.language.what.task
    # "Could you send it?" asks for what is promised already.
    owed = bool(scene.request.owed or scene.request.owes) and not restating(scene.language.code).pointing.isdisjoint(
        word.lower() for word in will.split())
    # "Vous envoyer": a pronoun may stand before it.
    reported = not owed and not lasting and not restating(scene.language.code).reported.isdisjoint(
        will.lower().split()[:2]) and not _sends_no_paper(will, scene.language) and not _on_a_day(
        will.lower().split(), scene.language)
    return Said(act="answer.will", values={**plain, "task": will}, promise=scene.promise(
        what, day) if reported else None)


def _granted(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said | None:
    """What is said to who lists a thing and says not what to do: by when it comes; a paper comes by mail."""
    if not question.topic or asks_for_something(question.text, scene.language):
        return None
    day = scene.due(scene.manner.days, read.found.deadlines)
    more = {**values, **counted(question.topic, scene.language), **scene.by(day)}
    if not any(is_document(word.lower(), scene.language) for word in words(question.topic)):
        return Said(act="answer.when", values=more)
    doc = f"{question.text[:1].lower()}{question.text[1:]}" if scene.language.inflected else question.topic
    named = {name: value for name, value in more.items() if name not in ("topic", "ref")}
    return Said(act="document.promise", values={**named, "doc": doc}, promise=scene.promise(doc, day))


def _on_a_day(will: list[str], language: Language) -> bool:
    """Whether something is done on a day, so that it is not done before: "collect him on Wednesday", not "by" it."""
    return any(word in language.weekday_forms and before not in language.due_words
               for before, word in zip(["", *will], will))


def _sends_no_paper(will: str, language: Language) -> bool:
    """Whether what is sent comes by post or by hand, and in no mail: "send in a new one", "bring a jacket"."""
    thing = [word.lower() for word in words(_sent(will, language)) if word.isalpha()]
    mailed = restating(language.code).mailed
    return bool(thing) and not any(is_document(word, language) or word.endswith(mailed) for word in thing)


def _sent(will: str, language: Language) -> str:
    """What somebody says will be sent, C{""} for a deed of another kind: "send you a screenshot"."""
    tokens = words(will)
    low = [token.lower() for token in tokens]
    if low[0] not in language.send_words and low[0][:-1] not in language.send_words:
        return ""
    start = next((at for at in range(1, min(4, len(low))) if low[at] in language.determiners), 0)
    phrase = noun_phrase(tokens, start + 1, language) if start else []
    behind = range(start + 1 + len(phrase), len(tokens))
    if phrase and not language.inflected and language.of_words.intersection(low[behind.start:behind.start + 1]):
        # "A photo of the sofa and its measurements", up to the day it is for.
        end = next((at for at in behind if low[at] in language.due_words), len(tokens))
        phrase = tokens[start + 1:end] if end - start < _LONGEST_SENT else phrase
    return " ".join([language.default_determiner or tokens[start], *phrase]) if phrase else ""


def agrees(scene: Scene, question: MailQuestion, asked: bool = False) -> bool:
    """
    Return whether a person says yes; to one question always alike, in whatever words.

    @param asked: to have something done, which mostly it does.
    """
    own = content(question.behind or question.text, scene.language.code)
    mood = Dice(scene.request.persona.id).on("yes", " ".join(sorted(own)))
    return mood.chance(max(scene.manner.yes, 0.95) if asked else scene.manner.yes, "yes")


def _yes_or_no(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said:
    """A yes or a no; to a request to agree an agreement or a refusal."""
    asked = is_request(question, scene)
    asks = asking(scene.language.code)
    is_human, is_machine = (mentions_any(question.text, one) for one in (asks.human, asks.machine))
    # Whoever it is, it is a person.
    yes = is_human or not is_machine and agrees(scene, question, asked)
    if asked and question.confirms:
        return Said(act="answer.confirm" if yes else "answer.dont", values=values)
    if any(word in question.text.lower() for word in scene.language.pleased):
        return Said(act="answer.glad" if yes else "answer.sorry", values=values)
    how = restating(scene.language.code)
    if yes and how.offers and question.text.lower().startswith(how.offers):
        return Said(act="answer.yes", values={**values, "yes": how.accepts})
    if yes and mentions_any(question.text, how.bothering):
        return Said(act="answer.own", values={**values, "value": how.unbothered})
    low = f" {' '.join(words((question.behind or question.text).lower()))} "
    short = [in_full(one, scene) for one in question.short]
    if any(f" {word} " in low for word in how.any_words) and question.type == "yes_no":
        yes = yes and scene.manner.yes < 0.6  # "is there anything else?": mostly not
    named = {"yes": short[0] or scene.language.yes} if yes else {"no": short[1] or scene.language.no}
    statement = None if question.behind else stated(question.text, scene.language, scene.for_firm)
    told = "" if statement is None else statement.yes if yes else statement.no
    if told and statement is not None and statement.wished:
        return Said(act="answer.own", values={
            **without_topic(values), "value": f"{scene.language.yes if yes else scene.language.no}, {told}.".capitalize()})
    if told and scene.dice.chance(_IN_FULL[scene.length], "stated", question.text):
        return Said(act="answer.stated" if yes else "answer.denied", values={
            **without_topic(values), "value": in_full(told, scene)})
    if _is_of_state(question, scene.language):
        return Said(act="answer.so" if yes else "answer.not_so", values={**values, **named})
    return Said(act="answer.yes" if yes else "answer.no", values={**values, **named})


def _is_of_state(question: MailQuestion, language: Language) -> bool:
    """Whether a question is how something is, or what was, so that nobody grants or refuses it: "is it heated?"."""
    how = restating(language.code)
    said = [word.lower() for word in led_in(words(question.behind or question.text), how)]
    if question.behind or not said[1:2] or said[0] not in how.states:
        return False
    persons = (*language.asker, *language.asked_one, *language.polite_words, *language.familiar_words, *how.asking)
    return not _asks_leave(said, language) and (said[0] in how.own_states or said[1] not in persons)


def _unknown(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said:
    """What is said to a question that nobody has told the answer to, by its type."""
    language, how = scene.language, asking(scene.language.code)
    plain = {**values}
    sheet, low = known.sheet, question.text.lower()
    area = sheet.area_of(low)
    colleague = sheet.colleague(area) if area and area != sheet.area else None
    if question.type == "who" and mentions_any(low, (*how.in_charge, *how.reached)) and not mentions_any(
            low, how.together):
        phone = sheet.told("phone") if mentions_any(low, how.reached) else None
        if phone is not None:
            return Said(act="answer.own", values={**plain, "value": how.reach_me.format(phone=phone.value)})
        other = sheet.colleague(area or sheet.area)
        if colleague is None or other is None:
            return Said(act="answer.me", values=plain)
        return Said(act="answer.who", values={**plain, "colleague": other.name, "area": other.area})
    if question.type == "when" and question.needs:
        return Said(act="answer.need", values={**values, **scene.by(scene.calendar.workday(scene.manner.days + 4))})
    if question.type == "many" and (question.needs or any(word in low for word in language.counted_words)):
        number = 2 + Dice(scene.request.persona.id).on("invented", question.topic.lower()).below(30, "many")
        return Said(act="answer.number", values={**values, "value": str(number)})
    if question.type == "long" and scene.request.persona.org and mentions_any(low, how.tenure):
        # Who worked for somebody is known to it: always the same number of years.
        years = 2 + Dice(scene.request.persona.id).on("tenure", values.get("subject", "").lower()).below(7, "years")
        return Said(act="answer.own", values={**plain, "value": f"{years} {how.tenure_unit}."})
    if question.type == "why" and mentions_any(low, how.late):
        return Said(act="answer.why", values=plain)
    if question.form == "either" and not (question.options or question.recalls) and _leaves_choice(low, language):
        return Said(act="answer.either", values=without_topic(plain))
    # A question that calls its reader "you" is the reader's own matter, but not "do you know who ...?".
    restate = restating(language.code)
    if not {*restate.asked, *language.polite_words, *language.familiar_words}.isdisjoint(
            led_in(words(question.text), restate)):
        gone = any(f" {word} " in f" {low} " for word in restate.past_words)
        if question.type == "when" and not gone and scene.request.persona.org and read.intent in _SERVING:
            # Who serves customers says a day.
            day = scene.due(scene.manner.days, read.found.deadlines)
            return Said(act="answer.when", values={**plain, **counted("", language), **scene.by(day)})
        return Said(act="answer.past" if gone else "answer.think",
                    values=without_topic(values) if asks_what_is_done(question.text, language) else plain)
    if asks_state(question, language):
        return LIFE["status"](scene, read, "status", 0)[0]
    if colleague is not None:
        plain.update(colleague=colleague.name, area=colleague.area)
        return Said(act="answer.unknown", values=plain)
    asked = wondered(question.text, language, scene.for_firm)
    return Said(act="answer.find_out", values={**without_topic(plain), "value": asked}) if asked else Said(
        act="answer.unknown", values=plain)


def _leaves_choice(low: str, language: Language) -> bool:
    """Whether one of two questions in the second person or the first asks how it is to be, and not how it was."""
    said, how = low.replace(",", " ").split(), restating(language.code)
    persons = {*language.asker, *language.asked_one, *language.polite_words, *language.familiar_words, *how.asking}
    return not persons.isdisjoint(said) and how.past_words.isdisjoint(said)


def is_request(question: MailQuestion, scene: Scene) -> bool:
    """Return whether a question asks for something: "Could you send us the contract?" is answered by sending it."""
    return question.form in ("yes_no", "choice") and asks_for_something(
        question.text, scene.language) and not asks_ability(question.text, scene.language)


def _untold(act: Said | None, said: list[Said]) -> Said | None:
    """An answer without what was said before it: one thing may bear on two questions."""
    value = "" if act is None else act.values.get("value", "")
    for one in said:
        before = one.values.get("value", "")
        if act is not None and before.endswith(".") and before != value and before in value:
            act = replace(act, values={**act.values, "value": value.replace(before, "").strip()})
    return act


def answers(
    scene: Scene, read: Read, questions: list[MailQuestion], number: int, known: AnswerSources
) -> list[Said]:
    """Return an answer to each question; where there are several, each says what it is the answer to."""
    said: list[Said] = []
    layout = scene.manner.layout if len(questions) > 1 else ""
    close = read.intent in CLOSE or scene.friends
    if layout == "quoted" and (len(questions) < 3 or close) or layout == "numbered" and close:
        layout = "topics"
    for place, question in enumerate(questions):
        back = all(one.act != "answer.back" for one in said)  # nobody answers every question with another
        if question.form == "time" and not (scene.request.own and is_told(scene, question, known)):
            so = looked_up(scene, read, question, known) if question.type in ("yes_no", "choice") else None
            if so is not None and so.act in _COMPARED:
                said.append(so)
            elif not any(one.act.startswith("meeting.") for one in said):
                said.extend(meeting(scene, read, "meeting", number))
            continue
        act = answer(scene, read, question, number * 100 + place, back, known)
        if act is not None and act.act == "answer.life":
            # Whoever is doing well does not deny the next thing.
            scene = replace(scene, manner=replace(scene.manner, yes=1.0))
        act = _untold(act, said)
        told = "" if act is None else act.values.get("value") or act.values.get("task", "")
        if act is None or any(one.act == act.act and one.values == act.values for one in said) or told and any(
                told == one.values.get("task") or told in one.values.get("value", "") for one in said):
            continue
        if said and act.act == said[-1].act == "answer.piece" and layout != "quoted":
            # "10:30, room 6."
            both = f"{said[-1].values['value']}, {act.values['value']}"
            said[-1] = replace(said[-1], values={**said[-1].values, "value": both})
            continue
        asked = question.type != "request"
        lead = None
        if layout == "quoted" and asked:
            act = _unnamed(act, (scene.language.yes, scene.language.no))
        elif layout and _NAMING.isdisjoint(act.values) and question.topic and not (
                act.act in _NAMED or act.is_exchange):
            thing = without_determiner(question.topic, scene.language)
            lead = Said(act="lead.topic", values={"topic": question.topic, "thing": thing})
            act = replace(act, values={name: value for name, value in act.values.items() if name != "topic"})
        said.append(replace(
            act, asked=question, lead=lead,
            number=1 + sum(bool(one.number) for one in said) if layout == "numbered" else 0,
            quote=question.text if layout == "quoted" and asked else "",
        ))
    # One alone is no list.
    return [replace(one, number=0) for one in said] if sum(bool(one.number) for one in said) < 2 else said


def _unnamed(act: Said, yes_no: tuple[str, str]) -> Said:
    """Return an answer that does not say what it is the answer to: that stands above it."""
    values = {name: value for name, value in act.values.items() if name not in _NAMING}
    if act.act in _YES_NO:
        values[_YES_NO[act.act]] = yes_no[_YES_NO[act.act] == "no"]
    elif act.act in ("answer.will", "answer.wont") or _NAMING.isdisjoint(act.values):
        return act
    return replace(act, values=values)
