"""
The answers to the questions of a mail: from the facts of the case, the thread, the notes, what the person knows of
itself, an exchange, or none.

An answer is of the type that is asked for: a wh-question gets no yes, and what nobody knows is not promised but said to
be unknown, asked back, or left to whom it concerns.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import dates
from simmail.core.language.clause.alternatives import is_timed
from simmail.core.language.clause.choosing.objects import with_object
from simmail.core.language.clause.inverted import plain_of_ing
from simmail.core.language.clause.offers import ultimatum
from simmail.core.language.clause.opening import without_leads
from simmail.core.language.clause.question_types import asking, mentions_any, type_of
from simmail.core.language.clause.restate import deed, found_out, of_another, own_matter
from simmail.core.language.clause.statement import plain_form, stated
from simmail.core.language.clause.tables import done, restating
from simmail.core.language.phrases import asks_for_something, documents, words
from simmail.core.language.questions import MailQuestion, asks_to_do, opens_question, stands_in
from simmail.core.language.tables import Language
from simmail.core.language.text import capital
from simmail.core.writer.answers.advice import advised
from simmail.core.writer.answers.requests import granted, requested
from simmail.core.writer.answers.unknown import looked_into, unknown
from simmail.core.writer.answers.wanted import wants_doing
from simmail.core.writer.answers.yes_no import either_of, is_request, of_things, yes_or_no
from simmail.core.writer.by_intent import meeting
from simmail.core.writer.choice import LOW
from simmail.core.writer.context import Read, Scene, without_determiner
from simmail.core.writer.exchanges import recognition
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import (
    asks_state, is_told, looked_up, option_said, own, said_before, values_for, without_topic,
)
from simmail.core.writer.sources.noted import liked
from simmail.core.writer.sources.recall import is_gone, was_said
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.speech_act import Said

#: Types of questions that a thread answers or leaves open.
_REMEMBERED = frozenset(("who", "where", "when", "long", "much", "many", "what", "how"))
#: Things to choose that are no list.
_PAIR = 2
#: Characters behind "if so" in which it is said what is wanted then.
_NEAR = 60
#: Among so many words stands what denies a condition.
_CONDITION = 8
#: Words of a thing to choose that needs no article.
_SHORT = 2
#: Answers that say by themselves what they are the answer to.
_NAMED = frozenset({
    "answer.fact", "answer.said_so", "answer.said_not",
    "answer.own", "answer.life", "answer.propose", "answer.details", "answer.recall", "answer.piece",
    "answer.sum", "answer.never", "answer.open", "answer.called_off", "answer.confirm", "answer.do", "answer.dont",
    "answer.option", "answer.way", "answer.who", "answer.me", "answer.opinion",
    "answer.stated", "answer.denied", "answer.find_out", "answer.item", "answer.noted",
    "answer.weigh", "answer.checked", "answer.gone", "answer.wish", "taken.told",
})
#: Answers that tell nothing, not even what they are the answer to.
_EMPTY = frozenset(("answer.unknown", "answer.think", "answer.past", "answer.open", "answer.either"))
#: How acts are called that are said to news.
_TOLD = "_told."
#: Answers that compare what is asked with what is known.
_COMPARED = frozenset({"answer.said_so", "answer.said_not"})
#: Answers that are a yes or a no, and which.
_YES_NO = {"answer.yes": "yes", "answer.so": "yes", "answer.no": "no", "answer.not_so": "no"}
#: That something was never said.
_UNSAID = frozenset(("answer.unsaid", "answer.never"))
#: A question with fewer words of its own may ask about what was claimed before it: "may I write that down?".
_POINTING = 4
#: Mail among friends: nobody quotes or numbers their questions.
CLOSE = frozenset({"private", "greeting", "event", "congrats", "sick"})
#: Answers that refuse or deny, and those that leave it open.
_REFUSED = frozenset(("answer.no", "answer.not_so", "answer.denied", "answer.dont", "answer.wont", "answer.sorry"))
_OPEN = frozenset(("answer.unknown", "answer.find_out", "answer.think", "answer.weigh", "answer.open", "answer.back"))
#: What a line may name to say what it is the answer to.
_NAMING = frozenset(("task", "undone", "doc"))


def answer(
    scene: Scene, read: Read, question: MailQuestion, place: int, back: bool, known: AnswerSources
) -> Said | None:
    """
    Return the answer to one question; None for a request that is answered by what is done.

    @param place: its number, for draws.
    @param back: it may be answered with a question.
    """
    values = values_for(scene, read, question, known)
    if wants_doing(scene, question) and not (question.recalls or question.claims):
        # "Book the hall for us": what it costs is not asked.
        return exchanged(scene, read, question) or requested(scene, read, question, place, values)
    if scene.request.own and question.type == "yes_no":
        # "They're still on, aren't they?"
        whole = " ".join(one for one in read.found.prose.sentences if one and (
            stands_in(question, one) or question.behind and question.behind in one))
        if is_gone(whole or question.text, known.remarks, scene.language):
            return Said(act="answer.gone", values=without_topic(values))
    if question.claims and scene.request.own:
        # What nobody spoke of was not said, whoever claims it.
        if was_said(question.behind, known.remarks, scene.language):
            return yes_or_no(scene, read, question, values)
        told = looked_up(scene, read, question, known)
        if told is not None and told.act == "answer.said_not":
            return told  # "I told you that it was £100": it was £70
        whole = next((one for one in read.found.prose.sentences if question.behind in one), "")
        theirs = mentions_any(whole, asking(scene.language.code).claiming)
        return Said(act="answer.unsaid", values=values) if theirs else Said(
            act="answer.never", values=without_topic(values))
    found = looked_up(scene, read, question, known) if question.form != "opinion" else None
    two = question.type == "who" and len(question.options) == _PAIR and not question.recalls
    if found is not None and not _unoffered(question, found) and not (two and found.act == "answer.own"):
        return found
    begins = None if two else exchanged(scene, read, question)
    if question.form == "opinion":
        return begins or Said(act="answer.opinion", values=values)
    if begins is not None and question.type == "request":
        return begins
    asked = _to_find_out(read, question, scene.language)
    if asked and not own_matter(asked, scene.language):
        return looked_into(scene, read, question, asked, values, known)
    if mentions_any(question.text, restating(scene.language.code).bothering):
        return yes_or_no(scene, read, question, values)
    if question.type == "request" and not question.recalls:
        return requested(scene, read, question, place, values)
    quoted = said_before(scene, question, values, known)
    if quoted is None and mentions_any(question.text, asking(scene.language.code).secret) and not (
            of_another(question.text, scene.language)):
        return Said(act="answer.secret", values=values)
    if quoted is not None or begins is not None:
        return quoted or begins
    settled = either_of(scene, question) or advised(scene, question, values)
    if settled is not None:
        return settled
    chosen = _chosen(scene, read, question, place, values, known)
    if chosen is not None:
        return chosen
    if is_request(question, scene) and (
            asks_to_do(question.text, scene.language) or deed(question.text, scene.language, scene.far)[0]):
        return requested(scene, read, question, place, values)
    if question.recalls and known.remarks and question.type in _REMEMBERED:
        return Said(act="answer.open", values=without_topic(values))
    if question.form == "request" and not question.recalls:
        return granted(scene, read, question, values)  # an item of a list
    if back and _asks_back(scene, question, place):
        return Said(act="answer.back", values=values)
    if question.form == "yes_no" or question.form != "either" and question.type in ("yes_no", "choice") or (
            of_things(question, scene.language)):
        return yes_or_no(scene, read, question, values)
    return unknown(scene, read, question, values, known)


def _unoffered(question: MailQuestion, found: Said) -> bool:
    """Whether what somebody likes is none of three or more things that a mail lists: of black, silver and green."""
    listed = question.options if question.form == "choice" else ()
    value = str(found.values.get("value", "")).lower()
    return len(listed) > _PAIR and not any(one.split()[-1].lower() in value for one in listed)


def exchanged(scene: Scene, read: Read, question: MailQuestion) -> Said | None:
    """Return the answer of an exchange; what offers things to choose has one of those, what asks for papers those."""
    if question.checks or read.found.options or question.options or question.needs or documents(
            question.text, scene.language):
        return None
    how, said = restating(scene.language.code), question.text.lower().split()
    if question.type == "yes_no" and how.no_longer and how.no_longer in said and not how.having.isdisjoint(
            said) or question.type == "either" and either_of(scene, question) is not None:
        return None  # "have you still got the key?", "shall I ring him or do you?" say what is asked
    if question.type == "how" and scene.request.persona.org and said[1:2] and said[1] in (how.base, *how.based):
        return None  # "how does settling in work?"
    if question.form == "request" and not asks_for_something(question.text, scene.language):
        return None  # an item of a list
    if question.type == "what" and any(who in how.asked and _needs(
            deed.strip("?,."), scene.language) for who, deed in zip(said, said[1:])):
        return None  # what one brings oneself, and not what is to be brought
    if question.type == "yes_no" and how.order == "inverted" and of_another(question.text, scene.language):
        return None  # "does he eat?" is not how one is oneself
    if scene.request.persona.org and (question.type == "much" or question.type == "long" and mentions_any(
            f" {question.text.lower()} ", asking(scene.language.code).taking)):
        return None  # a firm's price is no debt among friends
    begins = recognition.answered(scene, read, question)
    # What is said to news answers no question.
    return None if begins is not None and question.behind and _TOLD in begins.act else begins


def _needs(low: str, language: Language) -> bool:
    """Whether a verb is what one needs, has or brings, also as it goes on."""
    how = restating(language.code)
    return low in how.needing or plain_of_ing(low, how) in how.needing


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
        said = [one.lower().strip(".,") for one in option.split()]
        first = next((one for one in said[:_SHORT] if one[:1].isdigit()), said[0])
        if any(one[:1].isdigit() for one in said) or first in language.weekday_forms or first in language.near_days:
            return "number"
        if first in language.determiners or first in language.choice_prepositions:
            return "phrase"
        return first if len(said) > _SHORT else "word"
    if len({one.split()[0].lower() for one in options}) == 1 and all(len(one.split()) > _SHORT for one in options):
        return True  # "you can send the small sacks", "you can cancel it"
    kinds = {kind(one) for one in options}
    if len({one.partition(" ")[0].lower() for one in options}) == 1:
        return True  # "I'll attend on 14 April", "I'll have my money back"
    if all(one.partition(" ")[0].lower() in language.determiners | restating(language.code).determiners
           for one in options):
        return True  # "the place on 18 March", "my £140 back"
    return len(options) > _PAIR or len(kinds) == 1 or "number" not in kinds


def _chosen(
    scene: Scene, read: Read, question: MailQuestion, place: int, values: dict[str, str], known: AnswerSources
) -> Said | None:
    """One of two things that are offered, None where nothing is."""
    dice, language = scene.dice, scene.language
    if question.options and question.form == "choice":
        wants = () if scene.request.persona.wants is UNSET else (scene.request.persona.wants,)
        # "I take them, or what shall I do?"
        things = tuple(one for one in question.options if not opens_question(one.lower(), language)) or question.options
        things = _suiting(_named_things(things, scene), scene, read)
        option = own(liked(things, (*wants, *scene.request.notes), language) or dice.choice(
            things, "which", place), scene)
        option = _turned_thing(option, question, scene)
        able = _able(question.text, option, scene)
        if able:
            return Said(act="answer.own", values={**without_topic(values), "value": able})
        if len(question.options) == 1:
            return Said(act="answer.own", values={**values, "value": language.would_rather.format(option=option)})
        if ultimatum(question.text, language):
            mine = _will(option, scene)
            return Said(act="answer.own", values={**values, "value": mine or language.would_rather.format(
                option=option)})
        if question.options[1].lower().startswith(asking(language.code).limiting):
            return Said(act="answer.own", values={**values, "value": f"{capital(option)}."})
        free = mentions_any(question.text, asking(language.code).free_choice)
        return option_said(option, values, language) if free or _alike(question.options, language) else unknown(
            scene, read, question, values, known)
    if question.type in ("when", "where") and question.options and question.form != "time":
        return option_said(own(dice.choice(question.options, "which", place), scene), without_topic(values), language)
    if question.type == "who" and len(question.options) == 2:
        how = restating(language.code)
        option = dice.choice(question.options, "which", place)
        told = _does(question.text, scene) if option in how.asked else ""
        return Said(act="answer.own", values={**without_topic(values), "value": told or (
            f"{capital(_person(option, scene))}.")})
    return None


def _turned_thing(option: str, question: MailQuestion, scene: Scene) -> str:
    """A thing to choose as its reader calls it, where it is named in the question: "at your cost", "ours"."""
    how, words = restating(scene.language.code), option.split()
    if how.order != "inverted" or len(words) > _SHORT + 1 or option.lower() not in question.text.lower():
        return option
    house = scene.sides.we
    return " ".join(how.theirs.get(f"{low} ours" if house else low) or how.theirs.get(low, word)
                    for word in words for low in (word.lower(),))


def _with_lead(options: tuple[str, ...]) -> tuple[str, ...]:
    """Two things of which the last is but a number, with what stands before that of the first: "in week 39 or 40"."""
    first = options[0] if options else ""
    lead, _, number = first.rpartition(" ")
    bare = lead and number.isdigit() and all(one.isdigit() for one in options[1:])
    return (first, *(f"{lead} {one}" for one in options[1:])) if bare else options


def _named_things(options: tuple[str, ...], scene: Scene) -> tuple[str, ...]:
    """Things to choose, without one that only points to what was named before: "want them or rather all together?"."""
    how, language = restating(scene.language.code), scene.language
    options = _with_lead(options)
    named = with_object([one for one in options if one.lower() not in how.pointing], how)
    first = [one.partition(" ") for one in named]
    plain = tuple(rest if word.lower() in language.choice_words and rest else f"{word}{blank}{rest}"
                  for word, blank, rest in first)
    return plain or options


def _suiting(options: tuple[str, ...], scene: Scene, read: Read) -> tuple[str, ...]:
    """Those of some days or hours at which somebody is free, all where nobody is at any, and of other things all."""
    if not all(is_timed(one, scene.language) for one in options):
        return options
    slots = {one: dates.find(one, read.base, read.found.language).slots[:1] for one in options}
    free = tuple(one for one, said in slots.items() if said and (scene.calendar.suits(
        said[0]) if said[0].timed else scene.calendar.working(said[0].start.date())))
    return free or options


def _person(option: str, scene: Scene) -> str:
    """One of two persons as the other side says it: "me tonight" is "you tonight", "yours" is "ours"."""
    how = restating(scene.language.code)
    first, blank, rest = option.partition(" ")
    low = first.lower()
    owned = how.theirs.get(f"{low} ours" if scene.sides.we else low) or how.theirs.get(low)
    told = how.objects.get(low) or owned or how.asked.get(first) or how.asking.get(low, first)
    return f"{told.split('|')[-1 if scene.far else 0]}{blank}{rest}"


def _will(option: str, scene: Scene) -> str:
    """One of two things that have to be, where it is done by who is asked: "I'll cancel the fine."; C{""} else."""
    how = restating(scene.language.code)
    first, _, rest = option.partition(" ")
    asked = next((one for one, said in how.asked.items() if said == first), "")
    told = stated(f"{how.will} {asked} {rest}?", scene.language, scene.sides) if asked and how.will else None
    return f"{capital(told.yes)}." if told is not None and told.yes else ""


def _does(question: str, scene: Scene) -> str:
    """That one does what is asked who of two does: "I'll raise the ticket."; C{""} for what cannot be said."""
    how = restating(scene.language.code)
    words = without_leads(question, asking(scene.language.code).opening).rpartition(", ")[0].split()
    if how.order != "inverted" or len(words) < 3 or type_of(words[0].lower(), scene.language) != "who":
        return ""
    low, who = words[1].lower(), next(iter(how.asked))
    verb = f"{how.asked_about[low]} {who}" if low in how.asked_about else f"{low} {who}" if low in how.modals else (
        f"{how.will} {who} {plain_form(low, how)}" if plain_form(low, how) != low else "")
    told = stated(f"{verb} {' '.join(words[2:])}?", scene.language, scene.sides) if verb else None
    return f"{capital(told.yes)}." if told is not None and told.yes else ""


def _able(question: str, option: str, scene: Scene) -> str:
    """One of two deeds as a sentence of who is asked whether it can do either, C{""} for another choice."""
    how = restating(scene.language.code)
    verb, who, *_ = (*question.lower().split(), "", "")
    if verb not in how.modals or who not in how.asked or not done(option.partition(" ")[0].lower(), how):
        return ""
    told = stated(f"{verb} {who} {option}?", scene.language, scene.sides)
    return f"{capital(told.yes)}." if told is not None and told.yes else ""


def _asks_back(scene: Scene, question: MailQuestion, place: int) -> bool:
    """Whether a question is answered with another: only where it asks for something to be told."""
    if question.type not in ("what", "who", "why", "much", "many") or len(question.text.split()) < 3 or asks_state(
            question, scene.language):
        return False
    how, said = restating(scene.language.code), question.text.lower().split()
    if not how.asking.keys().isdisjoint(said):
        return False  # "which papers do we need?"
    if question.type == "much" and scene.request.persona.org or how.yours and (
            how.yours.isdisjoint(said) or not how.needing.isdisjoint(said)):
        return False  # what one offers, what is no matter of one's own, "what do you need from me?"
    return scene.dice.weighted(scene.manner.does["question"], "answers", place) == "back" or (
        scene.request.trust < LOW and scene.dice.chance(0.7, "trusts", place))


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
        if said and _settled_by(said[-1], question, read, scene.language):
            continue
        back = all(one.act != "answer.back" for one in said)  # nobody answers every question with another
        chosen = either_of(scene, question) if question.form == "time" and question.type == "either" else None
        if chosen is not None:
            said.append(replace(chosen, asked=question))
            continue
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
        elif (layout or act.act in _OPEN) and _NAMING.isdisjoint(act.values) and question.topic and not (
                act.act in _NAMED or act.is_exchange):
            thing = without_determiner(question.topic, scene.language)
            lead = Said(act="lead.topic", values={"topic": question.topic, "thing": thing})
            act = replace(act, values={name: value for name, value in act.values.items() if name != "topic"})
        quoted = layout == "quoted" or bool(layout) and lead is None and act.act in _EMPTY and not (
            close or act.values.get("topic"))
        said.append(replace(
            act, asked=question, lead=lead,
            number=1 + sum(bool(one.number) for one in said) if layout == "numbered" else 0,
            quote=question.text if quoted and asked else "",
        ))
    # One alone is no list.
    return [replace(one, number=0) for one in said] if sum(bool(one.number) for one in said) < 2 else said


def _settled_by(before: Said, question: MailQuestion, read: Read, language: Language) -> bool:
    """Whether the answer before leaves nothing to a question that is asked for another case: "if not", "if so"."""
    how = asking(language.code)
    low = f"{question.text.lower()} "
    lead = read.sentence_of(question).lower().partition(low.strip(" ?"))[0].rstrip(" ,")
    if before.act in _UNSAID and len(content(question.text, language.code)) < _POINTING and not restating(
            language.code).pointing.isdisjoint(words(question.text.lower())):
        return True  # "You said that it was free.  May I write that?"
    if question.type == "why" and before.asked is not None and before.asked.options and len(question.text.split()) == 1:
        return True  # "which of these you choose and why"
    refused = before.act in _REFUSED or before.act.endswith(".no")
    if low.startswith(how.if_not) or _is_of_not(low, language):
        return not refused and before.act not in _OPEN
    return refused and (low.startswith(how.if_so) or lead.endswith(how.if_so) or _is_if_so(low, read, language))


def _is_if_so(low: str, read: Read, language: Language) -> bool:
    """Whether a mail asks something for the case that it is so, in other words: "if so, could somebody post them"."""
    body, last = " ".join(read.found.prose.body.lower().split()), " ".join(low.strip(" ?!.").split()[-2:])
    spots = (body.find(cue) for cue in asking(language.code).if_so)
    return bool(last) and any(at >= 0 and last in body[at:at + _NEAR] for at in spots)


def _is_of_not(low: str, language: Language) -> bool:
    """Whether a sentence is of the case that something is not so: "if the 18th is not possible then ..."."""
    how, said = restating(language.code), low.replace("\u2019", "'").split()[:_CONDITION]
    denied = {how.negation, *(one for one in how.negated.values() if " " not in one)}
    return bool(said) and said[0] in how.conditions and not denied.isdisjoint(said)


def _unnamed(act: Said, yes_no: tuple[str, str]) -> Said:
    """Return an answer that does not say what it is the answer to: that stands above it."""
    values = {name: value for name, value in act.values.items() if name not in _NAMING}
    if act.act in _YES_NO:
        values[_YES_NO[act.act]] = yes_no[_YES_NO[act.act] == "no"]
    elif act.act in ("answer.will", "answer.wont") or _NAMING.isdisjoint(act.values):
        return act
    return replace(act, values=values)
