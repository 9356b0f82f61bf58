"""The providers that the contract of the mail store is held against, each ready to be used at once."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from simmail.core.message.summary import Digest, Enclosed
from simmail.core.mime.address import Address
from simmail.core.records.delivery import Delivery, Placement
from simmail.mailstore.journal.groupcommit import GroupCommit
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.images import MailImages
from simmail.mailstore.mailstore import MailStore
from simmail.mailstore.memory.images import MemoryMailImages
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.mailstore.writer.client import InlineWriter
from simmail.mailstore.writer.requests import Looks

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
#: The same where it is another day.
DATED = AT.astimezone(timezone(timedelta(hours=-10)))


def result_of(deferred: Any) -> Any:
    """What a Deferred has fired with; what it failed with is raised."""
    if not isinstance(deferred, Deferred):
        deferred = ensureDeferred(deferred)
    results: list[Any] = []
    deferred.addBoth(results.append)
    if not results:
        raise AssertionError("the Deferred has not fired")
    if isinstance(results[0], Failure):
        results[0].raiseException()
    return results[0]


def a_mail(subject: str, body: str = "Hello\r\n") -> bytes:
    """A small message."""
    return f"From: Maria <maria@acme.test>\r\nSubject: {subject}\r\n\r\n{body}".encode()


def tiny_digest(octets: bytes) -> Digest:
    """A digest that knows little, but of each kind of field."""
    header, _, body = octets.partition(b"\r\n\r\n")
    subject = next((line[9:].decode("utf-8", "replace") for line in header.split(b"\r\n")
                    if line.startswith(b"Subject: ")), "")
    return Digest(
        envelope=b'("' + subject.encode() + b'\0")', structure=b"(%d)" % len(octets), body=b"", header=header,
        message_id=f"<{subject}@acme.test>", in_reply_to="", references=("<a@b>", "<c,d@e>"), subject=subject,
        base_subject=subject.lower(), from_=(Address("Märia", "maria@acme.test"),), to=(), cc=(),
        sent=DATED if "dated" in subject else None, text=body.decode("utf-8", "replace"), preview="",
        filenames=("ä.pdf",), attachments=(Enclosed("ä.pdf", "application/pdf", 3, "", True),), format="html")


def tiny_shown(octets: bytes) -> tuple[bytes, bytes]:
    """Of it only what FETCH shows."""
    digest = tiny_digest(octets)
    return digest.envelope, digest.structure


def a_delivery(
    number: int | str, *places: str | tuple[str, str] | tuple[str, str, tuple[str, ...]], octets: bytes = b"",
    commit: bytes = b"owed", at: datetime = AT,
) -> Delivery:
    """A delivery to some places: an address, or (address, folder), or with flags."""
    placements = tuple(Placement(place) if isinstance(place, str) else Placement(*place) for place in places)
    return Delivery(f"d-{number}", "main", placements, octets or a_mail(f"mail {number}"), at, commit)


class MemoryProvider:
    """The store in dicts."""

    def __init__(self, path: str) -> None:
        self.images: Any = MemoryMailImages(lambda universe: MemoryMailStore(universe, tiny_digest))
        self.store: Any = self.images.store("main")

    def open(self, universe: str) -> Any:
        """The store of another universe."""
        return self.images.store(universe)

    def shut(self, store: Any) -> None:
        """It is not used any more."""
        result_of(store.close())

    def restart(self) -> Any:
        """An orderly end and a new start."""
        return self.store

    crash = restart

    def later(self) -> None:
        """Nothing is left for later."""

    def stop(self) -> None:
        """The test is over."""


class QuickJournal(Journal):
    """A journal that does not make the whole disk sync, which takes long while others write."""

    @property
    def commit(self) -> GroupCommit:
        """Its group commit, where it is done in the calling thread."""
        assert isinstance(self.writer, InlineWriter)
        return self.writer.commit

    def _sync_disks(self) -> None:
        pass


class DiskProvider:
    """The store on disk, everything done in the calling thread."""

    def __init__(
        self, path: str, shared: bool = False, journal: str = "journal", digest: Any = tiny_digest,
        shown: Any = tiny_shown, sought: Any = None,
    ) -> None:
        self.path = path
        self.digest, self.shown, self.sought = digest, shown, sought
        self.shared = shared
        self.journal_name = journal
        self.clock = Clock()
        self.clock.advance((AT - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1))
        self.start()

    def start(self) -> Any:
        """A process begins."""
        self.journal = QuickJournal(
            f"{self.path}/{self.journal_name}", self.clock, apart=False, looks=lambda: Looks(self.shown, self.sought))
        self.opened: dict[str, Any] = {}
        self.store: Any = self.open("main")
        self.images: Any = MailImages(f"{self.path}/mail", self.journal, f"{self.path}/index")
        return self.store

    def open(self, universe: str) -> Any:
        """The store of a universe."""
        if universe not in self.opened:
            self.opened[universe] = MailStore(
                universe, f"{self.path}/mail", self.journal, f"{self.path}/index", self.clock, self.digest,
                self.shared, self.shown, sought=self.sought)
        return self.opened[universe]

    def shut(self, store: Any) -> None:
        """It is not used any more."""
        result_of(store.close())
        self.opened = {universe: one for universe, one in self.opened.items() if one is not store}

    def restart(self) -> Any:
        """An orderly end and a new start."""
        self.stop()
        return self.start()

    def crash(self) -> Any:
        """The process is killed, and another one starts."""
        self.die()
        return self.start()

    def die(self) -> None:
        """The kernel closes what a killed process had open; nothing more is written."""
        os.close(self.journal.commit.lock)
        self.journal.commit.lock = -1
        for call in list(self.clock.getDelayedCalls()):
            call.cancel()
        for store in self.opened.values():
            store.index.tables.close()

    def later(self) -> None:
        """Time goes by: what was left for later is done."""
        self.clock.advance(2)

    def stop(self) -> None:
        """An orderly end."""
        for store in self.opened.values():
            result_of(store.close())
        result_of(self.journal.close())
