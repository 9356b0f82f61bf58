"""
Scores of what the application sends: taken behind its acceptance, when there is time for it.

While mail keeps coming only a few are scored a second, so that taking mail is not held up; when it pauses, what waits
is scored in batches, in a thread, one commit for each batch.
Source: decisions, section 10 (C{inspect.scored}, C{inspect.links}).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.config import Inspect
from simmail.core.html.links import Link, find_links
from simmail.core.inspection.report import SpamReport, spam_report
from simmail.core.message.mail import Mail
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Copy
from simmail.core.records.event import Event
from simmail.core.rules.spam import score
from simmail.errors import Refusal
from simmail.interfaces import IFolder, IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.committer import Committer
from simmail.universe.inspection.link_check import LinkCheck

#: Real seconds between two looks, and without new mail before it counts as a pause.
SOON, PAUSE = 0.5, 0.4

#: Mails scored in one go in a pause, and while mail keeps coming; mails looked for in one go; mails that may wait.
BATCH, FEW, MOST_SOUGHT, MOST_WAITING = 50, 5, 200, 100_000


class WaitingMail(NamedTuple):
    """A mail that waits for its score: where a copy is, and how it came."""

    message_id: str
    subject: str
    sender: str
    copy: Copy


class Scored(NamedTuple):
    """A mail's score, and its links where they are to be checked."""

    spam: SpamReport
    links: tuple[Link, ...]


def taken_apart(mail: Mail, sender: str, recipient: str, links: bool) -> Scored:
    """Score a mail; blocks."""
    return Scored(spam_report(score(mail, sender, recipient)), find_links(mail.text, mail.html) if links else ())


class Scoring:
    """
    The scores of one universe.

    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    log = Logger()

    def __init__(
        self, options: Inspect, store: IMailStore, mail_cache: MailCache, committer: Committer, check: LinkCheck,
        now: Callable[[], datetime], in_thread: Callable[..., Any], reactor: IReactorTime,
    ) -> None:
        self._options = options
        self._store = store
        self._mail_cache = mail_cache
        self._committer = committer
        self._check = check
        self._now = now
        self._in_thread = in_thread
        self._reactor = reactor
        self._waiting: deque[WaitingMail] = deque()
        self._dropped = 0
        self._last = 0.0
        self._timer: IDelayedCall | None = None
        self._busy = self._stopped = False

    def filed(self, message_id: str, subject: str, sender: str, copies: tuple[Copy, ...]) -> None:
        """A mail of the application was filed; it is scored later."""
        if not self._options.scored or not copies or self._stopped:
            return
        if len(self._waiting) >= MOST_WAITING:
            if not self._dropped:
                self.log.warn("more than {most} mails wait for their score; the oldest get none", most=MOST_WAITING)
            self._dropped += 1
            self._waiting.popleft()
        self._waiting.append(WaitingMail(message_id, subject, sender, copies[-1]))
        self._last = self._reactor.seconds()
        self._wake()

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopped = True
        self._waiting.clear()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _wake(self) -> None:
        if not self._busy and not self._stopped and (self._timer is None or not self._timer.active()):
            self._timer = self._reactor.callLater(SOON, self._begin)

    def _begin(self) -> None:
        self._busy = True
        Deferred.fromCoroutine(self._some()).addErrback(self._failed).addBoth(self._through)

    def _failed(self, failure: Any) -> None:
        if not failure.check(CancelledError):
            self.log.failure("mail was not scored", failure)

    def _through(self, result: object) -> None:
        self._busy = False
        if self._waiting:
            self._wake()

    async def _some(self) -> None:
        while self._waiting and not self._stopped:
            pause = self._reactor.seconds() - self._last >= PAUSE
            await self._score(await self._there(BATCH if pause else FEW))
            if not pause:
                # More of them in a moment: who sends comes first.
                return

    async def _there(self, most: int) -> list[tuple[WaitingMail, IFolder]]:
        """Take the next that are there; those that are gone, as by retention, take nobody's turn."""
        there: list[tuple[WaitingMail, IFolder]] = []
        sought = 0
        # Whoever stops meanwhile leaves none.
        while self._waiting and sought < MOST_SOUGHT:
            one = self._waiting.popleft()
            sought += 1
            try:
                folder = await self._store.folder(one.copy.mailbox, one.copy.folder)
            except Refusal:
                continue
            if folder.entry(one.copy.uid) is not None:
                there.append((one, folder))
                if len(there) == most:
                    break
        return there

    async def _score(self, some: list[tuple[WaitingMail, IFolder]]) -> None:
        events: list[Event] = []
        linked: list[tuple[WaitingMail, tuple[Link, ...]]] = []
        for one, folder in some:
            try:
                mail = await self._mail_cache.at(folder, one.copy.uid)
            except Refusal:
                # It went just now: there is nothing to score.
                continue
            found: Scored = await self._in_thread(
                taken_apart, mail, one.sender, one.copy.mailbox, self._options.links)
            events.append(Event("inspect.scored", self._now(), {
                "message_id": one.message_id, "subject": one.subject, "score": found.spam.score,
                "engine": found.spam.engine, "action": found.spam.action}))
            if found.links:
                linked.append((one, found.links))
        if events and not self._stopped:
            self._committer.keep(Commit(events=tuple(events)))
        for one, links in linked:
            reports = await self._check.look(links)
            if self._stopped:
                return
            self._committer.keep(Commit(events=(Event("inspect.links", self._now(), {
                "message_id": one.message_id, "subject": one.subject,
                "links": sum(report.ok is not None for report in reports),
                "broken": [report.url for report in reports if report.ok is False]}),)))
