"""
What is asked to be done: done for a day, promised, noted, or not done.
"""

from __future__ import annotations

from msgspec.structs import replace

from simmail.core.language.clause.inverted import flipped, participle
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.restate import deed, wants_deed
from simmail.core.language.clause.statement import bidden, stated
from simmail.core.language.clause.tables import clause_words, cut, done, fit, restating
from simmail.core.language.phrases import asks_for_something, documents, is_document, noun_phrase, words
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import Language, counted
from simmail.core.writer.answers.wanted import wished
from simmail.core.writer.answers.yes_no import agrees
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.sources.known import without_topic
from simmail.core.writer.speech_act import Said

#: Words of the longest thing that is promised by its whole name.
_LONGEST_SENT = 10
#: Among so many words behind "and" stands the verb of a clause of its own.
_CLAUSE = 5


#: Mail in which what is asked to be done is agreed to, and not worked at.
_ASKED_AS_QUESTION = frozenset(("question", "private", "greeting", "event", "information", "thanks", "closing"))

#: Mail that answers no request by what is done about it.
_ASKED_BESIDE = _ASKED_AS_QUESTION | {"meeting", "booked", "delay", "sick", "cancelled", "congrats"}


def requested(scene: Scene, read: Read, question: MailQuestion, place: int, values: dict[str, str]) -> Said | None:
    """Return what is said to what is asked to be done: it is done for a day, or not."""
    question = replace(question, text=_deed_alone(question.text, scene.language))
    if question.confirms:
        return Said(act="answer.confirm" if agrees(scene, question, asked=True) else "answer.dont", values=values)
    will, wont = deed(question.text.rpartition("; ")[2], scene.language, scene.far)
    will, wont = (will, wont) if will else _done(scene, question)
    yes = agrees(scene, question, asked=True) or read.intent == "complaint"  # what is put right
    plain, how = without_topic(values), asking(scene.language.code)
    lasting = mentions_any(question.text, (*how.lasting, *how.ever_after))
    if not will and (either := _either(question.text, scene.language)):
        return Said(act="answer.will", values={**plain, "task": either})
    if not will:
        if question.type == "request" and not asks_to_do(question.text, scene.language) and (
                documents(question.text, scene.language) or not wants_deed(question.text, scene.language)):
            return granted(scene, read, question, values)
        told = stated(question.text, scene.language, scene.sides) if question.type != "request" and (
            read.intent in _ASKED_AS_QUESTION) and restating(scene.language.code).order != "inverted" else None
        if told is not None and told.yes and (yes or told.no):
            # "¿Y puedes traer tú el postre?"
            return Said(act="answer.stated" if yes else "answer.denied", values={
                **plain, "value": told.yes if yes else told.no})
        if lasting or read.intent in _ASKED_AS_QUESTION and question.type != "request":
            return Said(act="answer.yes" if yes else "answer.dont", values={**plain, "yes": scene.language.yes})
        if read.intent in _ASKED_AS_QUESTION and yes:
            return wished(scene, read, question, values)
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


def _deed_alone(text: str, language: Language) -> str:
    """A request without what is told behind it: "could you fetch them on Tuesday and my van's clutch has gone?"."""
    how = restating(language.code)
    parts = text.split(f" {language.and_} ")
    for at in range(1, len(parts)):
        low = [word.strip(",.?!").lower() for word in parts[at].split()[:_CLAUSE]]
        starts = low and (low[0] in how.determiners or low[0] in how.pronouns and low[0] not in how.asked)
        if starts and not how.auxiliaries.isdisjoint(low[1:]) and len(parts[0].split()) > 2:
            return f"{f' {language.and_} '.join(parts[:at])}{text[-1:] if text[-1:] in '?.!' else ''}"
    return text


def _either(text: str, language: Language) -> str:
    """The last of two deeds that a plea of three words leaves to its reader: "please explain or amend"."""
    how = restating(language.code)
    said = [word for word in words(text.lower()) if word not in how.request_fillers and word.isalpha()]
    both = how.order == "inverted" and len(said) == len(("one", "or", "other")) and said[1] == language.or_ and (
        done(said[0], how) and done(said[2], how))
    return f"{said[2]} {language.one['it']}" if both else ""


def _done(scene: Scene, question: MailQuestion) -> tuple[str, str]:
    """What a request of several deeds, or one that is not plain, wants done and not done; two C{""} for another."""
    how = restating(scene.language.code)
    plea = bidden(question.text, scene.language, scene.sides._replace(we=False))
    if plea:
        return plea, plea
    told = stated(question.text, scene.language, scene.sides._replace(we=False))
    lead = next((one for one in how.done if told is not None and told.yes.startswith(one)), "")
    if told is None or not lead or not told.no.startswith(how.undone):
        return "", ""
    return told.yes.removeprefix(lead), told.no.removeprefix(how.undone)


def granted(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said | None:
    """Return what is said to who lists a thing and says not what to do: by when it comes; a paper comes by mail."""
    if seen_to := _seen_to(question.text, scene):
        return Said(act="answer.will", values={**without_topic(values), "task": seen_to})
    if not question.topic or asks_for_something(question.text, scene.language):
        return wished(scene, read, question, values) if read.intent in _ASKED_BESIDE and not documents(
            question.text, scene.language) else None
    day = scene.due(scene.manner.days, read.found.deadlines)
    more = {**values, **counted(question.topic, scene.language), **scene.by(day)}
    if not any(is_document(word.lower(), scene.language) for word in words(question.topic)):
        return Said(act="answer.item", values=more)
    doc = f"{question.text[:1].lower()}{question.text[1:]}" if scene.language.inflected else question.topic
    named = {name: value for name, value in more.items() if name not in ("topic", "ref")}
    return Said(act="document.promise", values={**named, "doc": doc}, promise=scene.promise(doc, day))


def _seen_to(item: str, scene: Scene) -> str:
    """What is to be got done of a thing in a list: "get the brakes put right", of "the brakes put right, for free"."""
    how = restating(scene.language.code)
    said = cut(clause_words(item), how)
    low = [word.lower() for word in said]
    at = next((at for at in range(2, len(low)) if participle(low[at], how) and low[at - 1] not in how.predicates), 0)
    if not how.causative or not at or low[0] not in how.determiners or not how.auxiliaries.isdisjoint(low) or (
            not how.pronouns.isdisjoint(low)):
        return ""
    said = [low[0], *said[1:]]
    return fit(f"{how.causative} {flipped(said, how, scene.sides._replace(we=False))}")


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
