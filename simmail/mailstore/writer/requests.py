"""
What the writer is asked about the journal and the messages, and who does all that it is asked.

What it is asked about mailboxes and folders is in C{delivery}.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, get_args

import msgspec
from twisted.internet.defer import Deferred

from simmail.core.records.delivery import Delivery
from simmail.mailstore.delivery import external
from simmail.mailstore.delivery.changes import (
    BumpModseq, ClearFlagLog, DefineKeywords, NoteFlags, RemoveFiles, RenameFiles,
)
from simmail.mailstore.delivery.copymove import Transfer
from simmail.mailstore.delivery.description import DescribeMailbox
from simmail.mailstore.delivery.external import Adopted
from simmail.mailstore.delivery.mailboxes import (
    Annotate, CopyAnnotations, CountMailboxes, DropFolder, DropMailbox, MakeFolder, MakeMailbox, MakeStandardFolder,
    LeaveShared, OwnMailbox, RenameFolder, RenewUidvalidity, Subscribe,
)
from simmail.mailstore.delivery.maildir_delivery import BatchDelivery, DeliveryResult, MaildirDelivery
from simmail.mailstore.delivery.request import FolderRequest, Into, StoreId, T, WriterRequest
from simmail.mailstore.journal.groupcommit import GroupCommit
from simmail.mailstore.journal.records import Id
from simmail.mailstore.journal.repair import Repair
from simmail.mailstore.journal.uncommitted import Owing, Recovery, Replayed
from simmail.mailstore.maildir.filename import packed, unpacked
from simmail.mailstore.maildir.files import ISought, Shown, shown_of, verdicts_of
from simmail.mailstore.maildir.image import vanish
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.writer.images import ImageMakers


class Looks(NamedTuple):
    """
    How messages are looked at.

    @ivar shown: takes the envelope and the structure of a message.
    @ivar sought: made of texts that are looked for, each in one of some fields.
    """

    shown: Shown
    sought: Callable[[Any], ISought]


def core_looks() -> Looks:
    """Return how the service looks at messages; what that needs is imported when it is first asked for."""
    from simmail.core.message.search_match import Sought
    from simmail.core.mime.bodystructure import shown
    return Looks(shown, Sought)


class RequestHandler:
    """
    Does what is asked, with the journal and the Maildirs of each universe.

    @param open_layout: opens the directories of a universe; wall: the wall clock's Unix time, as files have it.
    @param looks: answers how messages are looked at.
    """

    def __init__(
        self, commit: GroupCommit, open_layout: Callable[[StoreId], Layout], wall: Callable[[], float],
        looks: Callable[[], Looks] = core_looks,
    ) -> None:
        self.commit, self._open_layout, self._looks = commit, open_layout, looks
        self._known: Looks | None = None
        # What was looked for last, mostly in several slices.
        self._sought: tuple[Any, ISought] | None = None
        self._open: dict[StoreId, MaildirDelivery] = {}
        self._batches: dict[Into, BatchDelivery] = {}
        self._encoded: dict[bytes, BatchDelivery] = {}
        self.images = ImageMakers(wall, self._open.__contains__)

    def do(self, request: WriterRequest[T]) -> T:
        """Do it, and return the answer; raises what goes wrong."""
        if isinstance(request, FolderRequest):
            done: T = request.do(self.delivery(request.at).folders)
            return done
        assert isinstance(request, HandlerRequest)
        answer: T = request.do(self)
        return answer

    def delivery(self, at: StoreId) -> MaildirDelivery:
        """Return the Maildirs of a universe, opened when they are first asked for."""
        found = self._open.get(at)
        if found is None:
            found = self._open[at] = MaildirDelivery(self._open_layout(at))
        return found

    def batch(self, into: Into) -> BatchDelivery:
        """Return how deliveries are to be filed: the same for the same, so that they are filed in one go."""
        batch = self._batches.get(into)
        if batch is None:
            batch = self._batches[into] = BatchDelivery(self.delivery(into.at), into.create)
        return batch

    def batch_of(self, octets: bytes) -> BatchDelivery:
        """Return the same for an L{Into} that is encoded."""
        batch = self._encoded.get(octets)
        if batch is None:
            batch = self._encoded[octets] = self.batch(_decode_into(octets))
        return batch

    def recovery(self, at: StoreId) -> Recovery:
        """Return how the Maildirs of a universe are mended."""
        delivery = self.delivery(at)
        return Recovery(delivery.file, lambda journalled: Repair(delivery, journalled).compare())

    def close(self, at: StoreId) -> None:
        """Close the Maildirs of a universe."""
        delivery = self._open.pop(at, None)
        self._encoded.clear()
        self._batches = {into: batch for into, batch in self._batches.items() if into.at != at}
        if delivery is not None:
            delivery.close()

    def looks(self) -> Looks:
        """Return how messages are looked at."""
        if self._known is None:
            self._known = self._looks()
        return self._known

    def sought(self, wanted: Sequence[tuple[Sequence[str], str]]) -> ISought:
        """Return what looks for some texts."""
        if self._sought is None or self._sought[0] != wanted:
            self._sought = wanted, self.looks().sought(wanted)
        return self._sought[1]


class HandlerRequest(WriterRequest[T], Generic[T], frozen=True):
    """Something asked of the journal, or of more than the folders of one universe."""

    def do(self, handler: RequestHandler) -> T:
        """Do it, and return the answer; raises what goes wrong."""
        raise NotImplementedError


class StoreRequest(HandlerRequest[T], Generic[T], frozen=True):
    """The same of one universe."""

    at: StoreId


# The journal


class IsReady(HandlerRequest[None], frozen=True):
    """Has the journal of an earlier process been read?"""

    def do(self, handler: RequestHandler) -> None:
        handler.commit.ready()


class Attach(HandlerRequest[None], frozen=True):
    """A disk that holds mail."""

    path: str

    def do(self, handler: RequestHandler) -> None:
        handler.commit.disks.attach(self.path)


class Begin(StoreRequest[bytes], frozen=True):
    """A universe's mail is about to be used; answers what a crash left to be cleared away, packed."""

    def do(self, handler: RequestHandler) -> bytes:
        return packed(handler.commit.begin(handler.delivery(self.at)))


class Shut(HandlerRequest[None], frozen=True):
    """Nothing more is asked; C{synced}: all mail is on the disk."""

    synced: bool

    def do(self, handler: RequestHandler) -> None:
        handler.commit.shut(self.synced)


class NoteCommitted(HandlerRequest[None], frozen=True):
    """The commits of these deliveries are made; see C{GroupCommit.before}."""

    keys: list[Id]

    def do(self, handler: RequestHandler) -> None:
        """Nothing more."""


class Refuse(HandlerRequest[None], frozen=True):
    """Who asked for these deliveries was told that they were not taken."""

    keys: list[Id]

    def do(self, handler: RequestHandler) -> None:
        handler.commit.refuse(self.keys)


class Doubt(HandlerRequest[None], frozen=True):
    """A disk that holds mail may have lost what was written."""

    errno: int
    text: str

    def do(self, handler: RequestHandler) -> None:
        handler.commit.doubt(OSError(self.errno, self.text))


class Recheck(HandlerRequest[None], frozen=True):
    """While there is a doubt: can the disk be written to again?"""

    def do(self, handler: RequestHandler) -> None:
        handler.commit.doubts.check()


class Touch(HandlerRequest[None], frozen=True):
    """Does the disk of the journal take anything at all?  Nothing of it is written."""

    def do(self, handler: RequestHandler) -> None:
        handler.commit.touch()


class FindUncommitted(StoreRequest[Owing], frozen=True):
    """What is owed a commit; all else that the journal has is on the disk again."""

    def do(self, handler: RequestHandler) -> Owing:
        return handler.commit.find_uncommitted(self.at.universe, handler.recovery(self.at))


class Replay(StoreRequest[Replayed], frozen=True):
    """Make the deliveries that are owed visible, C{among}: only these; C{known}: those whose commit is made."""

    known: frozenset[str]
    among: frozenset[str] | None

    def do(self, handler: RequestHandler) -> Replayed:
        return handler.commit.uncommitted.replay(self.at.universe, self.known, handler.recovery(self.at), self.among)


class ListForeign(HandlerRequest[list[str]], frozen=True):
    """The ids of messages that other programs delivered and whose commit is not made, in order."""

    universe: str

    def do(self, handler: RequestHandler) -> list[str]:
        return [key.id for key in handler.commit.uncommitted.foreign if key.universe == self.universe]


class ListUnsettled(HandlerRequest[list[str]], frozen=True):
    """The ids of what is owed a commit, that no others are being durable."""

    universe: str

    def do(self, handler: RequestHandler) -> list[str]:
        return handler.commit.unsettled(self.universe)


class EraseUniverse(HandlerRequest[None], frozen=True):
    """Nothing is owed for a universe."""

    universe: str

    def do(self, handler: RequestHandler) -> None:
        handler.commit.erase(self.universe)


class KeepUniverses(HandlerRequest[None], frozen=True):
    """Nothing is owed for any other universe."""

    universes: frozenset[str]

    def do(self, handler: RequestHandler) -> None:
        for universe in handler.commit.uncommitted.universes() - self.universes:
            handler.commit.erase(universe)


class CloseStore(StoreRequest[None], frozen=True):
    """Nothing more is asked of the Maildirs of a universe."""

    def do(self, handler: RequestHandler) -> None:
        handler.close(self.at)


# All mail of a universe


class PrepareImage(StoreRequest[bool], frozen=True):
    """Do a little of what C{MakeImage} will be asked for beforehand; answers whether there is more to do."""

    target: str
    renewed: bool

    def do(self, handler: RequestHandler) -> bool:
        return handler.images.begun(self.at, StoreId(self.at.path, self.target), self.renewed).step()


class MakeImage(StoreRequest[bool], frozen=True):
    """
    Make an image for another id, as all is now; C{renewed}: with greater UIDVALIDITYs.

    Answers whether it is there; else all disks are to be synced, then it is to be asked for by C{PublishImage}.
    """

    target: str
    renewed: bool

    def do(self, handler: RequestHandler) -> bool:
        target = StoreId(self.at.path, self.target)
        try:
            maker = handler.images.begun(self.at, target, self.renewed)
            unsynced = maker.finish(handler.commit.owed(self.at.universe))
            if not unsynced:
                maker.publish()
        except BaseException:
            handler.images.done(target)
            raise
        if not unsynced:
            handler.images.done(target)
        return not unsynced


class PublishImage(StoreRequest[None], frozen=True):
    """Let an image that was made be there."""

    target: str

    def do(self, handler: RequestHandler) -> None:
        target = StoreId(self.at.path, self.target)
        try:
            handler.images.made(target).publish()
        finally:
            handler.images.done(target)


class DropImage(StoreRequest[None], frozen=True):
    """Take all mail of a universe away, to be cleared away."""

    def do(self, handler: RequestHandler) -> None:
        handler.close(self.at)
        handler.images.done(self.at)
        vanish(self.at.path, self.at.universe)


class FindLeftovers(HandlerRequest[list[str]], frozen=True):
    """Find what is to be cleared away of images that were not made in the end, or are gone."""

    path: str

    def do(self, handler: RequestHandler) -> list[str]:
        return handler.images.leftovers(self.path)


# Messages


class Adopt(StoreRequest[Adopted], frozen=True):
    """
    Give UIDs to files that another program put into a folder; what was delivered is owed a commit before it is there.

    @ivar shown: answer what FETCH shows of them, of all but large ones; most: octets that a message may have.
    """

    mailbox: str
    name: str
    strays: bytes
    shown: bool
    most: int

    def do(self, handler: RequestHandler) -> Adopted:
        return external.adopt(
            handler.delivery(self.at), self.mailbox, self.name, self.strays,
            partial(handler.commit.add_uncommitted, self.at.universe), handler.looks().shown if self.shown else None,
            self.most)


class PrepareToLook(HandlerRequest[None], frozen=True):
    """What is needed to look at messages is imported from here on."""

    def do(self, handler: RequestHandler) -> None:
        handler.looks()


class ReadShown(StoreRequest[list[tuple[bytes, bytes] | None]], frozen=True):
    """What FETCH shows of the messages in files of a folder."""

    directory: str
    paths: bytes

    def do(self, handler: RequestHandler) -> list[tuple[bytes, bytes] | None]:
        return shown_of(handler.delivery(self.at).layout, handler.looks().shown, self.directory, unpacked(self.paths))


class ScanFiles(StoreRequest[list[bool | None]], frozen=True):
    """Whether the messages in files of a folder have some texts, each in one of some fields."""

    wanted: Sequence[tuple[Sequence[str], str]]
    directory: str
    paths: bytes

    def do(self, handler: RequestHandler) -> list[bool | None]:
        return verdicts_of(
            handler.delivery(self.at).layout, handler.sought(self.wanted), self.directory, unpacked(self.paths))


class IWriter(Protocol):
    """
    Alone changes Maildirs: does what it is asked, in that order.

    @ivar alive: it can be asked now; False while another one begins in the place of one that died.
    """

    @property
    def alive(self) -> bool: ...

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Ask; Deferred of the answer."""

    def send(self, request: WriterRequest[Any]) -> None:
        """The same where nobody waits for the answer."""

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """
        File a delivery; Deferred of what became of it.

        @param durable: called before that when the delivery is in the journal and stays there until it is visible.
        """

    def stop(self) -> Deferred[None]:
        """Ask no more; Deferred: all that was asked is done."""


#: All that can be asked.
REQUESTS: tuple[type[WriterRequest[Any]], ...] = (
    IsReady, Attach, Begin, Shut, NoteCommitted, Refuse, Doubt, Recheck, Touch, FindUncommitted, Replay, ListForeign,
    ListUnsettled, EraseUniverse, KeepUniverses, CloseStore, MakeMailbox, DropMailbox, CountMailboxes, MakeFolder,
    MakeStandardFolder, DropFolder, RenameFolder, RenewUidvalidity, Subscribe, Annotate, CopyAnnotations,
    DefineKeywords, BumpModseq, NoteFlags, ClearFlagLog, RenameFiles, RemoveFiles, Transfer, Adopt, PrepareToLook,
    ReadShown, ScanFiles, PrepareImage, MakeImage, PublishImage, DropImage, FindLeftovers, OwnMailbox, LeaveShared,
    DescribeMailbox,
)


def answer_of(kind: type[WriterRequest[Any]]) -> Any:
    """Return the type of what a kind of request is answered."""
    answer, = get_args(kind.__orig_bases__[0])  # type: ignore[attr-defined]
    return answer


_decode_into = msgspec.msgpack.Decoder(Into).decode
