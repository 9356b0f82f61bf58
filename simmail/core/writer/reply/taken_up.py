"""
What a mail tells, taken up in its own words by who reads it: "So the brakes still squeal.".

A stock reply could answer any mail; whoever has read one says what happened in it.  A sentence is said again only where
it can be turned round word by word; of a mail that has none its subject is named.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.language.clause.declarative.languages import opens_small, retold
from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.opening import without_leads
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import past, restating, third
from simmail.core.language.phrases import words
from simmail.core.language.questions import is_question, stands_in
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as language_of
from simmail.core.language.text import say
from simmail.core.rng import Dice
from simmail.core.writer.answers.wanted import is_made
from simmail.core.writer.choice import values_of
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.life import kind_words
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.side import asks_what_is_done, side_words, tells
from simmail.core.writer.speech_act import Said

#: Acts that could be said to any mail, and those of them that say nothing beside what is taken up.
_STOCK = frozenset({
    "information.ack", "information.ask", "information.seen", "answer.noted", "private.warm", "answer.unknown",
    "answer.think", "answer.past", "answer.wish", "task.noted"})
_EMPTY = frozenset({"information.ack", "information.ask", "information.seen", "answer.noted", "task.noted"})
#: Answers that leave open what is asked.
_OPEN = frozenset({"answer.unknown", "answer.think", "answer.find_out", "answer.past", "answer.open", "answer.when"})
#: How acts of exchanges are called that are said to news.
_NEWS = "_told."
#: What is said to a complaint whose matter nobody knows.
_REGRETS, _COMPLAINT = "complaint.sorry", "complaint."
#: Acts that say how what went wrong is put right.
_SORRY = frozenset({"answer.propose", "answer.regret"})
#: Sentences that are looked at; words of the shortest and of the longest clause, and of its beginning.
_SENTENCES, _SHORTEST, _LONGEST, _BEGIN = 12, 4, 18, 8
#: What nobody writes who is sad; so many more sad words than glad ones a sad mail has.
_CALLS, _SURELY = "!!", 1
#: Words with which somebody is called at the head of a sentence.
_CALLED = 3
#: Own words of a clause that tells no trouble, and words of two that do.
_OWN, _BOTH = 2, 20
#: What trouble, a number and a word of the subject tell of a matter, beside one of its own words.
_TROUBLE, _NUMBER, _SUBJECT, _WORDS = 6.0, 1.0, 1.0, 6
#: Behind these something else begins; what stands in brackets is left out, and so is what numbers a line.
_END = re.compile(
    r"\s[-–—]+>?\s|[;:](?:\s|$)|\.\s|,\s(?=(?:and|but|so|or|because)\s)|\s(?=(?:because|so that|since|as)\s)|[!?…]")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]|\s*\*+\s*")
#: Signs of what is no plain clause.
_MARKS = frozenset('"“”„/@_|=<>')
#: Letters of a word that is cried out, and no name in capitals.
_CRIED = 6
#: The share of capitals in a text that is shouted.
_SHOUTED = 0.6


class _Taken(NamedTuple):
    """A clause that may be taken up, how much it tells, and where it stands."""

    weight: float
    place: int
    told: str
    trouble: bool


def with_matter(scene: Scene, read: Read, said: list[Said]) -> list[Said]:
    """
    Return what is said to a mail; with what the mail tells before it where all of that could be said to any mail, and
    where a customer tells of trouble and is but answered what it asks.
    """
    if not said:
        return said
    if said[0].act == _REGRETS and (taken := taken_up(scene, read)) and taken[0].promise is not None:
        return [*taken, *said[1:]]
    if said[0].act.startswith(_COMPLAINT) and said[0].act != _REGRETS:
        # Who denies a fault promises nothing for it.
        return [one for one in said if one.act not in ("answer.will", "answer.do")]
    if any(one.act not in _STOCK for one in said):
        sorry = _sorry(scene, read, said) if all(one.act.startswith("answer.") or one.is_exchange and (
            _NEWS not in one.act) for one in said) else []
        # When it is known what is done is told already.
        return [*sorry, *(one for one in said if not (
            sorry and sorry[0].promise is not None and one.act in _OPEN and one.asked is not None and (
                one.asked.type == "when" or asks_what_is_done(one.asked.text, scene.language))))]
    if any(one.act == "answer.wish" for one in said) and not is_trouble(read, scene.language):
        return said  # what is wanted is named
    if offer := offered(scene, read):
        return [offer, *(one for one in said if one.act not in _STOCK)]
    taken, mood = taken_up(scene, read), sounds(scene, read)
    if mood < 0 and not scene.request.persona.org:
        # Nobody notes, or is glad of, what is sad.
        return [Said(act="moved.setback", values=values_of(scene, read)), *(
            one for one in said if one.act not in _EMPTY and one.act != "private.warm")]
    if any(one.act == "private.warm" for one in said) and (mood or not taken):
        # A kind word follows.
        return [*(replace(one, act="taken.warm") for one in taken if one.act == "taken.told"), *said]
    return [*taken, *(one for one in said if one.act not in _EMPTY and one.act != "private.warm")] if taken else said


def sounds(scene: Scene, read: Read) -> int:
    """Return whether a mail sounds glad, 1, or sad, -1, by its words; 0 for neither."""
    how = kind_words(scene.language.code)
    if not how.sadly:
        return 1
    said = set(words(read.found.new.lower()))
    if any(map(str.isdigit, read.found.new)):
        return 1 if _CALLS in read.found.new else 0  # who names figures tells what is to be known
    sad, glad = (sum(word.startswith(some) for word in said) for some in (how.sadly, how.gladly))
    glad += _CALLS in read.found.new
    return (glad > sad) - (sad > glad + _SURELY and _CALLS not in read.found.new)


def offered(scene: Scene, read: Read) -> Said | None:
    """Return what is said to who offers something to a friend and asks nothing: it is taken or not; None to others."""
    if scene.request.persona.org or is_made(read) or not read.found.sender.first:
        return None
    cues = kind_words(scene.language.code).offering
    told = next((one for one in read.found.prose.sentences[:_SENTENCES] if not is_question(one) and any(
        map(one.lower().replace("\u2019", "'").__contains__, cues))), "")
    if not told:
        return None
    mood = Dice(scene.request.persona.id).on("offered", " ".join(sorted(content(told, scene.language.code))))
    return Said(act="offered.take" if mood.chance(scene.manner.yes, "takes") else "offered.leave",
                values=values_of(scene, read))


def _sorry(scene: Scene, read: Read, said: list[Said]) -> list[Said]:
    """
    What is said to who tells of trouble with what its reader did or has, before what it asks is answered; nothing to
    others.
    """
    if scene.request.own or is_made(read) or any(one.act in _SORRY for one in said) or _is_supplied(scene, read):
        return []
    clause, how = matter_of(scene, read), side_words(scene.language.code)
    own = restating(scene.language.code).theirs.values()
    mine = scene.sides.we or len(said) == 1 and not set(own).isdisjoint(clause.lower().split())
    # "It is our mistake", "she complains".
    theirs = any(tells(one, how.own_fault) for one in read.found.prose.sentences[:_SENTENCES]) or (
        clause.partition(" ")[0].lower() in restating(scene.language.code).others)
    if mine and not theirs and (insists(read, scene.language) or tells(
            clause, how.broken, how.lacking, how.adverse)):
        return taken_up(scene, read)
    # What cannot be said again is regretted all the same.
    angry = scene.sides.we and read.intent != "private" and not read.found.sorry and any(
        tells(one, how.broken, how.adverse) and not is_question(one) and _tells(one, scene.language)
        and not any(stands_in(point, one) for point in read.found.points)
        and not set(restating(scene.language.code).whether).intersection(one.lower().split())
        for one in read.found.prose.sentences[:_SENTENCES])
    return [Said(act="answer.regret", values=values_of(scene, read))] if angry else []


def _is_supplied(scene: Scene, read: Read) -> bool:
    """Whether who tells of trouble has it itself, and offers what can be done: "our van broke down; we can come on"."""
    how = restating(scene.language.code)
    offers = tuple(f"{one} " for one in how.ways if how.order != "inverted")
    said = [one for one in read.found.prose.sentences[:_SENTENCES] if not is_question(one)]
    cues, admits = asking(scene.language.code).proposing, side_words(scene.language.code).admits
    return bool(offers) and (read.found.sorry and not insists(read, scene.language) or any(
        tells(one, admits) or one.lower().startswith(offers) or mentions_any(f" {one.lower()}", cues)
        for one in said))


def insists(read: Read, language: Language) -> bool:
    """Return whether who tells of trouble insists on its being put right: "I expect", "for the third time"."""
    cues = asking(language.code).insisting
    return bool(cues) and is_trouble(read, language) and any(
        mentions_any(f" {one.lower()}", cues) for one in read.found.prose.sentences[:_SENTENCES])


def taken_up(scene: Scene, read: Read) -> list[Said]:
    """Return what happened by a mail of a person, as its reader says it, and who looks into it; nothing for others."""
    if is_made(read):
        return []
    values, clause = values_of(scene, read), matter_of(scene, read)
    by = scene.by(scene.due(scene.manner.days, read.found.deadlines))
    if not clause:
        house = scene.request.persona.org or scene.request.persona.role
        return [Said(act="taken.matter", values={**values, **by})] if values.get("subject") and (
            house and not scene.request.own and len(read.found.prose.body.split()) > _LONGEST) else []
    # In a thread most was dealt with before, and new trouble is told by what is taken up itself.
    how, again = side_words(scene.language.code), scene.request.own
    serves = scene.request.persona.org and not (scene.friends or again and scene.has_said("taken.trouble"))
    if serves and (tells(clause, how.broken, how.lacking, how.adverse) if again else is_trouble(read, scene.language)):
        day = scene.due(scene.manner.days, read.found.deadlines)
        return [Said(act="taken.trouble", values={**values, **by, "value": clause}, promise=scene.promise(
            scene.language.what.task, day))]
    return [Said(act="taken.told", values={**values, "value": clause})]


def is_trouble(read: Read, language: Language) -> bool:
    """Return whether a mail tells of something that went wrong."""
    how = side_words(language.code)
    return read.found.complaint or any(
        tells(one, how.broken, how.fails, how.lacking, how.adverse) for one in read.found.prose.sentences[:_SENTENCES])


def matter_of(scene: Scene, read: Read) -> str:
    """
    Return the clause of a mail that tells most of its matter, as its reader says it, or two that tell of trouble; C{""}
    for none.
    """
    language, found = scene.language, read.found
    how, subject = side_words(language.code), content(read.mail.subject, language.code)
    taken: list[_Taken] = []
    for place, sentence in enumerate(found.prose.sentences[:_SENTENCES]):
        if is_question(sentence) or sentence in found.requests or sentence in found.prose.items and (
                found.points) or any(stands_in(one, sentence) for one in found.points) or not _tells(
                sentence, language):
            continue
        text = _unled(without_leads(_clause(sentence, language), asking(language.code).opening), how.connectives)
        text = _unaddressed(text, scene)
        own = content(text, language.code)
        if not own or len(own) < _OWN and not tells(text, how.adverse, how.broken):
            continue
        weight = min(len(own), _WORDS) + _SUBJECT * len(shared(own, subject)) - place / _SENTENCES
        trouble = tells(text, how.broken, how.fails, how.lacking, how.adverse)
        weight += _TROUBLE * trouble + _NUMBER * any(map(str.isdigit, text))
        if told := _turned(text, scene):
            taken.append(_Taken(weight, place, told, trouble))
    taken.sort(reverse=True)
    both = [one for one in taken if one.trouble][:2] if taken and taken[0].trouble else []
    if sum(len(one.told.split()) for one in both) <= _BOTH and len(both) > 1:
        return say(f", {language.and_} ".join(one.told for one in sorted(both, key=lambda one: one.place)), 160)
    return say(taken[0].told, 160) if taken else ""


def _unaddressed(text: str, scene: Scene) -> str:
    """
    A clause without who is called before it or behind it: "Lucía, hija, they took him in last night", "I waited for an
    hour, Ruth", "Mrs Calloway, your hens have been here".
    """
    first, _, last = scene.request.persona.name.rpartition(" ")
    first = first.partition(" ")[0] or last
    called = {first.lower(), *scene.language.greeting_words}
    while ", " in text:
        head, _, rest = text.partition(", ")
        if head.lower().partition(" ")[0] not in called and not (
                head.split()[-1:] == [last] and len(head.split()) <= _CALLED):
            break
        behind = rest.partition(", ")[0].lower()
        text, called = rest, called | ({behind} if " " not in behind else set())
    return text.rstrip(" .!").removesuffix(f", {first}") if first else text


def _tells(sentence: str, language: Language) -> bool:
    """Whether a sentence tells something, and is no courtesy, wish or condition."""
    low = f" {sentence.lower()} "
    first = low.split()[0].strip(",.:")
    return not (first in language.greeting_words or any(
        map(low.__contains__, side_words(language.code).untold)) or low[-2] in ":?")


@cache
def _behind(code: str) -> re.Pattern[str]:
    """Where another clause begins behind a comma, in a language whose joints are known."""
    joints = cutting(code).joints if restating(code).order != "inverted" else ()
    words = "|".join(map(re.escape, (*joints, language_of(code).and_)))
    return re.compile(rf",\s(?=(?:{words})\s)" if joints else r"(?!)")


def _clause(sentence: str, language: Language) -> str:
    """The first clause of a sentence, or as much of it as can be said, without what stands in brackets."""
    and_ = language.and_
    text = _END.split(_ASIDE.sub("", sentence).strip(" -–—.,*"), maxsplit=1)[0].strip(" ,.-–—")
    text = _behind(language.code).split(" ".join(text.split()), maxsplit=1)[0]
    while len(text.split()) > _LONGEST and f" {and_} " in text:
        text = text.rpartition(f" {and_} ")[0].rstrip(" ,")
    return text


def _unled(text: str, connectives: tuple[str, ...]) -> str:
    """A clause without what joins it to the one before: "in addition"."""
    lead = next((one for one in connectives if f"{text.lower()} ".startswith(f"{one} ")), "")
    return text[len(lead):].lstrip(" ,") if lead else text


def _turned(text: str, scene: Scene) -> str:
    """A clause as its reader says it, C{""} for what is none or cannot be turned round."""
    language = scene.language
    how, letters = restating(language.code), [one for one in text if one.isalpha()]
    if letters and sum(map(str.isupper, letters)) > _SHOUTED * len(letters):
        text = text.lower()
    words = text.split()
    low = [word.lower().strip(",'\"") for word in words]
    if language.or_ in low:
        return ""  # "shout by six or I'm asking my cousin": nothing is told yet
    at = low.index(language.and_) if language.and_ in low else 0
    if at and low[at + 1:at + 2] and low[at + 1] in {*how.asked, *how.asking, *how.subjects} and not any(
            third(one, how) or past(one, how) or one in how.auxiliaries or one in how.verbs for one in low[:at]):
        words, low = words[at + 1:], low[at + 1:]  # "eleven years and they gave us a leaflet"
        text = " ".join(words)
    if not _SHORTEST <= len(words) <= _LONGEST or not _MARKS.isdisjoint(text) or low[0] in how.conjunctions:
        return ""
    if how.order == "inverted":
        known = {*how.auxiliaries, *how.negated.values(), *map(str.lower, language.contractions)}
        if low[0] in how.auxiliaries or low[0] in how.negated.values():
            return ""  # "can't do Friday": nobody is named who cannot
        if not any(one in known or third(one, how) or past(one, how) or one in how.verbs and at
                   for at, one in enumerate(low[:_BEGIN])) or low[0] in how.verbs or past(low[0], how):
            return ""
        whole = [language.contractions.get(word.replace("\u2019", "'"), word) if word[:1] in "IY" or (
            word.partition("'")[0].lower() in how.asked) else word for word in text.replace(",", " ,").split()]
        said = flipped(" ".join(whole).split(), how, scene.sides).replace(" ,", ",")
    else:
        text = " ".join(word.lower() if len(word) >= _CRIED and word.isupper() and word.isalpha() else word
                        for word in words)
        subordinate = asking(language.code).opening.subordinate
        said = "" if low[0] in subordinate else retold(text, language.code, scene.sides.we, scene.distant)
    first, _, rest = said.partition(" ")
    small = first.lower() in {
        *how.determiners, *how.subjects, *language.determiners, *how.asked, *how.asking, *how.prepositions,
        *how.fillers, *how.when_words, *language.common_words} or opens_small(first, language.code)
    kept = first == "I" or first in language.polite_words
    return f"{first.lower() if small and not kept else first} {rest}" if rest else ""
