"""
What is known of a question: from the facts of the case, the thread, the notes, and what the person knows of itself.

Each is looked up once for a mail, the nearest first; what was said before is told word for word where it has no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.clause.question_types import (
    asking, mentions_any, named_type, said_thing, type_inside, type_of,
)
from simmail.core.language.clause.tables import restating
from simmail.core.language.dates import Slot
from simmail.core.language.facts import Fact
from simmail.core.language.phrases import documents, words
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import Language, counted
from simmail.core.language.text import say
from simmail.core.records.conversation import Remark
from simmail.core.writer.agenda import clock
from simmail.core.writer.choice import values_of
from simmail.core.writer.context import Read, Scene, without_determiner
from simmail.core.writer.sources.aim import aim_words
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.cut.piece import piece, turned
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.marks import Marks, agree, marks
from simmail.core.writer.sources.noted import noted
from simmail.core.writer.sources.recall import check, is_moved, recall
from simmail.core.writer.sources.said_words import content, kin, shared
from simmail.core.writer.sources.self_sheet import Told
from simmail.core.writer.sources.side import asks_what_is_done, names_damage
from simmail.core.writer.sources.told import Recalled
from simmail.core.writer.speech_act import Said
from simmail.core.writer.voice import Piece, long_forms
from simmail.core.writer.wishes import want_sentence

#: What tells a value alone.
_TELLING = frozenset(("answer.piece", "answer.recall", "answer.fact", "answer.sum"))
#: Types of questions that are answered with a word of their own, never with yes or no.
_OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "why", "how", "what"))


def sources(scene: Scene) -> AnswerSources:
    """Return what answers to one mail are taken from."""
    return AnswerSources(scene.request, scene.calendar, scene.language, {
        read.mail.message_id for read in scene.read}, scene.far, scene.distant)


def values_for(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> dict[str, str]:
    """Return what an answer to a question may name."""
    if not known.values:
        known.values.update(values_of(scene, read))
    named = question.topic and question.type != "why"
    return {**known.values, "topic": own(question.topic, scene)} if named else {**known.values}


def own(phrase: str, scene: Scene) -> str:
    """Return a thing as its owner calls it: "my scarf", and "our delivery address" where it is a firm's."""
    first, blank, rest = phrase.partition(" ")
    how = restating(scene.language.code)
    theirs = how.theirs
    firms = scene.request.persona.org and (not how.ours or not how.ours.isdisjoint(rest.lower().split()))
    mine = next((theirs[said] for said, told in scene.language.flips.items() if told == first and said in theirs), "")
    return f"{mine}{blank}{rest}" if mine and not firms else phrase


def looked_up(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> Said | None:
    """Return the answer from what stands written or is known for sure, looked up once for each question of a mail."""
    if question not in known.answers:
        values = values_for(scene, read, question, known)
        holds = _what_holds(scene, read, question, values, known)
        known.answers[question] = holds or _look_up(scene, read, question, values, known)
    return known.answers[question]


def standing(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> Said | None:
    """Return the answer from what stands written or is known for sure, None when nothing says it."""
    return _look_up(scene, read, question, values_for(scene, read, question, known), known)


def _look_up(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """The answer from what stands written or is known for sure, None when nothing says it."""
    language = scene.language
    in_table = _in_table(scene, read, question, values, known)[0] if known.remarks else None
    if question.type == "yes_no":
        instead = known.priced.instead(question.behind or question.text) if known.remarks else ""
        if instead:
            return Said(act="answer.said_not", values={**values, "value": instead})
        so = check(question, read.base, known.remarks, (*known.facts, *known.notes), language)
        if so is not None and so.fact is not None:
            return Said(act="answer.said_so" if so.agrees else "answer.said_not", values={
                **values, "value": so.fact.value.rstrip(".")})
        if so is not None and so.remark is not None and (question.checks or question.recalls):
            act = "answer.said_so" if so.agrees else "answer.said_not"
            value = _figure(scene, question, read.base, so.remark) if so.remark.kind == "said" else ""
            if value:
                return Said(act=act, values={**values, "value": value})
            if so.remark.kind != "said":
                return _from_thread(scene, so.remark, values, act)
    several = _several(scene, question, known)
    if several:
        return Said(act="answer.details", values={**values, "value": several})
    # Of two deeds one says which one can do.
    things = len(question.options) > 1 and question.text.partition(" ")[0].lower() not in restating(
        language.code).modals
    held = things and _held(
        question.options, [*(one.value for one in known.facts), *scene.request.notes], language)
    if held:
        return option_said(held, values, language)
    fact = known.fact(replace(question, text=question.behind) if question.checks else question)
    if question.checks and fact is not None:
        return Said(act="answer.fact", values={**values, **fact.values(language)})  # neither yes nor no is known of it
    before = None
    only = question.type == "who" and fact is not None and len(content(question.text, language.code)) < 2
    if known.remarks and not only and (question.recalls and question.type not in ("what", "how") or (
            fact is not None and facts.answering(question.text, known.facts, language) is None)):
        # What stands in the thread is nearer than a fact of another name.
        before = _told_before(scene, read, question, values, known)
        if before is not None and (before.act == "answer.piece" or question.type == "when" and (
                before.act == "answer.recall")):
            return before
    dated = _dated(question, read.base, known.facts, language)
    if dated is not None and fact is not dated:
        fact = dated if fact is None else replace(fact, value=f"{fact.value}, {dated.value}")
    if fact is not None and question.type == "who" and ", " in fact.value:
        return Said(act="answer.piece", values={**without_topic(values), "value": fact.value})  # "Kofi, side gate"
    if fact is not None and question.type != "why":
        return Said(act="answer.fact", values={**values, **fact.values(language)})
    if known.facts and fact is None:
        named = asking(language.code).state_named if asks_state(question, language) else ()
        fact = next((one for one in known.facts if one.label.lower() in named), None) or _by_value(
            question, known.facts, language)
        if fact is not None:
            return Said(act="answer.fact", values={**values, **fact.values(language)})
    left = things and (
        _left(question.options, scene) or _settled(question, known.remarks, language))
    if left:
        return option_said(left, values, language)
    if _is_off(question, known.remarks, language):
        return Said(act="answer.called_off", values=values)
    sum_of = known.sum_of(question)
    if sum_of:
        return Said(act="answer.sum", values={**values, "value": sum_of})
    before = before or _told_before(scene, read, question, values, known)
    if in_table is not None and (before is None or before.act not in ("answer.piece", "answer.recall")):
        return in_table
    if before is not None:
        return before
    if question.checks and question.behind and known.remarks and (
            question.recalls or marks(question.behind, read.base, language) != Marks()):
        return said_before(scene, question, values, known)
    reference = _reference(scene, read, question)
    if reference:
        return Said(act="answer.recall", values={**values, "value": reference})
    fact = known.note(question)
    if fact is not None and question.type != "why":
        return Said(act="answer.fact", values={**values, **fact.values(language)})
    note = "" if question.recalls and known.remarks or not scene.request.notes else noted(
        question, scene.request.notes, read.base, language, scene.request.meaning,
        scene.request.persona.name.partition(" ")[0])
    if note:
        return Said(act="answer.own", values={**values, "value": note})
    if question.recalls:
        quoted = said_before(scene, question, values, known)
        if quoted is not None:
            return quoted
    promised = _promised_day(scene, question)
    if promised is not None:
        return Said(act="answer.when", values={
            **values, **counted(question.topic, language), **scene.by(promised)})
    return _of_self(scene, question, values, known)


def _what_holds(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """The answer that was reckoned up from the whole of a thread, which no sentence of it says alone."""
    parts = _parts(scene, read, question, known)
    if parts:
        return Said(act="answer.piece", values={**without_topic(values), "value": parts})
    if not known.remarks:
        return None
    in_table, changed = _in_table(scene, read, question, values, known)
    if in_table is not None and changed:
        return in_table
    return None if known.sum_of(question) else _priced(question, values, known, scene.language)


def _priced(question: MailQuestion, values: dict[str, str], known: AnswerSources, language: Language) -> Said | None:
    """What something costs now, or which of the things that have a price was chosen."""
    thing, told = None, ""
    if question.type == "much" or question.type == "what" and question.recalls:
        thing = known.priced.price(question, named=question.type != "much")
        told = "" if thing is None else thing.text
    if thing is None and question.type in ("what", "where", "choice") and not question.options and (
            question.recalls or mentions_any(f" {question.text.lower()}", cutting(language.code).now)):
        told = known.priced.chosen(question)
    if thing is not None and thing.fact is not None:
        fact = facts.capital_label(thing.fact, language)
        return Said(act="answer.fact", values={**values, **fact.values(language)})
    return Said(act="answer.piece", values={**without_topic(values), "value": told}) if told else None


def _parts(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> str:
    """All that a request to say it again names, each by its type: "repeat the day and the number of desks"."""
    if not question.recalls or question.checks or question.behind or question.type not in ("yes_no", "request"):
        return ""
    language, told = scene.language, list[str]()
    for part in question.text.split(f" {language.and_} "):
        type = type_inside(part.lower(), language) or named_type(part, language)
        one = replace(question, text=part, type=type)
        said = (_what_holds(scene, read, one, {}, known) or _look_up(scene, read, one, {}, known)) if type else None
        if type == "when" and said is None and read.found.slots:
            # "We come on Friday.  Could you repeat the day?" is asked of who reads it.
            said = Said(act="answer.piece", values={"value": scene.calendar.appointment(
                read.found.slots[0], language, dated=True)})
        if said is None or said.act not in _TELLING or said.values["value"] in told:
            return ""
        told.append(said.values["value"])
    return ", ".join(told)


def _in_table(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> tuple[Said | None, bool]:
    """
    What holds in the thread of what is asked for: when it is, how many there are, or that it is not so; and whether it
    is not as it was said first, so that no sentence alone tells it.
    """
    language, plain = scene.language, without_topic(values)
    text = question.behind or question.text
    checking = question.type == "yes_no" and (question.checks or question.recalls)
    first = mentions_any(f"{question.text.lower()} ", asking(language.code).first)
    if question.type == "many":
        fact = known.fact(question)
        number, changed = known.table.number(text, "" if fact is None else fact.value, first)
        return Said(act="answer.piece", values={**plain, "value": number}) if number and (
            changed or fact is None) else None, changed and not first
    own = cutting(language.code)
    if mentions_any(text.lower(), own.addresses) and own.own_address.isdisjoint(text.lower().split()):
        address = next((one for one in reversed(known.remarks) if one.what == "address"), None)
        if address is not None:
            return Said(act="answer.piece", values={**plain, "value": address.value}), True
    if question.type == "where" and (question.recalls or known.fact(question) is None) and not mentions_any(
            text.lower(), own.addresses):
        place, changed = known.table.place(question, first)
        return Said(act="answer.piece", values={**plain, "value": turned(place, language, scene.distant)}) if (
            place) else None, first and changed
    if question.type == "what" and not question.options and kin(text, "", language) is not None and not (
            mentions_any(text.lower(), own.trouble)) and known.fact(question) is None:
        chosen = known.table.chosen(text)
        piece = known.piece(question)
        said = piece is None or chosen.lower() not in piece.text.lower()
        return Said(act="answer.piece", values={**plain, "value": chosen}) if chosen and said else None, True
    if question.type == "yes_no" and not question.behind and question.topic and any(
            all(part in text.lower() for part in cue.split("…")) for cue in asking(language.code).spoken_of):
        return None if known.table.speaks_of(question.topic) else Said(act="answer.never", values=values), True
    if question.type != "when" and not checking or mentions_any(text.lower(), asking(language.code).plans):
        return None, False
    span = known.table.span() if question.type == "when" and mentions_any(text.lower(), own.spanning) else None
    if span is not None:
        return Said(act="answer.piece", values={**plain, "value": " – ".join(
            scene.calendar.appointment(one, language, dated=True) for one in span)}), True
    due = known.table.by(text) if question.type == "when" else None
    if due is not None:
        return Said(act="answer.piece", values={**plain, "value": scene.calendar.appointment(
            due, language, dated=True)}), True
    event = known.table.when(text)
    slot = None if event is None else event.slot(scene.calendar.zone, first)
    if event is None or slot is None:
        return None, False
    led = text.split()[0].lower().lstrip("¿")
    told = {**plain, "value": scene.calendar.appointment(slot, language, dated=True)}
    if checking and event.day is not None:
        asked = marks(text, read.base, language)
        so = agree(asked, Marks(frozenset((slot.start.date(),)), frozenset(
            (slot.start.hour * 60 + slot.start.minute,)) if slot.timed else frozenset()))
        return None if so is None else Said(
            act="answer.said_so" if so else "answer.said_not", values=told), bool(event.before) or event.agreed
    fact = known.fact(question)
    if fact is not None and (not event.before or len(shared(content(fact.label, language.code), content(
            text, language.code)))):
        return None, False  # what one knows is nearer
    if not (question.recalls or mentions_any(f" {text.lower()}", own.now) or shared(
            known.table.words(text), event.words) or not known.table.words(text) or known.table.only_moved()):
        return None, False
    hour, day = mentions_any(text.lower(), asking(language.code).clock), mentions_any(text.lower(), own.days)
    if hour and not slot.timed or event.day is None and (day or not hour):
        return None, False
    if event.day is None:
        told["value"] = clock(slot.start, slot.halves, language)
    return Said(act="answer.piece", values=told), event.changed(hour, day) and led not in own.kept


def _dated(question: MailQuestion, base: datetime, known: tuple[Fact, ...], language: Language) -> Fact | None:
    """The only fact with a day, where one asks when something comes; None for none and for more."""
    if question.type != "when" or not (known and (asks_state(question, language) or mentions_any(
            question.text, asking(language.code).coming))):
        return None
    some = [one for one in known if marks(one.value, base, language).days]
    return some[0] if len(some) == 1 else None


def _several(scene: Scene, question: MailQuestion, known: AnswerSources) -> str:
    """All that a question asks for at once where facts say some of it, a line each; C{""} where one answer does."""
    if question.type in ("yes_no", "why", "choice") or question.options or question.recalls or not known.facts:
        return ""
    found = known.enumerated(question)
    named = " ".join(one.label for one in found).lower()
    own = [one for one in known.sheet.listed(question.text) if one.label.lower() not in named] if found else []
    return _list(scene, [*found, *own]) if len(found) + len(own) > 1 else ""


def _held(options: tuple[str, ...], known: list[str], language: Language) -> str:
    """The one of two things that what is known speaks of, C{""} where it speaks of neither or of both."""
    if not options:
        return ""
    told = [content(one, language.code) for one in known]
    named = [any(words and words <= one for one in told) for words in (content(one, language.code) for one in options)]
    return options[named.index(True)] if named.count(True) == 1 else ""


def option_said(option: str, values: dict[str, str], language: Language) -> Said:
    act = "answer.option" if option.split()[0].lower() in language.determiners else "answer.way"
    return Said(act=act, values={**values, "option": option})


def _by_value(question: MailQuestion, known: tuple[Fact, ...], language: Language) -> Fact | None:
    """A fact whose value says what is asked: "has it been shipped?" is answered by "status: shipped on 1 March"."""
    if question.recalls and question.type in ("what", "where", "who"):
        # "What was the door again?" has no word but "door".
        own = content(question.text, language.code) - content(" ".join(asking(language.code).again), language.code)
        return next((one for one in known if own and shared(own, content(one.value, language.code)) == own), None)
    if question.type not in ("yes_no", "when", "where"):
        return None
    asked = {word[:6].lower() for word in words(question.text) if len(word) > 4 and word.isalpha()}
    return next((fact for fact in known if len(fact.value.split()) > 1 and asked.intersection(
        word[:6].lower() for word in words(fact.value) if len(word) > 4 and word.isalpha())), None)


def _is_off(question: MailQuestion, remarks: tuple[Remark, ...], language: Language) -> bool:
    """Whether a question is what is on, where that was called off."""
    last = next((one for one in reversed(remarks) if one.when is not None and one.kind in (
        "agreed", "called_off")), None)
    return last is not None and last.kind == "called_off" and not is_moved(last, remarks, language) and mentions_any(
        question.text, asking(language.code).plans)


def _told_before(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """What stands in the thread: a thing by its name, or the sentence that has more of the question's own words."""
    language = scene.language
    if not known.remarks or question.type not in _OPEN and not _asks_when(question, language):
        return None
    if not content(question.text, language.code):
        # "Who comes, and from when?": what the second part asks about stands in the first.
        asked = question.text.strip(" ?").lower()
        whole = next((one for one in read.found.prose.sentences if asked in one.lower()), "")
        question = replace(question, text=say(whole, 200) or question.text)
    remark = recall(question, known.remarks, language)
    piece = _piece(question, known)
    if piece is not None and piece.sure and not (
            question.type == "when" and remark is not None and remark.kind in ("agreed", "called_off")):
        return Said(act="answer.piece", values={**without_topic(values), "value": piece.text})
    return None if remark is None else _from_thread(scene, remark, values, "answer.recall")


def is_told(scene: Scene, question: MailQuestion, known: AnswerSources) -> bool:
    """Return whether the thread answers a question, so that nothing has to be decided about it."""
    if question.type not in _OPEN and not _asks_when(question, scene.language):
        return False
    if known.sum_of(question):
        return True
    found = _piece(question, known)
    return found is not None and found.sure or question.type == "when" and known.table.only_moved()


def without_topic(values: dict[str, str]) -> dict[str, str]:
    """Return what an answer may name that says in full what it is the answer to."""
    return {name: one for name, one in values.items() if name != "topic"}


def _asks_when(question: MailQuestion, language: Language) -> bool:
    """Whether what sounds as if it asked for an appointment begins with "when": "since when are you free?"."""
    return question.form == "time" and type_of(question.text.lower().strip(" ¿?"), language) == "when"


def _piece(question: MailQuestion, known: AnswerSources) -> Recalled | None:
    """The piece of the thread that answers; a question for a time of one's own is none of what was said."""
    return known.piece(replace(question, type="when") if question.form == "time" else question)


def known_answer(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> Said | None:
    """Return the answer from what stands written or the person knows of itself, None where neither says it."""
    return None if question.form == "time" else looked_up(scene, read, question, known)


def said_before(
    scene: Scene, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """Return what was said, where nothing that has a name answers, or that it never was."""
    if not known.remarks:
        return None
    piece = _piece(question, known)
    if piece is not None:
        return Said(act="answer.piece", values={**without_topic(values), "value": piece.text})
    if not question.checks:
        return None
    so, yes = known.spoken_of(question), scene.language.yes
    if so:
        return Said(act="answer.own", values={**values, "value": f"{yes[:1].upper()}{yes[1:]}."})
    if so is None and question.recalls:
        return Said(act="answer.never", values=without_topic(values))
    return None if so is None else Said(act="answer.open", values=without_topic(values))


def _figure(scene: Scene, question: MailQuestion, base: datetime, remark: Remark) -> str:
    """The sum, the time or the number of a sentence of which a question names another or the same, C{""} for none."""
    asked = marks(question.behind or question.text, base, scene.language)
    type = "much" if asked.sums else "when" if asked.days or asked.times else "many"
    return piece(replace(question, type=type, text="?", behind=""), remark.value, scene.language)


def _from_thread(scene: Scene, remark: Remark, values: dict[str, str], act: str) -> Said:
    value = remark.value
    if remark.when is not None:
        when = remark.when.astimezone(scene.calendar.zone)
        value = scene.calendar.appointment(Slot(start=when, timed=remark.timed), scene.language)
    if remark.kind == "called_off":
        return Said(act="answer.called_off", values={**values, "value": value})
    return Said(act=act, values={**values, "value": value})


def _reference(scene: Scene, read: Read, question: MailQuestion) -> str:
    """A number that stands in the mail itself, or in what is quoted below it: "what is the order number?"."""
    if question.type not in ("what", "request"):
        return ""
    thing, how = said_thing(question.text, scene.language).lower(), asking(scene.language.code)
    if scene.request.own and question.type == "what" and not mentions_any(question.text, how.not_numbered) and any(
            word.lower().endswith(how.numbered) for word in words(question.text)):
        return next(iter(read.found.references), "")
    if not any(noun in thing for noun in scene.language.reference_words if len(noun) > 2):
        return ""
    return next(iter(read.found.references), "")


def _of_self(scene: Scene, question: MailQuestion, values: dict[str, str], known: AnswerSources) -> Said | None:
    """What somebody knows of itself; the same person answers the same question alike."""
    language, persona = scene.language, scene.request.persona
    wants = "" if persona.wants is UNSET else say(persona.wants, 200)
    if wants and question.type in ("what", "how", "why", "much") and any(
            cue in question.text.lower() for cue in (*language.wish_asked, *aim_words(language.code).wishes)):
        return Said(act="answer.own", values={**values, "value": want_sentence(wants, language)})
    if is_proposal(question, scene):
        return Said(act="answer.propose", values=values)
    listed = known.sheet.listed(question.text) if question.type in ("request", "what", "who", "where") or (
        question.type == "yes_no" and asks_to_do(question.text, language)) else []
    listed = [] if documents(question.text, language) else listed
    if len(listed) > 1:
        return Said(act="answer.details", values={**values, "value": _list(scene, listed)})
    told = None if _of_another(question, language) else known.sheet.answering(question.text, question.type)
    if told is None and listed and (question.type == "request" or question.text.rstrip()[-1:] != "?"):
        told = listed[0]
    if told is None:
        return None
    return Said(act="answer.life" if told.private else "answer.own", values={
        **values, "value": _sentence(scene, told)})


def _of_another(question: MailQuestion, language: Language) -> bool:
    """Whether a question is about somebody or something else than its reader: "does she eat meat?"."""
    said, how = words(question.text), asking(language.code).opening
    if question.type == "what" and said[2:] and how.addressed.isdisjoint(said):
        last = next((one for one in reversed(said) if one.isalpha()), "")
        return last.lower() in how.subjects | how.nominative  # "which size is it?"
    return question.type == "yes_no" and said[1:2] != [] and how.addressed.isdisjoint(said) and any(
        one.lower() in how.subjects | how.nominative for one in said[:2])


def is_proposal(question: MailQuestion, scene: Scene) -> bool:
    """Return whether somebody who wants nothing itself is asked what it proposes about goods that arrived broken."""
    wants = scene.request.persona.wants
    return (wants is UNSET or not wants) and asks_what_is_done(question.text, scene.language) and any(
        names_damage(read.found, scene.language) for read in scene.read)


def _list(scene: Scene, listed: Sequence[Told | Fact]) -> str:
    colon = scene.language.colon
    lines = (f"{told.label[:1].upper()}{told.label[1:]}{colon}{told.value}" for told in listed if told.value != "-")
    return "\n".join(lines)


def _sentence(scene: Scene, told: Told) -> str:
    if told.agrees is None:
        return told.sentence
    yes = scene.language.yes if told.agrees else scene.language.no
    return f"{yes[:1].upper()}{yes[1:]}. {told.sentence}"


def _promised_day(scene: Scene, question: MailQuestion) -> date | None:
    """The day that something asked after was promised for, if it is still to come."""
    if question.form != "when" or question.needs:
        return None
    low = question.text.lower()
    days = (one.due.astimezone(scene.calendar.zone).date() for one in scene.request.owes
            if without_determiner(one.what, scene.language).lower() in low)
    return next((day for day in days if day >= scene.calendar.today), None)


def _left(options: tuple[str, ...], scene: Scene) -> str:
    """The one of two things that was not called off in the thread, C{""} where neither or both were."""
    off = [content(one.what or one.value, scene.language.code) for one in scene.request.remarks
           if one.kind == "called_off"]
    names = [one.what or one.value for one in scene.request.remarks if one.kind == "called_off"]
    gone = [any(shared(content(option, scene.language.code), words) for words in off) or any(
        kin(option, name, scene.language) for name in names) for option in options]
    return options[gone.index(False)] if len(options) == 2 and gone.count(True) == 1 else ""


def _settled(question: MailQuestion, remarks: tuple[Remark, ...], language: Language) -> str:
    """The one of two things that was said, where one asks which it was; C{""} where nobody said either."""
    if len(question.options) != 2:
        return ""
    low = question.text.lower()
    first = mentions_any(low, asking(language.code).first)
    past = not restating(language.code).past_words.isdisjoint(low.split())
    if not (question.recalls or first or past):
        return ""
    said = [place for one in sorted(remarks, key=lambda one: one.at) if one.kind == "said"
            for place, option in enumerate(question.options)
            if shared(content(option, language.code), content(one.value, language.code))]
    return "" if not said else question.options[said[0 if first else -1]]


def asks_state(question: MailQuestion, language: Language) -> bool:
    """Return whether a question is after the state of an order: when it comes, or how far it is."""
    how = asking(language.code)
    return question.type in ("when", "where") and mentions_any(question.text, how.status) or mentions_any(
        question.text, how.state)


def in_full(text: str, scene: Scene) -> str:
    """Return a short answer as this writer says it: of itself alone when private, without contractions when formal."""
    persona = scene.request.persona
    if not (persona.org or persona.role):
        for theirs, own in scene.language.short_own.items():
            if f" {theirs} " in f" {text} ":
                text = f" {text} ".replace(f" {theirs} ", f" {own} ").strip()
                break
    if scene.formality != "formal" or not text:
        return text
    return "".join(piece.text for piece in long_forms([Piece(text, True)], scene.language))
