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
from simmail.core.waiting import RECENT, MailWait, ReplyWait, Waited, described
from simmail.database.records import EventQuery
from simmail.errors import Conflict, Invalid, NotFound, TimedOut
from simmail.universe.looking import WRITING, Look

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

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
        look = Look(self._universe, asked)
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
        look = Look(self._universe, asked)
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
        self, look: Look | _Reply, timeout: float, advance: bool, sim_timeout: timedelta, settle: float
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
        universe.postoffice.lately.watchers.add(changed)
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
                try:
                    await woken
                finally:
                    if timer.active():
                        timer.cancel()
        finally:
            unwatch()
            unwatch_wake()
            universe.postoffice.lately.watchers.discard(changed)
            look.end()

    async def _advance(self, look: Look | _Reply, limit: datetime, settle: float) -> None:
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
