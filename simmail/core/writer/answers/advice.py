"""
What is sensible to say where somebody wants advice, and a yes or a no by chance would be neither: a careful word.
"""

from __future__ import annotations

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import led_in, restating
from simmail.core.language.phrases import words
from simmail.core.language.questions import MailQuestion
from simmail.core.rng import Dice
from simmail.core.writer.context import Scene
from simmail.core.writer.sources.known import without_topic
from simmail.core.writer.speech_act import Said


#: Among so many words of a question stands what is to be done.
_DEED = 4


def advised(scene: Scene, question: MailQuestion, values: dict[str, str]) -> Said | None:
    """
    Return a careful word to who asks whether to do something: "should I open it?", "do I have to sign?".

    @return: None for another question; who has a firm says what has to be done with it, and what not.
    """
    if question.type != "yes_no" or question.behind:
        return None
    how, advice = restating(scene.language.code), asking(scene.language.code)
    said = [word.lower() for word in led_in(words(question.text), how)]
    low = f"{' '.join(said)} "
    private = not (scene.request.persona.org or scene.request.persona.role)
    if advice.not_so and private and mentions_any(f" {low}", advice.hearsay):
        return Said(act="answer.own", values={**without_topic(values), "value": advice.not_so})
    if mentions_any(f" {low}", (*advice.sooner, *advice.grave)) or not advice.social.isdisjoint(
            said[:_DEED]):
        return None
    offers = not how.yours.isdisjoint(said)
    if low.startswith(advice.advised) and not offers or private and low.startswith(advice.obliged):
        careful = advice.careful_words
        mood = Dice(scene.request.persona.id).on("advice", question.text)
        return Said(act="answer.own", values={**without_topic(values), "value": mood.choice(careful)}) if (
            careful) else None
    return None


def leaning(question: str, scene: Scene) -> bool | None:
    """
    Return whether a yes-or-no question has one sensible answer, and which; None where it has not.

    That something is grave is not denied, nor that somebody may help.
    """
    advice, how = asking(scene.language.code), restating(scene.language.code)
    said = [word.lower() for word in led_in(words(question), how)]
    low = f" {' '.join(said)} "
    if f"{low.strip()} ".startswith(advice.risky):
        return False
    helps = said[:1] and said[0] in how.permitting and said[1:2] and said[1] in how.asking and (
        not how.yours.isdisjoint(said[2:])) and mentions_any(low, advice.helping)
    return True if mentions_any(low, (*advice.grave, *advice.sooner)) or helps else None


def graver(both: tuple[str, ...], scene: Scene) -> str:
    """Return that of two things that leaves no harm: "that's an emergency", not that it can wait; C{""} for neither."""
    advice = asking(scene.language.code)
    grave = (*advice.grave, *advice.sooner)
    return next((one for one in both if mentions_any(f" {one.lower()} ", grave)), "") if len(both) > 1 else ""
