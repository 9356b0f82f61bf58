"""
Whether a mailbox takes a mail, and the notifications that its sender asked for.

Source: decisions, section 8 step 1; RFC 3461.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.compose.dsn import Action, wanted
from simmail.core.decide import delay
from simmail.core.decide.decision import Bounce, DecisionInput, PlannedJob, Reactions, Relate, about, planned
from simmail.core.records.bad_address import BadKind
from simmail.core.records.persona import Behaviors, Persona
from simmail.core.records.relationship import Dossier
from simmail.core.rng import Dice

#: What a mailbox that bounces now and then is taken to be.
BOUNCES: tuple[tuple[BadKind, float], ...] = (("full", 0.6), ("blocked", 0.25), ("disabled", 0.15))


class MailboxRefusal(NamedTuple):
    """A mailbox takes no mail this time: how, and why."""

    kind: BadKind
    why: str


def refused(persona: Persona, status: str, dice: Dice) -> MailboxRefusal | None:
    """Tell whether this mail bounces: the mailbox's fixed status, else the persona's C{behaviors.bounce}."""
    if status != "ok":
        forced: BadKind = status  # type: ignore[assignment] # statuses other than ok are the kinds of bounces
        return MailboxRefusal(forced, f"mailbox status {status}")
    chance = persona.behaviors.bounce if isinstance(persona.behaviors, Behaviors) else 0.0
    if not isinstance(chance, float) or not chance:
        return None
    draw = dice.uniform("bounce")
    if draw >= chance:
        return None
    # An address is always the same, as bad ones are (API contract, "Recipient rules").
    kind = Dice(persona.id).weighted(BOUNCES, "bounce kind")
    return MailboxRefusal(kind, f"bounce draw {draw:.2f} under {chance:.2f}")


def bounced(s: DecisionInput, dossier: Dossier, refusal: MailboxRefusal) -> Reactions:
    """Return what follows when the mailbox takes no mail."""
    counted = Relate(replace(dossier, received=dossier.received + 1), "a mail bounced")
    told = Bounce(refusal.kind, s.recipient, s.envelope_sender, refusal.why)
    return (told, *notification(s, "failed", refusal), counted)


def notification(s: DecisionInput, action: Action, refusal: MailboxRefusal | None = None) -> tuple[PlannedJob, ...]:
    """Return the notification that was asked for: what becomes of a mail is known only now, so it says one thing."""
    if not wanted(action, tuple(s.dsn.get("notify", ())), s.envelope_sender):
        return ()
    at = delay.drawn(timedelta(seconds=40), 1.8, s.pace, s.dice, "bounce delay")
    if refusal is None:
        plan, why = f"Confirm {about(s.mail)} to {s.envelope_sender}", "a notification of success was asked for"
    else:
        plan, why = f"Bounce {about(s.mail)} to {s.envelope_sender}: {refusal.kind}", refusal.why
    extra = {**s.dsn, "action": action, "bounce": refusal.kind if refusal is not None else None,
             "address": s.recipient}
    return (planned(s, "bounce", delay.later(s.now, at), plan, why, extra, to=(s.envelope_sender, "")),)
