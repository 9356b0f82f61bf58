"""
The writer of a universe whose mail is in a store of objects too: nothing is answered before it is there.

What the writer is asked it does as ever; what that changed is then appended to the universe's log.  A place in the log
is taken when it is asked, so that changes have the order in which the writer makes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from twisted.internet.defer import Deferred

from simmail.core.records.delivery import Delivery
from simmail.core.time.instant import microseconds
from simmail.errors import Fenced, Unavailable
from simmail.mailstore.delivery.changes import (
    BumpModseq, DefineKeywords, NoteFlags, RemoveFiles, RenameFiles, Restated,
)
from simmail.mailstore.delivery.copymove import Transfer, Transferred
from simmail.mailstore.delivery.description import DescribeMailbox, MailboxFacts
from simmail.mailstore.delivery.external import Adopted
from simmail.mailstore.delivery.mailboxes import (
    Annotate, CopyAnnotations, DropFolder, DropMailbox, MakeFolder, MakeMailbox, MakeStandardFolder, RenameFolder,
    RenewUidvalidity, Subscribe,
)
from simmail.mailstore.delivery.maildir_delivery import Added, DeliveryResult, messages
from simmail.mailstore.delivery.request import Into, OfFolder, StoreId, T, WriterRequest
from simmail.mailstore.journal.records import Described, Id
from simmail.mailstore.journal.uncommitted import Owing, Replayed
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import NEW, Row, packed, path_of, unpacked
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import INBOX, mailbox_dir
from simmail.mailstore.replication.changes import (
    AnnotationsSet, AnyChange, CommitOwed, CommitsSettled, Contents, FlagsSet, ForeignOwed, KeywordsDefined,
    MailboxDescribed, MailboxDropped, MessagesAppeared, MessagesDeparted, MessagesTransferred, StoredMessage,
)
from simmail.mailstore.replication.log import LogPlace, ReplicaLog
from simmail.mailstore.replication.reading import read_messages
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import Adopt, FindUncommitted, IWriter, Refuse, Replay

#: What is to be said of an answer, with the octets that it names.
_Said = tuple[Iterable[AnyChange], Contents]


class _Seen(Struct, eq=False):
    """A mailbox was described in its C{turn}."""

    box: str
    turn: int
    facts: MailboxFacts | None


class _Read(Struct, eq=False):
    """Messages that have appeared, with their octets."""

    change: MessagesAppeared
    octets: list[bytes]


class ReplicatedWriter:
    """
    Is an L{IWriter} of one universe.

    @param writer: does what is asked; layout: of the universe; reader: reads files.
    """

    def __init__(self, writer: IWriter, log: ReplicaLog, at: StoreId, layout: Layout, reader: IWorker) -> None:
        self._writer, self._log, self._at, self._layout, self._reader = writer, log, at, layout, reader
        # UIDVALIDITYs of the folders that the log describes, and how often each mailbox was about to be another one.
        self._known = {(mailbox, folder.facts.name): folder.facts.uidvalidity
                       for mailbox, folder in log.state.folders()}
        self._turns: dict[str, int] = {}

    @property
    def alive(self) -> bool:
        """Whether it can be asked now."""
        return self._writer.alive

    def stop(self) -> Deferred[None]:
        """Leave the one that does it to who has it."""
        raise AssertionError("other universes use it too")

    def send(self, request: WriterRequest[Any]) -> None:
        """Ask where nobody waits for the answer."""
        self.call(request).addErrback(lambda failure: None)

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Ask; Deferred of the answer, when what was done is in the store."""
        how = _HOW.get(type(request))
        if how is None:
            return self._writer.call(request)
        done: Deferred[T] = how(self, request)
        return done

    # What all have in common

    async def _logged(
        self, place: LogPlace, asked: Deferred[T], boxes: Iterable[str], say: Callable[[T], Awaitable[_Said]]
    ) -> T:
        """
        Have what the writer did in the log.

        @param boxes: directories of mailboxes that are to be described behind it; say: what it did.
        """
        waits = place.waits
        try:
            described = self._describe(boxes)
            try:
                answer = await asked
            except BaseException:
                # It may have done a part of it.
                place.fill(self._descriptions([await one for one in described]))
                raise
            seen = [await one for one in described]
            changes, contents = await say(answer)
            place.fill([*self._descriptions(seen), *changes], contents)
        except BaseException:
            place.abandon()
            raise
        if waits:
            await place.done
        return answer

    def _do(
        self, request: WriterRequest[T], changes: Callable[[T], Iterable[AnyChange]], boxes: Iterable[str] = (),
        waits: bool = True,
    ) -> Deferred[T]:
        async def say(answer: T) -> _Said:
            return changes(answer), ()

        return self._ask(request, say, boxes, waits)

    def _ask(
        self, request: WriterRequest[T], say: Callable[[T], Awaitable[_Said]], boxes: Iterable[str] = (),
        waits: bool = True,
    ) -> Deferred[T]:
        async def asking() -> T:
            if waits:
                self._log.check()
            return await self._logged(self._log.reserve(waits), self._writer.call(request), boxes, say)

        return Deferred.fromCoroutine(asking())

    def _of_folder(
        self, request: OfFolder[T], changes: Callable[[T], Iterable[AnyChange]], waits: bool = True
    ) -> Deferred[T]:
        return self._do(request, changes, self._unknown([(request.mailbox, request.name)]), waits)

    def _describe(self, boxes: Iterable[str]) -> list[Deferred[_Seen]]:
        """Ask what mailboxes are behind what was asked before."""
        def seen(facts: MailboxFacts | None, box: str, turn: int) -> _Seen:
            return _Seen(box, turn, facts)

        return [self._writer.call(DescribeMailbox(self._at, box)).addCallback(seen, box, self._turns.get(box, 0))
                for box in dict.fromkeys(boxes)]

    def _descriptions(self, seen: Iterable[_Seen]) -> list[AnyChange]:
        """What is said of mailboxes, from here on."""
        changes: list[AnyChange] = []
        for one in seen:
            if one.facts is None:
                continue
            changes.append(MailboxDescribed(one.facts))
            # One that was about to be another one meanwhile is described once more.
            if self._turns.get(one.box, 0) == one.turn:
                self._forget(one.box)
                mailbox = one.facts.mailbox
                self._known.update({(mailbox, folder.name): folder.uidvalidity for folder in one.facts.folders})
        return changes

    def _forget(self, box: str) -> None:
        for key in [key for key in self._known if mailbox_dir(key[0]) == box]:
            del self._known[key]

    def _turn(self, box: str) -> None:
        """A mailbox is about to be another one: what is asked from now on is of that."""
        self._turns[box] = self._turns.get(box, 0) + 1
        self._forget(box)

    def _unknown(self, places: Iterable[tuple[str, str]]) -> list[str]:
        """Directories of mailboxes that have to be described before anything can be said of folders in them."""
        return [mailbox_dir(mailbox) for mailbox in dict.fromkeys(
            mailbox for mailbox, name in places if (mailbox, name) not in self._known)]

    # Deliveries

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """File a delivery; Deferred of what became of it, in the store.  Nothing is promised before that."""
        return Deferred.fromCoroutine(self._file(delivery, into))

    async def _file(self, delivery: Delivery, into: Into) -> DeliveryResult:
        self._log.check()
        filed: list[DeliveryResult] = []

        async def say(result: DeliveryResult) -> _Said:
            filed.append(result)
            contents = await self._log.name(
                [one.octets for one in messages(delivery)] if delivery.parts else [delivery.octets])
            strange = [mailbox_dir(copy.mailbox) for copy in result.copies if known and self._known.get(
                (copy.mailbox, copy.folder)) != copy.uidvalidity]
            # Somebody has put another folder in the place of the one that was known.
            seen = [await one for one in self._describe(strange)]
            return [*self._descriptions(seen), *_delivered(delivery, result, contents)], contents

        unknown = self._unknown([(one.mailbox, one.folder) for one in delivery.placements])
        known = not unknown
        try:
            return await self._logged(self._log.reserve(), self._writer.file(delivery, into), unknown, say)
        except Unavailable as error:
            if filed and not isinstance(error, Fenced):
                self._undo(delivery, filed[0])
            raise

    def _undo(self, delivery: Delivery, filed: DeliveryResult) -> None:
        """Its sender is told that it was not taken, and sends it again: it is not to be there twice."""
        self._writer.send(Refuse([Id(delivery.universe, delivery.id)]))
        changes: list[AnyChange] = [CommitsSettled([delivery.id])]
        for one in filed.added if delivery.replaces is None else ():
            row = one.row
            self._writer.send(RemoveFiles(self._at, one.mailbox, one.folder, packed([
                path_of(row.key, row.uid, row.size, row.mask, row.recent)])))
            changes.append(MessagesDeparted(one.mailbox, one.folder, (row.uid,)))
        self._log.note(changes)

    # Each kind of request

    def _box(self, request: Any) -> Deferred[Any]:
        box = getattr(request, "box", "") or mailbox_dir(request.mailbox)
        self._turn(box)
        # That a folder is another one was noticed: reading goes on without it.
        return self._do(request, lambda answer: (), [box], not isinstance(request, RenewUidvalidity))

    def _drop_mailbox(self, request: DropMailbox) -> Deferred[str]:
        self._turn(mailbox_dir(request.mailbox))
        return self._do(request, lambda answer: [MailboxDropped(request.mailbox)])

    def _annotate(self, request: Annotate) -> Deferred[list[str]]:
        places = [(request.mailbox, request.folder or INBOX)]
        return self._do(request, lambda names: [AnnotationsSet(
            request.mailbox, request.folder, dict(request.changes))] if names else [], self._unknown(places))

    def _define(self, request: DefineKeywords) -> Deferred[tuple[bool, tuple[str, ...]]]:
        return self._of_folder(request, lambda answer: [KeywordsDefined(request.mailbox, request.name, answer[1])])

    def _bump(self, request: BumpModseq) -> Deferred[int]:
        return self._of_folder(request, lambda modseq: [
            MessagesDeparted(request.mailbox, request.name, list(request.gone), modseq)] if request.gone else [],
            # What was noticed was done by others: reading goes on without it.
            waits=False)

    def _flags(self, request: NoteFlags) -> Deferred[int]:
        return self._of_folder(request, lambda modseq: [FlagsSet(
            request.mailbox, request.name, [(mask, list(uids)) for mask, uids in request.groups], modseq)],
            waits=bool(request.changes))

    def _rename(self, request: RenameFiles) -> Deferred[Restated]:
        def renamed(answer: Restated) -> Iterable[AnyChange]:
            failed, groups = set(answer.failed), dict[int, list[int]]()
            for at, path in enumerate(unpacked(request.new)):
                found = filename.parse(path.partition("/")[2])
                if at not in failed and found is not None and not path.startswith(NEW):
                    groups.setdefault(filename.mask_of(found[3] or ""), []).append(found[1])
            return [FlagsSet(request.mailbox, request.name, list(groups.items()), answer.modseq)]

        # What only puts flags that were noted into the names of files is in the log already.
        return self._of_folder(request, renamed) if request.changes else self._writer.call(request)

    def _remove(self, request: RemoveFiles) -> Deferred[Restated]:
        def removed(answer: Restated) -> Iterable[AnyChange]:
            failed = set(answer.failed)
            uids = [filename.uid_of(path) for at, path in enumerate(unpacked(request.paths)) if at not in failed]
            return [MessagesDeparted(request.mailbox, request.name, uids, answer.modseq)] if uids else []

        return self._of_folder(request, removed)

    def _transfer(self, request: Transfer) -> Deferred[Transferred]:
        def transferred(answer: Transferred) -> Iterable[AnyChange]:
            sources, gone = request.sources, set(answer.missing)
            rows = [Row(filename.uid_of(path), mask, size, 0, 0, False, key) for path, mask, size, key in zip(
                unpacked(sources.paths), sources.masks, sources.sizes, unpacked(sources.keys))]
            there = [row.uid for at, row in enumerate(rows) if at not in gone]
            pairs = [(uid, row.uid, row.mask) for uid, row in zip(there, answer.rows(rows))]
            return [MessagesTransferred(
                request.mailbox, request.name, request.target, pairs, request.move, answer.table, sources.saved,
                answer.modseq + len(rows), answer.source.modseq if answer.source is not None else 0)] if pairs else []

        return self._do(request, transferred, self._unknown([(request.mailbox, request.name), request.target]))

    # What is known from the files only

    def _adopt(self, request: Adopt) -> Deferred[Adopted]:
        async def say(answer: Adopted) -> _Said:
            read = await self._read([Added(request.mailbox, request.name, row, answer.table) for row in answer.rows()])
            owed = [ForeignOwed([foreign for foreign, _ in answer.owed])] if answer.owed else []
            return [*_changes(read), *owed], _contents(read)

        return self._ask(request, say, self._unknown([(request.mailbox, request.name)]))

    def _find(self, request: FindUncommitted) -> Deferred[Owing]:
        async def say(answer: Owing) -> _Said:
            said, contents = await self._found(answer.filed)
            settled = set(self._log.state.owed).difference(answer.ids)
            return [*said, *([CommitsSettled(sorted(settled))] if settled else [])], contents

        # What is not owed any more, such as what a snapshot has undone, is not to be done by the next server.
        return self._ask(request, say)

    def _replay(self, request: Replay) -> Deferred[Replayed]:
        async def say(answer: Replayed) -> _Said:
            said, contents = await self._found(answer.filed)
            owed = [(delivery, copies) for delivery, copies in answer.deliveries if delivery.commit]
            more = await self._log.name([delivery.octets for delivery, _ in owed])
            return ([*said, *(_owed(*one, digest) for one, (digest, _) in zip(owed, more))], [*contents, *more])

        return self._ask(request, say, waits=False)

    async def _found(self, filed: Iterable[DeliveryResult]) -> tuple[list[AnyChange], Contents]:
        """What was filed after a crash."""
        read = await self._read([added for one in filed for added in one.added])
        seen = [await one for one in self._describe(self._unknown(
            [(one.change.mailbox, one.change.folder) for one in read]))]
        return [*self._descriptions(seen), *_changes(read)], _contents(read)

    async def _read(self, added: Iterable[Added]) -> list[_Read]:
        groups: dict[tuple[str, str], list[Added]] = {}
        for one in added:
            groups.setdefault((one.mailbox, one.folder), []).append(one)
        return [await self._reader.call(_look, self._layout, *key, some) for key, some in groups.items()]


def _look(layout: Layout, mailbox: str, name: str, some: Sequence[Added]) -> _Read:
    read = read_messages(layout, mailbox, name, [one.row for one in some])
    return _Read(MessagesAppeared(
        mailbox, name, some[-1].keywords, read.messages, max(one.row.modseq for one in some)), read.octets)


def _changes(read: Iterable[_Read]) -> list[AnyChange]:
    return [one.change for one in read]


def _contents(read: Iterable[_Read]) -> Contents:
    """What they were read with, in a thread."""
    return [(message.digest, octets) for one in read for message, octets in zip(one.change.messages, one.octets)]


def _delivered(delivery: Delivery, filed: DeliveryResult, contents: Contents) -> Iterable[AnyChange]:
    """What has become of a delivery."""
    digests = [digest for digest, _ in contents]
    singles = {one.id: (digest, one.saved) for one, digest in zip(messages(delivery), digests)} if delivery.parts else {
        delivery.id: (digests[0], delivery.saved)}
    for one in filed.added:
        row = one.row
        digest, saved = singles[row.key]
        yield MessagesAppeared(one.mailbox, one.folder, one.keywords, [StoredMessage(
            row.uid, row.mask, row.size, row.date, row.recent, row.key,
            microseconds(saved) if saved is not None else None, digest)], row.modseq)
    if delivery.replaces is not None and filed.removed is not None:
        yield MessagesDeparted(delivery.replaces.mailbox, delivery.replaces.folder, (delivery.replaces.uid,),
                               filed.removed.modseq)
    if delivery.commit:
        yield _owed(delivery, filed.copies, digests[0])


def _owed(delivery: Delivery, copies: Iterable[Any], digest: bytes) -> CommitOwed:
    return CommitOwed(Described(
        delivery.id, delivery.universe, delivery.placements, delivery.at, delivery.commit, delivery.parts,
        delivery.replaces, delivery.saved), digest,
        tuple((copy.mailbox, copy.folder, copy.uid) for copy in copies))


_HOW: Mapping[Any, Callable[[ReplicatedWriter, Any], Deferred[Any]]] = {
    **dict.fromkeys((MakeMailbox, MakeFolder, MakeStandardFolder, DropFolder, RenameFolder, RenewUidvalidity, Subscribe,
                     CopyAnnotations), ReplicatedWriter._box),
    DropMailbox: ReplicatedWriter._drop_mailbox, Annotate: ReplicatedWriter._annotate,
    DefineKeywords: ReplicatedWriter._define, BumpModseq: ReplicatedWriter._bump, NoteFlags: ReplicatedWriter._flags,
    RenameFiles: ReplicatedWriter._rename, RemoveFiles: ReplicatedWriter._remove, Transfer: ReplicatedWriter._transfer,
    Adopt: ReplicatedWriter._adopt, FindUncommitted: ReplicatedWriter._find, Replay: ReplicatedWriter._replay,
}
