"""
Promises: what somebody says will be done, by when, and what becomes of it.

Recognised in received mail ("I will send it by Friday"); the persona's own
are drawn to be kept, late or forgotten until asked.  Source: decisions,
section 8 step 10.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Literal, NamedTuple

from simmail.core.decide.delay import drawn, due, zone_of
from simmail.core.language.said_time import END_OF_DAY, find
from simmail.core.language.signals import Signals
from simmail.core.records import temperaments
from simmail.core.records.persona import Behaviors, Persona
from simmail.core.records.relationship import OpenPromise
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice

#: Characters and sentences of a mail that are looked at, and promises taken from one mail.
LOOKED_AT, SENTENCES, MOST = 16_384, 200, 3

#: A promise without a time is taken to mean this.
UNDATED = timedelta(days=3)

#: Unkept, it is asked for this often before the persona gives up.
MOST_NUDGES = 2

#: Of the promises that are not kept, this share comes late; the rest is forgotten until asked for.
LATE = 0.6

_FUTURE = (
    "i will", "i'll", "we will", "we'll", "i am going to", "i'm going to", "we are going to", "we're going to",
    "i shall", "we shall", "you will receive", "you'll receive", "you will get", "you'll get", "you will have",
    "you'll have", "you can expect", "my colleague will", "our team will", "they will", "she will", "he will",
    "ich werde", "wir werden", "ich schicke", "wir schicken", "ich sende", "wir senden", "ich melde", "wir melden",
    "sie erhalten", "sie bekommen",
)
_WAITING = ("wait", "warte", "look forward", "keep an eye", "watch", "expect")
_NOT = (
    "will not", "won't", "i'll never", "will never", "if you", "unless", "?", "will be out", "will be away",
    "werde nicht", "werden nicht", "wenn sie", "falls sie",
)
#: What is said to be done, and what then is waited for; C{""}: what follows the verb.
_DEEDS: tuple[tuple[str, str], ...] = (
    ("get back to you", "an answer"), ("come back to you", "an answer"), ("reply", "an answer"),
    ("respond", "an answer"), ("let you know", "an answer"), ("be in touch", "an answer"),
    ("confirm", "a confirmation"),
    ("keep you posted", "an update"), ("keep you updated", "an update"), ("update you", "an update"),
    ("follow up", "an update"), ("call you", "a call"), ("give you a call", "a call"), ("ring you", "a call"),
    ("look into", "an answer"), ("find out", "an answer"), ("check with", "an answer"), ("refund", "the refund"),
    ("reimburse", "the refund"), ("fix", "the fix"), ("resolve", "a solution"), ("solve", "a solution"),
    ("you will receive", ""), ("you'll receive", ""), ("you will get", ""), ("you'll get", ""),
    ("you will have", ""), ("you'll have", ""), ("you can expect", ""),
    ("send", ""), ("share", ""), ("forward", ""), ("deliver", ""), ("provide", ""), ("ship", ""), ("email", ""),
    ("e-mail", ""), ("mail", ""), ("prepare", ""), ("submit", ""), ("return", ""), ("upload", ""), ("attach", ""),
    ("pay", "the payment"), ("transfer", "the payment"),
    ("melde mich", "an answer"), ("melden uns", "an answer"), ("sie erhalten", ""), ("sie bekommen", ""),
    ("schicke", ""), ("schicken", ""), ("sende", ""), ("senden", ""), ("zurückmelden", "an answer"),
)
_ARRIVED = ("arrived", "received", "has come", "is here", "have got", "got the", "got your", "erhalten", "angekommen",
            "eingegangen", "ist da")
_MONEY = ("money", "payment", "transfer", "amount", "geld", "zahlung", "betrag", "überweisung")
_FILLERS = frozenset("you to over across out along back by the email mail via ihnen euch dir with all".split())
_TELLING_NOTHING = frozenset("what promised about that with your their answer update confirmation call from".split())
_PRONOUNS = frozenset("it them that this these those one everything es das".split())
_STOPS = frozenset(
    "by on before until till within in at tomorrow today tonight next this later shortly soon asap as and so but "
    "when once after for if which because bis am morgen heute nächste".split()
)


class Heard(NamedTuple):
    """A promise in a mail: C{what} fits after "to send"; C{dated}: it named a time."""

    what: str
    due: datetime
    dated: bool


class Drawn(NamedTuple):
    """What becomes of a promise of the persona; C{at} None while it is forgotten."""

    fate: Literal["kept", "late", "forgotten"]
    at: datetime | None
    why: str


def heard(signals: Signals, subject: str, persona: Persona, now: datetime) -> tuple[Heard, ...]:
    """The promises made in a mail's new text, due by the clock on the persona's wall."""
    text = signals.new[:LOOKED_AT].replace("\u2019", "'")
    local = now.astimezone(zone_of(persona))
    found: list[Heard] = []
    for sentence in _sentences(text):
        low = sentence.lower()
        starts = [low.find(start) + len(start) for start in _FUTURE if start in low]
        if len(low) != len(sentence) or not starts or any(no in low for no in _NOT) or _waits(low, min(starts)):
            continue
        # The deed named first is the one that is promised, and of two at one place the longer one is meant.
        at, length, thing = min(
            ((at, -len(deed), thing) for deed, thing in _DEEDS for at in (_word(deed, low),) if at >= 0),
            default=(-1, 0, ""))
        if at < 0:
            continue
        when = find(low, local)
        # In German the verb may come last.
        what = (thing or _object(sentence[at - length:]) or _object(sentence[min(starts):at])
                or _unnamed(subject))
        by = when if when is not None else _in_days(local, UNDATED)
        found.append(Heard(what, by.astimezone(timezone.utc), when is not None))
        if len(found) == MOST:
            break
    return tuple(dict((one.what, one) for one in found).values())


def fulfilled(promise: OpenPromise, signals: Signals, thread: str) -> bool:
    """Whether a mail from the correspondent brings what was promised by it."""
    if promise.by != "correspondent":
        return False
    # An answer, an update, a call: any later mail in the thread that is no further putting off.
    if promise.what.startswith(("an ", "a ")) and promise.thread == thread:
        return not any(start in signals.new.lower() for start in _FUTURE)
    return signals.delivers and (promise.thread == thread or _shared(promise.what, signals.new))


def arrived(promise: OpenPromise, signals: Signals, thread: str) -> bool:
    """Whether a mail from the correspondent says that what the persona promised is there already."""
    if promise.by != "persona" or promise.thread != thread or signals.questions:
        return False
    low = signals.new.lower()
    money = promise.what.lower().startswith(("the payment", "die zahlung")) and any(word in low for word in _MONEY)
    return any(word in low for word in _ARRIVED) and (money or _shared(promise.what, signals.new))


def asked_for(promise: OpenPromise, signals: Signals, thread: str) -> bool:
    """Whether a mail from the correspondent asks after what the persona promised."""
    if promise.by != "persona" or not (signals.asks or signals.nagging):
        return False
    return promise.thread == thread or _shared(promise.what, signals.new)


def keeping(persona: Persona) -> float:
    """The chance that this persona does in time what it promised."""
    own = persona.behaviors.keep_promises if isinstance(persona.behaviors, Behaviors) else None
    return own if isinstance(own, float) else temperaments.named(persona.temperament).keep_promises


def fate(persona: Persona, promised: datetime, pace: Pace, now: datetime, dice: Dice) -> Drawn:
    """What becomes of the persona's own promise: done before it is due, after it, or when somebody asks."""
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


def _waits(low: str, start: int) -> bool:
    """Whether what will be done is to wait: "we will wait for the transfer" promises no transfer."""
    return any(word.startswith(_WAITING) for word in low[start:].split()[:4])


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for line in text.replace("!", ".").replace(";", ".").split("\n\n"):
        folded = " ".join(line.split())
        # "?" stays with its sentence: a question promises nothing.
        found += [one for one in folded.replace("? ", "?. ").split(". ") if one]
        if len(found) > SENTENCES:
            break
    return found[:SENTENCES]


def _word(phrase: str, low: str) -> int:
    """Where a phrase stands as whole words, -1 for nowhere."""
    at = low.find(phrase)
    while at >= 0:
        if not (low[at - 1:at].isalpha() if at else False) and not low[at + len(phrase):at + len(phrase) + 1].isalpha():
            return at
        at = low.find(phrase, at + 1)
    return at


def _object(rest: str) -> str:
    """What follows the verb, up to the time: "you the signed contract by Friday" is "the signed contract"."""
    words: list[str] = []
    for word in rest[:300].split():
        bare = word.lower().strip(".,:;()\"'")
        if not words and bare in _FILLERS and bare != "the":
            continue
        if bare in _STOPS or len(words) == 12:
            break
        words.append(word.strip(".,:;()\""))
        if word.endswith((",", ":")):
            break
    while words and words[-1].lower() in ("to", "you", "over"):
        words.pop()
    if len(words) == 1 and words[0].lower() in _PRONOUNS:
        return ""
    return " ".join(words)


def _unnamed(subject: str) -> str:
    """Something promised that was only called "it"."""
    topic = " ".join(subject[:200].split())
    while topic[:3].lower() in ("re:", "aw:", "fw:", "wg:") or topic[:4].lower() == "fwd:":
        topic = topic.partition(":")[2].strip()
    return f'what was promised about "{topic[:80]}"' if topic else "what was promised"


def alike(what: str, text: str) -> bool:
    """Whether a text speaks of what was promised: a telling word of it is there."""
    return _shared(what, text)


def _shared(what: str, text: str) -> bool:
    """Whether a telling word of what was promised is in a text."""
    low = text.lower()
    return any(
        word in low for word in (one.strip("\"'.,").lower() for one in what.split())
        if len(word) > 3 and word not in _TELLING_NOTHING
    )


def _in_days(local: datetime, delta: timedelta) -> datetime:
    return (local + delta).replace(hour=END_OF_DAY, minute=0, second=0, microsecond=0)
