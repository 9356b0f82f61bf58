"""
Looking for awaited mail in one folder: what was there before, then what comes.

Messages count in the order in which they were filed, which is that of their
UIDs, whatever clocks say.  A few messages are read; of many the index is
asked, whose rows hold all that a wait can ask for.  All who wait for mail in
one folder share what is known of it.  Source: decisions, section 3 ("Wait").
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import LongWork, Shared, Waiting
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read_headers
from simmail.core.message.summarize import TEXT
from simmail.core.records.commit import EventQuery
from simmail.core.records.delivery import Copy
from simmail.core.records.folder import FolderChange
from simmail.core.records.job import Job
from simmail.core.rules.wait import Candidate, MailWait, RECENT, Since, described, mismatch
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IFolder
from simmail.universe.cache import MailCache
from simmail.universe.clock import UniverseClock
from simmail.universe.eventlog import EventLog
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.recent import MOST_NOTED, RecentMail

#: Job kinds that put mail into somebody's mailbox.
WRITING = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "bounce", "forward",
                     "world"))

#: Messages that are read; of more the index is asked, for so many in one go.
FEW, SLICE = 4, 200

#: Mails of one folder that are kept for the others who wait there.
KEPT = 8

#: Events looked through for what was recorded behind a number, or of a message.
FAR = 1000


class LastAnswer(NamedTuple):
    """What a question was last answered with: the newest message, and the cursor told with it."""

    uidvalidity: int
    uid: int
    cursor: int


class WatchedFolder:
    """
    A folder in which somebody waits, also one that is not there yet.

    @ivar stirred: how often something has changed in it.
    """

    def __init__(
        self, mailboxes: Mailboxes, mail_cache: MailCache, reactor: IReactorTime, mailbox: str, name: str
    ) -> None:
        self._mailboxes = mailboxes
        self._mail_cache = mail_cache
        self._reactor = reactor
        self._mailbox = mailbox
        self._name = name
        self._folder: IFolder | None = None
        self._sleeping: Waiting[None] = Waiting(reactor)
        self._reading: dict[int, Shared[Mail | None]] = {}
        self._mails: OrderedDict[int, Mail] = OrderedDict()
        self.users = self.stirred = 0

    def stir(self) -> None:
        """Something may have come."""
        self.stirred += 1
        self._sleeping.wake(None)

    def sleep(self) -> Deferred[None]:
        """Deferred that fires when something may have come."""
        return self._sleeping.wait()

    def close(self) -> None:
        """Nobody waits here any more."""
        if self._folder is not None:
            self._folder.unlisten(self._changed)
            self._folder = None

    def _changed(self, change: FolderChange) -> None:
        if change.kind == "reset":
            self.close()
            self._mails.clear()
        self.stir()

    async def folder(self) -> IFolder | None:
        """The folder, None while there is none."""
        if self._folder is None:
            try:
                folder = await self._mailboxes.folder(self._mailbox, self._name)
            except NotFound:
                return None
            if self._folder is None:
                folder.listen(self._changed)
                self._folder = folder
        return self._folder

    async def read(self, folder: IFolder, uid: int) -> Mail | None:
        """A message of it, read once for all who wait; None: it is gone."""
        mail = self._mails.get(uid)
        if mail is not None:
            return mail
        reading = self._reading.get(uid)
        if reading is None:
            reading = self._reading[uid] = Shared(self._reactor)
        return await reading.do(lambda: self._read(folder, uid))

    async def _read(self, folder: IFolder, uid: int) -> Mail | None:
        try:
            mail = await self._mail_cache.understand(await folder.read(uid))
        except NotFound:
            return None
        finally:
            self._reading.pop(uid, None)
        if folder is self._folder:
            self._mails[uid] = mail
            if len(self._mails) > KEPT:
                self._mails.popitem(last=False)
        return mail


class MailWaiter:
    """
    Looking for mail in one folder for one wait.

    @param given: what the same question was last answered with.
    @ivar found: the messages that were awaited, once they are there.
    """

    def __init__(
        self, mailboxes: Mailboxes, recent: RecentMail, events: EventLog, clock: UniverseClock, reactor: IReactorTime,
        watched: WatchedFolder, asked: MailWait, given: LastAnswer | None,
    ) -> None:
        self._mailboxes = mailboxes
        self._recent = recent
        self._events = events
        self._clock = clock
        self._reactor = reactor
        self._watched = watched
        self._asked = asked
        self._given = given
        self._uidvalidity: int | None = None
        # Those of before that count, in the order they are looked at, and the UID behind which mail is new.
        self._before: list[int] | None = None
        self._after = 0
        # Those of before of which it is not known when they were filed: long ago, or just now.
        self._unknown: set[int] = set()
        self._matching: list[Copy] = []
        self._count = 0
        self._nearest = ""
        self.found: tuple[Copy, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the wait is."""
        return bool(self.found)

    @property
    def stirred(self) -> int:
        """How often something has changed that it should look at."""
        return self._watched.stirred

    def sleep(self) -> Deferred[None]:
        """Deferred that fires when it should look again."""
        return self._watched.sleep()

    def hopeful(self, job: Job) -> bool:
        """Whether a job may bring what is awaited."""
        return job.kind in WRITING

    def concerns(self, job: Job) -> bool:
        """Whether a job is known to write to where it is awaited."""
        return job.kind in WRITING and self._asked.to in (job.data.get("to"), *job.data.get("addresses", ()))

    def given(self, cursor: int) -> LastAnswer:
        """What this question is now answered with."""
        return LastAnswer(self._uidvalidity or 0, max(one.uid for one in self.found), cursor)

    async def again(self) -> bool:
        """Look at what is new; whether enough was found."""
        if self.found:
            return True
        folder = await self._watched.folder()
        if folder is None:
            # What comes into it later is new.
            self._before = []
            return False
        if folder.uidvalidity != self._uidvalidity:
            self._after, self._unknown = 0, set()
            if self._before is None:
                uids = list(folder.uids)
                self._after = uids[-1] if uids else 0
                self._before = await self._already(folder, uids)
                self._unknown.difference_update(self._before)
            self._uidvalidity = folder.uidvalidity
        if self._before:
            await self._consider(folder, self._before)
            self._before = []
        uids = folder.uids
        new = [*self._noted_since(folder), *uids[bisect_right(uids, self._after):]]
        if new and not self.found:
            self._after = max(self._after, new[-1])
            await self._consider(folder, new)
        return bool(self.found)

    def _noted_since(self, folder: IFolder) -> list[int]:
        """Those that were there when it looked first, and had just come: mail is in its folder before that is noted."""
        if not self._unknown:
            return []
        noted = self._unknown & self._recent.numbers(self._asked.to, folder.name).keys()
        self._unknown -= noted
        return sorted(noted)

    # What was there before

    async def _already(self, folder: IFolder, uids: list[int]) -> list[int]:
        """Those of the messages that were there before the wait which count, in the order they are looked at."""
        asked, given = self._asked, self._given
        if given is not None and given.uidvalidity != folder.uidvalidity:
            given = None
        if asked.since is not None:
            return await self._since(folder, uids, asked.since, given)
        if asked.existing is False:
            return []
        if given is not None:
            return uids[bisect_right(uids, given.uid):]
        if asked.existing:
            return uids[::-1]
        recent = self._recent.since(asked.to, folder.name, self._reactor.seconds() - RECENT)
        self._unknown = set(uids[-MOST_NOTED:]).difference(recent)
        if self._unknown:
            self._unknown.difference_update(self._recent.numbers(asked.to, folder.name))
        return [uid for uid in uids[::-1] if uid in recent]

    async def _since(self, folder: IFolder, uids: list[int], since: Since, given: LastAnswer | None) -> list[int]:
        if isinstance(since, datetime):
            # Of a clock that stands all mail has one instant: then it counts what this question was not given.
            now = self._clock.timeline.frozen and since == self._clock.now()
            later = given.uid if given is not None else 0
            return [uid for uid in uids if (entry := folder.entry(uid)) is not None and (
                entry.date > since or now and entry.date == since and uid > later)]
        if isinstance(since, int):
            if given is not None and given.cursor == since:
                return uids[bisect_right(uids, given.uid):]
            return await self._behind(folder, uids, since)
        for status in await self._mailboxes.folders(self._asked.to):
            other = await self._mailboxes.folder(self._asked.to, status.name)
            for uid, (message_id,) in (await other.digested(list(other.uids), ("message_id",))).items():
                if message_id != since:
                    continue
                if other.name == folder.name:
                    return [one for one in uids if one > uid]
                number = self._recent.numbers(self._asked.to, other.name).get(uid)
                if number is None:
                    number = await number_of(self._events, since)
                return await self._behind(folder, uids, number)
        raise Invalid("since", f"no message {since} in {self._asked.to}")

    async def _behind(self, folder: IFolder, uids: list[int], number: int) -> list[int]:
        """The messages that were filed behind an event."""
        await self._events.when_recorded()
        numbers = self._recent.numbers(self._asked.to, folder.name)
        self._unknown = set(uids[-MOST_NOTED:]).difference(numbers)
        unknown = [uid for uid in uids if uid not in numbers][-FAR:]
        behind = {uid for uid in uids if numbers.get(uid, 0) > number}
        if unknown and number < self._events.begun:
            # Of a former life: what the log says of them.
            told = {row.data.get("message_id") for row in await logged(self._events, EventQuery(
                after=number, types=("mail.delivered", "persona.sent"), limit=FAR))}
            behind.update(uid for uid, (message_id,) in (await folder.digested(unknown, ("message_id",))).items()
                          if message_id in told)
        return [uid for uid in uids if uid in behind]

    # Looking

    async def _consider(self, folder: IFolder, uids: list[int]) -> None:
        if len(uids) > FEW:
            await self._consider_many(folder, uids)
        else:
            for uid in uids:
                await self._consider_one(folder, uid)
        if len(self._matching) >= self._asked.count:
            self.found = tuple(self._matching[:self._asked.count])

    async def _consider_one(self, folder: IFolder, uid: int) -> None:
        mail = await self._watched.read(folder, uid)
        if mail is not None:
            self._judge(folder, uid, mail)

    async def _consider_many(self, folder: IFolder, uids: list[int]) -> None:
        """The same by what the index has of them, in which all that a wait can ask for is; until enough are found."""
        filter = self._asked.filter
        columns = ("header", "text") if filter.text else ("header",)
        work = LongWork(self._reactor)
        for begin in range(0, len(uids), SLICE):
            some = uids[begin:begin + SLICE]
            rows = await folder.digested(some, columns)
            for uid in some:
                row = rows.get(uid)
                if row is None:
                    continue
                if filter.text and len(row[1]) >= TEXT:
                    await self._consider_one(folder, uid)
                else:
                    mail = read_headers(row[0])
                    self._judge(folder, uid, replace(mail, text=row[1]) if filter.text else mail)
                if len(self._matching) >= self._asked.count:
                    return
                await work.yield_to_reactor()

    def _judge(self, folder: IFolder, uid: int, mail: Mail) -> None:
        entry = folder.entry(uid)
        if entry is None:
            return
        self._count += 1
        why = mismatch(self._asked.filter, Candidate(mail, entry.flags, mail.header("X-Service-Case") or None))
        if why is None:
            self._matching.append(Copy(folder.mailbox, folder.name, uid, folder.uidvalidity))
        else:
            self._nearest = f"the nearest, '{mail.subject[:80]}' from {mail.from_.address}, did not match: {why}"

    def missed(self) -> str:
        """What was awaited, how many messages were looked at, and why the nearest was not it."""
        if not self._count:
            seen = "no message came"
        elif self._matching:
            seen = f"{len(self._matching)} of {self._asked.count} came"
        else:
            seen = f"{self._count} seen, {self._nearest}"
        return f"waited for {described(self._asked)}; {seen}"


class LoggedEvent(msgspec.Struct):
    """An event as the log has it."""

    id: int
    type: str
    at: datetime
    data: dict[str, Any]


async def logged(events: EventLog, query: EventQuery) -> list[LoggedEvent]:
    """Return the events of a query."""
    return [msgspec.json.decode(row, type=LoggedEvent) for row in await events.query(query)]


async def number_of(events: EventLog, message_id: str) -> int:
    """Return the number of the event that tells of a message; 0: none of the last ones does."""
    for row in await logged(events, EventQuery(
            types=("mail.delivered", "persona.sent"), descending=True, limit=FAR)):
        if row.data.get("message_id") == message_id:
            return row.id
    return 0
