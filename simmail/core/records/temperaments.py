"""
Temperaments: the seven ways people have with mail, and the odds of each.

Source: decisions, section 8 (name, weight, reply rate, median delay); the
text is what the writer is told.  What a temperament feels at first and how
it keeps promises is ours.
"""

from __future__ import annotations

from datetime import timedelta
from math import log10

from msgspec import Struct

from simmail.core.records.persona import TemperamentName
from simmail.core.rng import Dice


class Temperament(Struct, frozen=True):
    """
    How somebody is with mail unless the persona says otherwise.

    @ivar weight: odds of being drawn.
    @ivar reply_rate: chance of a reply to a plain first mail.
    @ivar median_delay: half of the replies come sooner.
    @ivar keep_promises: chance of doing in time what was promised; nudges: of asking for what was promised to them.
    @ivar warmth, trust, patience: towards somebody new, 0 to 1.
    @ivar text: one sentence for the writer.
    """

    name: TemperamentName
    weight: int
    reply_rate: float
    median_delay: timedelta
    keep_promises: float
    nudges: float
    warmth: float
    trust: float
    patience: float
    text: str


#: Geometric standard deviation of the delay where a persona has no C{delay.spread}.
SPREAD = 2.0

TEMPERAMENTS: tuple[Temperament, ...] = (
    Temperament(
        "responsive", 30, 0.95, timedelta(minutes=20), 0.95, 1.0, 0.60, 0.60, 0.60,
        "Answers quickly, warmly and completely, and says what happens next.",
    ),
    Temperament(
        "busy", 25, 0.75, timedelta(hours=3), 0.80, 0.7, 0.50, 0.50, 0.45,
        "Has little time: answers in a line or two, deals with the most important point and leaves the rest.",
    ),
    Temperament(
        "procedural", 15, 0.90, timedelta(minutes=90), 0.95, 1.0, 0.45, 0.50, 0.60,
        "Goes by the rules: wants reference numbers, forms and the right channel, and answers point by point.",
    ),
    Temperament(
        "skeptical", 12, 0.70, timedelta(hours=2), 0.85, 0.9, 0.40, 0.30, 0.50,
        "Doubts claims and asks for proof, sources and reasons before agreeing to anything.",
    ),
    Temperament(
        "flaky", 8, 0.50, timedelta(hours=9), 0.45, 0.3, 0.55, 0.50, 0.55,
        "Friendly but scattered: forgets, answers half the questions, promises more than comes.",
    ),
    Temperament(
        "difficult", 6, 0.80, timedelta(hours=1), 0.70, 1.0, 0.30, 0.35, 0.25,
        "Irritable and demanding: complains, finds fault and is hard to please, but does answer.",
    ),
    Temperament(
        "ghost", 4, 0.05, timedelta(days=2), 0.30, 0.1, 0.40, 0.45, 0.40,
        "Hardly ever answers; when an answer comes it is late, short and noncommittal.",
    ),
)

NAMES: tuple[str, ...] = tuple(one.name for one in TEMPERAMENTS)


# Those that are about how often and how fast somebody answers, and not about the tone.
_HABITS = ("responsive", "busy", "flaky", "ghost")


def nearest(reply_rate: float, delay: timedelta | None) -> TemperamentName:
    """
    The temperament of somebody who answers so often, and half of the time so soon.

    @param delay: None when it is not known.  Ten times as long weighs as much as a sixth of all mail.
    """
    def distance(one: Temperament) -> float:
        apart = abs(one.reply_rate - reply_rate)
        if delay is not None:
            apart += abs(log10(max(delay.total_seconds(), 1.0) / one.median_delay.total_seconds())) / 6
        return apart
    return min((named(name) for name in _HABITS), key=distance).name


def named(name: str) -> Temperament:
    """
    The temperament of that name.

    @raise KeyError: there is none (persona fields are checked before they get here).
    """
    for one in TEMPERAMENTS:
        if one.name == name:
            return one
    raise KeyError(name)


def draw(dice: Dice) -> TemperamentName:
    """A temperament by weight; C{dice} is keyed for the persona."""
    return dice.weighted([(one.name, one.weight) for one in TEMPERAMENTS], "temperament")
