"""
The words of the world's mail, where a model is on: it says what a letter of the templates says.

Only what people without bad intent write is worded (C{Composition.body}); who writes, what about, with which facts and
enclosures, and what the right handling would be, is settled before.  Source: decisions, sections 13 and 23 ("Writer
on").
"""

from __future__ import annotations

from msgspec.structs import replace

from simmail.core.language.text import say
from simmail.core.wording.letter import worded
from simmail.core.wording.plan import MOST_MAIL, Planned, WordingPlan, span_of, who_writes, writable
from simmail.core.world.kinds import composed
from simmail.core.world.occasion import Composition, Occasion
from simmail.core.writer import Written
from simmail.universe.people.wording import Wording


async def composed_in_words(occasion: Occasion, wording: Wording) -> tuple[Composition, str | None]:
    """
    Return the mail of an occasion in the words of the model, or of templates, and why the model has none.

    @return: with C{""} for words of the model, None where it was not asked.
    @raise NotFound: answers are replayed, and these were not recorded.
    @raise Unavailable: the service ends, or Redis is away.
    """
    mail = composed(occasion)
    plan = planned(occasion, mail) if wording.on and mail.body else None
    if plan is None:
        return mail, None
    outcome = await wording.outcome(occasion.id, plan, occasion.now, occasion.dice)
    if outcome.failed:
        return mail, outcome.failed
    body = worded(plan, outcome.text, "", occasion.dice).text.strip()
    return composed(replace(occasion, body=body)), ""


def planned(occasion: Occasion, mail: Composition) -> Planned | None:
    """Return the plan of a mail, None where nobody in particular writes it."""
    persona, body = occasion.persona, mail.body
    if persona is None:
        return None
    answered = occasion.resumed.answered if occasion.resumed is not None else None
    given = mail.facts["given"] if mail.facts is not None else {}
    return Planned(writable(WordingPlan(
        kind=occasion.kind, language=occasion.language, formality="neutral", address="distant",
        person=who_writes(persona), mood={}, draft=body, acts=(),
        facts={name: value for name, value in given.items() if value and value in body}, said=(), before="",
        words=span_of(body), asks="?" in body, promises="",
        mails=() if answered is None else ((say(answered.subject, 200), answered.text[:MOST_MAIL]),))),
        Written(subject=mail.subject, text=body), "", "")
