"""
The mails that a job is about, where they lie now: those it answers or passes on, and what the persona wrote before.

A job names its mails by where they were filed.  Of one that was moved meanwhile the new place is looked for; of one
that is gone the job itself has what is needed to answer it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from simmail.core.decide.decision import FORWARDED, MOST_FORWARDS
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address
from simmail.core.records.persona import Persona
from simmail.core.time.instant import parse_instant
from simmail.errors import NotFound
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.mailflow.in_flight import MailInFlight
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.pending import PendingJobs


class JobMail(NamedTuple):
    """
    A mail that a job is about.

    @ivar mail: as it came; came: when, by the simulated clock.
    @ivar heard: as the persona takes it: of what a colleague passed on, the mail that was passed on; arrived: when that
        came to who passed it on first.
    """

    mail: Mail
    came: datetime
    heard: Mail
    arrived: datetime


class JobMails:
    """Finds the mails of jobs in one universe."""

    def __init__(
        self, universe: str, database: IDatabase, store: IMailStore, mailboxes: Mailboxes, mail_cache: MailCache,
        in_flight: MailInFlight, pending: PendingJobs,
    ) -> None:
        self._universe = universe
        self._database = database
        self._store = store
        self._mailboxes = mailboxes
        self._mail_cache = mail_cache
        self._in_flight = in_flight
        self._pending = pending

    async def found(self, item: dict[str, Any], created: datetime) -> JobMail:
        """
        A mail that a job is about, and what it passes on, if it does; without its copy, what the job kept of it.

        @param created: when the job was planned.
        """
        place = item.get("place") or {}
        if place:
            try:
                mail = await self._at(place["mailbox"], place["folder"], place["uid"])
                if mail.message_id == item["message_id"]:
                    return await self._as_taken(mail, item, place["mailbox"], place["folder"], place["uid"])
            except NotFound:
                pass
            try:
                found = await self._mailboxes.find(place["mailbox"], item["message_id"])
                if found is not None:
                    mail = await self._at(place["mailbox"], *found)
                    return await self._as_taken(mail, item, place["mailbox"], *found)
            except NotFound:
                pass
        mail = Mail(
            message_id=item["message_id"], in_reply_to="", references=tuple(item.get("references", ())),
            from_=Address("", item.get("sender", "")), reply_to=(), to=(), cc=(), subject=item.get("subject", ""),
            date=None, text="", html="", format="text", attachments=(), headers=(), size=0)
        came = parse_instant(item["arrived"]) if "arrived" in item else created
        return JobMail(mail, came, mail, came)

    async def _as_taken(self, mail: Mail, item: dict[str, Any], mailbox: str, folder: str, uid: int) -> JobMail:
        came = await self._came(item, mailbox, folder, uid)
        return JobMail(mail, came, *await self._passed_on(mail, came, mailbox, folder, uid))

    async def _came(self, item: dict[str, Any], mailbox: str, folder: str, uid: int) -> datetime:
        """When a mail came: what the job says, else when its copy was filed."""
        if "arrived" in item:
            return parse_instant(item["arrived"])
        entry, _ = await self._mailboxes.read(mailbox, folder, uid)
        return entry.date

    async def _at(self, mailbox: str, folder: str, uid: int) -> Mail:
        return await self._mail_cache.at(await self._store.folder(mailbox, folder), uid)

    async def _passed_on(
        self, mail: Mail, came: datetime, mailbox: str, folder: str, uid: int
    ) -> tuple[Mail, datetime]:
        """
        The mail that a colleague passed on, and when that came; any other mail is itself.

        What is filed bears the id of the job that wrote it, and the job says where the original is.
        """
        for _ in range(MOST_FORWARDS):
            if not mail.header(FORWARDED) or not mail.header("X-Service-Persona"):
                break
            (key,) = (await self._store.folder(mailbox, folder)).column("key", [uid])
            job = self._pending.by_id.get(key or "") or await self._database.job(self._universe, key or "")
            item = (job.data.get("mails") or [{}])[-1] if job is not None else {}
            place = item.get("place")
            if not place:
                break
            mailbox, folder, uid = place["mailbox"], place["folder"], place["uid"]
            try:
                original = await self._at(mailbox, folder, uid)
            except NotFound:
                break
            if original.message_id != place.get("message_id"):
                break
            mail, came = original, await self._came(item, mailbox, folder, uid)
        return mail, came

    async def sent(self, persona: Persona, job_id: str) -> list[Mail]:
        """The copy of what a job wrote, [] when it is gone."""
        if self._in_flight.is_uncommitted(job_id):
            # It was written a moment ago, and may be on its way into the folder.
            visible = self._store.when_visible()
            if visible is not None:
                await visible
        for address in persona.addresses:
            try:
                folder = await self._store.folder(address, "Sent")
                uid = folder.find(job_id)
                if uid is not None:
                    return [await self._mail_cache.at(folder, uid)]
            except NotFound:
                continue
        return []
