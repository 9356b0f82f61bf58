"""
Bounces: mail that was accepted and could not be delivered comes back a little later.

A job of kind C{bounce} holds what the notice needs; when it is due the notice
is written in the dialect of the recipient's mail system and goes to the
reverse-path like any other mail.  Sources: decisions, section 8 step 1 and
section 23 ("Recipients"); RFC 3461, RFC 3464.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from simmail.core.compose.complete import header_end
from simmail.core.compose.dsn import Action, LARGEST_RETURN, Notice, dialect_of, notification, wanted
from simmail.core.compose.message_id import message_id
from simmail.core.message.mail import Mail
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.time.instant import format_instant, parse_instant
from simmail.errors import NotFound
from simmail.universe.counters import Document
from simmail.universe.mailflow.outgoing import Outgoing

if TYPE_CHECKING:
    from simmail.universe.mailflow.envelope import DsnRequest, Recipient, Submission
    from simmail.universe.universe import Universe

#: A notice comes after about so long (median, spread), times the pace.
MEDIAN, SPREAD = 40.0, 1.8

#: Octets of the original kept in the job; a longer one that is returned whole is held by the mail store.
LARGEST_KEPT = 64 * 1024


class Bounces:
    """The notices of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

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
        universe = self._universe
        nth, document = universe.ordinals.next("bounce", recipient.address, submission.sender)
        dice = universe.dice.on("bounce", recipient.address, submission.sender, nth)
        drawn = dice.lognormal(MEDIAN, SPREAD, "delay") * universe.settings.pace.scale
        dsn: DsnRequest | None = submission.dsn
        full = action == "failed" and dsn is not None and dsn.ret == "FULL" and len(octets) <= LARGEST_RETURN
        held = full and len(octets) > LARGEST_KEPT
        keep = octets if full and not held else _header_of(octets)
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

    async def perform(self, job: Job) -> None:
        """Send the notice, once."""
        universe, data = self._universe, job.data
        now = universe.clock.now()
        original, whole = await self._original(job)
        first = (data.get("mails") or [{}])[0]
        original_id = data.get("original_id") or first.get("message_id", "")
        nth = data.get("nth") or (data.get("key") or ["", "", 0])[2]
        address, to, server = data["address"], data["to"], universe.config.server.domain
        dice = universe.dice.on("notice", address, to, nth)
        notice = Notice(
            message_id=message_id(dice, "plain", "MAILER-DAEMON@" + server, "notice"), date=now, server=server, to=to,
            recipient=address, original=original,
            arrived=parse_instant(data["arrived"]) if "arrived" in data else job.created,
            dialect=dialect_of(address, universe.dice), action=data.get("action", "failed"), kind=data.get("bounce"),
            said=data.get("said", ""), original_id=original_id,
            subject=data.get("subject") or first.get("subject", ""), ret="FULL" if whole else "HDRS",
            envid=data.get("envid", ""), orcpt=data.get("orcpt", ""))
        done = Event("job.done", now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": f"{notice.action} notice sent"},
            universe.people.tag_of(job.persona_id))
        await universe.postoffice.send(
            job.id, Outgoing(sender="", recipients=(to,), octets=notification(notice), kind="bounce"),
            Commit(jobs=(replace(job, state="done"),), events=(done,)))
        await universe.postoffice.release(job)
        universe.told("bounced {message_id} to {to}: {address} {reply}", message_id=original_id, to=to,
                      address=address, reply=notice.reply)

    async def _original(self, job: Job) -> tuple[bytes, bool]:
        """What may be returned of the original, and whether that is all of it."""
        data, full = job.data, job.data.get("ret") == "FULL"
        if data.get("held"):
            try:
                return await self._universe.store.held.read(job.id), full
            except NotFound:
                return b64decode(data["original"]), False
        if "original" in data:
            return b64decode(data["original"]), full
        return await self._filed(data, full)

    async def _filed(self, data: dict[str, Any], full: bool) -> tuple[bytes, bool]:
        """A mail that a persona's mailbox bounced, read where it lies; its header unless all of it is asked for."""
        for item in data.get("mails", ()):
            place = item.get("place") or {}
            try:
                _, octets = await self._universe.mailboxes.read(place["mailbox"], place["folder"], place["uid"])
            except (NotFound, KeyError):
                continue
            full = full and len(octets) <= LARGEST_RETURN
            return octets if full else _header_of(octets), full
        return b"\r\n", False


def _header_of(octets: bytes) -> bytes:
    """The header section of a message and the blank line; of a long one as many whole lines as are kept."""
    header = octets[:header_end(octets)]
    if len(header) > LARGEST_KEPT:
        header = header[:header.rfind(b"\r\n", 0, LARGEST_KEPT) + 2]
    return header + b"\r\n"
