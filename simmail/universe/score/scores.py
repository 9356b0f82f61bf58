"""
The score of one universe: the event log says what came and what was written, the mailboxes where it lies and what it
says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import LongWork
from simmail.core.lru import Lru
from simmail.core.message.auto_submitted import automatic
from simmail.core.message.parse import read_headers
from simmail.core.message.splitting import split_reply
from simmail.core.message.summary import Digest
from simmail.core.mime.address import domain_of
from simmail.core.records.commit import EventQuery
from simmail.core.records.folder import Entry
from simmail.core.score.expectations import Expectations, expectations_of
from simmail.core.score.grade import grade
from simmail.core.score.points import ScoreReport
from simmail.core.score.rows import READ, read_row
from simmail.core.score.truth import ApplicationMail, JUNK, PersonaMail, Truth
from simmail.interfaces import IFolder, IMailStore
from simmail.universe.eventlog import EventLog
from simmail.universe.people.cases import Cases
from simmail.universe.people.personas import Personas
from simmail.universe.policy import Policy
from simmail.universe.settings import Settings

#: Events, and messages, asked for at once.
PAGE = 1000

#: Mails of the application whose words are kept in memory, in characters.
ROOM = 4_000_000

#: The settings document of expectations.
DOCUMENT = "score"


class Scores:
    """Grades the application that is tested in one universe."""

    def __init__(
        self, log: EventLog, store: IMailStore, policy: Policy, people: Personas, cases: Cases, settings: Settings,
        now: Callable[[], datetime], reactor: IReactorTime,
    ) -> None:
        self._log = log
        self._store = store
        self._policy = policy
        self._people = people
        self._cases = cases
        self._settings = settings
        self._now = now
        self._reactor = reactor
        self._read: Lru[int, ApplicationMail] = Lru(ROOM, lambda mail: 500 + len(mail.text))

    @property
    def expectations(self) -> Expectations:
        """What was stated as expected."""
        return msgspec.convert(self._settings.get(DOCUMENT, {}), Expectations)

    async def put_expectations(self, value: Any) -> Expectations:
        """
        Replace what is expected.

        @raise Invalid: a bad field, by its path.  @raise Unavailable: Redis is away.
        """
        expectations = expectations_of(value)
        await self._settings.put(DOCUMENT, expectations)
        return expectations

    async def score(self, since: datetime | None = None) -> ScoreReport:
        """
        Return the score of what came since an instant, or ever.

        @raise Unavailable: Redis is away.
        """
        now = self._now()
        truths: list[Truth] = []
        others: list[PersonaMail] = []
        mails: dict[int, ApplicationMail] = {}
        async for number, found in self._rows():
            if isinstance(found, Truth):
                truths.append(found)
            elif isinstance(found, PersonaMail):
                others.append(found)
            else:
                mails[number] = found
        own = self._own(mails.values())
        placed = await self._placed(truths)
        return grade(placed, others, await self._said(mails), self._cases.all(), self.expectations.expectations, own,
                     since, now)

    async def _rows(self) -> AsyncIterator[tuple[int, Truth | PersonaMail | ApplicationMail]]:
        work, after = LongWork(self._reactor), 0
        while True:
            rows = await self._log.query(EventQuery(after=after, types=READ, limit=PAGE))
            for octets in rows:
                after, found = read_row(octets)
                yield after, found
                await work.yield_to_reactor()
            if len(rows) < PAGE:
                return

    def _own(self, mails: Iterable[ApplicationMail]) -> frozenset[str]:
        """The application's own addresses: inboxes, logins, those it writes from, and any of the company's domains."""
        domains = self._settings.world_domains
        own = {*self._settings.world_inboxes, *(
            one.address for one in self._policy.accounts() if self._people.at(one.address) is None)}
        for mail in mails:
            own.add(mail.sender)
            own.update(one for one in mail.to if domain_of(one) in domains)
        return frozenset(own)

    async def _placed(self, truths: list[Truth]) -> list[Truth]:
        """The same mails, each with the folder that it lies in now."""
        places: dict[tuple[str, str], tuple[str, Entry]] = {}
        wanted = {one.message_id for one in truths}
        for address in dict.fromkeys(one.to for one in truths):
            async for folder, (uid, message_id) in self._messages(address, wanted):
                entry = folder.entry(uid)
                # Who has copied it has it in several; it was reported if one of them is.
                before = places.get((address, message_id))
                if entry is not None and (before is None or before[0] != JUNK):
                    places[address, message_id] = folder.name, entry
        found = []
        for truth in truths:
            place = places.get((truth.to, truth.message_id))
            found.append(replace(truth, folder="") if place is None else replace(
                truth, folder=place[0], flagged="\\Flagged" in place[1].flags))
        return found

    async def _said(self, mails: dict[int, ApplicationMail]) -> list[ApplicationMail]:
        """The same mails with what they say, as far as there is a copy of them."""
        missing: dict[str, list[int]] = {}
        read: dict[int, ApplicationMail] = {}
        for number, mail in mails.items():
            known = self._read.use(number)
            if known is None:
                missing.setdefault(mail.message_id, []).append(number)
            else:
                read[number] = known
        places = dict.fromkeys(
            address for numbers in missing.values() for one in numbers
            for address in (*mails[one].to, mails[one].sender))
        for address in places:
            async for folder, (uid, message_id) in self._messages(address, missing):
                digest = (await folder.digests([uid])).get(uid)
                for number in missing.pop(message_id, ()) if digest is not None else ():
                    read[number] = _with_text(mails[number], digest)
                    self._read.put(number, read[number])
        return [read.get(number, mail) for number, mail in mails.items()]

    async def _messages(
        self, address: str, wanted: Collection[str]
    ) -> AsyncIterator[tuple[IFolder, tuple[int, str]]]:
        """Where in a mailbox messages of these Message-IDs are, for as long as there are any."""
        if not wanted or not self._store.exists(address):
            return
        work = LongWork(self._reactor)
        for status in await self._store.folders(address):
            if not status.total or not wanted:
                continue
            folder = await self._store.folder(address, status.name)
            uids = list(folder.uids)
            for begin in range(0, len(uids), PAGE):
                named = await folder.digested(uids[begin:begin + PAGE], ("message_id",))
                for uid, (message_id,) in named.items():
                    if message_id in wanted:
                        yield folder, (uid, message_id)
                await work.yield_to_reactor()


def _with_text(mail: ApplicationMail, digest: Digest) -> ApplicationMail:
    return replace(
        mail, text=split_reply(digest.text)[0], references=digest.references,
        automatic=bool(automatic(read_headers(digest.header), mail.sender)))
