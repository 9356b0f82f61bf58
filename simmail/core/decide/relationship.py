"""
What a persona holds about a correspondent: warmth, trust, patience, stances.

Moved by what happens between two people; used by decisions and by words.
The numbers are small steps on a line from 0 to 1 and drift back to where the
temperament puts them, so that no thread is lost or won for ever.
Source: decisions, sections 8 and 23 ("Personas").
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.language.reader import Findings
from simmail.core.records.persona import Persona, temperament_named
from simmail.core.records.relationship import Dossier, OpenPromise, Relation, RelationPromise, Stance

#: After this many days without contact half of what was felt has worn off.
HALF_LIFE_DAYS = 60.0


class Feeling(NamedTuple):
    """A step in what is felt, and the reason in words."""

    warmth: float
    trust: float
    patience: float
    reason: str


THANKED = Feeling(0.06, 0.02, 0.05, "was thanked")
APOLOGISED = Feeling(0.04, 0.02, 0.06, "got an apology")
NAGGED = Feeling(-0.03, 0.0, -0.10, "was reminded")
PRESSED = Feeling(-0.02, -0.02, -0.06, "was pressed")
COMPLAINED = Feeling(-0.05, -0.02, -0.05, "was complained to")
AUTOMATIC = Feeling(0.0, -0.01, -0.02, "got automatic mail")
PLAIN = Feeling(0.01, 0.01, 0.0, "heard from them")
BROKE = Feeling(-0.06, -0.15, -0.10, "was let down")
KEPT = Feeling(0.05, 0.12, 0.05, "got what was promised")
JUNKED = Feeling(-0.05, -0.10, -0.05, "got junk")


def begun(dossier: Dossier, persona: Persona) -> Dossier:
    """The dossier with its numbers set: the temperament's, where nothing is felt yet."""
    if dossier.warmth is not None:
        return dossier
    own = temperament_named(persona.temperament)
    return replace(dossier, warmth=own.warmth, trust=own.trust, patience=own.patience)


def met(dossier: Dossier, persona: Persona, name: str, sender_id: str, found: Findings, automatic: bool,
        now: datetime) -> tuple[Dossier, str]:
    """
    The dossier after one more mail from the correspondent, and what moved it, as a sentence.

    Counts the mail in C{received}; whether it stays unanswered is decided later.
    """
    faded = _faded(begun(dossier, persona), persona, now)
    feelings = [AUTOMATIC] if automatic else _feelings(found, dossier.unanswered)
    moved = faded
    for feeling in feelings:
        moved = _moved(moved, feeling)
    moved = replace(
        moved, name=name or dossier.name, persona_id=sender_id or dossier.persona_id, last_contact=now,
        received=dossier.received + 1,
    )
    return moved, f"{' and '.join(one.reason for one in feelings)}: {told(moved)}"


def wrote(dossier: Dossier, persona: Persona, now: datetime) -> Dossier:
    """The dossier after the persona wrote to the correspondent."""
    return replace(begun(dossier, persona), last_contact=now, sent=dossier.sent + 1)


def kept(dossier: Dossier, persona: Persona) -> Dossier:
    """The dossier after the correspondent did what it had promised."""
    return _moved(begun(dossier, persona), KEPT)


def broken(dossier: Dossier, persona: Persona) -> Dossier:
    """The dossier after the correspondent let a promise go by."""
    return _moved(begun(dossier, persona), BROKE)


def junked(dossier: Dossier, persona: Persona) -> Dossier:
    """The dossier after a mail that went to the Junk folder."""
    return _moved(replace(begun(dossier, persona), received=dossier.received + 1), JUNKED)


def with_promise(dossier: Dossier, old: OpenPromise, new: OpenPromise) -> Dossier:
    """Return a dossier with one promise in the place of another."""
    return replace(dossier, promises=tuple(new if one is old else one for one in dossier.promises))


def forgotten(dossier: Dossier) -> Dossier:
    """
    The dossier when the correspondent is to be forgotten: nothing felt, nothing promised.

    The count of mails stays, for it keys the draws and the ids of jobs.
    """
    return Dossier(dossier.address, received=dossier.received, sent=dossier.sent)


def unknown(dossier: Dossier) -> bool:
    """Whether there is nothing to tell about this correspondent (never met, or forgotten)."""
    return dossier.last_contact is None


def told(dossier: Dossier) -> str:
    """The numbers, in words."""
    return f"warmth {dossier.warmth or 0:.2f}, trust {dossier.trust or 0:.2f}, patience {dossier.patience or 0:.2f}"


def stance(dossier: Dossier, persona: Persona, found: Findings) -> str:
    """How the persona sees the correspondent now, as a sentence with its first name."""
    who = dossier.name or dossier.address
    warmth, trust, patience = dossier.warmth or 0.0, dossier.trust or 0.0, dossier.patience or 0.0
    late = sum(1 for one in dossier.promises if one.by == "correspondent" and one.nudged)
    if late:
        return f"Waits for what {who} promised and begins to doubt it will come."
    if patience < 0.25:
        return f"Is losing patience with {who}" + (" after being chased." if found.nagging else ".")
    if trust < 0.25:
        return f"Does not take what {who} says on trust any more."
    if found.complaint:
        return f"Takes the complaint of {who} seriously and wants it settled."
    if warmth > 0.7 and trust > 0.6:
        return f"Likes working with {who} and relies on them."
    if warmth < 0.3:
        return f"Is cool towards {who}."
    if persona.temperament == "skeptical" and trust < 0.5:
        return f"Wants to see proof before believing {who}."
    return f"Is on ordinary working terms with {who}."


def relation(dossier: Dossier) -> Relation:
    """A dossier as the API shows it."""
    return Relation(
        address=dossier.address, name=dossier.name, persona_id=dossier.persona_id or None,
        warmth=round(dossier.warmth or 0.0, 3), trust=round(dossier.trust or 0.0, 3),
        patience=round(dossier.patience or 0.0, 3), last_contact=dossier.last_contact,
        open_promises=tuple(RelationPromise(one.by, one.what, one.due) for one in dossier.promises),
    )


def stances(dossier: Dossier) -> tuple[Stance, ...]:
    """The stances of a dossier as the API shows them."""
    return tuple(Stance(dossier.address, case_id, text) for case_id, text in sorted(dossier.stances.items()))


def _feelings(found: Findings, unanswered: int) -> list[Feeling]:
    # Somebody who got no answer may ask again once without being a nag.
    feelings = [
        feeling for feeling, shown in (
            (THANKED, found.thanks), (APOLOGISED, found.sorry), (NAGGED, found.nagging and unanswered != 1),
            (PRESSED, found.pressure), (COMPLAINED, found.complaint),
        ) if shown
    ]
    return feelings or [PLAIN]


def _moved(dossier: Dossier, feeling: Feeling) -> Dossier:
    return replace(
        dossier,
        warmth=_between((dossier.warmth or 0.0) + feeling.warmth),
        trust=_between((dossier.trust or 0.0) + feeling.trust),
        patience=_between((dossier.patience or 0.0) + feeling.patience),
    )


def _faded(dossier: Dossier, persona: Persona, now: datetime) -> Dossier:
    """What time has worn off: towards the temperament's own numbers."""
    if dossier.last_contact is None or now <= dossier.last_contact:
        return dossier
    own = temperament_named(persona.temperament)
    left = 0.5 ** ((now - dossier.last_contact).total_seconds() / 86400 / HALF_LIFE_DAYS)

    def drift(value: float | None, home: float) -> float:
        return _between(home + ((value or 0.0) - home) * left)

    return replace(
        dossier, warmth=drift(dossier.warmth, own.warmth), trust=drift(dossier.trust, own.trust),
        patience=drift(dossier.patience, own.patience),
    )


def _between(value: float) -> float:
    # Rounded, so that the stored JSON does not depend on how the platform prints the last bit.
    return round(min(1.0, max(0.0, value)), 6)
