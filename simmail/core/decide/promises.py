"""
Promises: what somebody says will be done, by when, and what becomes of it.

Recognised in received mail ("I will send it by Friday"); the persona's own
are drawn to be kept, late or forgotten until asked.  Source: decisions,
section 8 step 10.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from simmail.core.decide.delay import drawn, due
from simmail.core.language.promised import puts_off, speaks_of
from simmail.core.language.reader import Findings
from simmail.core.language.tables import every
from simmail.core.records.persona import Behaviors, Persona, temperament_named
from simmail.core.records.relationship import OpenPromise
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice

#: Unkept, it is asked for this often before the persona gives up.
MOST_NUDGES = 2

#: Of the promises that are not kept, this share comes late; the rest is forgotten until asked for.
LATE = 0.6


class Drawn(NamedTuple):
    """What becomes of a promise of the persona; C{at} None while it is forgotten."""

    fate: Literal["kept", "late", "forgotten"]
    at: datetime | None
    why: str


def fulfilled(promise: OpenPromise, found: Findings, thread: str) -> bool:
    """Return whether a mail from the correspondent brings what was promised by it."""
    if promise.by != "correspondent":
        return False
    # An answer, an update, a call: any later mail in the thread that is no further putting off.
    if promise.what.startswith(("an ", "a ")) and promise.thread == thread:
        return not puts_off(found)
    if found.delivers and (promise.thread == thread or speaks_of(promise.what, found.new)):
        return True
    # "Tracking number: 4711" under another subject brings the tracking number.
    return not puts_off(found) and any(
        speaks_of(promise.what, said) and (any(map(str.isdigit, said)) or "://" in said)
        for said in (found.mail.subject, *found.prose.sentences))


def arrived(promise: OpenPromise, found: Findings, thread: str) -> bool:
    """Return whether a mail from the correspondent says that what the persona promised is there already."""
    if promise.by != "persona" or promise.thread != thread or found.asks_question:
        return False
    low = found.new.lower()
    money = promise.what.lower().startswith(every("payment_things")) and any(
        map(low.__contains__, every("money_words")))
    return any(map(low.__contains__, every("arriving"))) and (money or speaks_of(promise.what, found.new))


def asked_for(promise: OpenPromise, found: Findings, thread: str) -> bool:
    """Return whether a mail from the correspondent asks after what the persona promised."""
    if promise.by != "persona" or not (found.nagging or found.asks):
        return False
    return promise.thread == thread or speaks_of(promise.what, found.new)


def asks_after(persona: Persona, dice: Dice) -> bool:
    """Return whether the persona asks for something promised to it that does not come."""
    return dice.chance(temperament_named(persona.temperament).nudges, "asks after")


def keeping(persona: Persona) -> float:
    """Return the chance that this persona does in time what it promised."""
    own = persona.behaviors.keep_promises if isinstance(persona.behaviors, Behaviors) else None
    return own if isinstance(own, float) else temperament_named(persona.temperament).keep_promises


def fate(persona: Persona, promised: datetime, pace: Pace, now: datetime, dice: Dice) -> Drawn:
    """Return what becomes of the persona's own promise: done before it is due, after it, or when somebody asks."""
    chance = keeping(persona)
    draw = dice.uniform("keep")
    why = f"keep draw {draw:.2f} under {chance:.2f}"
    if draw < chance:
        done = _in_time(persona, promised, pace, now, dice)
        if done is not None:
            return Drawn("kept", done, f"{why}: kept")
        at = due(persona, pace, max(promised, now), timedelta(0), dice.on("kept")).at
        return Drawn("late", at, f"{why}, but there is no working hour until then: late")
    if dice.chance(LATE, "late"):
        after = drawn(timedelta(days=1), 2.0, pace, dice, "lateness")
        at = due(persona, pace, max(promised, now), after, dice.on("late")).at
        return Drawn("late", at, f"keep draw {draw:.2f} over {chance:.2f}: late")
    return Drawn("forgotten", None, f"keep draw {draw:.2f} over {chance:.2f}: forgotten until asked")


def _in_time(persona: Persona, promised: datetime, pace: Pace, now: datetime, dice: Dice) -> datetime | None:
    """An instant before something is due, by choice in the second half of the time there is; None where none is."""
    left = max(promised - now, timedelta(0)).total_seconds()
    share = 0.5 + 0.45 * dice.uniform("kept")
    # Where that is a night, earlier.
    for part in range(8):
        after = timedelta(seconds=int(left * share * (7 - part) / 7))
        done = due(persona, pace, now, after, dice.on("kept")).at
        if done <= promised:
            return done
    return None


def nudge_at(persona: Persona, promised: datetime, pace: Pace, dice: Dice, nth: int = 1) -> datetime:
    """When the persona asks for what was promised to it and did not come: some hours past due, then some days."""
    grace = timedelta(hours=6) if nth == 1 else timedelta(days=3)
    return due(persona, pace, promised, drawn(grace, 1.6, pace, dice, f"nudge {nth}"), dice.on("nudge", nth)).at
