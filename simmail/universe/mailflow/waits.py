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

from twisted.internet.interfaces import IReactorTime

from simmail.core.records.delivery import Copy
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rules.wait import MailWait, RECENT, ReplyWait, WaitFilter, Waited, described
from simmail.errors import Conflict, NotFound, TimedOut
from simmail.interfaces import IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.clock import UniverseClock
from simmail.universe.eventlog import EventLog
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.mailflow.wait_mail import LastAnswer, MailWaiter, WatchedFolder
from simmail.universe.mailflow.wait_reply import ReplyWaiter, planned
from simmail.universe.pending import PendingJobs
from simmail.universe.people.personas import Personas
from simmail.universe.scheduler import Scheduler

#: Questions of which it is known what they were last answered with.
MOST_ASKED = 10_000

_Question = tuple[str, str, str, str | WaitFilter]


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
        return planned([job for job in self._pending.by_id.values() if look.concerns(job)])
