"""One folder of the mail store in dicts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from zope.interface import implementer

from simmail.concurrency import at_once
from simmail.core.message.folding import fold
from simmail.core.message.sort import Criterion, in_order
from simmail.core.message.summary import Digest
from simmail.core.records.folder import Columns, Entry, FolderChange, FolderStatus
from simmail.core.time.instant import microseconds
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IFolder
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, canonical_all, is_keyword
from simmail.mailstore.memory.parts import MemoryContext, OpenMessageInMemory


class _Message(NamedTuple):
    key: str
    octets: bytes
    flags: tuple[str, ...]
    date: datetime
    modseq: int
    recent: bool
    saved: datetime


@implementer(IFolder)
class MemoryFolder(Listeners[[FolderChange]]):
    """One folder of one mailbox."""

    def __init__(self, store: MemoryContext, mailbox: str, name: str, special_use: str, uidvalidity: int) -> None:
        super().__init__(name)
        self._store, self.mailbox, self.name, self.special_use, self.uidvalidity = (
            store, mailbox, name, special_use, uidvalidity)
        self.objectid = f"{uidvalidity:x}"
        self.uidnext = 1
        self.highestmodseq = 1
        self.uids: list[int] = []
        self._messages: dict[int, _Message] = {}
        self._keys: dict[str, list[int]] = {}
        self._vanished: list[tuple[int, int]] = []
        self._keywords: list[str] = []
        self._flags: dict[frozenset[str], frozenset[str]] = {}
        self._gone = False
        self.annotations: dict[str, bytes] = {}

    # What is so

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords defined here."""
        return tuple(self._keywords)

    def entry(self, uid: int) -> Entry | None:
        message = self._messages.get(uid)
        if message is None:
            return None
        flags = frozenset(message.flags)
        return Entry(uid, self._flags.setdefault(flags, flags), len(message.octets), message.date, message.modseq,
                     message.recent)

    def entries(self, uids: Iterable[int]) -> list[Entry]:
        return [entry for entry in map(self.entry, uids) if entry is not None]

    def column(self, name: str, uids: Sequence[int]) -> list[Any]:
        if name == "key":
            return [self._messages[uid].key if uid in self._messages else None for uid in uids]
        if name == "arrival":
            return [microseconds(self._messages[uid].date) if uid in self._messages else None for uid in uids]
        at = Entry._fields.index(name)
        return [entry[at] if entry is not None else None for entry in map(self.entry, uids)]

    def having(self, flag: str, on: bool = True) -> list[int]:
        flag = flag.lower()
        return [uid for uid in self.uids if (flag in (one.lower() for one in self._messages[uid].flags)) is on]

    def unseen(self) -> list[int]:
        return self.having("\\Seen", False)

    def first_unseen(self) -> int | None:
        return next(iter(self.unseen()), None)

    def changed(self, since: int) -> list[int]:
        return [uid for uid in self.uids if self._messages[uid].modseq > since]

    def counts(self) -> tuple[int, int, int]:
        return (len(self.uids), len(self.unseen()), sum(message.recent for message in self._messages.values()))

    def status(self) -> FolderStatus:
        total, unseen, recent = self.counts()
        return FolderStatus(
            self.name, self.special_use, total, unseen, recent, self.uidvalidity, self.uidnext,
            self.highestmodseq, sum(len(message.octets) for message in self._messages.values()), self.objectid)

    def find(self, key: str) -> int | None:
        return min(self._keys.get(key, ()), default=None)

    # Reading

    @at_once
    def saved(self, uids: Sequence[int]) -> list[datetime | None]:
        return [self._messages[uid].saved if uid in self._messages else None for uid in uids]

    @at_once
    def read(self, uid: int) -> bytes:
        if uid not in self._messages:
            raise NotFound(f"message {uid} is gone")
        return self._messages[uid].octets

    @at_once
    def open(self, uid: int) -> OpenMessageInMemory | None:
        return OpenMessageInMemory(self._messages[uid].octets) if uid in self._messages else None

    @at_once
    def reads(self, uids: Sequence[int]) -> list[tuple[int, bytes]]:
        return [(uid, self._messages[uid].octets) for uid in uids if uid in self._messages]

    @at_once
    def digests(self, uids: Iterable[int]) -> dict[int, Digest]:
        return self._digests(uids)

    @at_once
    def digested(self, uids: Iterable[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        return {uid: tuple(getattr(digest, name) for name in names) for uid, digest in self._digests(uids).items()}

    @at_once
    def kept_text(self, uid: int) -> str | None:
        found = self._digests([uid])
        return found[uid].text if found else None

    @at_once
    def columns(self, uids: Iterable[int], names: Sequence[str]) -> Columns:
        digests = self._digests(uids)
        return list(digests), [[getattr(digest, name) for digest in digests.values()] for name in names]

    @at_once
    def threaded(self, uids: Sequence[int], names: Sequence[str]) -> tuple[Columns, bool]:
        digests = self._digests(uids)
        return (list(digests), [[getattr(digest, name) for digest in digests.values()] for name in names]), True

    @at_once
    def ordered(self, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
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
        return {uid: self._store.digest_of(self._messages[uid].octets) for uid in uids if uid in self._messages}

    @at_once
    def containing(self, names: Sequence[str], text: str) -> list[int]:
        return self.holding([(names, text)])

    def holding(self, wanted: Sequence[tuple[Sequence[str], str]]) -> list[int]:
        """Those that have each of some texts in one of some fields; none when the folder is gone."""
        return [] if self._gone else [
            uid for uid, digest in self._digests(self.uids).items()
            if all(any(fold(text) in getattr(digest, name) for name in names) for names, text in wanted)]

    # Changing

    @at_once
    def append(self, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None = None) -> int:
        flags = canonical_all(flags)
        microseconds(date)
        return self.add(self._store.unique(), octets, flags, date, saved=saved)

    @at_once
    def append_all(
        self, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None = None
    ) -> list[int]:
        for _, _, date in messages:
            microseconds(date)
        checked = [canonical_all(flags) for _, flags, _ in messages]
        uids = [self._add(self._store.unique(), octets, flags, date, None, saved)
                for (octets, _, date), flags in zip(messages, checked)]
        if uids:
            self.tell(FolderChange("added", tuple(uids), self.highestmodseq))
        return uids

    @at_once
    def replace(
        self, uid: int, target: MemoryFolder, octets: bytes, flags: Iterable[str], date: datetime,
        saved: datetime | None = None,
    ) -> int:
        target.require()
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
        self.tell(FolderChange("added", (uid,), self.highestmodseq))
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

    @at_once
    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> tuple[list[int], list[int]]:
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
            self.tell(FolderChange("flags", tuple(changed), self.highestmodseq, origin))
        return changed, failed

    @at_once
    def take_recent(self) -> list[int]:
        taken = [uid for uid in self.uids if self._messages[uid].recent]
        for uid in taken:
            self._messages[uid] = self._messages[uid]._replace(recent=False)
        return taken

    @at_once
    def copy(self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None) -> list[tuple[int, int]]:
        return self._copy(uids, target, saved)

    def _copy(self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None) -> list[tuple[int, int]]:
        target.require()
        sources = [(uid, self._messages[uid]) for uid in sorted(set(uids)) if uid in self._messages]
        pairs = [(uid, target._add(message.key, message.octets, message.flags, message.date, saved=saved))
                 for uid, message in sources]
        if pairs:
            target.tell(FolderChange("added", tuple(uid for _, uid in pairs), target.highestmodseq))
        return pairs

    @at_once
    def move(self, uids: Iterable[int], target: MemoryFolder, saved: datetime | None = None) -> list[tuple[int, int]]:
        pairs = self._copy(uids, target, saved)
        self._remove([uid for uid, _ in pairs])
        return pairs

    @at_once
    def expunge(self, uids: Iterable[int]) -> list[int]:
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
            self.tell(FolderChange("expunged", tuple(uids), self.highestmodseq))
        return uids

    @at_once
    def vanished(self, since: int) -> list[int] | None:
        return sorted(uid for modseq, uid in self._vanished if modseq > since)

    @at_once
    def poll(self) -> None:
        """Nobody else can change a dict."""

    def tell(self, change: FolderChange) -> None:
        """Tell a change to who listens here, and to the mailbox."""
        if change.kind != "reset":
            self._store.events.tell(self.mailbox, change.kind, self.name)
        super().tell(change)

    # Coming and going

    def require(self) -> None:
        """@raise NotFound: the folder is gone."""
        self._store.require()
        if self._gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    def renamed(self, name: str, special_use: str, uidvalidity: int) -> MemoryFolder:
        """The same messages under another name; this object is dead."""
        folder = self.copied(self._store, name, special_use, uidvalidity)
        self.remove()
        return folder

    def copied(self, store: MemoryContext, name: str, special_use: str, uidvalidity: int) -> MemoryFolder:
        """Return another folder with the same messages."""
        folder = MemoryFolder(store, self.mailbox, name, special_use, uidvalidity)
        folder.objectid = self.objectid
        folder.annotations = dict(self.annotations)
        folder.uidnext, folder.highestmodseq = self.uidnext, self.highestmodseq
        folder.uids, folder._messages = list(self.uids), dict(self._messages)
        folder._keys = {key: list(uids) for key, uids in self._keys.items()}
        folder._vanished, folder._keywords = list(self._vanished), list(self._keywords)
        return folder

    def remove(self) -> None:
        """The folder is gone."""
        self._gone = True
        self.uids.clear()
        self._messages.clear()
        self._keys.clear()
        self.tell(FolderChange("reset", ()))
