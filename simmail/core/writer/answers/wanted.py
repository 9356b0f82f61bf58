"""
What is wanted and cannot be promised as a plain deed: it is named, with the day by which it is seen to.
"""

from __future__ import annotations

import re

from simmail.core.language import agreements
from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.opening import without_leads
from simmail.core.language.clause.question_types import asking
from simmail.core.language.clause.restate import deed
from simmail.core.language.clause.tables import done, restating
from simmail.core.language.phrases import documents
from simmail.core.language.questions import MailQuestion
from simmail.core.language.text import capital
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.sources.known import without_topic
from simmail.core.writer.speech_act import Said

#: Words of the longest wish that is named, those of one that names nothing, and where its end is.
_LONGEST, _BARE = 12, 2
#: Words of a thing that is told by its noun.
_NOUN = 4
_ENDS = re.compile(r"\s[-–—]\s|[;:](?:\s|$)|\s(?=(?:as|because|since)\s)|\s?[(]")


def is_made(read: Read) -> bool:
    """Return whether no person wrote a mail to its reader."""
    mail, found = read.mail, read.found
    if agreements.looks_made(found.new) or agreements.nobody_reads(mail.from_.address) or found.invited:
        return True
    return any(mail.header(name) for name in ("Auto-Submitted", "List-Unsubscribe", "List-Id"))


def wants_doing(scene: Scene, point: MailQuestion) -> bool:
    """Return whether a request wants something done, and nothing told or sent."""
    how = restating(scene.language.code)
    first = without_leads(point.text, asking(scene.language.code).opening).lower().split()[:1]
    will = deed(point.text, scene.language, scene.far)[0].lower().split()[:2]
    said = will or [one for one in first if done(one, how)]
    return point.type == "request" and bool(said) and not documents(point.text, scene.language) and (
        how.no_deeds | scene.language.send_words).isdisjoint(said)


def wished(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said:
    """Return what is said to what is wanted and is not plain enough to be promised as a deed: when it is seen to."""
    thing = _thing(question, scene)
    away = read.mail.subject.lower().startswith(read.found.language.subjects.ooo.lower())
    if not thing or away or is_made(read) or not any(map(str.isalpha, thing)):
        return Said(act="answer.noted", values=without_topic(values))
    asker = restating(scene.language.code).asking.get(_first(question.text))
    if asker and _first(thing) == asker and len(thing.split()) <= _BARE:
        return Said(act="answer.noted", values=without_topic(values))  # "we need"
    if asker and _first(thing) == asker:
        # "We need you at home."
        return Said(act="taken.told", values={**without_topic(values), "value": f"{thing[:1].lower()}{thing[1:]}"})
    first = _first(thing)
    how = restating(scene.language.code)
    second = thing.lower().split()[1:2]
    relays = first in how.relaying and how.objects.keys().isdisjoint(second) and not {*how.asked}.intersection(second)
    if how.order == "inverted" and (relays or done(first, how) and first not in how.no_deeds | how.auxiliaries and (
            first in scene.language.send_words)) and how.conditions.isdisjoint(thing.lower().split()):
        return Said(act="answer.will", values={**without_topic(values), "task": f"{first}{thing[len(first):]}"})
    day = scene.due(scene.manner.days, read.found.deadlines)
    return Said(act="answer.wish", values={**without_topic(values), "value": thing, **scene.by(day)})


def _first(text: str) -> str:
    """The first word of a text, small and without what is contracted with it."""
    return text.partition(" ")[0].lower().replace("\u2019", "'").partition("'")[0]


def _thing(question: MailQuestion, scene: Scene) -> str:
    """What is wanted as its reader says it, elsewhere by its noun or in quotes; C{""} for too much."""
    language, how, text = scene.language, restating(scene.language.code), question.text
    if how.order != "inverted":
        opening, closing = language.quotes
        topic = question.topic
        return capital(topic) if len(topic.split()) <= _NOUN else f"{opening}{topic}{closing}"
    asks = asking(language.code)
    if f"{text.lower()} ".startswith((*asks.if_not, *asks.if_so)):
        text = text.partition(", ")[2] or text
    low = text.lower().split()
    # "If that is not possible I need two of them by then."
    need = next((at + 2 for at, pair in enumerate(zip(low, low[1:])) if at and pair[0] in how.asking and (
        pair[1] in how.needing)), 0)
    text = " ".join(text.split()[need:]) if need else text
    clause = _ENDS.split(text.rpartition("; ")[2], maxsplit=1)[0].strip(" .,!?:")
    if len(clause.split()) > _LONGEST:
        # "We are at number 9, and please mind the tortoise."
        parts = clause.split(", ")
        clause = next((one for one in parts if len(one.split()) > _BARE and not how.request_fillers.isdisjoint(
            one.lower().split())), parts[0])
    if len(clause.split()) > _LONGEST:
        # "We need the name of whoever we ring if there is a recall in the night."
        said = clause.split()
        joints = {language.and_, language.or_, *how.conditions, *how.ends}
        ends = (at for at in range(_BARE + 1, _LONGEST) if said[at].lower() in joints)
        clause = " ".join(said[:max(ends, default=0)])
    clause = without_leads(clause, asks.opening)
    tokens = [word for word in clause.split() if word.lower() not in how.request_fillers]
    if sum(word.isupper() and len(word) > 1 for word in tokens) > len(tokens) // 2:
        tokens = [word.lower() for word in tokens]  # "WE STILL NEED TWO ADULTS"
    if not 0 < len(tokens) <= _LONGEST:
        return ""
    return capital(flipped(" ".join(tokens).replace(",", " ,").split(), how, scene.sides).replace(" ,", ","))
