"""
Bounces: jobs of kind C{bounce}, and mail that a fault rule held back.

When a notice is due it is written in the dialect of the recipient's mail system and goes to the reverse-path like any
other mail.  Sources: decisions, section 8 step 1 and section 23 ("Recipients"); RFC 3461, RFC 3464.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from simmail.core.compose.dsn import LARGEST_RETURN, Notice, dialect_of, notification
from simmail.core.compose.message_id import message_id
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rng import Dice
from simmail.core.time.instant import parse_instant
from simmail.errors import NotFound
from simmail.interfaces import IMailStore
from simmail.universe.mailflow.envelope import Outgoing
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.post_office import PostOffice
from simmail.universe.mailflow.routing import header_of
from simmail.universe.maillog import MailLog
from simmail.universe.people.personas import Personas


class Bounces:
    """
    Does the jobs that send what the post office has planned.

    @param domain: of the server, whose notices these are.
    """

    def __init__(
        self, domain: str, store: IMailStore, postoffice: PostOffice, mailboxes: Mailboxes, people: Personas,
        dice: Dice, now: Callable[[], datetime], mail_log: MailLog,
    ) -> None:
        self._domain = domain
        self._store = store
        self._postoffice = postoffice
        self._mailboxes = mailboxes
        self._people = people
        self._dice = dice
        self._now = now
        self._mail_log = mail_log

    async def deliver_late(self, job: Job) -> None:
        """Deliver what a fault rule held back."""
        data = job.data
        done = Event("job.done", self._now(), {
            "id": job.id, "kind": job.kind, "persona_id": None, "note": "delivered late"})
        octets = await self._store.held.read(job.id)
        await self._postoffice.send(
            job.id, Outgoing(data["sender"], tuple(data["addresses"]), octets, "mail"),
            Commit(jobs=(replace(job, state="done"),), events=(done,)))
        await self._postoffice.release(job)

    async def perform(self, job: Job) -> None:
        """Send the notice, once."""
        data, now = job.data, self._now()
        original, whole = await self._original(job)
        first = (data.get("mails") or [{}])[0]
        original_id = data.get("original_id") or first.get("message_id", "")
        nth = data.get("nth") or (data.get("key") or ["", "", 0])[2]
        address, to, server = data["address"], data["to"], self._domain
        dice = self._dice.on("notice", address, to, nth)
        notice = Notice(
            message_id=message_id(dice, "plain", "MAILER-DAEMON@" + server, "notice"), date=now, server=server, to=to,
            recipient=address, original=original,
            arrived=parse_instant(data["arrived"]) if "arrived" in data else job.created,
            dialect=dialect_of(address, self._dice), action=data.get("action", "failed"), kind=data.get("bounce"),
            said=data.get("said", ""), original_id=original_id,
            subject=data.get("subject") or first.get("subject", ""), ret="FULL" if whole else "HDRS",
            envid=data.get("envid", ""), orcpt=data.get("orcpt", ""))
        done = Event("job.done", now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": f"{notice.action} notice sent"},
            self._people.tag_of(job.persona_id))
        await self._postoffice.send(
            job.id, Outgoing(sender="", recipients=(to,), octets=notification(notice), kind="bounce"),
            Commit(jobs=(replace(job, state="done"),), events=(done,)))
        await self._postoffice.release(job)
        self._mail_log.line("bounced {message_id} to {to}: {address} {reply}", message_id=original_id, to=to,
                            address=address, reply=notice.reply)

    async def _original(self, job: Job) -> tuple[bytes, bool]:
        """What may be returned of the original, and whether that is all of it."""
        data, full = job.data, job.data.get("ret") == "FULL"
        if data.get("held"):
            try:
                return await self._store.held.read(job.id), full
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
                _, octets = await self._mailboxes.read(place["mailbox"], place["folder"], place["uid"])
            except (NotFound, KeyError):
                continue
            full = full and len(octets) <= LARGEST_RETURN
            return octets if full else header_of(octets), full
        return b"\r\n", False
