"""
What the writer can be asked, each a request with a name; C{T} is what it answers.

They go to another process, so all they hold, and all that is answered, can be
encoded (msgpack).  Names of files are packed
(L{packed<simmail.mailstore.maildir.filename.packed>}), for not all of them are
UTF-8.  What is done about each is in L{handlers<simmail.mailstore.writer.handlers>}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, get_args

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred

from simmail.core.records.delivery import Delivery
from simmail.mailstore.delivery.changes import Restated
from simmail.mailstore.delivery.copymove import Sources, Transferred
from simmail.mailstore.delivery.delivery import DeliveryResult
from simmail.mailstore.delivery.external import Adopted
from simmail.mailstore.journal.records import Id
from simmail.mailstore.journal.uncommitted import Owing, Replayed
from simmail.mailstore.maildir.status import Counts

T = TypeVar("T")


class StoreId(NamedTuple):
    """Which Maildirs are meant: the directory of all universes, and one of them."""

    path: str
    universe: str


class WriterRequest(Struct, Generic[T], frozen=True, array_like=True, tag=True):
    """Anything that is asked, and answered by a C{T}."""


class OfStore(WriterRequest[T], Generic[T], frozen=True):
    """Something asked of the Maildirs of one universe."""

    at: StoreId


class Into(OfStore[None], frozen=True):
    """How deliveries are filed; C{create}: whether mailboxes and folders that are not there are made."""

    create: bool = True


# The journal


class IsReady(WriterRequest[None], frozen=True):
    """Has the journal of an earlier process been read?"""


class Attach(WriterRequest[None], frozen=True):
    """A disk that holds mail."""

    path: str


class Begin(OfStore[bytes], frozen=True):
    """A universe's mail is about to be used; answers what a crash left to be cleared away, packed."""


class Shut(WriterRequest[None], frozen=True):
    """Nothing more is asked; C{synced}: all mail is on the disk."""

    synced: bool


class NoteCommitted(WriterRequest[None], frozen=True):
    """The commits of these deliveries are made."""

    keys: list[Id]


class Refuse(WriterRequest[None], frozen=True):
    """Who asked for these deliveries was told that they were not taken."""

    keys: list[Id]


class Doubt(WriterRequest[None], frozen=True):
    """A disk that holds mail may have lost what was written."""

    errno: int
    text: str


class Recheck(WriterRequest[None], frozen=True):
    """While there is a doubt: can the disk be written to again?"""


class FindUncommitted(OfStore[Owing], frozen=True):
    """What is owed a commit; all else that the journal has is on the disk again."""


class Replay(OfStore[Replayed], frozen=True):
    """Make the deliveries that are owed visible, C{among}: only these; C{known}: those whose commit is made."""

    known: frozenset[str]
    among: frozenset[str] | None


class ListForeign(WriterRequest[list[str]], frozen=True):
    """The ids of messages that other programs delivered and whose commit is not made, in order."""

    universe: str


class EraseUniverse(WriterRequest[None], frozen=True):
    """Nothing is owed for a universe."""

    universe: str


class KeepUniverses(WriterRequest[None], frozen=True):
    """Nothing is owed for any other universe."""

    universes: frozenset[str]


# Mailboxes and folders


class CloseStore(OfStore[None], frozen=True):
    """Nothing more is asked of the Maildirs of a universe."""


class MakeMailbox(OfStore[None], frozen=True):
    """Make a mailbox when it is not there."""

    mailbox: str


class DropMailbox(OfStore[str], frozen=True):
    """Take a mailbox away; answers what is to be cleared away."""

    mailbox: str


class CountMailboxes(OfStore[list[tuple[str, dict[str, Counts]]]], frozen=True):
    """Count the folders of mailboxes."""

    mailboxes: Sequence[str]


class MakeFolder(OfStore[None], frozen=True):
    """Make a folder in the mailbox of a directory."""

    box: str
    name: str
    special_use: str


class MakeStandardFolder(OfStore[str], frozen=True):
    """Make a standard folder that is only shown; answers its directory."""

    mailbox: str
    name: str


class DropFolder(OfStore[str | None], frozen=True):
    """Take a folder away; answers what is to be cleared away."""

    mailbox: str
    box: str
    name: str


class RenameFolder(OfStore[list[tuple[str, str]]], frozen=True):
    """Rename a folder and its inferiors; answers (old name, new name) of each."""

    mailbox: str
    box: str
    old: str
    new: str


class RenewUidvalidity(OfStore[None], frozen=True):
    """Give a folder that is not the one that was there a greater UIDVALIDITY."""

    mailbox: str
    name: str
    uidvalidity: int
    uidnext: int
    inode: int


class Subscribe(OfStore[None], frozen=True):
    """Subscribe to a name, or no more."""

    box: str
    name: str
    on: bool


class Annotate(OfStore[list[str]], frozen=True):
    """Change annotations; answers the names of those that are others now."""

    mailbox: str
    folder: str
    changes: Mapping[str, bytes | None]


class CopyAnnotations(OfStore[None], frozen=True):
    """Give a folder all annotations of another."""

    mailbox: str
    source: str
    target: str


# Messages of a folder


class DefineKeywords(OfStore[tuple[bool, tuple[str, ...]]], frozen=True):
    """Give keywords a place in a folder's table; answers whether all have one, and the table."""

    mailbox: str
    name: str
    keywords: Sequence[str]
    used: int


class BumpModseq(OfStore[int], frozen=True):
    """Use up a MODSEQ for what was noticed, such as that messages are C{gone}; answers it."""

    mailbox: str
    name: str
    gone: Sequence[int]


class NoteFlags(OfStore[int], frozen=True):
    """Note flags that the names of files do not have yet; answers the MODSEQ."""

    mailbox: str
    name: str
    groups: Sequence[tuple[int, Sequence[int]]]
    changes: int


class ClearFlagLog(OfStore[None], frozen=True):
    """All files have their flags in their names."""

    mailbox: str
    name: str


class RenameFiles(OfStore[Restated], frozen=True):
    """Rename files within a folder."""

    mailbox: str
    name: str
    old: bytes
    new: bytes
    changes: int


class RemoveFiles(OfStore[Restated], frozen=True):
    """Remove files of a folder."""

    mailbox: str
    name: str
    paths: bytes


class Transfer(OfStore[Transferred], frozen=True):
    """Copy or move a slice of messages into another folder, or the same one."""

    mailbox: str
    name: str
    sources: Sources
    target: tuple[str, str]
    move: bool


class Adopt(OfStore[Adopted], frozen=True):
    """
    Give UIDs to files that another program put into a folder.

    @ivar shown: answer what FETCH shows of them, of all but large ones; most: octets that a message may have.
    """

    mailbox: str
    name: str
    strays: bytes
    shown: bool
    most: int


# Looking at messages


class PrepareToLook(WriterRequest[None], frozen=True):
    """What is needed to look at messages is imported from here on."""


class ReadShown(OfStore[list[tuple[bytes, bytes] | None]], frozen=True):
    """What FETCH shows of the messages in files of a folder."""

    directory: str
    paths: bytes


class ScanFiles(OfStore[list[bool | None]], frozen=True):
    """Whether the messages in files of a folder have some texts, each in one of some fields."""

    wanted: Sequence[tuple[Sequence[str], str]]
    directory: str
    paths: bytes


class IWriter(Protocol):
    """Alone changes Maildirs: does what it is asked, in that order."""

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Deferred of the answer."""

    def send(self, request: WriterRequest[Any]) -> None:
        """The same where nobody waits for the answer."""

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """
        Deferred of what became of a delivery.

        @param durable: called before that when the delivery is in the journal and stays there until it is visible.
        """

    def stop(self) -> Deferred[None]:
        """Deferred: all that was asked is done."""


#: All of them.
REQUESTS: tuple[type[WriterRequest[Any]], ...] = (
    IsReady, Attach, Begin, Shut, NoteCommitted, Refuse, Doubt, Recheck, FindUncommitted, Replay, ListForeign,
    EraseUniverse, KeepUniverses, CloseStore, MakeMailbox, DropMailbox, CountMailboxes, MakeFolder, MakeStandardFolder,
    DropFolder, RenameFolder, RenewUidvalidity, Subscribe, Annotate, CopyAnnotations, DefineKeywords, BumpModseq,
    NoteFlags, ClearFlagLog, RenameFiles, RemoveFiles, Transfer, Adopt, PrepareToLook, ReadShown, ScanFiles,
)


def answer_of(kind: type[WriterRequest[Any]]) -> Any:
    """Return the type of what a kind of request is answered."""
    answer, = get_args(kind.__orig_bases__[0])  # type: ignore[attr-defined]
    return answer


decode_into = msgspec.msgpack.Decoder(Into).decode
