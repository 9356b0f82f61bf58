"""
Mail that another program delivered: put into C{new/} of an INBOX by procmail, maildrop, mutt or mv.

It counts as delivered and draws reactions like all other mail, once: its id
(UIDVALIDITY, UID and mailbox) is that of its commit, and the store tells of it
again until it is settled.  It is in an INBOX already, so recipient rules and
the limits of a plan have no say; where nobody stands behind the mailbox there
is the event, and nothing more.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.core.compose.complete import header_end
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read_headers
from simmail.core.mime.address import parse
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.event import Event
from simmail.errors import Invalid, NotFound, Unavailable
from simmail.universe.usage import MAIL

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Real seconds before mail that could not be read (the store is away) is looked at again.
AGAIN = 1.0

#: Octets of a header that is over the limit which are looked at for who wrote what.
LOOKED_AT = 64 * 1024


class Foreign:
    """Takes what other programs delivered into one universe, one message after another."""

    log = Logger()

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._queue: deque[tuple[str, Copy]] = deque()
        self._working = False
        # Those of the queue whose commit is known to be missing.
        self._missing: set[str] = set()

    def delivered(self, foreign: str, copy: Copy) -> None:
        """The store has seen one; the clock waits until what follows from it is committed."""
        self._universe.postoffice.began(foreign, self._universe.clock.now())
        self._queue.append((foreign, copy))
        if not self._working:
            self._working = True
            Deferred.fromCoroutine(self._work()).addErrback(
                lambda failure: self.log.failure("taking mail of other programs failed", failure))

    async def _work(self) -> None:
        try:
            while self._queue and not self._universe.stopping:
                try:
                    await self._take(*self._queue[0])
                except Unavailable as error:
                    self.log.warn("mail of another program waits: {error}", error=error)
                    await deferLater(self._universe.reactor, AGAIN)
                    continue
                except Exception:
                    # It is told again after the next start.
                    self.log.failure("mail of another program was not taken: {id}", id=self._queue[0][0])
                    self._universe.postoffice.ended(self._queue[0][0])
                self._missing.discard(self._queue.popleft()[0])
        finally:
            self._working = False

    async def _known(self, foreign: str) -> bool:
        """Whether its commit was made: it is told of again until that is in the synced log."""
        universe = self._universe
        while foreign not in self._missing:
            # Of all that wait at once.
            asked = {one for one, _ in self._queue} - self._missing
            try:
                seen = await universe.database.seen(universe.id, asked)
            except Unavailable:
                await universe.database_back()
                continue
            self._missing |= asked - seen
            if foreign in seen:
                return True
        return False

    async def _take(self, foreign: str, copy: Copy) -> None:
        universe = self._universe
        if await self._known(foreign):
            universe.postoffice.settling.settle(foreign)
            universe.postoffice.ended(foreign)
            return
        try:
            folder = await universe.store.folder(copy.mailbox, copy.folder)
            octets = await folder.read(copy.uid)
        except NotFound:
            # Somebody removed it before we came.
            universe.postoffice.settling.settle(foreign)
            universe.postoffice.ended(foreign)
            return
        limits = universe.config.limits
        # What no door would have let in is there to be read, but nobody is made to.
        fits = len(octets) <= limits.message and header_end(octets) <= limits.header
        mail = await universe.readings.understand(octets) if fits else read_headers(octets[:LOOKED_AT])
        now = universe.clock.now()
        sender = envelope_sender(mail)
        persona = universe.people.at(copy.mailbox)
        arrivals: tuple[Arrival, ...] = ()
        junk = False
        if persona is not None and fits:
            spam = universe.correspondents.junk(persona, copy.mailbox, sender, octets)
            junk = bool(spam["junk"])
            arrivals = Arrival(f"{foreign}.0", copy.mailbox, persona.id, sender, now, copy, spam=spam),
        universe.postoffice.accepted_at = universe.reactor.seconds()
        await universe.postoffice.commit(Commit(once=foreign, arrive=arrivals, events=(Event("mail.delivered", now, {
            "from": mail.from_.address or sender, "to": [copy.mailbox], "subject": mail.subject,
            "message_id": mail.message_id}),), counts=universe.usage.one_more(MAIL)), octets, (copy,))
        universe.told("found {message_id} from {sender} in new/ of {mailbox}, {size} octets",
                      message_id=mail.message_id, sender=sender, mailbox=copy.mailbox, size=len(octets))
        if junk:
            await self._junk(copy)

    async def _junk(self, copy: Copy) -> None:
        # After the commit: a crash in between leaves it in INBOX, but loses nothing.
        store = self._universe.store
        try:
            inbox, target = await store.folder(copy.mailbox, copy.folder), await store.folder(copy.mailbox, "Junk")
            await inbox.move([copy.uid], target, self._universe.clock.now())
        except (NotFound, Unavailable) as error:
            self.log.warn("junk stays in {mailbox}: {error}", mailbox=copy.mailbox, error=error)


def envelope_sender(mail: Mail) -> str:
    """The reverse-path as the program that delivered has noted it (RFC 5321 section 4.4), else the author."""
    noted = mail.header("Return-Path").strip()
    if noted == "<>":
        return ""
    try:
        return parse(noted.removeprefix("<").removesuffix(">"))
    except Invalid:
        return mail.from_.address
