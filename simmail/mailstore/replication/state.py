"""
A universe's mail as a store of objects has it: what there is after all changes, without the octets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simmail.mailstore.delivery.description import FolderFacts, MailboxFacts
from simmail.mailstore.journal.records import Described
from simmail.mailstore.replication.changes import (
    AnnotationsSet, AnyChange, BodiesDropped, BodiesHeld, CommitOwed, CommitsSettled, FlagsSet, ForeignOwed,
    KeywordsDefined, MailboxDescribed, MailboxDropped, MessagesAppeared, MessagesDeparted, MessagesTransferred,
    StoredMessage, UniverseErased,
)
from simmail.mailstore.replication.objects import ContentPlace

#: A message that is owed for: its mailbox, the object id of its folder, its UID.
_Now = tuple[str, str, int]


class ReplicaFolder(Struct):
    """A folder; C{messages} by UID."""

    facts: FolderFacts
    messages: dict[int, StoredMessage]

    def used(self, uid: int, modseq: int) -> None:
        """No UID up to this one, and no MODSEQ, is used again."""
        facts = self.facts
        if uid >= facts.uidnext or modseq > facts.highestmodseq:
            self.facts = replace(
                facts, uidnext=max(facts.uidnext, uid + 1), highestmodseq=max(facts.highestmodseq, modseq))


class ReplicaMailbox(Struct):
    """A mailbox; C{facts} without folders; C{folders} by their object ids."""

    facts: MailboxFacts
    folders: dict[str, ReplicaFolder]

    def folder(self, name: str) -> ReplicaFolder | None:
        """Return the folder of a name."""
        return next((one for one in self.folders.values() if one.facts.name == name), None)


class OwedCommit(Struct):
    """A commit that is owed; C{now}: where its messages are, by the numbers of C{places}."""

    described: Described
    digest: bytes
    places: tuple[tuple[str, str, int], ...]
    now: dict[int, _Now]


class _Encoded(Struct, array_like=True):
    mailboxes: list[tuple[MailboxFacts, list[tuple[FolderFacts, list[StoredMessage]]]]]
    held: dict[str, bytes]
    owed: list[OwedCommit]
    foreign: list[str]
    contents: list[tuple[bytes, ContentPlace]]
    octets: list[tuple[int, int, int]]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Encoded).decode


class ReplicaState:
    """
    What there is.

    @ivar mailboxes: by name; held: digests by keys; owed: by the ids of deliveries; foreign: ids of what other programs
        delivered.
    @ivar contents: where the octets of digests are; octets: how many there are in a segment, by epoch and number.
    """

    def __init__(self) -> None:
        self.mailboxes: dict[str, ReplicaMailbox] = {}
        self.held: dict[str, bytes] = {}
        self.owed: dict[str, OwedCommit] = {}
        self.foreign: dict[str, None] = {}
        self.contents: dict[bytes, ContentPlace] = {}
        self.octets: dict[tuple[int, int], int] = {}

    # As octets

    @classmethod
    def decoded(cls, octets: bytes) -> ReplicaState:
        """Return what was encoded.  @raise msgspec.MsgspecError: it was not."""
        said, state = _decode(octets), cls()
        for facts, folders in said.mailboxes:
            state.mailboxes[facts.mailbox] = ReplicaMailbox(facts, {
                one.objectid: ReplicaFolder(one, {message.uid: message for message in messages})
                for one, messages in folders})
        state.held = said.held
        state.owed = {one.described.id: one for one in said.owed}
        state.foreign = dict.fromkeys(said.foreign)
        state.contents = dict(said.contents)
        state.octets = {(epoch, number): octets for epoch, number, octets in said.octets}
        return state

    def encoded(self) -> bytes:
        """Return all of it as octets."""
        return _encode(_Encoded(
            [(box.facts, [(one.facts, list(one.messages.values())) for one in box.folders.values()])
             for box in self.mailboxes.values()],
            self.held, list(self.owed.values()), list(self.foreign),
            list(self.contents.items()), [(*key, octets) for key, octets in self.octets.items()]))

    def copied(self) -> ReplicaState:
        """Return the same for another thread, in which it may be changed too."""
        state = ReplicaState()
        state.mailboxes = {
            mailbox: ReplicaMailbox(box.facts, {objectid: ReplicaFolder(one.facts, one.messages.copy())
                                                for objectid, one in box.folders.items()})
            for mailbox, box in self.mailboxes.items()}
        state.held, state.foreign = self.held.copy(), self.foreign.copy()
        state.owed = {id: replace(one, now=one.now.copy()) for id, one in self.owed.items()}
        state.contents, state.octets = self.contents.copy(), self.octets.copy()
        return state

    # What there is

    def folder(self, mailbox: str, name: str) -> ReplicaFolder | None:
        """Return a folder, None for none."""
        box = self.mailboxes.get(mailbox)
        return box.folder(name) if box is not None else None

    def used(self) -> set[bytes]:
        """Return the digests of all octets that are needed."""
        used = {message.digest for _, folder in self.folders() for message in folder.messages.values()}
        used.update(self.held.values())
        used.update(one.digest for one in self.owed.values())
        return used

    def folders(self) -> Iterator[tuple[str, ReplicaFolder]]:
        """Yield each folder with its mailbox."""
        for mailbox, box in self.mailboxes.items():
            for folder in box.folders.values():
                yield mailbox, folder

    # Changes

    def learn(self, places: Mapping[bytes, tuple[int, int]], epoch: int, number: int) -> None:
        """Octets are in a segment; C{places}: by digests, as (begin, size)."""
        for digest, (begin, size) in places.items():
            self.contents[digest] = ContentPlace(epoch, number, begin, size)
        if places:
            self.octets[epoch, number] = sum(size for _, size in places.values())

    def forget(self) -> dict[bytes, ContentPlace]:
        """Forget where octets are that are not needed any more; return where those were."""
        used = self.used()
        gone = {digest: place for digest, place in self.contents.items() if digest not in used}
        self.drop(gone)
        return gone

    def drop(self, gone: Mapping[bytes, ContentPlace]) -> None:
        """Octets are not needed where they were; they may be elsewhere by now."""
        for digest, place in gone.items():
            if self.contents.get(digest) == place:
                del self.contents[digest]

    def needed(self) -> set[tuple[int, int]]:
        """Return the segments, as (epoch, number), that have octets which are needed; of others is forgotten."""
        needed = {(one.epoch, one.number) for one in self.contents.values()}
        self.octets = {key: octets for key, octets in self.octets.items() if key in needed}
        return needed

    def apply(self, changes: Sequence[AnyChange]) -> None:
        """Make changes, in order."""
        for change in changes:
            _HOW[type(change)](self, change)

    def _described(self, change: MailboxDescribed) -> None:
        facts = change.facts
        box = self.mailboxes.get(facts.mailbox)
        before = dict(box.folders) if box is not None else {}
        listed = {one.objectid for one in facts.folders}
        # Of a folder whose UID file was damaged the object id is another one, and messages are where they were; one
        # that was made in its place begins with the first UID.
        orphans = {one.facts.name: one for objectid, one in before.items() if objectid not in listed}
        folders = {}
        for one in facts.folders:
            known = before.get(one.objectid)
            if known is None:
                known = orphans.get(one.name)
                if known is not None and one.uidnext <= max(known.messages, default=0):
                    known = None
            fresh = ReplicaFolder(one, known.messages if known is not None else {})
            if known is not None:
                fresh.used(known.facts.uidnext - 1, known.facts.highestmodseq)
            folders[one.objectid] = fresh
        self.mailboxes[facts.mailbox] = ReplicaMailbox(replace(facts, folders=()), folders)

    def _dropped(self, change: MailboxDropped) -> None:
        self.mailboxes.pop(change.mailbox, None)

    def _appeared(self, change: MessagesAppeared) -> None:
        folder = self.folder(change.mailbox, change.folder)
        if folder is None:
            return
        self._has_keywords(folder, change.keywords)
        for message in change.messages:
            folder.messages[message.uid] = message
            folder.used(message.uid, change.modseq)

    def _has_keywords(self, folder: ReplicaFolder, keywords: tuple[str, ...]) -> None:
        if keywords and keywords != folder.facts.keywords:
            folder.facts = replace(folder.facts, keywords=keywords)

    def _departed(self, change: MessagesDeparted) -> None:
        folder = self.folder(change.mailbox, change.folder)
        if folder is not None:
            for uid in change.uids:
                folder.messages.pop(uid, None)
            folder.used(0, change.modseq)

    def _flags(self, change: FlagsSet) -> None:
        folder = self.folder(change.mailbox, change.folder)
        if folder is None:
            return
        messages = folder.messages
        for mask, uids in change.groups:
            for uid in uids:
                message = messages.get(uid)
                if message is not None:
                    messages[uid] = message._replace(mask=mask, recent=False)
        folder.used(0, change.modseq)

    def _transferred(self, change: MessagesTransferred) -> None:
        source = self.folder(change.mailbox, change.folder)
        target = self.folder(*change.target)
        if source is None or target is None:
            return
        self._has_keywords(target, change.keywords)
        moved: dict[_Now, _Now] = {}
        for there, here, mask in change.pairs:
            message = source.messages.pop(there, None) if change.move else source.messages.get(there)
            target.used(here, change.modseq)
            if message is not None:
                target.messages[here] = message._replace(uid=here, mask=mask, recent=not mask, saved=change.saved)
                moved[change.mailbox, source.facts.objectid, there] = (
                    change.target[0], target.facts.objectid, here)
        source.used(0, change.source_modseq)
        if change.move:
            for owed in self.owed.values():
                for at, place in owed.now.items():
                    owed.now[at] = moved.get(place, place)

    def _keywords(self, change: KeywordsDefined) -> None:
        folder = self.folder(change.mailbox, change.folder)
        if folder is not None:
            self._has_keywords(folder, change.keywords)

    def _annotations(self, change: AnnotationsSet) -> None:
        box = self.mailboxes.get(change.mailbox)
        folder = box.folder(change.folder) if box is not None and change.folder else None
        if folder is not None:
            folder.facts = replace(folder.facts, annotations=_changed(folder.facts.annotations, change.changes))
        elif box is not None and not change.folder:
            box.facts = replace(box.facts, annotations=_changed(box.facts.annotations, change.changes))

    def _held(self, change: BodiesHeld) -> None:
        self.held.update(dict.fromkeys(change.keys, change.digest))

    def _not_held(self, change: BodiesDropped) -> None:
        for key in change.keys:
            self.held.pop(key, None)

    def _owed(self, change: CommitOwed) -> None:
        if change.described.id in self.owed:
            # It was asked again; its messages may be elsewhere by now.
            return
        now: dict[int, _Now] = {}
        for at, (mailbox, name, uid) in enumerate(change.places):
            folder = self.folder(mailbox, name)
            if folder is not None:
                now[at] = mailbox, folder.facts.objectid, uid
        self.owed[change.described.id] = OwedCommit(change.described, change.digest, change.places, now)

    def _foreign(self, change: ForeignOwed) -> None:
        self.foreign.update(dict.fromkeys(change.ids))

    def _settled(self, change: CommitsSettled) -> None:
        for one in change.ids:
            self.owed.pop(one, None)
            self.foreign.pop(one, None)

    def _erased(self, change: UniverseErased) -> None:
        self.mailboxes.clear()
        self.held.clear()
        self.owed.clear()
        self.foreign.clear()


def _changed(entries: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
    return {name: value for name, value in {**entries, **changes}.items() if value is not None}


_HOW: Mapping[Any, Callable[[ReplicaState, Any], None]] = {
    MailboxDescribed: ReplicaState._described, MailboxDropped: ReplicaState._dropped,
    MessagesAppeared: ReplicaState._appeared, MessagesDeparted: ReplicaState._departed, FlagsSet: ReplicaState._flags,
    MessagesTransferred: ReplicaState._transferred, KeywordsDefined: ReplicaState._keywords,
    AnnotationsSet: ReplicaState._annotations, BodiesHeld: ReplicaState._held, BodiesDropped: ReplicaState._not_held,
    CommitOwed: ReplicaState._owed, ForeignOwed: ReplicaState._foreign, CommitsSettled: ReplicaState._settled,
    UniverseErased: ReplicaState._erased,
}
