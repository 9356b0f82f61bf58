"""
Waits: hold a question open until mail answers it.

Folders and the event log wake a wait; with C{advance} it moves the clock from
job to job while a job can still produce what is awaited.  Waiting changes no
flag.  Source: decisions, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
from twisted.internet.defer import Deferred

from simmail.core.address import stored
from simmail.core.delivery import Copy
from simmail.core.events import Event
from simmail.core.jobs import Job
from simmail.core.reading import read
from simmail.core.waiting import RECENT, Candidate, MailWait, ReplyWait, Since, Waited, described, mismatch
from simmail.database.records import EventQuery
from simmail.errors import Conflict, Invalid, NotFound, TimedOut
from simmail.interfaces import IFolder

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that put mail into somebody's mailbox.
WRITING = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "bounce", "forward",
                     "world"))

#: What a persona can decide about a mail other than to answer it.
SILENT = ("persona.ignored", "persona.junked", "persona.bounced")


class Waits:
    """The waits of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    # Mail to an address

    async def wait(self, asked: MailWait) -> Waited:
        """
        The next mail to an address.

        @raise TimedOut: it did not come; the text says what came instead, and what is planned.
        """
        look = _Look(self._universe, asked)
        await self._until(look, asked.timeout, asked.advance, asked.sim_timeout, asked.settle)
        if look.found:
            # The number is that of an event behind the mail's own.
            await self._universe.postoffice.recorded()
            return Waited(tuple(look.found), self._universe.log.last)
        raise TimedOut(f"waited for {described(asked)}; {look.seen()}; {self._planned()}")

    async def none(self, asked: MailWait) -> None:
        """
        Nothing of that kind comes.

        @raise Conflict: something did.
        """
        look = _Look(self._universe, asked)
        await self._until(look, asked.timeout, asked.advance, asked.sim_timeout, asked.settle)
        if look.found:
            where = look.found[0]
            raise Conflict(f"{described(asked)} came: UID {where.uid} in {where.folder} of {where.mailbox}")

    # A persona's answer

    async def reply(self, asked: ReplyWait) -> Waited:
        """
        The next mail a persona sends.

        @raise Conflict: it decided not to reply; the text says why.
        @raise TimedOut: nothing was sent; the text names the job that is planned.
        @raise NotFound: no such persona.
        """
        look = _Reply(self._universe, asked)
        await self._until(look, asked.timeout, asked.advance, asked.sim_timeout, asked.settle)
        if look.silent is not None:
            raise Conflict(look.silent)
        if look.sent is None:
            raise TimedOut(f"waited for mail from {look.who}; {self._planned(look.persona_id)}")
        return Waited((await self._copy_of(look.sent),), look.number)

    async def _copy_of(self, event: Event) -> Copy:
        data = event.data
        message_id = data["message_id"]
        persona = self._universe.people.known(data["persona_id"])
        for address in (*data["to"], *data.get("cc", ()), *(persona.addresses if persona else ())):
            if not self._universe.store.exists(address):
                continue
            place = await self._universe.mailboxes.find(address, message_id)
            if place is not None:
                folder = await self._universe.mailboxes.folder(address, place[0])
                return Copy(address, place[0], place[1], folder.uidvalidity)
        raise NotFound(f"{message_id} was sent but is in no mailbox any more")

    # Common

    async def _until(
        self, look: _Look | _Reply, timeout: float, advance: bool, sim_timeout: timedelta, settle: float
    ) -> None:
        """Look again at each change until it is over, or the time is."""
        universe = self._universe
        wake: list[Deferred[None]] = []

        def changed(*_: Any) -> None:
            # One that looks and finds nothing goes back to sleep at once: wake only who sleeps now.
            asleep, wake[:] = list(wake), []
            for one in asleep:
                one.callback(None)

        unwatch = universe.log.watch(look.heard)
        unwatch_wake = universe.log.watch(changed)
        # What is injected has no event, and its folder may only now have come to be.
        universe.postoffice.watchers.add(changed)
        deadline = universe.reactor.seconds() + timeout
        try:
            await look.begin(changed)
            if await look.again():
                return
            if advance:
                limit = universe.clock.now() + sim_timeout
                await self._advance(look, limit, settle)
                deadline = universe.reactor.seconds() + timeout
            while not await look.again():
                left = deadline - universe.reactor.seconds()
                if left <= 0:
                    return
                woken: Deferred[None] = Deferred()
                wake.append(woken)
                timer = universe.reactor.callLater(left, changed)
                await woken
                if timer.active():
                    timer.cancel()
        finally:
            unwatch()
            unwatch_wake()
            universe.postoffice.watchers.discard(changed)
            look.end()

    async def _advance(self, look: _Look | _Reply, limit: datetime, settle: float) -> None:
        """Run jobs one after another while one can still bring what is awaited."""
        universe = self._universe

        def stop(job: Job | None) -> str | None:
            if look.stirred:
                return "event"
            if job is None or not any(look.hopeful(one) for one in universe.scheduler.pending.values()):
                return "idle"
            return None

        moved = False
        while not await look.again():
            look.stirred = False
            step = await universe.scheduler.move(lambda start: limit, stop, settle=settle, announce=False)
            moved = moved or step.jobs_run > 0
            if step.stopped_by != "event":
                break
        if moved:
            await universe.clock.announce()

    def _planned(self, persona_id: str = "") -> str:
        # A look at a web page is nothing that mail is waited for.
        jobs = [job for job in self._universe.scheduler.pending.values()
                if job.kind != "link" and (not persona_id or job.persona_id == persona_id)]
        if not jobs:
            return "nothing is planned"
        job = min(jobs, key=lambda one: (one.due, one.id))
        return f"the next planned is {job.kind} {job.id}, due {job.due.isoformat()}"


class _Look:
    """Looking for mail in one folder."""

    def __init__(self, universe: Universe, asked: MailWait) -> None:
        self._universe = universe
        self._asked = asked
        self._folder: IFolder | None = None
        self._changed: Callable[..., None] = lambda *_: None
        self._looked: set[int] = set()
        self._matching: list[Copy] = []
        self._after_uid: int | None = None
        self._count = 0
        self._nearest = ""
        self._first = True
        self.found: list[Copy] = []
        self.stirred = False

    async def begin(self, changed: Callable[..., None]) -> None:
        def stirred(*_: Any) -> None:
            self.stirred = True
            changed()

        self._changed = stirred

    def heard(self, first: int, events: Sequence[Event]) -> None:
        """A message is found by its folder, not by its event; but the folder may only now have come to be."""
        self.stirred = self.stirred or self._folder is None

    def hopeful(self, job: Job) -> bool:
        return job.kind in WRITING

    def end(self) -> None:
        if self._folder is not None:
            self._folder.unlisten(self._changed)

    async def _open(self) -> IFolder | None:
        if self._folder is None:
            try:
                folder = await self._universe.mailboxes.folder(self._asked.to, self._asked.folder)
            except NotFound:
                return None
            folder.listen(self._changed)
            self._folder = folder
        return self._folder

    async def again(self) -> bool:
        """Look at what is new; whether enough was found."""
        if self.found:
            return True
        folder = await self._open()
        if folder is None:
            self._first = False
            return False
        uids = [uid for uid in folder.uids if uid not in self._looked]
        if self._first:
            uids = await self._already(folder, uids)
            self._first = False
        for uid in uids:
            self._looked.add(uid)
            await self._consider(folder, uid)
        if len(self._matching) >= self._asked.count:
            self.found = self._matching[:self._asked.count]
        return bool(self.found)

    async def _already(self, folder: IFolder, uids: list[int]) -> list[int]:
        """Those of the messages that were there before the wait which count, in the order they are looked at."""
        asked = self._asked
        since = asked.since
        kept: list[int]
        if since is not None:
            kept = await self._since(folder, uids, since)
        elif asked.existing:
            kept = uids[::-1]
        elif asked.existing is False:
            kept = []
        else:
            recent = self._universe.postoffice.filed_since(
                asked.to, folder.name, self._universe.reactor.seconds() - RECENT)
            kept = [uid for uid in uids[::-1] if uid in recent]
        self._looked.update(set(uids) - set(kept))
        return kept

    async def _since(self, folder: IFolder, uids: list[int], since: Since) -> list[int]:
        if isinstance(since, datetime):
            return [uid for uid in uids if (entry := folder.entry(uid)) is not None and entry.date > since]
        if isinstance(since, int):
            await self._universe.postoffice.recorded()
            numbers = self._universe.postoffice.filed_numbers(self._asked.to, folder.name)
            at = await _instant_of(self._universe, since)
            return [uid for uid in uids if (
                numbers[uid] > since if uid in numbers
                else at is not None and (entry := folder.entry(uid)) is not None and entry.date > at)]
        for status in await self._universe.mailboxes.folders(self._asked.to):
            other = await self._universe.mailboxes.folder(self._asked.to, status.name)
            for uid, digest in (await other.digests(list(other.uids))).items():
                if digest.message_id != since:
                    continue
                if other.name == folder.name:
                    return [one for one in uids if one > uid]
                entry = other.entry(uid)
                if entry is not None:
                    return await self._since(folder, uids, entry.date)
        raise Invalid("since", f"no message {since} in {self._asked.to}")

    async def _consider(self, folder: IFolder, uid: int) -> None:
        entry = folder.entry(uid)
        if entry is None:
            return
        try:
            octets = await folder.read(uid)
        except NotFound:
            return
        self._count += 1
        mail = read(octets)
        why = mismatch(self._asked.filter, Candidate(mail, entry.flags, mail.header("X-Service-Case") or None))
        if why is None:
            self._matching.append(Copy(folder.mailbox, folder.name, uid, folder.uidvalidity))
        else:
            self._nearest = f"the nearest, '{mail.subject[:80]}' from {mail.from_.address}, did not match: {why}"

    def seen(self) -> str:
        """How many messages were looked at, and why the nearest was not it."""
        if not self._count:
            return "no message came"
        if self._matching:
            return f"{len(self._matching)} of {self._asked.count} came"
        return f"{self._count} seen, {self._nearest}"


async def _instant_of(universe: Universe, number: int) -> datetime | None:
    rows = await universe.log.query(EventQuery(before=number + 1, descending=True, limit=1))
    return msgspec.json.decode(rows[0], type=_At).at if rows else None


class _At(msgspec.Struct):
    at: datetime


class _Told(msgspec.Struct):
    id: int
    type: str
    at: datetime
    data: dict[str, Any]


class _Reply:
    """Looking for what a persona sends."""

    def __init__(self, universe: Universe, asked: ReplyWait) -> None:
        self._universe = universe
        self._asked = asked
        self.persona_id = ""
        self.who = asked.in_reply_to and f"the readers of {asked.in_reply_to}"
        if asked.persona:
            persona = universe.people.known(asked.persona) or universe.people.at(stored(asked.persona))
            if persona is None:
                raise NotFound(f"no persona {asked.persona}")
            self.persona_id, self.who = persona.id, f"{persona.name} <{persona.address}>"
        elif not asked.in_reply_to:
            raise Invalid("persona", "persona or in_reply_to is required")
        self.sent: Event | None = None
        self.number = 0
        self.silent: str | None = None
        self.stirred = False

    async def begin(self, changed: Callable[..., None]) -> None:
        """What has happened already counts: all of it for an answer, the last hour's for a persona alone."""
        universe, asked = self._universe, self._asked
        if asked.in_reply_to:
            query = EventQuery(types=("persona.sent", *SILENT), persona_id=self.persona_id or None,
                               descending=True, limit=1000)
        elif asked.since is not None:
            query = EventQuery(types=("persona.sent",), persona_id=self.persona_id, limit=1000,
                               after=asked.since if isinstance(asked.since, int) else 0,
                               since=asked.since if isinstance(asked.since, datetime) else None)
        else:
            query = EventQuery(types=("persona.sent",), persona_id=self.persona_id, limit=1000,
                               after=universe.log.number_at(universe.reactor.seconds() - RECENT))
        rows = [msgspec.json.decode(row, type=_Told) for row in await universe.log.query(query)]
        if not query.descending and asked.since is None:
            rows.reverse()
        for row in rows:
            self._consider(row.id, Event(row.type, row.at, row.data), bool(asked.in_reply_to))

    def heard(self, first: int, events: Sequence[Event]) -> None:
        for number, event in enumerate(events, first):
            self._consider(number, event, True)
        self.stirred = self.sent is not None or self.silent is not None

    def _consider(self, number: int, event: Event, decisions: bool) -> None:
        data, asked = event.data, self._asked
        if self.sent is not None or self.persona_id and data.get("persona_id") != self.persona_id:
            return
        if event.type == "persona.sent":
            if asked.kind and data.get("kind") != asked.kind:
                return
            if asked.in_reply_to and asked.in_reply_to not in data.get("answers", ()):
                return
            self.sent, self.number, self.silent = event, number, None
        elif event.type in SILENT and decisions and "persona_id" in data:
            if asked.in_reply_to and data.get("message_id") != asked.in_reply_to:
                return
            what = {"persona.ignored": "did not reply", "persona.junked": "never saw it",
                    "persona.bounced": "bounced it"}[event.type]
            score = f" (score {data['score']:g}, threshold {data['threshold']:g})" if "score" in data else ""
            why = data.get("why") or data.get("kind")
            self.silent = f"{data.get('persona', 'nobody')} {what}: {event.type[8:]}{score}, {why}"

    def hopeful(self, job: Job) -> bool:
        if job.kind not in WRITING or not self.persona_id or job.persona_id == self.persona_id:
            return job.kind in WRITING
        # Mail that a fault rule holds back may draw an answer when it comes.
        people = (self._universe.people.at(one) for one in job.data.get("addresses", ()) if "late" in job.data)
        return any(one is not None and one.id == self.persona_id for one in people)

    def end(self) -> None:
        """Nothing is held open."""

    async def again(self) -> bool:
        return self.sent is not None or self.silent is not None
