"""
Looking for awaited mail in one folder: what was there before, then what comes.

A few messages are read; of many the index is asked, whose rows hold all that
a wait can ask for.  Source: decisions, section 3 ("Wait").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from simmail.core.delivery import Copy
from simmail.core.digesting import TEXT
from simmail.core.events import Event
from simmail.core.jobs import Job
from simmail.core.mail import Mail
from simmail.core.reading import read_headers
from simmail.core.waiting import RECENT, Candidate, MailWait, Since, mismatch
from simmail.database.records import EventQuery
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IFolder
from simmail.universe.turns import Turns

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that put mail into somebody's mailbox.
WRITING = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "bounce", "forward",
                     "world"))

#: Messages that are read; of more the index is asked, for so many in one go.
FEW, SLICE = 4, 200


class Look:
    """Looking for mail in one folder."""

    def __init__(self, universe: Universe, asked: MailWait) -> None:
        self._universe = universe
        self._asked = asked
        self._folder: IFolder | None = None
        self._changed: Callable[..., None] = lambda *_: None
        self._looked: set[int] = set()
        self._matching: list[Copy] = []
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
        if len(uids) > FEW:
            await self._consider_many(folder, uids)
        else:
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
            recent = self._universe.postoffice.lately.since(
                asked.to, folder.name, self._universe.reactor.seconds() - RECENT)
            kept = [uid for uid in uids[::-1] if uid in recent]
        self._looked.update(set(uids) - set(kept))
        return kept

    async def _since(self, folder: IFolder, uids: list[int], since: Since) -> list[int]:
        if isinstance(since, datetime):
            return [uid for uid in uids if (entry := folder.entry(uid)) is not None and entry.date > since]
        if isinstance(since, int):
            await self._universe.postoffice.recorded()
            numbers = self._universe.postoffice.lately.numbers(self._asked.to, folder.name)
            at = await instant_of(self._universe, since)
            return [uid for uid in uids if (
                numbers[uid] > since if uid in numbers
                else at is not None and (entry := folder.entry(uid)) is not None and entry.date > at)]
        for status in await self._universe.mailboxes.folders(self._asked.to):
            other = await self._universe.mailboxes.folder(self._asked.to, status.name)
            for uid, (message_id,) in (await other.digested(list(other.uids), ("message_id",))).items():
                if message_id != since:
                    continue
                if other.name == folder.name:
                    return [one for one in uids if one > uid]
                entry = other.entry(uid)
                if entry is not None:
                    return await self._since(folder, uids, entry.date)
        raise Invalid("since", f"no message {since} in {self._asked.to}")

    async def _consider(self, folder: IFolder, uid: int) -> None:
        try:
            octets = await folder.read(uid)
        except NotFound:
            return
        self._judge(folder, uid, await self._universe.readings.understand(octets))

    async def _consider_many(self, folder: IFolder, uids: list[int]) -> None:
        """The same by what the index has of them, in which all that a wait can ask for is; until enough are found."""
        filter = self._asked.filter
        columns = ("header", "text") if filter.text else ("header",)
        turns = Turns(self._universe.reactor)
        for begin in range(0, len(uids), SLICE):
            some = uids[begin:begin + SLICE]
            rows = await folder.digested(some, columns)
            for uid in some:
                self._looked.add(uid)
                row = rows.get(uid)
                if row is None:
                    continue
                if filter.text and len(row[1]) >= TEXT:
                    await self._consider(folder, uid)
                else:
                    mail = read_headers(row[0])
                    self._judge(folder, uid, replace(mail, text=row[1]) if filter.text else mail)
                if len(self._matching) >= self._asked.count:
                    return
                await turns.breathe()

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

    def seen(self) -> str:
        """How many messages were looked at, and why the nearest was not it."""
        if not self._count:
            return "no message came"
        if self._matching:
            return f"{len(self._matching)} of {self._asked.count} came"
        return f"{self._count} seen, {self._nearest}"


async def instant_of(universe: Universe, number: int) -> datetime | None:
    rows = await universe.log.query(EventQuery(before=number + 1, descending=True, limit=1))
    return msgspec.json.decode(rows[0], type=_At).at if rows else None


class _At(msgspec.Struct):
    at: datetime
