"""
Inspections of one universe: a message is found, taken apart, and reported on.

Source: decisions, section 10.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace
from twisted.internet.defer import Deferred, gatherResults

from simmail.core.inspection.authentication import Authentication, RecordCheck
from simmail.core.inspection.engine import EngineReport, SpamEngine
from simmail.core.inspection.sender.lookup import Lookup, Records, given
from simmail.core.inspection.sender.published import FetchFile, judge_picture, judge_policy, WebFile
from simmail.core.inspection.report import Report, inspect
from simmail.core.inspection.subject import Envelope, arrived
from simmail.core.message.folding import fold
from simmail.core.message.query import Term
from simmail.core.mime.address import stored
from simmail.errors import NotFound
from simmail.universe.inspection.addresses import CheckAddresses
from simmail.universe.inspection.authenticate import authenticate
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.search import MailSearch
from simmail.universe.people.personas import Personas


class FoundMessage(NamedTuple):
    """A message that is to be inspected, and how it came."""

    octets: bytes
    envelope: Envelope


class Inspections:
    """
    Inspections of one universe.

    @param lookup: asks the name system; engines: other filters that are asked too; files: fetches what domains publish.
    @param in_thread: runs a function in a thread, answering a Deferred.
    @ivar addresses: for deliverability checks.
    """

    def __init__(
        self, mailboxes: Mailboxes, search: MailSearch, people: Personas, addresses: CheckAddresses,
        lookup: Lookup, engines: Sequence[SpamEngine], files: FetchFile, in_thread: Callable[..., Any],
    ) -> None:
        self.addresses = addresses
        self._mailboxes = mailboxes
        self._search = search
        self._people = people
        self._lookup = lookup
        self._engines = engines
        self._files = files
        self._in_thread = in_thread

    async def at(self, address: str, folder: str, uid: int) -> FoundMessage:
        """Return a message by its place.  @raise NotFound: no such mailbox, folder or message."""
        place = stored(address)
        _, octets = await self._mailboxes.read(place, folder, uid)
        return FoundMessage(octets, replace(arrived(octets), recipient=place, client=self.client(place)))

    async def called(self, message_id: str) -> FoundMessage:
        """Return a message by its Message-ID, the newest copy of it.  @raise NotFound: there is none."""
        hits = await self._search.newest((Term("message-id", fold(message_id)),), 1)
        if not hits:
            raise NotFound(f"no message {message_id[:200]}")
        return await self.at(hits[0].mailbox, hits[0].folder, hits[0].uid)

    async def newest(self, address: str) -> tuple[int, FoundMessage | None]:
        """Return how many messages are in an address's INBOX, and the newest of them."""
        folder = await self._mailboxes.folder(address, "INBOX")
        uids = list(folder.uids)
        return len(uids), await self.at(address, "INBOX", uids[-1]) if uids else None

    def client(self, address: str) -> str:
        """Return what an address's persona reads in, C{""} where there is no persona."""
        persona = self._people.at(address) if address else None
        style = persona.style if persona is not None else None
        return (style.client if style else None) or ""

    async def report(self, octets: bytes, envelope: Envelope, records: Records | None = None) -> Report:
        """
        Report on a message, in a thread; the files that its author's domain publishes are fetched.

        @param records: what the name system is taken to answer; other names are asked for.
        """
        lookup = given(records, self._lookup) if records else self._lookup
        found: Authentication = await self._in_thread(partial(authenticate, octets, envelope, lookup))
        # A redirect would let others answer for the domain (RFC 8461 section 3.3).
        published = [Deferred.fromCoroutine(self._judged(*one)) for one in (
            (found.mta_sts, judge_policy, False), (found.bimi, judge_picture, True))]
        mta_sts, bimi = await gatherResults(published, consumeErrors=True)
        found = replace(found, mta_sts=mta_sts, bimi=bimi)
        report: Report = await self._in_thread(partial(inspect, octets, envelope, found))
        if not self._engines:
            return report
        asked = [Deferred.fromCoroutine(_awaited(one.check(octets, envelope))) for one in self._engines]
        return replace(report, engines=tuple(await gatherResults(asked, consumeErrors=True)))

    async def _judged(
        self, record: RecordCheck, judge: Callable[[RecordCheck, WebFile], RecordCheck], redirects: bool
    ) -> RecordCheck:
        """What a record is worth with the file that it speaks of."""
        return judge(record, await self._files(record.place, redirects)) if record.place else record


async def _awaited(answer: Awaitable[EngineReport]) -> EngineReport:
    return await answer
