"""
Which mail of the application answers which: conversations are gone through in the order of time.

An answer answers everything that waits in its conversation.  One more, when nothing has come since, is a second answer
to the same.  What names no mail that is known is held to answer the newest mail of its recipient that has its subject
(RFC 5256 section 2.1), one that waits before others; it is astray.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from simmail.core.message.base_subject import base_subject, is_reply
from simmail.core.score.truth import ApplicationMail, PersonaMail, Truth


class Handling:
    """
    What the application did about one mail.

    @ivar answers: those that answer it, the first of which counts; repeated: when nothing had come since.
    @ivar automatic: answers that were made by a machine; passed: mails about it to somebody else.
    @ivar astray: whether its first answer is outside of its conversation.
    """

    __slots__ = ("answers", "repeated", "automatic", "passed", "astray")

    def __init__(self) -> None:
        self.answers: list[ApplicationMail] = []
        self.repeated: list[ApplicationMail] = []
        self.automatic: list[ApplicationMail] = []
        self.passed: list[ApplicationMail] = []
        self.astray = False


class _Thread:
    """One conversation: all mail of the world in it, what of it waits, and whether something else came since."""

    __slots__ = ("truths", "waiting", "open")

    def __init__(self) -> None:
        self.truths: list[Truth] = []
        self.waiting: list[Truth] = []
        self.open = False

    def meant(self, among: list[Truth], mail: ApplicationMail, own: frozenset[str]) -> list[Truth]:
        """
        Return those that a mail is an answer to: it goes to their writers.

        Where nobody should be answered another address will do: that of C{Reply-To}, perhaps.
        """
        named = mail.in_reply_to or (mail.references[-1] if mail.references else "")
        return [one for one in among if not set(one.senders).isdisjoint(mail.to)
                or one.message_id == named and one.expected in ("ignore", "junk") and not own.issuperset(mail.to)]


class Correspondence:
    """
    All conversations of the application with the world, and those that answer machines.

    @ivar handled: by Message-ID of the world's mail.
    @ivar machine: by Message-ID of what mailboxes sent by themselves, the mails that answer it.
    """

    def __init__(
        self, truths: Iterable[Truth], others: Iterable[PersonaMail], mails: Iterable[ApplicationMail],
        own: Collection[str],
    ) -> None:
        self.handled: dict[str, Handling] = {}
        self.machine: dict[str, list[ApplicationMail]] = {}
        self._own = frozenset(own)
        self._threads: dict[str, _Thread] = {}
        self._of: dict[str, str] = {}
        self._by_sender: dict[str, dict[str, None]] = {}
        self._unwanted: dict[str, str] = {}
        every: list[tuple[datetime, int, str, Truth | PersonaMail | ApplicationMail]] = [
            *((one.at, 0, one.message_id, one) for one in truths),
            *((one.at, 1, one.message_id, one) for one in others),
            *((one.at, 2, one.message_id, one) for one in mails)]
        for *_, mail in sorted(every, key=lambda one: one[:3]):
            if isinstance(mail, Truth):
                self._came(mail)
            elif isinstance(mail, PersonaMail):
                self._heard(mail)
            else:
                self._wrote(mail)

    def _came(self, truth: Truth) -> None:
        self.handled[truth.message_id] = Handling()
        thread = self._threads.setdefault(truth.thread, _Thread())
        thread.truths.append(truth)
        thread.waiting.append(truth)
        if truth.expected in ("ignore", "junk"):
            self._unwanted[_subject(truth.subject)] = truth.message_id
        self._of[truth.message_id] = truth.thread
        for one in truth.senders:
            self._by_sender.setdefault(one, {})[truth.thread] = None

    def _heard(self, mail: PersonaMail) -> None:
        if mail.automatic:
            self.machine[mail.message_id] = []
            return
        root = next((self._of[one] for one in mail.answers if one in self._of), None)
        if root is not None:
            self._of[mail.message_id] = root
            self._threads[root].open = True

    def _wrote(self, mail: ApplicationMail) -> None:
        named = [one for one in (mail.in_reply_to, *reversed(mail.references)) if one]
        machine = next((one for one in named[:1] if one in self.machine), None)
        if machine is not None:
            self.machine[machine].append(mail)
            return
        root = next((self._of[one] for one in named if one in self._of), None)
        astray = root is None
        if root is None:
            root = self._by_subject(mail)
        if root is None:
            unwanted = self._unwanted.get(_subject(mail.subject))
            if unwanted is not None and is_reply(mail.subject) and not self._own.issuperset(mail.to):
                # To the address in Reply-To, perhaps.
                self.handled[unwanted].answers.append(mail)
            return
        thread = self._threads[root]
        self._of.setdefault(mail.message_id, root)
        meant = thread.meant(thread.truths, mail, self._own)
        if meant:
            self._answers(thread, meant[-1], mail, astray)
            return
        for truth in thread.waiting or thread.truths[-1:]:
            self.handled[truth.message_id].passed.append(mail)

    def _by_subject(self, mail: ApplicationMail) -> str | None:
        subject = _subject(mail.subject)
        threads = [root for one in mail.to for root in reversed(self._by_sender.get(one, {}))
                   if any(_subject(truth.subject) == subject for truth in self._threads[root].truths)]
        return next((root for root in threads if any(
            _subject(truth.subject) == subject for truth in self._threads[root].waiting)), next(iter(threads), None))

    def _answers(self, thread: _Thread, latest: Truth, mail: ApplicationMail, astray: bool) -> None:
        """Note an answer to what waits; C{latest}: the last that it can mean."""
        meant = thread.meant(thread.waiting, mail, self._own)
        if mail.automatic:
            for truth in meant or [latest]:
                self.handled[truth.message_id].automatic.append(mail)
            return
        for truth in meant:
            handling = self.handled[truth.message_id]
            handling.answers.append(mail)
            handling.astray = astray
        thread.waiting = [one for one in thread.waiting if one not in meant]
        if not meant and not thread.open:
            self.handled[latest.message_id].repeated.append(mail)
        thread.open = False


def _subject(subject: str) -> str:
    return base_subject(subject).casefold()
