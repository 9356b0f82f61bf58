"""
Plans: what jobs need to know to be done later, kind by kind.

C{PlannedJob.data} is JSON-able.  Every kind has:

  - C{to}, C{to_name}: whom the mail goes to (C{link} and C{world} have none)
  - C{key}: [sender, recipient, nth] of the mail it comes from: C{decision.keyed} gives its dice again, and the
    dossier is the one about that sender (but for a C{forward}); without it the dossier is about C{to}
  - C{mails}: the mails it is about, oldest first, each C{{"place", "arrived", "message_id", "subject", "sender",
    "references"}} (C{place} as in C{DecisionInput.place}; C{arrived}: RFC 3339, by the simulated clock; the rest for
    when the copy is gone by then)

and besides:

  - C{reply}: C{visited}: [{url, text, opened, broken, title, form, leaves, left}] once links were opened
    (C{title}, C{form}: of the page; C{leaves}: it is one to unsubscribe, C{left}: which was done); batching
    appends to C{mails}
  - C{ooo}: C{period}: {from, to, message}; C{to} is the reverse-path
  - C{bounce}: C{action}: failed or delivered; C{bounce}: the kind, None where it is delivered; C{address}: the
    recipient; C{to} is the reverse-path
  - C{forward}: C{forward_to} as the persona has it (id or address; C{to} is empty for an id); C{reply_to},
    C{reply_to_name}: the original sender; C{by}: addresses that forwarded it so far, to be named in the
    C{X-Service-Forwarded} field
  - C{link}: C{open}: [{url, text, why, broken, one_click, leaves}]; C{look_up}: a sender's domain or C{""}, for
    C{reason}
  - C{nudge}: C{what}, C{promised_due} (RFC 3339), C{nth_nudge}
  - C{deliver}: C{what}, C{promised_due}, C{fate}
  - C{followup}: C{question} (asked again), or C{afterthought}: true for a second mail right after a reply
  - C{correction}: C{of}: the Message-ID of the mail it corrects
  - C{initiate}: C{wants}
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from simmail.core.decide.decision import DecisionInput, PlannedJob, correspondent
from simmail.core.message.mail import Mail
from simmail.core.records.job import JobKind
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant

#: The header field a forwarded mail carries, and the most persons it passes.
FORWARDED = "X-Service-Forwarded"
MOST_FORWARDS = 5

_SUBJECT = 200


def item(situation: DecisionInput) -> dict[str, Any]:
    """What C{data["mails"]} says of the mail at hand."""
    mail = situation.mail
    return {
        "place": situation.place, "arrived": format_instant(situation.now), "message_id": mail.message_id,
        "subject": mail.subject[:_SUBJECT], "sender": correspondent(mail, situation.envelope_sender),
        "references": list(mail.references[-20:]),
    }


def reply_address(situation: DecisionInput) -> tuple[str, str]:
    """
    Address and name that a reply goes to: Reply-To, else From, else the reverse-path (decisions, section 23).

    A Reply-To that is the persona itself is passed over.
    """
    mail, own = situation.mail, situation.persona.addresses
    for one in (*mail.reply_to, mail.from_):
        if one.address and one.address.lower() not in own:
            return one.address.lower(), one.name
    return situation.envelope_sender.lower(), ""


def job_id(dice: Dice, persona_id: str, kind: JobKind, nth: int = 0) -> str:
    """The id of a job about the message that C{dice} is keyed for; C{nth} of this kind."""
    return "j_" + dice.token(16, "job", persona_id, kind, nth)


def planned(
    situation: DecisionInput, kind: JobKind, due: datetime, plan: str, why: str, extra: dict[str, Any] | None = None,
    to: tuple[str, str] | None = None, nth: int = 0, because: tuple[str, ...] = (),
) -> PlannedJob:
    """A plan about the mail at hand; C{to} is its reply address unless given."""
    address, name = reply_address(situation) if to is None else to
    data: dict[str, Any] = {
        "to": address, "to_name": name, "key": key(situation), "mails": [item(situation)], **(extra or {}),
    }
    return PlannedJob(
        id=job_id(situation.dice, situation.persona.id, kind, nth), kind=kind, due=due, plan=plan,
        thread=situation.thread.key, data=data, case_id=case_id(situation), message_id=situation.mail.message_id,
        why=why, because=because,
    )


def key(situation: DecisionInput) -> list[str | int]:
    """What the dice of this mail were keyed with."""
    return [correspondent(situation.mail, situation.envelope_sender), situation.recipient, situation.nth]


def case_id(situation: DecisionInput) -> str:
    """The case of the mail, C{""} for none."""
    return situation.case.id if situation.case is not None else ""


def about(mail: Mail) -> str:
    """A mail in a plan's sentence."""
    subject = " ".join(mail.subject.split())
    return f'"{subject[:60]}{"..." if len(subject) > 60 else ""}"' if subject else "a mail without a subject"


def who(address: str, name: str) -> str:
    """A person in a plan's sentence."""
    return f"{name} <{address}>" if name else address
