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
from collections.abc import Callable
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read_headers
from simmail.core.mime.address import parse
from simmail.core.mime.headers import fields_end
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.event import Event
from simmail.errors import Invalid, NotFound, Unavailable
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.committer import Committer
from simmail.universe.mailflow.in_flight import MailInFlight
from simmail.universe.mailflow.post_office import PostOffice
from simmail.universe.maillog import MailLog
from simmail.universe.people.decisions import spam_hints
from simmail.universe.people.personas import Personas
from simmail.universe.usage import MAIL, Usage

#: Real seconds before mail that could not be read (the store is away) is looked at again.
AGAIN = 1.0

#: Octets of a header that is over the limit which are looked at for who wrote what.
LOOKED_AT = 64 * 1024


class ExternalMail:
    """Takes what other programs delivered into one universe, one message after another."""

    log = Logger()

    def __init__(
        self, universe: str, config: Config, store: IMailStore, database: IDatabase, postoffice: PostOffice,
        in_flight: MailInFlight, people: Personas, usage: Usage, committer: Committer, mail_cache: MailCache,
        mail_log: MailLog, now: Callable[[], datetime], reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._limits = config.limits
        self._store = store
        self._database = database
        self._postoffice = postoffice
        self._in_flight = in_flight
        self._people = people
        self._usage = usage
        self._committer = committer
        self._mail_cache = mail_cache
        self._mail_log = mail_log
        self._now = now
        self._reactor = reactor
        self._queue: deque[tuple[str, Copy]] = deque()
        self._working = False
        # Those of the queue whose commit is known to be missing.
        self._missing: set[str] = set()

    def delivered(self, foreign: str, copy: Copy) -> None:
        """The store has seen one; the clock waits until what follows from it is committed."""
        self._in_flight.begin(foreign, self._now())
        self._queue.append((foreign, copy))
        if not self._working:
            self._working = True
            Deferred.fromCoroutine(self._work()).addErrback(
                lambda failure: self.log.failure("taking mail of other programs failed", failure))

    async def _work(self) -> None:
        try:
            while self._queue and not self._committer.stopping:
                try:
                    await self._take(*self._queue[0])
                except Unavailable as error:
                    self.log.warn("mail of another program waits: {error}", error=error)
                    await deferLater(self._reactor, AGAIN)
                    continue
                except Exception:
                    # It is told again after the next start.
                    self.log.failure("mail of another program was not taken: {id}", id=self._queue[0][0])
                    self._in_flight.end(self._queue[0][0])
                self._missing.discard(self._queue.popleft()[0])
        finally:
            self._working = False

    async def _known(self, foreign: str) -> bool:
        """Whether its commit was made: it is told of again until that is in the synced log."""
        while foreign not in self._missing:
            # Of all that wait at once.
            asked = {one for one, _ in self._queue} - self._missing
            try:
                seen = await self._database.seen(self._universe, asked)
            except Unavailable:
                await self._committer.database_back()
                continue
            self._missing |= asked - seen
            if foreign in seen:
                return True
        return False

    async def _take(self, foreign: str, copy: Copy) -> None:
        if await self._known(foreign):
            self._in_flight.settle(foreign)
            self._in_flight.end(foreign)
            return
        try:
            folder = await self._store.folder(copy.mailbox, copy.folder)
            octets = await folder.read(copy.uid)
        except NotFound:
            # Somebody removed it before we came.
            self._in_flight.settle(foreign)
            self._in_flight.end(foreign)
            return
        # What no door would have let in is there to be read, but nobody is made to.
        fits = len(octets) <= self._limits.message and fields_end(octets) <= self._limits.header
        mail = await self._mail_cache.understand(octets) if fits else read_headers(octets[:LOOKED_AT])
        now = self._now()
        sender = envelope_sender(mail)
        persona = self._people.at(copy.mailbox)
        arrivals: tuple[Arrival, ...] = ()
        junk = False
        if persona is not None and fits:
            spam = spam_hints(persona, copy.mailbox, sender, mail)
            junk = bool(spam["junk"])
            arrivals = Arrival(f"{foreign}.0", copy.mailbox, persona.id, sender, now, copy, spam=spam),
        self._in_flight.accepted_at = self._reactor.seconds()
        told: dict[str, Any] = {"from": mail.from_.address or sender, "to": [copy.mailbox], "subject": mail.subject,
                                "message_id": mail.message_id}
        if mail.in_reply_to:
            told["in_reply_to"] = mail.in_reply_to
        await self._postoffice.commit(
            Commit(once=foreign, arrive=arrivals, events=(Event("mail.delivered", now, told),),
                   counts=self._usage.one_more(MAIL)), octets, (copy,))
        self._mail_log.line("found {message_id} from {sender} in new/ of {mailbox}, {size} octets",
                            message_id=mail.message_id, sender=sender, mailbox=copy.mailbox, size=len(octets))
        if junk:
            await self._junk(copy)

    async def _junk(self, copy: Copy) -> None:
        # After the commit: a crash in between leaves it in INBOX, but loses nothing.
        try:
            inbox = await self._store.folder(copy.mailbox, copy.folder)
            target = await self._store.folder(copy.mailbox, "Junk")
            await inbox.move([copy.uid], target, self._now())
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
