"""
Waits: hold a question open until mail answers it.

Waiting means the next one: a question that was asked before is answered with
what came after its last answer.  Folders and the event log wake a wait; with
C{advance} it moves the clock from job to job while a job can still produce
what is awaited.  Waiting changes no flag.  Source: decisions, section 3.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Waiting
from simmail.core.mime.address import stored
from simmail.core.records.commit import EventQuery
from simmail.core.records.delivery import Copy
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rules.wait import MailWait, RECENT, ReplyWait, WaitFilter, Waited, described
from simmail.core.time.instant import format_instant
from simmail.errors import Conflict, Invalid, NotFound, TimedOut
from simmail.interfaces import IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.clock import UniverseClock
from simmail.universe.eventlog import EventLog
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.mailflow.wait_mail import FAR, LastAnswer, MailWaiter, WRITING, WatchedFolder, logged, number_of
from simmail.universe.pending import PendingJobs
from simmail.universe.people.personas import Personas
from simmail.universe.scheduler import Scheduler

#: Questions of which it is known what they were last answered with.
MOST_ASKED = 10_000

_Question = tuple[str, str, str, str | WaitFilter]

#: What a persona can decide about a mail other than to answer it, in words.
SILENT = {"persona.ignored": "did not reply", "persona.junked": "never saw it", "persona.bounced": "bounced it"}


class ReplyWaiter:
    """
    Looking for one answer, or for the decision to send none: the event log tells both.

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
        for row in await logged(self._events, query):
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
        for row in await logged(self._events, EventQuery(types=("mail.delivered",), descending=True, limit=FAR)):
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
            self.silent = f"{data.get('persona', 'nobody')} {SILENT[event.type]}: {event.type[8:]}{score}, {why}"


class Waits:
    """The waits of one universe."""

    def __init__(
        self, store: IMailStore, mailboxes: Mailboxes, recent: RecentMail, people: Personas, events: EventLog,
        clock: UniverseClock, scheduler: Scheduler, pending: PendingJobs, mail_cache: MailCache, reactor: IReactorTime,
    ) -> None:
        self._store = store
        self._mailboxes = mailboxes
        self._recent = recent
        self._people = people
        self._events = events
        self._clock = clock
        self._scheduler = scheduler
        self._pending = pending
        self._mail_cache = mail_cache
        self._reactor = reactor
        self._watched: dict[tuple[str, str], WatchedFolder] = {}
        self._answers: dict[ReplyWaiter, None] = {}
        self._unwatch: Callable[[], None] = lambda: None
        #: When each question was last answered (real seconds), and with what.
        self._given: OrderedDict[_Question, tuple[float, LastAnswer | int]] = OrderedDict()
        recent.filed = self._filed

    @property
    def open(self) -> int:
        """How many wait."""
        return sum(one.users for one in self._watched.values()) + len(self._answers)

    # Mail to an address

    async def wait(self, asked: MailWait, asker: str = "") -> Waited:
        """
        The next mail to an address.

        @param asker: who asks; the same question of another is another question.
        @raise TimedOut: it did not come; the text says what came instead, and what is planned.
        """
        question = (asker, asked.to, asked.folder, asked.filter)
        with self._look(asked, self._last_given(question)) as look:
            await self._until(look, asked)
            if not look.found:
                raise TimedOut(f"{look.missed()}; {self._planned(look)}")
            # The number is that of an event behind the mail's own.
            await self._events.when_recorded()
            cursor = self._events.last
            self._answered(question, look.given(cursor))
            return Waited(look.found, cursor)

    async def none(self, asked: MailWait, asker: str = "") -> None:
        """
        Nothing of that kind comes.

        @raise Conflict: something did.
        """
        with self._look(asked, self._last_given((asker, asked.to, asked.folder, asked.filter))) as look:
            await self._until(look, asked)
            if look.found:
                where = look.found[0]
                raise Conflict(f"{described(asked)} came: UID {where.uid} in {where.folder} of {where.mailbox}")

    @contextmanager
    def _look(self, asked: MailWait, given: Any) -> Iterator[MailWaiter]:
        key = (asked.to, asked.folder)
        watched = self._watched.get(key)
        if watched is None:
            watched = self._watched[key] = WatchedFolder(self._mailboxes, self._mail_cache, self._reactor, *key)
        watched.users += 1
        try:
            yield MailWaiter(self._mailboxes, self._recent, self._events, self._clock, self._reactor, watched, asked,
                             given)
        finally:
            watched.users -= 1
            if not watched.users:
                watched.close()
                del self._watched[key]

    def _filed(self, mailbox: str, folder: str) -> None:
        """What is injected has no event, and its folder may only now have come to be."""
        watched = self._watched.get((mailbox, folder))
        if watched is not None:
            watched.stir()

    # A persona's answer

    async def reply(self, asked: ReplyWait, asker: str = "") -> Waited:
        """
        The next mail a persona sends.

        @raise Conflict: it decided not to reply; the text says why.
        @raise TimedOut: nothing was sent; the text names the job that is planned.
        @raise NotFound: no such persona.
        """
        question = (asker, asked.persona, asked.in_reply_to, asked.kind)
        given = self._last_given(question)
        with self._answer(asked, given if isinstance(given, int) else 0) as answer:
            await self._until(answer, asked)
            if answer.silent is not None:
                raise Conflict(answer.silent)
            if answer.sent is None:
                raise TimedOut(f"{answer.missed()}; {self._planned(answer)}")
            self._answered(question, answer.number)
            copy = await self._copy_of(answer.sent)
            if copy is None:
                raise NotFound(f"{answer.sent.data['message_id']} was sent but is in no mailbox any more")
            notices = [await self._copy_of(one) for one in answer.notices]
            return Waited((copy,), answer.number, tuple(one for one in notices if one is not None))

    @contextmanager
    def _answer(self, asked: ReplyWait, given: int) -> Iterator[ReplyWaiter]:
        answer = ReplyWaiter(self._people, self._recent, self._events, self._reactor, asked, given)
        if not self._answers:
            self._unwatch = self._events.watch(self._heard)
        self._answers[answer] = None
        try:
            yield answer
        finally:
            del self._answers[answer]
            if not self._answers:
                self._unwatch()

    def _heard(self, first: int, events: Sequence[Event]) -> None:
        if any(event.type.startswith("persona.") for event in events):
            for answer in list(self._answers):
                answer.heard(first, events)

    async def _copy_of(self, event: Event) -> Copy | None:
        data = event.data
        message_id = data["message_id"]
        persona = self._people.known(data["persona_id"])
        for address in (*data["to"], *data.get("cc", ()), *(persona.addresses if persona else ())):
            if not self._store.exists(address):
                continue
            place = await self._mailboxes.find(address, message_id)
            if place is not None:
                folder = await self._mailboxes.folder(address, place[0])
                return Copy(address, place[0], place[1], folder.uidvalidity)
        return None

    # What was answered before

    def _last_given(self, question: _Question) -> Any:
        when, given = self._given.get(question, (0.0, None))
        return given if self._reactor.seconds() - when < RECENT else None

    def _answered(self, question: _Question, given: LastAnswer | int) -> None:
        self._given[question] = (self._reactor.seconds(), given)
        self._given.move_to_end(question)
        if len(self._given) > MOST_ASKED:
            self._given.popitem(last=False)

    # Common

    async def _until(self, look: MailWaiter | ReplyWaiter, asked: MailWait | ReplyWait) -> None:
        """Look again at each change until it is over, or the time is."""
        deadline = self._reactor.seconds() + asked.timeout
        if await look.again():
            return
        if asked.advance:
            await self._advance(look, self._clock.now() + asked.sim_timeout, asked.settle)
            deadline = self._reactor.seconds() + asked.timeout
        while True:
            stirred = look.stirred
            if await look.again():
                return
            if look.stirred != stirred:
                continue
            left = deadline - self._reactor.seconds()
            if left <= 0:
                return
            woken = look.sleep()
            timer = self._reactor.callLater(left, woken.callback, None)
            try:
                await woken
            finally:
                if timer.active():
                    timer.cancel()

    async def _advance(self, look: MailWaiter | ReplyWaiter, limit: datetime, settle: float) -> None:
        """Run jobs one after another while one can still bring what is awaited."""
        stirred = look.stirred

        def stop(job: Job | None) -> str | None:
            if look.stirred != stirred:
                return "event"
            if job is None or not any(look.hopeful(one) for one in self._pending.by_id.values()):
                return "idle"
            return None

        moved = False
        while True:
            stirred = look.stirred
            if await look.again():
                break
            step = await self._scheduler.move(lambda start: limit, stop, settle=settle, announce=False)
            moved = moved or step.jobs_run > 0
            if step.stopped_by != "event":
                break
        if moved:
            await self._clock.announce()

    def _planned(self, look: MailWaiter | ReplyWaiter) -> str:
        """The first of the jobs that have to do with what is awaited, in words, for the text of a 408."""
        job = min((job for job in self._pending.by_id.values() if look.concerns(job)),
                  key=lambda one: (one.due, one.id), default=None)
        if job is None:
            return "nothing is planned"
        return f"the next planned is {job.kind} {job.id}, due {format_instant(job.due)}"
