"""
The answer to one question: from the facts of the case, the thread, the notes, what the person knows of itself, or none.

An answer is of the type that is asked for: a wh-question gets no yes, and what nobody knows is not promised but said to
be unknown, asked back, or left to whom it concerns.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.clause.finding import found_out, own_matter, whether_clause
from simmail.core.language.clause.restate import asks_ability, deed, indirect, statement, whether
from simmail.core.language.clause.tables import Statement, restating
from simmail.core.language.dates import Slot
from simmail.core.language.facts import Fact
from simmail.core.language.phrases import asks_for_something, noun_phrase, say, words
from simmail.core.language.clause.question_types import asking, mentions_any, named_type, said_thing, type_of
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import Language, counted
from simmail.core.records.conversation import Remark
from simmail.core.rng import Dice
from simmail.core.writer.choice import LOW, values_of
from simmail.core.writer.context import Read, Scene, without_determiner
from simmail.core.writer.life import LIFE
from simmail.core.writer.polish import long_forms
from simmail.core.writer.sources.aim import aim_words
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.marks import marks, stems
from simmail.core.writer.sources.noted import liked, noted
from simmail.core.writer.sources.recall import check, is_moved, recall
from simmail.core.writer.sources.sentence import (
    changed_time, contradicts, corrected, sentences_about, speaks_of, told_sum, with_kin,
)
from simmail.core.writer.sources.said_words import content, has_number, kin, shared
from simmail.core.writer.sources.self_sheet import Told
from simmail.core.writer.sources.told import Recalled
from simmail.core.writer.sources.side import asks_what_is_done, names_damage
from simmail.core.writer.speech_act import Said
from simmail.core.writer.voice import Piece
from simmail.core.writer.wishes import want_sentence

#: Types of questions that are answered with a word of their own, never with yes or no.
_OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "why", "how", "what"))
#: Mail in which a customer asks when something is done.
_SERVING = frozenset(("question", "status", "complaint", "bug", "support", "task", "details"))
#: Words of the longest thing that is promised by its whole name.
_LONGEST_SENT = 10
#: What a line may name to say what it is the answer to.
NAMING = frozenset(("clause", "said", "denied", "task", "undone"))


def sources(scene: Scene) -> AnswerSources:
    """Return what answers to one mail are taken from."""
    return AnswerSources(scene.request, scene.calendar, scene.language, {
        read.mail.message_id for read in scene.read}, scene.far, scene.distant)


def answer(
    scene: Scene, read: Read, question: MailQuestion, place: int, back: bool, known: AnswerSources
) -> Said | None:
    """
    Return the answer to one question; None for a request that is answered by what is done.

    @param place: its number, for draws.
    @param back: it may be answered with a question.
    """
    values = _named(scene, read, question, known)
    if question.form == "opinion":
        return Said(act="answer.opinion", values=values)
    found = _known(scene, read, question, known)
    if found is not None:
        return found
    asked = _to_find_out(read, question, scene.language)
    if asked and not own_matter(asked, scene.language):
        # Nobody knows it before having asked.
        return _unknown(scene, read, question, values, known, whether_clause(asked, scene.language))
    if question.type == "request" and not question.recalls:
        return _request(scene, read, question, place, values)
    quoted = _quoted(scene, question, values, known) or _repeated(scene, read, question, values, known)
    # What its reader has written itself is no secret from it.
    if mentions_any(question.text, asking(scene.language.code).secret) and (
            quoted is None or not quoted.act.startswith("answer.yours")):
        return Said(act="answer.secret", values=values)
    if quoted is not None:
        return quoted
    chosen = _chosen(scene, question, place, values)
    if chosen is not None:
        return chosen
    if is_request(question, scene) and (
            asks_to_do(question.text, scene.language) or deed(question.text, scene.language, scene.far)[0]):
        return _request(scene, read, question, place, values)
    if back and _asks_back(scene, question, place):
        return Said(act="answer.back", values=values)
    if question.form == "yes_no" or question.type in ("yes_no", "choice"):
        return _yes_or_no(scene, read, question, values)
    return _unknown(scene, read, question, values, known)


def _to_find_out(read: Read, question: MailQuestion, language: Language) -> str:
    """What a question wants found out; where it is but the clause, its sentence says that it does."""
    asked = found_out(question.text, language)
    if not asked and question.behind:
        whole = (found_out(one, language) for one in read.found.prose.sentences if question.behind in one)
        asked = next((one for one in whole if one and one in question.behind), "")
    return asked


def _named(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> dict[str, str]:
    """What an answer to a question may name."""
    if not known.values:
        known.values.update(values_of(scene, read))
    return {**known.values, "topic": question.topic} if question.topic and question.type != "why" else {**known.values}


def _known(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> Said | None:
    """The same as is looked up, once for each question of a mail."""
    if question not in known.answers:
        known.answers[question] = _looked_up(scene, read, question, _named(scene, read, question, known), known)
    return known.answers[question]


def _looked_up(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """The answer from what stands written or is known for sure, None when nothing says it."""
    language = scene.language
    if question.type == "yes_no":
        so = check(question, read.base, known.remarks, known.facts, language)
        if so is not None and so.fact is not None:
            told = {**so.fact.values(language), "value": so.fact.value.rstrip(".")}
            return Said(act="answer.fact_so" if so.agrees else "answer.fact_not", values={**values, **told})
        if so is not None and so.remark is not None:
            return _from_thread(scene, so.remark, values, "answer.said_so" if so.agrees else "answer.said_not")
    several = _several(scene, question, known)
    if several:
        return Said(act="answer.details", values={**values, "value": several})
    held = _held(question.options, [*(one.value for one in known.facts), *scene.request.notes], language)
    if held:
        return _option(held, values, language)
    fact = known.fact(question)
    before = None
    if known.remarks and (question.recalls or fact is not None and facts.answering(
            question.text, known.facts, language) is None):
        # What stands in the thread is nearer than a fact of another name.
        before = _told_before(scene, read, question, values, known)
        if before is not None and before.act == "answer.piece":
            return before
    if fact is not None and question.type == "who" and ", " in fact.value:
        return Said(act="answer.piece", values={**_plain(values), "value": fact.value})  # "Kofi, side gate"
    if fact is not None and question.type != "why":
        return Said(act=fact.act(), values={**values, **fact.values(language)})
    named = asking(language.code).state_named if asks_state(question, language) else ()
    fact = None if fact is not None else next(
        (one for one in known.facts if one.label.lower() in named), None) or _by_value(question, known.facts, language)
    if fact is not None:
        return Said(act="answer.said", values={**values, "value": f"{fact.value[:1].upper()}{fact.value[1:]}."})
    left = _left(question.options, scene) or _settled(question, known.remarks, language)
    if left:
        return _option(left, values, language)
    if _is_off(question, known.remarks, language):
        return Said(act="answer.called_off", values=values)
    sum_of = known.sum_of(question)
    if sum_of:
        return Said(act="answer.sum", values={**values, "value": sum_of})
    before = before or _told_before(scene, read, question, values, known)
    if before is not None:
        return before
    if question.recalls and question.checks and question.behind:
        return _quoted(scene, question, values, known)
    reference = _reference(scene, read, question)
    if reference:
        return Said(act="answer.recall", values={**values, "value": reference})
    fact = known.note(question)
    if fact is not None and question.type != "why":
        return Said(act=fact.act(), values={**values, **fact.values(language)})
    note = "" if question.recalls else noted(question, scene.request.notes, read.base, language)
    if note:
        return Said(act="answer.own", values={**values, "value": note})
    if question.recalls:
        quoted = _quoted(scene, question, values, known)
        if quoted is not None:
            return quoted
    promised = _promised_day(scene, question)
    if promised is not None:
        return Said(act="answer.when", values={
            **values, **counted(question.topic, language), **scene.by(promised)})
    return _of_self(scene, question, values, known)


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
    told = [content(one, language.code) for one in known]
    named = [any(words and words <= one for one in told) for words in (content(one, language.code) for one in options)]
    return options[named.index(True)] if named.count(True) == 1 else ""


def _option(option: str, values: dict[str, str], language: Language) -> Said:
    act = "answer.option" if option.split()[0].lower() in language.determiners else "answer.way"
    return Said(act=act, values={**values, "option": option})


def _by_value(question: MailQuestion, known: tuple[Fact, ...], language: Language) -> Fact | None:
    """A fact whose value says what is asked: "has it been shipped?" is answered by "status: shipped on 1 March"."""
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
    if question.type not in _OPEN and not _asks_when(question, language):
        return None
    if not content(question.text, language.code):
        # "Who comes, and from when?": what the second part asks about stands in the first.
        asked = question.text.strip(" ?").lower()
        whole = next((one for one in read.found.prose.sentences if asked in one.lower()), "")
        question = replace(question, text=say(whole, 200) or question.text)
    remark = recall(question, known.remarks, language)
    hit = known.nearest(question)
    piece = _piece(question, known)
    if piece is not None and piece.sure and not (
            question.type == "when" and remark is not None and remark.kind in ("agreed", "called_off")):
        return Said(act="answer.piece", values={**_plain(values), "value": piece.text})
    moved = _moved(hit.remark, known.remarks, language) if hit is not None and question.type == "when" else None
    if moved is not None:
        return _from_thread(scene, moved, values, "answer.recall")
    if hit is not None and hit.shared and (remark is None or not stems(question.text) & stems(remark.what)) and (
            question.recalls or hit.shared > 1 or question.type not in ("what", "how", "why")):
        part = told_sum(question, hit.remark.value, language)
        plain = {name: one for name, one in values.items() if name != "topic"}
        told = with_kin(question, hit.remark, known.remarks, language)
        later = changed_time(hit.remark, known.remarks, language) if question.type == "when" else None
        if later is not None:
            told = replace(told, value=f"{told.value} ... {later.value}")
        return _word_for_word(scene, told, False, plain, part)
    return None if remark is None else _from_thread(scene, remark, values, "answer.recall")


def is_told(scene: Scene, question: MailQuestion, known: AnswerSources) -> bool:
    """Return whether the thread answers a question, so that nothing has to be decided about it."""
    if question.type not in _OPEN and not _asks_when(question, scene.language):
        return False
    if known.sum_of(question):
        return True
    found = _piece(question, known)
    return found is not None and found.sure


def _plain(values: dict[str, str]) -> dict[str, str]:
    return {name: one for name, one in values.items() if name != "topic"}


def _asks_when(question: MailQuestion, language: Language) -> bool:
    """Whether what sounds as if it asked for an appointment begins with "when": "since when are you free?"."""
    return question.form == "time" and type_of(question.text.lower().strip(" ¿?"), language) == "when"


def _piece(question: MailQuestion, known: AnswerSources) -> Recalled | None:
    """The piece of the thread that answers; a question for a time of one's own is none of what was said."""
    return known.piece(replace(question, type="when") if question.form == "time" else question)


def known_answer(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> Said | None:
    """Return the answer from what stands written or the person knows of itself, None where neither says it."""
    return None if question.form == "time" else _known(scene, read, question, known)


def _moved(remark: Remark, remarks: tuple[Remark, ...], language: Language) -> Remark | None:
    """The appointment that took the place of one that a sentence names, None where that stands or names none."""
    times = [one for one in remarks if one.kind in ("agreed", "proposed") and one.when is not None]
    days = marks(remark.value, remark.at, language).days
    if not times or not days or times[-1].at <= remark.at or times[-1].when is None:
        return None
    how = asking(language.code)
    moving = [one.at for one in remarks if one.kind == "said" and one.at > remark.at and mentions_any(
        one.value, (*how.moving, *language.sorry_words, *language.called_off))]
    times = [one for one in times if one.at <= remark.at or one.kind == "agreed" and one.timed or any(
        at <= one.at for at in moving)]
    earlier = {one.when.date() for one in times if one.when is not None and one.at <= remark.at}
    last = times[-1]
    return last if days & earlier and last.when is not None and last.when.date() not in days else None


def _quoted(
    scene: Scene, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """What was said word for word, where nothing that has a name answers."""
    piece = _piece(question, known)
    if piece is not None:
        return Said(act="answer.piece", values={**_plain(values), "value": piece.text})
    near = known.nearest(question)
    remark = None if near is None else near.remark
    plain = {name: one for name, one in values.items() if name != "topic"}
    if question.checks and question.recalls and known.remarks and (
            remark is None or not speaks_of(question, remark, scene.language)):
        return Said(act="answer.never", values=plain)
    if remark is None:
        return None
    denied = (question.checks or bool(question.behind)) and contradicts(question, remark.value, scene.language)
    return _word_for_word(scene, remark, denied, plain)


def _repeated(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """What a request to say it once more asks for, in this sentence or beside it, word for word."""
    if not question.recalls or question.checks or question.behind or question.type not in ("yes_no", "request"):
        return None
    about = " ".join(read.found.prose.sentences)[:300]
    if mentions_any(question.text, asking(scene.language.code).repeats):
        # "We come on Friday.  Could you repeat the day?" is asked of who reads it.
        here = [one for one in read.found.prose.sentences if one not in read.found.repeating and has_number(
            one, scene.language)]
        # What it asks for besides was said before.
        for part in question.text.split(f" {scene.language.and_} ")[1:] if here else ():
            type = named_type(part, scene.language)
            hit = known.nearest(replace(question, text=part, type=type, behind="", checks=False)) if type else None
            if hit is not None and hit.shared:
                here.append(hit.remark.value)
        if here:
            told = say(" ... ".join(here[-2:]), 300)
            return _word_for_word(scene, Remark("said", "correspondent", "", read.base, told), False, {
                name: one for name, one in values.items() if name != "topic"})
    some = sentences_about(about, known.remarks, scene.language, scene.request.meaning)
    if not some:
        return None
    told = " ... ".join(one.value for one in some)
    return _word_for_word(scene, replace(some[-1], value=told), False, {
        name: one for name, one in values.items() if name != "topic"})


def _word_for_word(scene: Scene, remark: Remark, denied: bool, values: dict[str, str], part: str = "") -> Said:
    if part:
        return Said(act="answer.recall", values={**values, "value": part})
    opening, closing = scene.language.quotes
    told = corrected(remark, scene.request.remarks, scene.language)
    whose = "mine" if remark.by == "persona" else "yours"
    return Said(act=f"answer.{whose}_not" if denied else f"answer.{whose}", values={
        **values, "value": f"{opening}{told}{closing}"})


def _from_thread(scene: Scene, remark: Remark, values: dict[str, str], act: str) -> Said:
    if remark.kind == "said":
        return _word_for_word(scene, remark, act == "answer.said_not", values)
    value = remark.value
    if remark.when is not None:
        when = remark.when.astimezone(scene.calendar.zone)
        value = scene.calendar.appointment(Slot(start=when, timed=remark.timed), scene.language)
    if remark.kind == "called_off":
        return Said(act="answer.called_off", values={**values, "value": value})
    return Said(act=act, values={**values, "value": value})


def _reference(scene: Scene, read: Read, question: MailQuestion) -> str:
    """A number that stands in the mail itself, or in what is quoted below it: "what is the order number?"."""
    thing, how = said_thing(question.text, scene.language).lower(), asking(scene.language.code)
    if scene.request.own and question.type == "what" and not mentions_any(question.text, how.not_numbered) and any(
            word.lower().endswith(how.numbered) for word in words(question.text)):
        return next(iter(read.found.references), "")
    if question.type not in ("what", "request") or not any(
            noun in thing for noun in scene.language.reference_words if len(noun) > 2):
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
    if len(listed) > 1:
        return Said(act="answer.details", values={**values, "value": _list(scene, listed)})
    told = known.sheet.answering(question.text, question.type)
    if told is None and listed and (question.type == "request" or question.text.rstrip()[-1:] != "?"):
        told = listed[0]
    if told is None:
        return None
    return Said(act="answer.life" if told.private else "answer.own", values={
        **values, "value": _sentence(scene, question, told)})


def is_proposal(question: MailQuestion, scene: Scene) -> bool:
    """Return whether somebody who wants nothing itself is asked what it proposes about goods that arrived broken."""
    wants = scene.request.persona.wants
    return (wants is UNSET or not wants) and asks_what_is_done(question.text, scene.language) and any(
        names_damage(read.found, scene.language) for read in scene.read)


def _list(scene: Scene, listed: Sequence[Told | Fact]) -> str:
    colon = scene.language.colon
    lines = (f"{told.label[:1].upper()}{told.label[1:]}{colon}{told.value}" for told in listed if told.value != "-")
    return "\n".join(lines)


def _sentence(scene: Scene, question: MailQuestion, told: Told) -> str:
    if told.agrees is None:
        return told.sentence
    yes = scene.language.yes if told.agrees else scene.language.no
    full = restated(scene, question)
    clause = full.said if told.agrees else full.denied
    head = f"{yes[:1].upper()}{yes[1:]}"
    return f"{head}, {clause}. {told.sentence}" if clause and question.type == "yes_no" else f"{head}. {told.sentence}"


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
    how = asking(language.code)
    low = question.text.lower()
    first = mentions_any(low, how.first)
    past = not restating(language.code).past_words.isdisjoint(low.split())
    if len(question.options) != 2 or not (question.recalls or first or past):
        return ""
    said = [(one.at, place) for one in remarks if one.kind == "said" for place, option in enumerate(question.options)
            if shared(content(option, language.code), content(one.value, language.code))]
    return "" if not said else question.options[(min if first else max)(said)[1]]


def _chosen(scene: Scene, question: MailQuestion, place: int, values: dict[str, str]) -> Said | None:
    """One of two things that are offered, None where nothing is."""
    dice, language = scene.dice, scene.language
    if question.options and question.form == "choice":
        option = liked(question.options, scene.request.notes, language) or dice.choice(question.options, "which", place)
        return _option(option, values, language)
    if question.form == "either":
        halves = question.text.rstrip("?").partition(f" {language.or_} ")
        whole = [restate.said for restate in (
            statement(half.strip(" ,"), language, scene.far) for half in (halves[0], halves[2])) if restate.said]
        if len(whole) == 2:
            said = in_full(dice.choice(whole, "either", place), scene)
            return Said(act="answer.own", values={**values, "value": f"{said[:1].upper()}{said[1:]}."})
        answers = language.answers
        plain = {name: value for name, value in values.items() if name != "topic"}
        return Said(act="answer.either", values={
            **plain, "option": dice.choice((answers.first, answers.second), "either", place)})
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
        return Said(act="answer.confirm" if agrees(scene, values, asked=True) else "answer.dont", values=values)
    will, wont = deed(question.text, scene.language, scene.far)
    yes = agrees(scene, values, asked=True)
    plain = {name: value for name, value in values.items() if name != "topic"}
    if not will:
        if question.type == "request":
            return None
        day = scene.due(scene.manner.days, read.found.deadlines)
        return Said(act="answer.do", values={**values, **scene.by(day)}, promise=scene.promise(
            scene.language.what.task, day)) if yes else Said(act="answer.dont", values=values)
    if not yes:
        return Said(act="answer.wont", values={**plain, "undone": wont}) if wont else Said(
            act="answer.dont", values=values)
    day = scene.due(scene.manner.days, read.found.deadlines)
    what = _sent(will, scene.language) or scene.language.what.task
    # "Could you send it?" asks for what is promised already.
    owed = bool(scene.request.owed or scene.request.owes) and not restating(scene.language.code).pointing.isdisjoint(
        word.lower() for word in will.split())
    # "Vous envoyer": a pronoun may stand before it.
    reported = not owed and not restating(scene.language.code).reported.isdisjoint(will.lower().split()[:2])
    return Said(act="answer.will", values={**plain, "task": will}, promise=scene.promise(
        what, day) if reported else None)


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


def agrees(scene: Scene, values: dict[str, str], asked: bool = False) -> bool:
    """
    Return whether a person says yes; in one thread always alike.

    @param asked: to have something done, which mostly it does.
    """
    mood = Dice(scene.request.persona.id).on("yes", values.get("subject", "").lower())
    return mood.chance(max(scene.manner.yes, 0.95) if asked else scene.manner.yes, "yes")


def restated(scene: Scene, question: MailQuestion) -> Statement:
    """Return a yes-or-no question as a yes and a no in full."""
    how = whether if question.behind else statement
    full = how(question.behind or question.text, scene.language, scene.far)
    return Statement(in_full(full.said, scene), in_full(full.denied, scene))


def _yes_or_no(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said:
    """A yes or a no; to a request to agree an agreement or a refusal."""
    asked = is_request(question, scene)
    yes = agrees(scene, values, asked)
    if asked and question.confirms:
        return Said(act="answer.confirm" if yes else "answer.dont", values=values)
    if any(word in question.text.lower() for word in scene.language.pleased):
        return Said(act="answer.glad" if yes else "answer.sorry", values=values)
    how = restating(scene.language.code)
    full = restated(scene, question)
    if yes and mentions_any(question.text, how.bothering):
        clause = f"{scene.language.no[:1].upper()}{scene.language.no[1:]}, {full.denied}." if full.denied else ""
        return Said(act="answer.own", values={**values, "value": clause or how.unbothered})
    low = f" {' '.join(words((question.behind or question.text).lower()))} "
    # Of what is none of theirs people know less: "is the order complete?"
    own = any(f" {word} " in low for word in how.own_matter) or not how.own_matter
    short = [in_full(one, scene) for one in question.short]
    if any(f" {word} " in low for word in how.any_words) and question.type == "yes_no":
        yes = yes and scene.manner.yes < 0.6  # "is there anything else?": mostly not
    clause = full.said if yes else full.denied
    if not clause:
        named = {"yes": short[0] or scene.language.yes} if yes else {"no": short[1] or scene.language.no}
        return Said(act="answer.yes" if yes else "answer.no", values={**values, **named})
    # What is said in full needs no short answer.
    plain = {name: value for name, value in values.items() if name != "topic"}
    named = {"said": clause} if yes else {"denied": clause}
    if not own or not yes and any(f" {word} " in low for word in how.any_words):
        return Said(act="answer.maybe" if yes else "answer.maybe_not", values={**plain, **named})
    return Said(act="answer.yes" if yes else "answer.no", values={**plain, **named})


def _unknown(
    scene: Scene, read: Read, question: MailQuestion, values: dict[str, str], known: AnswerSources, clause: str = "",
) -> Said:
    """What is said to a question that nobody has told the answer to, by its type."""
    language, how = scene.language, asking(scene.language.code)
    clause = in_full(clause or indirect(question.text, language, scene.far), scene)
    plain = {name: value for name, value in values.items() if name != "topic" or not clause}
    if clause:
        plain["clause"] = clause
    sheet, low = known.sheet, question.text.lower()
    area = sheet.area_of(low)
    colleague = sheet.colleague(area) if area and area != sheet.area else None
    if question.type == "who" and mentions_any(low, how.in_charge) and not mentions_any(low, how.together):
        other = sheet.colleague(area or sheet.area)
        if colleague is None or other is None:
            return Said(act="answer.me", values=plain)
        return Said(act="answer.who", values={**plain, "colleague": other.name, "area": other.area})
    if question.type == "when" and question.needs:
        return Said(act="answer.need", values={**values, **scene.by(scene.calendar.workday(scene.manner.days + 4))})
    if question.type == "many" and (question.needs or any(word in low for word in language.counted_words)):
        number = 2 + Dice(scene.request.persona.id).on("invented", question.topic.lower()).below(30, "many")
        return Said(act="answer.number", values={**values, "value": str(number)})
    if question.type == "why" and mentions_any(low, how.late):
        return Said(act="answer.why", values=plain)
    mine = {word.lower() for word in clause.split()}.intersection(restating(language.code).asked.values())
    if not restating(language.code).turns:
        # Where no clause can be made of it: a question that calls its reader "you" is the reader's own matter.
        mine = set(question.text.split()) & (language.polite_words | language.familiar_words)
    if question.type in ("what", "how", "where", "when", "long", "much", "many", "often", "who") and any(
            word in clause.split() for word in restating(language.code).asked.values()) or mine:
        gone = any(f" {word} " in f" {low} " for word in restating(language.code).past_words)
        if question.type == "when" and not gone and scene.request.persona.org and read.intent in _SERVING:
            # Who serves customers says a day.
            day = scene.due(scene.manner.days, read.found.deadlines)
            return Said(act="answer.when", values={**plain, **counted("", language), **scene.by(day)})
        return Said(act="answer.past" if gone else "answer.think", values=_plain(
            values) if asks_what_is_done(question.text, language) else plain)
    if asks_state(question, language):
        return LIFE["status"](scene, read, "status", 0)[0]
    if colleague is not None:
        plain.update(colleague=colleague.name, area=colleague.area)
    return Said(act="answer.unknown", values=plain)


def asks_state(question: MailQuestion, language: Language) -> bool:
    """Return whether a question is after the state of an order: when it comes, or how far it is."""
    how = asking(language.code)
    return question.type in ("when", "where") and mentions_any(question.text, how.status) or mentions_any(
        question.text, how.state)


def is_request(question: MailQuestion, scene: Scene) -> bool:
    """Return whether a question asks for something: "Could you send us the contract?" is answered by sending it."""
    return question.form in ("yes_no", "choice") and asks_for_something(
        question.text, scene.language) and not asks_ability(question.text, scene.language)


def in_full(text: str, scene: Scene) -> str:
    """Return a short answer as this writer says it: without contractions when formal."""
    if scene.formality != "formal" or not text:
        return text
    return "".join(piece.text for piece in long_forms([Piece(text, True)], scene.language))


def unnamed(act: Said, yes_no: tuple[str, str]) -> Said:
    """Return an answer that does not say what it is the answer to: that stands above it."""
    values = {name: value for name, value in act.values.items() if name not in NAMING}
    if act.act in ("answer.yes", "answer.no"):
        values[act.act.partition(".")[2]] = yes_no[act.act == "answer.no"]
    elif act.act in ("answer.maybe", "answer.will", "answer.wont") or NAMING.isdisjoint(act.values):
        return act
    return replace(act, values=values)
