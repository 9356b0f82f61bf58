"""One folder of the mail store in dicts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from zope.interface import implementer

from simmail.core.message.folding import fold
from simmail.core.message.sort import Criterion, in_order
from simmail.core.message.summary import Digest
from simmail.core.records.folder import Columns, Entry, FolderChange, FolderStatus
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IFolder
from simmail.mailstore.immediate import deferred
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, canonical_all, is_keyword, microseconds
from simmail.mailstore.memory.events import EventsInMemory
from simmail.mailstore.memory.opened import OpenMessageInMemory

Listener = Callable[[FolderChange], None]


class IMemoryStore(Protocol):
    """
    What is needed of the store.

    @ivar digest_of: takes the digest of a message; events: are told of what happens to folders.
    """

    digest_of: Callable[[bytes], Digest]
    events: EventsInMemory

    def require(self) -> None:
        """@raise Unavailable: the store is away."""

    def unique(self) -> str:
        """Return a key for a message that no delivery brought."""


class _Message(NamedTuple):
    key: str
    octets: bytes
    flags: tuple[str, ...]
    date: datetime
    modseq: int
    recent: bool
    saved: datetime


@implementer(IFolder)
class MemoryFolder:
    """One folder of one mailbox."""

    def __init__(
        self, store: IMemoryStore, mailbox: str, name: str, special_use: str, uidvalidity: int
    ) -> None:
        self._store = store
        self.mailbox = mailbox
        self.name = name
        self.special_use = special_use
        self.uidvalidity = uidvalidity
        self.objectid = f"{uidvalidity:x}"
        self.uidnext = 1
        self.highestmodseq = 1
        self.uids: list[int] = []
        self._messages: dict[int, _Message] = {}
        self._keys: dict[str, list[int]] = {}
        self._vanished: list[tuple[int, int]] = []
        self._keywords: list[str] = []
        self._flags: dict[frozenset[str], frozenset[str]] = {}
        self._listeners: Listeners[[FolderChange]] = Listeners(name)
        self._gone = False
        self.annotations: dict[str, bytes] = {}

    # What is so

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords defined here."""
        return tuple(self._keywords)

    def entry(self, uid: int) -> Entry | None:
        """One message, or None when it is gone."""
        message = self._messages.get(uid)
        if message is None:
            return None
        flags = frozenset(message.flags)
        return Entry(uid, self._flags.setdefault(flags, flags), len(message.octets), message.date, message.modseq,
                     message.recent)

    def entries(self, uids: Iterable[int]) -> list[Entry]:
        """Those messages that are there, in the order of C{uids}."""
        return [entry for entry in map(self.entry, uids) if entry is not None]

    def column(self, name: str, uids: Sequence[int]) -> list[Any]:
        """One field of each message, None for those that are gone."""
        if name == "key":
            return [self._messages[uid].key if uid in self._messages else None for uid in uids]
        if name == "arrival":
            return [microseconds(self._messages[uid].date) if uid in self._messages else None for uid in uids]
        at = Entry._fields.index(name)
        return [entry[at] if entry is not None else None for entry in map(self.entry, uids)]

    def having(self, flag: str, on: bool = True) -> list[int]:
        """The UIDs of messages with a flag, or without it."""
        flag = flag.lower()
        return [uid for uid in self.uids
                if (flag in (one.lower() for one in self._messages[uid].flags)) is on]

    def unseen(self) -> list[int]:
        """The UIDs of messages without C{\\Seen}."""
        return self.having("\\Seen", False)

    def first_unseen(self) -> int | None:
        """The lowest of them."""
        return next(iter(self.unseen()), None)

    def changed(self, since: int) -> list[int]:
        """The UIDs of messages with a greater modseq."""
        return [uid for uid in self.uids if self._messages[uid].modseq > since]

    def counts(self) -> tuple[int, int, int]:
        """(total, unseen, recent)."""
        return (len(self.uids), len(self.unseen()),
                sum(message.recent for message in self._messages.values()))

    def status(self) -> FolderStatus:
        """The same, with the rest that C{STATUS} shows."""
        total, unseen, recent = self.counts()
        return FolderStatus(
            self.name, self.special_use, total, unseen, recent, self.uidvalidity, self.uidnext,
            self.highestmodseq, sum(len(message.octets) for message in self._messages.values()), self.objectid)

    def find(self, key: str) -> int | None:
        """The UID of the message of a delivery."""
        return min(self._keys.get(key, ()), default=None)

    # Reading

    @deferred
    def saved(self, uids: Sequence[int]) -> list[datetime | None]:
        """When messages were put here, None for those that are gone."""
        self._require()
        return [self._messages[uid].saved if uid in self._messages else None for uid in uids]

    @deferred
    def read(self, uid: int) -> bytes:
        """The octets of a message."""
        self._require()
        if uid not in self._messages:
            raise NotFound(f"message {uid} is gone")
        return self._messages[uid].octets

    @deferred
    def open(self, uid: int) -> OpenMessageInMemory | None:
        """A message to be read piece by piece."""
        self._require()
        return OpenMessageInMemory(self._messages[uid].octets) if uid in self._messages else None

    @deferred
    def reads(self, uids: Sequence[int]) -> list[tuple[int, bytes]]:
        """The octets of those messages that are there, in the order of C{uids}."""
        self._require()
        return [(uid, self._messages[uid].octets) for uid in uids if uid in self._messages]

    @deferred
    def digests(self, uids: Iterable[int]) -> dict[int, Digest]:
        """The digests of those messages that are there."""
        return self._digests(uids)

    @deferred
    def digested(self, uids: Iterable[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        """Some fields of their digests."""
        return {uid: tuple(getattr(digest, name) for name in names)
                for uid, digest in self._digests(uids).items()}

    @deferred
    def kept_text(self, uid: int) -> str | None:
        """The text of a message that is there."""
        found = self._digests([uid])
        return found[uid].text if found else None

    @deferred
    def columns(self, uids: Iterable[int], names: Sequence[str]) -> Columns:
        """The same in columns."""
        digests = self._digests(uids)
        return list(digests), [[getattr(digest, name) for digest in digests.values()] for name in names]

    @deferred
    def threaded(self, uids: Sequence[int], names: Sequence[str]) -> tuple[Columns, bool]:
        """What messages are threaded by, in columns; that stays so."""
        digests = self._digests(uids)
        return (list(digests), [[getattr(digest, name) for digest in digests.values()] for name in names]), True

    @deferred
    def ordered(self, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
        """Those messages that are there, in an order."""
        digests = self._digests(uids)
        messages = [self._messages[uid] for uid in digests]
        columns: dict[str, Sequence[Any]] = {
            "arrival": [one.date for one in messages], "size": [len(one.octets) for one in messages],
            "at": [digest.sent or one.date for one, digest in zip(messages, digests.values())]}
        for name, _ in criteria:
            if name not in columns:
                columns[name] = [getattr(digest, name) for digest in digests.values()]
        return in_order(list(digests), criteria, columns)

    def _digests(self, uids: Iterable[int]) -> dict[int, Digest]:
        self._require()
        return {uid: self._store.digest_of(self._messages[uid].octets) for uid in uids if uid in self._messages}

    @deferred
    def containing(self, names: Sequence[str], text: str) -> list[int]:
        """The UIDs of messages that have a text in one of some fields."""
        self._require()
        return self.holding([(names, text)])

    def holding(self, wanted: Sequence[tuple[Sequence[str], str]]) -> list[int]:
        """Those that have each of some texts in one of some fields; none when the folder is gone."""
        return [] if self._gone else [
            uid for uid, digest in self._digests(self.uids).items()
            if all(any(fold(text) in getattr(digest, name) for name in names) for names, text in wanted)]

    # Changing

    @deferred
    def append(self, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None = None) -> int:
        """One more message; its UID."""
        self._require()
        flags = canonical_all(flags)
        microseconds(date)
        return self.add(self._store.unique(), octets, flags, date, saved=saved)

    @deferred
    def append_all(
        self, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None = None
    ) -> list[int]:
        """Some more messages, all of them or none; their UIDs."""
        self._require()
        for _, _, date in messages:
            microseconds(date)
        checked = [canonical_all(flags) for _, flags, _ in messages]
        uids = [self._add(self._store.unique(), octets, flags, date, None, saved)
                for (octets, _, date), flags in zip(messages, checked)]
        if uids:
            self._tell(FolderChange("added", tuple(uids), self.highestmodseq))
        return uids

    @deferred
    def replace(
        self, uid: int, target: MemoryFolder, octets: bytes, flags: Iterable[str], date: datetime,
        saved: datetime | None = None,
    ) -> int:
        """A message in another folder, or this one, that takes the place of one here; its UID."""
        self._require()
        target._require()
        flags = canonical_all(flags)
        microseconds(date)
        if uid not in self._messages:
            raise NotFound(f"message {uid} is gone")
        fresh = target.add(self._store.unique(), octets, flags, date, saved=saved)
        self._remove([uid])
        return fresh

    def add(
        self, key: str, octets: bytes, flags: Iterable[str], date: datetime, recent: bool | None = None,
        saved: datetime | None = None,
    ) -> int:
        """One more message, told to who listens; its UID."""
        uid = self._add(key, octets, flags, date, recent, saved)
        self._tell(FolderChange("added", (uid,), self.highestmodseq))
        return uid

    def _add(
        self, key: str, octets: bytes, flags: Iterable[str], date: datetime, recent: bool | None = None,
        saved: datetime | None = None,
    ) -> int:
        flags = self._known(flags, strict=False)
        uid = self.uidnext
        self.uidnext += 1
        self.highestmodseq += 1
        self._messages[uid] = _Message(
            key, octets, flags, date.astimezone(UTC), self.highestmodseq, not flags if recent is None else recent,
            (saved or date).astimezone(UTC))
        self._keys.setdefault(key, []).append(uid)
        self.uids.append(uid)
        return uid

    def _known(self, flags: Iterable[str], strict: bool) -> tuple[str, ...]:
        """Flags as this folder spells them; new keywords are defined, or left out when there is no room."""
        result = []
        for flag in flags:
            if not is_keyword(flag):
                result.append(flag)
                continue
            spelled = next((one for one in self._keywords if one.lower() == flag.lower()), None)
            if spelled is None:
                if len(self._keywords) >= MOST_KEYWORDS:
                    used = {one for message in self._messages.values() for one in message.flags}
                    self._keywords = [one for one in self._keywords if one in used or one in result]
                if len(self._keywords) >= MOST_KEYWORDS:
                    if strict:
                        raise Invalid("flags", f"no more than {MOST_KEYWORDS} keywords in one folder")
                    continue
                self._keywords.append(flag)
                spelled = flag
            result.append(spelled)
        return tuple(result)

    @deferred
    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> tuple[list[int], list[int]]:
        """Add, remove or set flags; (changed, failed)."""
        self._require()
        if mode not in ("+", "-", "="):
            raise Invalid("mode", "must be +, - or =")
        given = canonical_all(flags)
        names = {flag.lower() for flag in given}
        if mode != "-":
            given = self._known(given, strict=True)
        changed, failed = [], []
        for uid in sorted(set(uids)):
            message = self._messages.get(uid)
            if message is None:
                continue
            if unchangedsince is not None and message.modseq > unchangedsince:
                failed.append(uid)
                continue
            if mode == "+":
                new = tuple(dict.fromkeys(message.flags + given))
            elif mode == "-":
                new = tuple(flag for flag in message.flags if flag.lower() not in names)
            else:
                new = given
            if set(new) != set(message.flags):
                changed.append(uid)
                self._messages[uid] = message._replace(flags=new)
        if changed:
            self.highestmodseq += 1
            for uid in changed:
                self._messages[uid] = self._messages[uid]._replace(modseq=self.highestmodseq, recent=False)
            self._tell(FolderChange("flags", tuple(changed), self.highestmodseq, origin))
        return changed, failed

    @deferred
    def take_recent(self) -> list[int]:
        """Messages that nobody had opened the folder for; they are not recent any more."""
        self._require()
        taken = [uid for uid in self.uids if self._messages[uid].recent]
        for uid in taken:
            self._messages[uid] = self._messages[uid]._replace(recent=False)
        return taken

    @deferred
    def copy(
        self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None
    ) -> list[tuple[int, int]]:
        """Also in another folder; (source, target) UIDs."""
        return self._copy(uids, target, saved)

    def _copy(
        self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None
    ) -> list[tuple[int, int]]:
        self._require()
        target._require()
        sources = [(uid, self._messages[uid]) for uid in sorted(set(uids)) if uid in self._messages]
        pairs = [(uid, target._add(message.key, message.octets, message.flags, message.date, saved=saved))
                 for uid, message in sources]
        if pairs:
            target._tell(FolderChange("added", tuple(uid for _, uid in pairs), target.highestmodseq))
        return pairs

    @deferred
    def move(
        self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None
    ) -> list[tuple[int, int]]:
        """Now in another folder; (source, target) UIDs."""
        pairs = self._copy(uids, target, saved)
        self._remove([uid for uid, _ in pairs])
        return pairs

    @deferred
    def expunge(self, uids: Iterable[int]) -> list[int]:
        """Gone; those that were there."""
        self._require()
        return self._remove(sorted(uid for uid in set(uids) if uid in self._messages))

    def _remove(self, uids: list[int]) -> list[int]:
        if uids:
            self.highestmodseq += 1
            for uid in uids:
                key = self._messages.pop(uid).key
                self._keys[key].remove(uid)
                if not self._keys[key]:
                    del self._keys[key]
                del self.uids[bisect_left(self.uids, uid)]
                self._vanished.append((self.highestmodseq, uid))
            self._tell(FolderChange("expunged", tuple(uids), self.highestmodseq))
        return uids

    @deferred
    def vanished(self, since: int) -> list[int] | None:
        """UIDs expunged after a modseq."""
        self._require()
        return sorted(uid for modseq, uid in self._vanished if modseq > since)

    @deferred
    def poll(self) -> None:
        """Nobody else can change a dict."""
        self._require()

    # Who watches

    def listen(self, listener: Listener) -> None:
        """Call it for each change."""
        self._listeners.add(listener)

    def unlisten(self, listener: Listener) -> None:
        """Stop."""
        self._listeners.remove(listener)

    def _tell(self, change: FolderChange) -> None:
        if change.kind != "reset":
            self._store.events.tell(self.mailbox, change.kind, self.name)
        self._listeners.tell(change)

    # Coming and going

    def _require(self) -> None:
        self._store.require()
        if self._gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    def renamed(self, name: str, special_use: str, uidvalidity: int) -> MemoryFolder:
        """The same messages under another name; this object is dead."""
        folder = MemoryFolder(self._store, self.mailbox, name, special_use, uidvalidity)
        folder.objectid = self.objectid
        folder.annotations = dict(self.annotations)
        folder.uidnext, folder.highestmodseq = self.uidnext, self.highestmodseq
        folder.uids, folder._messages = list(self.uids), dict(self._messages)
        folder._keys = {key: list(uids) for key, uids in self._keys.items()}
        folder._vanished, folder._keywords = list(self._vanished), list(self._keywords)
        self.remove()
        return folder

    def remove(self) -> None:
        """The folder is gone."""
        self._gone = True
        self.uids.clear()
        self._messages.clear()
        self._keys.clear()
        self._tell(FolderChange("reset", ()))
