"""
A yes or a no, mostly in full, and which of two things is so.
"""

from __future__ import annotations

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.restate import asks_ability
from simmail.core.language.clause.statement import clause_stated, either_stated, is_sound, positive, stated
from simmail.core.language.clause.tables import led_in, restating
from simmail.core.language.phrases import asks_for_something, words
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.language.text import capital
from simmail.core.rng import Dice
from simmail.core.writer.answers.advice import graver, leaning
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.sources.known import in_full, without_topic
from simmail.core.writer.sources.noted import liked
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.speech_act import Said

#: How often the first of two things is what is so; how often a yes or a no is said in full, by how much one writes.
_FIRST = 0.6
#: Of more things than two one is chosen by its name; what is asked for by these is no clause.
_PAIR = 2
#: Who says yes so often makes no problem of a thing.
_OBLIGING = 0.5
#: Words of a question among which its verb stands.
_DEED = 4
_WH = frozenset(("who", "what", "much", "many", "where", "when"))
_IN_FULL = {"short": 0.6, "medium": 0.85, "long": 0.95}


def agrees(scene: Scene, question: MailQuestion, asked: bool = False) -> bool:
    """
    Return whether a person says yes; to one question always alike, in whatever words.

    @param asked: to have something done, which mostly it does.
    """
    own = content(question.behind or question.text, scene.language.code)
    mood = Dice(scene.request.persona.id).on("yes", " ".join(sorted(own)))
    # Who leaves a decision to its reader mostly is agreed with.
    asked = asked or question.confirms and bool(question.behind)
    return mood.chance(max(scene.manner.yes, 0.95) if asked else scene.manner.yes, "yes")


def yes_or_no(scene: Scene, read: Read, question: MailQuestion, values: dict[str, str]) -> Said:
    """A yes or a no; to a request to agree an agreement or a refusal."""
    asked = is_request(question, scene)
    asks = asking(scene.language.code)
    is_human, is_machine = (mentions_any(question.text, one) for one in (asks.human, asks.machine))
    # Whoever it is, it is a person.
    lean = leaning(question.behind or question.text, scene)
    how = restating(scene.language.code)
    bothers = mentions_any(question.text, how.bothering)
    yes = is_human or not is_machine and (agrees(scene, question, asked or bothers) if lean is None else lean)
    if asked and question.confirms:
        return Said(act="answer.confirm" if yes else "answer.dont", values=values)
    if any(word in question.text.lower() for word in scene.language.pleased):
        return Said(act="answer.glad" if yes else "answer.sorry", values=values)
    if how.no_problem and mentions_any(question.text, how.problems):
        # What is no problem is not regretted.
        return Said(act="answer.own", values={
            **without_topic(values), "value": (
                how.no_problem if yes or scene.manner.yes >= _OBLIGING else how.is_problem)})
    if yes and bothers:
        return Said(act="answer.own", values={**values, "value": how.unbothered})
    low = f" {' '.join(words((question.behind or question.text).lower()))} "
    short = [in_full(one, scene) for one in (how.confirmed if question.checks and how.confirmed else question.short)]
    first = low.split()[:3]
    if len(first) > 2 and first[0] in how.permitting and first[1] in how.asking and first[2] in how.needing:
        short = [scene.language.yes, scene.language.no]  # "could I have a room?" is no offer
    if any(f" {word} " in low for word in how.any_words) and question.type == "yes_no":
        yes = yes and scene.manner.yes < 0.6  # "is there anything else?": mostly not
    named = {"yes": short[0] or scene.language.yes} if yes else {"no": short[1] or scene.language.no}
    affirmed = positive(question.behind, scene.language) if question.checks else ""
    if question.behind and not (question.checks or question.claims or question.recalls) and (
            can := clause_stated(positive(question.behind, scene.language), scene.language, scene.sides)) and can.yes:
        # "Let me know if you can't come."
        told = can.yes if yes else can.no
        return Said(act="answer.own", values={**without_topic(values), "value": f"{capital(told)}."})
    so = clause_stated(affirmed, scene.language, scene.sides) if affirmed else None
    if so is not None and so.yes and so.no:
        # "You're not cross, are you?"
        said = f"{scene.language.no}, {so.no}." if yes else f"{so.yes}."
        return Said(act="answer.own", values={**without_topic(values), "value": capital(said)})
    if affirmed and how.not_at_all:
        self_asked = words(affirmed)[0] in {*how.asked, *how.you, *map(str.capitalize, (*how.asked, *how.you))}
        said = how.not_at_all if self_asked else how.not_known
        return Said(act="answer.own", values={**without_topic(values), "value": said})
    statement = (clause_stated(question.behind, scene.language, scene.sides) if question.behind else
                 stated(question.text, scene.language, scene.sides)
                 or clause_stated(_supposed(question.text, scene.language), scene.language, scene.sides))
    told = "" if statement is None else statement.yes if yes else statement.no
    told = _arranged(told, question.text, scene) if is_sound(told, scene.language) else ""
    if told and statement is not None and (statement.wished or statement.nobody and not yes):
        said = f"{scene.language.yes if yes else scene.language.no}, {told}."
        return Said(act="answer.own", values={**without_topic(values), "value": capital(said)})
    if statement is None and how.order == "infinitive" and question.type == "yes_no" and not how.denying.isdisjoint(
            low.split()) and how.not_at_all:
        return Said(act="answer.own", values={**without_topic(values), "value": how.not_at_all})  # "toujours pas ?"
    if yes and how.offers and question.text.lower().startswith(how.offers):
        return Said(act="answer.yes", values={**values, "yes": how.accepts})
    # Where there is no "yes, we do" a bare yes among several answers says not to what.
    one_of_several = not scene.language.short_answers and (
        len(read.found.points) > 1 or scene.length != "short")
    if told and (question.behind or one_of_several or scene.dice.chance(
            _IN_FULL[scene.length], "stated", question.text)):
        return Said(act="answer.stated" if yes else "answer.denied", values={
            **without_topic(values), **_hedged(told, scene.language), "value": in_full(told, scene)})
    if _is_of_state(question, scene.language):
        return Said(act="answer.so" if yes else "answer.not_so", values={**values, **named})
    return Said(act="answer.yes" if yes else "answer.no", values={**values, **named})


def _arranged(told: str, asked: str, scene: Scene) -> str:
    """What somebody does, as what it will do where that is asked among people: "do you come?"."""
    how, low = restating(scene.language.code), words(asked.lower())
    if scene.sides.we or not how.habitual.isdisjoint(low) or how.arranged.isdisjoint(low[:_DEED]):
        return told
    head = max((one for one in how.arranging if told.startswith(one)), key=len, default="")
    behind = told[len(head):]
    return f"{how.arranging[head]}{behind}" if head and behind.partition(" ")[0] in how.arranged else told


def _supposed(question: str, language: Language) -> str:
    """A question without "perhaps" before it: "Perhaps it went to the wrong address?"."""
    first, _, rest = question.partition(" ")
    how = restating(language.code)
    if any(one[:1] and one[0].lower() in how.auxiliaries for one in (
            words(question), led_in(words(question), how))):
        return ""  # it is turned round
    return rest if first.lower().strip(",") in asking(language.code).perhaps else question


def _hedged(told: str, language: Language) -> dict[str, str]:
    """With what somebody limits what it says of things; of itself it knows."""
    how = restating(language.code)
    first = told.partition(" ")[0].partition("'")[0]
    own = first in (*how.asked.values(), *how.themselves_all, *how.theirs.values(), *how.asking.values())
    return {} if own or not language.hedge else {"hedge": language.hedge}


def _is_of_state(question: MailQuestion, language: Language) -> bool:
    """Whether a question is how something is, or what was, so that nobody grants or refuses it: "is it heated?"."""
    how = restating(language.code)
    said = [word.lower() for word in led_in(words(question.behind or question.text), how)]
    if question.behind or not said[1:2] or said[0] not in how.states:
        return False
    persons = (*language.asker, *language.asked_one, *language.polite_words, *language.familiar_words, *how.asking)
    return not _asks_leave(said, language) and (said[0] in how.own_states or said[1] not in persons)


def _asks_leave(said: list[str], language: Language) -> bool:
    """Whether a question, in lower case, is whether something is all right, so that it is granted or refused."""
    return f"{' '.join(said[2:])} ".startswith(tuple(f"{one} " for one in restating(language.code).granted))


def of_things(question: MailQuestion, language: Language) -> bool:
    """
    Whether the first of two questions settles both: by saying that something is ("is there a lift, or stairs?"), or
    that it is granted ("is that ok with you, or does it mess up the rota?").
    """
    said = [word.lower() for word in led_in(words(question.text), restating(language.code))]
    return question.form == "either" and question.short[0] != language.yes and said[1:2] != [] and (
        said[0] in language.short_answers) and (said[1] in language.existing or _asks_leave(said, language))


def either_of(scene: Scene, question: MailQuestion) -> Said | None:
    """Which of two things is so, said in full; the first more often than the other."""
    if len(question.options) > _PAIR or question.type in _WH or question.behind or (
            question.options and question.options[-1].lower().startswith(asking(scene.language.code).limiting)):
        return None  # "every time or only sometimes?" is told by its word
    both = either_stated(question.text, scene.language, scene.sides)
    how = restating(scene.language.code)
    if not both and question.form == "either" and how.former and not scene.language.choice_words.isdisjoint(
            words(question.text.lower())):
        both = how.former  # "préférez-vous que nous livrions ou que vous passiez la prendre ?"
    head, joint, _ = question.text.partition(f" {scene.language.or_} ")
    if not both and joint and how.order != "inverted" and question.form in ("yes_no", "either") and (
            alone := stated(f"{head.rstrip(' ,')}?", scene.language, scene.sides)) is not None and alone.yes:
        both = (alone.yes,)  # "¿vienes con Paula o solo?", "l'antivol marche encore ou je prends le mien ?"
    if not both or not all(is_sound(one, scene.language) for one in both):
        return None
    liked_one = graver(both, scene) or liked(both, scene.request.notes, scene.language)
    mood = Dice(scene.request.persona.id).on("either", *both)
    told = liked_one or both[0 if mood.chance(_FIRST, "which") else -1]
    return Said(act="answer.own", values={"value": f"{capital(told)}."})


def is_request(question: MailQuestion, scene: Scene) -> bool:
    """Return whether a question asks for something: "Could you send us the contract?" is answered by sending it."""
    return question.form in ("yes_no", "choice") and asks_for_something(
        question.text, scene.language) and not asks_ability(question.text, scene.language)
