"""
Bounces: mail that was accepted and could not be delivered comes back a little later.

A job of kind C{bounce} holds what the notice needs; C{jobs.notices} sends it.  Sources: decisions, section 8 step 1 and
section 23 ("Recipients"); RFC 3461.
"""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime, timedelta

from simmail.core.compose.complete import header_end
from simmail.core.compose.dsn import Action, LARGEST_RETURN, wanted
from simmail.core.message.mail import Mail
from simmail.core.records.job import Job
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant
from simmail.universe.counters import Document, Ordinals
from simmail.universe.mailflow.envelope import DsnRequest, Recipient, Submission
from simmail.universe.settings import Settings

#: A notice comes after about so long (median, spread), times the pace.
MEDIAN, SPREAD = 40.0, 1.8

#: Octets of the original kept in the job; a longer one that is returned whole is held by the mail store.
LARGEST_KEPT = 64 * 1024


class Bounces:
    """Plans the notices of one universe."""

    def __init__(self, ordinals: Ordinals, dice: Dice, settings: Settings) -> None:
        self._ordinals = ordinals
        self._dice = dice
        self._settings = settings

    def plan(
        self, submission: Submission, recipient: Recipient, mail: Mail, octets: bytes, now: datetime,
        action: Action, kind: str | None = None, said: str = "", later: timedelta = timedelta(0),
    ) -> tuple[Job, Document] | None:
        """
        The job that will send a notice about one recipient, and the count it took; None when none is wanted.

        @param kind: of a bad address; said: the reply of the recipient's server where there is another reason.
        @param later: how much longer than drawn.
        """
        if not wanted(action, recipient.notify, submission.sender):
            return None
        nth, document = self._ordinals.next("bounce", recipient.address, submission.sender)
        dice = self._dice.on("bounce", recipient.address, submission.sender, nth)
        drawn = dice.lognormal(MEDIAN, SPREAD, "delay") * self._settings.pace.scale
        dsn: DsnRequest | None = submission.dsn
        full = action == "failed" and dsn is not None and dsn.ret == "FULL" and len(octets) <= LARGEST_RETURN
        held = full and len(octets) > LARGEST_KEPT
        keep = octets if full and not held else header_of(octets)
        word = {"failed": "Bounce", "delayed": "Tell of a delay of", "delivered": "Confirm"}[action]
        job = Job(
            id="j_" + dice.token(16, "job"), kind="bounce", state="pending", created=now,
            due=now + later + timedelta(seconds=round(drawn, 3)), message_id=mail.message_id or None,
            plan=f"{word} mail to {recipient.address}: {kind or said or action}", thread=mail.message_id,
            data={
                "to": submission.sender, "address": recipient.address, "action": action, "bounce": kind, "said": said,
                "subject": mail.subject[:500], "original_id": mail.message_id, "arrived": format_instant(now),
                "ret": "FULL" if full else "HDRS", "envid": dsn.envid if dsn else "", "orcpt": recipient.orcpt,
                "nth": nth, "original": b64encode(keep).decode("ascii"), "held": held,
            })
        return job, document


def header_of(octets: bytes) -> bytes:
    """Return the header section of a message and the blank line; of a long one as many whole lines as are kept."""
    header = octets[:header_end(octets)]
    if len(header) > LARGEST_KEPT:
        header = header[:header.rfind(b"\r\n", 0, LARGEST_KEPT) + 2]
    return header + b"\r\n"
