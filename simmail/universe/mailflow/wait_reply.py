"""
Looking for what a persona sends, or that it decided to send nothing.

The event log tells both.  Source: decisions, section 3 ("Wait").
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Waiting
from simmail.core.mime.address import stored
from simmail.core.records.commit import EventQuery
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rules.wait import RECENT, ReplyWait
from simmail.core.time.instant import format_instant
from simmail.errors import Invalid, NotFound
from simmail.universe.eventlog import EventLog
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.mailflow.wait_mail import FAR, LoggedEvent, WRITING, number_of
from simmail.universe.people.personas import Personas

#: What a persona can decide about a mail other than to answer it.
SILENT = ("persona.ignored", "persona.junked", "persona.bounced")

_DID = {"persona.ignored": "did not reply", "persona.junked": "never saw it", "persona.bounced": "bounced it"}


class ReplyWaiter:
    """
    Looking for one answer.

    @param given: the number of the event with which the same question was last answered, 0 for none.
    @ivar sent: the event of the mail that was awaited, and number its number.
    @ivar notices: the events of out-of-office notices that came before it.
    @ivar silent: why there will be no answer.
    """

    def __init__(
        self, people: Personas, recent: RecentMail, events: EventLog, reactor: IReactorTime, asked: ReplyWait,
        given: int,
    ) -> None:
        self._people = people
        self._recent = recent
        self._events = events
        self._reactor = reactor
        self._asked = asked
        self._given = given
        self._sleeping: Waiting[None] = Waiting(reactor)
        self._heard: set[int] = set()
        self._begun = False
        self.persona_id = ""
        self._addresses: tuple[str, ...] = ()
        self._who = asked.in_reply_to and f"the readers of {asked.in_reply_to}"
        if asked.persona:
            persona = people.known(asked.persona) or people.at(stored(asked.persona))
            if persona is None:
                raise NotFound(f"no persona {asked.persona}")
            self.persona_id, self._who = persona.id, f"{persona.name} <{persona.address}>"
            self._addresses = persona.addresses
        elif not asked.in_reply_to:
            raise Invalid("persona", "persona or in_reply_to is required")
        self.sent: Event | None = None
        self.number = 0
        self.notices: list[Event] = []
        self.silent: str | None = None

    @property
    def over(self) -> bool:
        """Whether the wait is."""
        return self.sent is not None or self.silent is not None

    @property
    def stirred(self) -> int:
        """Changes when it should look again."""
        return self.over

    def sleep(self) -> Deferred[None]:
        """Deferred that fires when it should look again."""
        return self._sleeping.wait()

    def hopeful(self, job: Job) -> bool:
        """Whether a job may bring what is awaited."""
        if job.kind not in WRITING or not self.persona_id or job.persona_id == self.persona_id:
            return job.kind in WRITING
        # Mail that a fault rule holds back may draw an answer when it comes.
        people = (self._people.at(one) for one in job.data.get("addresses", ()) if "late" in job.data)
        return any(one is not None and one.id == self.persona_id for one in people)

    def concerns(self, job: Job) -> bool:
        """Whether a job is about the mail, or the persona's."""
        if self.persona_id:
            return self.hopeful(job)
        return job.kind in WRITING and any(
            one.get("message_id") == self._asked.in_reply_to for one in job.data.get("mails", ()))

    def missed(self) -> str:
        """What was awaited."""
        return f"waited for mail from {self._who}"

    async def again(self) -> bool:
        """Whether it is over."""
        if not self._begun:
            self._begun = True
            await self._already()
        return self.over

    async def _already(self) -> None:
        """What has happened already counts: all of it for an answer, for a persona what came after who wrote to it."""
        asked = self._asked
        types = ("persona.sent", *SILENT) if asked.in_reply_to else ("persona.sent",)
        after, since = 0, None
        if isinstance(asked.since, datetime):
            since = asked.since
        elif isinstance(asked.since, int):
            after = asked.since
        elif asked.since is not None:
            after = await number_of(self._events, asked.since)
            if not after:
                raise Invalid("since", f"no message {asked.since}")
        elif not asked.in_reply_to:
            after = await self._written()
        # Of an answer the newest decision counts, of a persona the first mail.
        query = EventQuery(types=types, persona_id=self.persona_id or None, limit=FAR, after=after, since=since,
                           descending=bool(asked.in_reply_to))
        for octets in await self._events.query(query):
            row = msgspec.json.decode(octets, type=LoggedEvent)
            if row.id in self._heard or since is not None and row.at == since and row.id <= self._given:
                continue
            self._consider(row.id, Event(row.type, row.at, row.data), bool(asked.in_reply_to))

    async def _written(self) -> int:
        """The number of the event of the last mail that somebody who is no persona sent to this one."""
        await self._events.when_recorded()
        number = self._recent.written(self._addresses)
        if number is not None:
            return number
        wanted = set(self._addresses)
        for octets in await self._events.query(EventQuery(types=("mail.delivered",), descending=True, limit=FAR)):
            row = msgspec.json.decode(octets, type=LoggedEvent)
            if not wanted.isdisjoint(row.data.get("to", ())):
                return row.id
        # Nobody ever wrote to it: what it began by itself lately counts.
        return self._events.number_at(self._reactor.seconds() - RECENT)

    def heard(self, first: int, events: Sequence[Event]) -> None:
        """Events were recorded."""
        for number, event in enumerate(events, first):
            if event.type.startswith("persona."):
                self._heard.add(number)
                self._consider(number, event, True)
        if self.over:
            self._sleeping.wake(None)

    def _consider(self, number: int, event: Event, decisions: bool) -> None:
        data, asked = event.data, self._asked
        if self.sent is not None or self.persona_id and data.get("persona_id") != self.persona_id:
            return
        if event.type == "persona.sent":
            if asked.in_reply_to and asked.in_reply_to not in data.get("answers", ()):
                return
            if asked.kind in ("any", data.get("kind")):
                self.sent, self.number, self.silent = event, number, None
            elif data.get("kind") == "ooo":
                self.notices.append(event)
        elif event.type in SILENT and decisions and "persona_id" in data:
            if asked.in_reply_to and data.get("message_id") != asked.in_reply_to:
                return
            score = f" (score {data['score']:g}, threshold {data['threshold']:g})" if "score" in data else ""
            why = data.get("why") or data.get("kind")
            self.silent = f"{data.get('persona', 'nobody')} {_DID[event.type]}: {event.type[8:]}{score}, {why}"


def planned(jobs: Sequence[Job]) -> str:
    """The first of some jobs, in words, for the text of a 408."""
    if not jobs:
        return "nothing is planned"
    job = min(jobs, key=lambda one: (one.due, one.id))
    return f"the next planned is {job.kind} {job.id}, due {format_instant(job.due)}"
