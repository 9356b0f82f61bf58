"""
The selected state: what one client has been told of one folder, and what it has yet to be told.

The client's sequence numbers index our own list of UIDs, which changes only
when the client is told so; what happens in the folder meanwhile is pending.
Source: RFC 3501 sections 5.2 and 7.4.1, RFC 7162.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakValueDictionary

from simmail.core.records.folder import Entry, FolderChange
from simmail.errors import Unavailable
from simmail.imap.contexts import SearchContexts
from simmail.imap.wire.parser import SYSTEM_FLAGS
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import merged, parse_set, show_set, slices
from simmail.interfaces import IFolder

#: Rows written at once.
BATCH = 500
#: The keyword that many clients offer "Forward" by: only where it is told of (RFC 9051 section 2.3.2).
_FORWARDED = b"$Forwarded"
_SYSTEM = tuple(flag.encode("ascii") for flag in SYSTEM_FLAGS.values())


class SharedLists:
    """Lists of UIDs: sessions that have been told the same of a folder have one list between them."""

    def __init__(self) -> None:
        self._kept: WeakValueDictionary[tuple[str, str, int, int], array[int]] = WeakValueDictionary()

    def of(self, folder: IFolder, uids: array[int]) -> array[int]:
        """The list that is as long and the same, if there is one, else this one."""
        key = (folder.mailbox, folder.name, len(uids), uids[-1] if uids else 0)
        there = self._kept.get(key)
        if there is not None and there == uids:
            return there
        self._kept[key] = uids
        return uids


class Selected:
    """
    One folder as one client knows it.

    @ivar uids: ascending, never changed in place; the message with sequence number n is C{uids[n - 1]}.
    @ivar recent: UIDs this client was told of as C{\\Recent}.
    @ivar saved: the result of the last C{SEARCH RETURN (SAVE)}.
    @ivar reset: the folder is not what it was; nothing can be done but hang up.
    @ivar contexts: searches of this client that are kept up to date.
    @ivar changed: called when something is pending.
    @ivar tells_messages, tells_flags: what comes and goes is told, and which flags others change (RFC 5465).
    @ivar tells_uids: with UIDs.
    @ivar removing: what goes is told all the same: a command of the client does it.
    @ivar arrived: UIDs told of as new since somebody took them from here; None where nobody does.
    @ivar filed: UIDs that a command of the client has put here.
    @param enabled: extensions the client has switched on, as they are at any time.
    """

    def __init__(self, folder: IFolder, read_only: bool, enabled: set[bytes], shared: SharedLists) -> None:
        self.folder = folder
        self.read_only = read_only
        self._enabled = enabled
        self._shared = shared
        self.uids = shared.of(folder, array("I", folder.uids))
        self.recent: set[int] = set()
        self.saved: list[int] = []
        self.reset = False
        self.contexts = SearchContexts(self)
        self.changed: Callable[[], None] = _nothing
        self.tells_messages = self.tells_flags = True
        self.tells_uids = self.removing = False
        self.arrived: list[int] | None = None
        self.filed: set[int] = set()
        self._added: list[int] = []
        self._expunged: set[int] = set()
        self._flagged: set[int] = set()
        self._shown: dict[frozenset[str], bytes] = {}
        self._keywords = folder.keywords
        folder.listen(self._listen)

    def close(self) -> None:
        """Nothing more is to be told."""
        self.folder.unlisten(self._listen)
        self.changed = _nothing

    def _listen(self, change: FolderChange) -> None:
        if self.contexts and change.kind == "flags":
            self.contexts.touched.update(change.uids)
        if change.kind == "added":
            last = self._added[-1] if self._added else self.uids[-1] if self.uids else 0
            self._added.extend(uid for uid in change.uids if uid > last)
        elif change.kind == "expunged":
            removed = set(change.uids)
            self._added = [uid for uid in self._added if uid not in removed]
            self._expunged.update(uid for uid in removed if self.knows(uid))
        elif change.kind == "flags":
            if change.origin is self:
                return
            self._flagged.update(change.uids)
        else:
            self.reset = True
        self.changed()

    @property
    def condstore(self) -> bool:
        """Whether the client knows of mod-sequences."""
        return b"CONDSTORE" in self._enabled

    @property
    def qresync(self) -> bool:
        """Whether the client wants VANISHED instead of EXPUNGE."""
        return b"QRESYNC" in self._enabled

    @property
    def uid_only(self) -> bool:
        """Whether the client knows no sequence numbers (RFC 9586)."""
        return b"UIDONLY" in self._enabled

    @property
    def rev2(self) -> bool:
        """Whether the client speaks IMAP4rev2."""
        return b"IMAP4REV2" in self._enabled

    @property
    def pending(self) -> bool:
        """Whether there is something to tell."""
        return bool(
            self.reset or self.contexts.touched
            or ((self.tells_messages or self.removing) and (self._added or self._expunged))
            or (self.tells_flags and (self._flagged or self._keywords != self.folder.keywords)))

    @property
    def has_new(self) -> bool:
        """Whether there are messages to tell of."""
        return bool(self._added) and self.tells_messages

    async def take_recent(self) -> None:
        """What nobody else has seen is recent here; nothing is when that cannot be noted, on a full disk say."""
        try:
            self.recent.update(await self.folder.take_recent())
        except Unavailable:
            pass

    def is_expunged(self, uid: int) -> bool:
        """Whether a message is expunged and the client does not know it."""
        return uid in self._expunged

    def sequence(self, uid: int) -> int:
        """The sequence number of a UID, 0 for one that the client does not know."""
        at = bisect_left(self.uids, uid)
        return at + 1 if at < len(self.uids) and self.uids[at] == uid else 0

    def knows(self, uid: int) -> bool:
        """Whether the client has been told of a UID."""
        return self.sequence(uid) > 0

    def slices(self, text: bytes, uid: bool) -> list[tuple[int, int]]:
        """
        The messages of a set, as (begin, end) for slicing C{uids}.

        @raise Bad: not a set, or a sequence number that no message has.
        """
        if text == b"$":
            return self.places(self.saved)
        if uid:
            return list(slices(parse_set(text, self.uids[-1] if self.uids else 0), self.uids))
        return self.numbered(text)

    def numbered(self, text: bytes, strict: bool = True) -> list[tuple[int, int]]:
        """
        The messages of a set of sequence numbers.

        @param strict: every number is to be that of a message; else those that are not fit none.
        """
        count = len(self.uids)
        ranges = parse_set(text, count)
        if not count and b"*" in text:
            return []
        if strict and ranges[-1][1] > count:
            raise Bad("There is no message of that number")
        return [(low - 1, min(high, count)) for low, high in ranges if low <= count]

    def sought(self, text: bytes, uid: bool) -> list[int]:
        """The UIDs of a set that is searched for."""
        places = self.slices(text, uid) if uid or text == b"$" else self.numbered(text, strict=False)
        return [one for begin, end in places for one in self.uids[begin:end]]

    def places(self, uids: Sequence[int]) -> list[tuple[int, int]]:
        """Ascending UIDs as (begin, end) for slicing C{uids}."""
        return list(slices(merged([(one, one) for one in uids]), self.uids))

    def chosen(self, text: bytes, uid: bool) -> list[int]:
        """The UIDs of a set."""
        found: list[int] = []
        for begin, end in self.slices(text, uid):
            found.extend(self.uids[begin:end])
        return found

    def present(self) -> Sequence[int]:
        """The UIDs of messages that the client knows and that are still there."""
        if not self._expunged:
            return self.uids
        return [uid for uid in self.uids if uid not in self._expunged]

    def known(self, uids: Sequence[int]) -> list[int]:
        """Those of ascending UIDs that the client knows."""
        if not self._added and not self._expunged:
            return list(uids)
        return [uid for uid in uids if self.knows(uid)]

    def flags(self, entry: Entry) -> bytes:
        """The flags of a message as a parenthesised list."""
        return self.flags_of((entry.uid,), (entry.flags,))[0]

    def flags_of(self, uids: Sequence[int], flags: Sequence[frozenset[str]]) -> list[bytes]:
        """The flags of messages as parenthesised lists."""
        shown = self._shown
        if len(shown) > 1000:
            shown.clear()
        # What is formatted for a set of flags is kept: there are few sets.
        for one in set(flags).difference(shown):
            shown[one] = b"(%b)" % " ".join(sorted(one)).encode("ascii", "replace")
        found = list(map(shown.__getitem__, flags))
        if self.recent and not self.rev2:
            for at, uid in enumerate(uids):
                if uid in self.recent:
                    found[at] = b"(\\Recent %b" % found[at][1:] if flags[at] else b"(\\Recent)"
        return found

    def row(self, sequence: int, entry: Entry, uid: bool = False) -> bytes:
        """An untagged FETCH with the flags of a message."""
        shown = b"FLAGS " + self.flags(entry)
        if self.uid_only:
            modseq = b" MODSEQ (%d)" % entry.modseq if self.condstore else b""
            return b"* %d UIDFETCH (%b%b)\r\n" % (entry.uid, shown, modseq)
        if uid or self.qresync:
            shown = b"UID %d %b" % (entry.uid, shown)
        if self.condstore:
            shown += b" MODSEQ (%d)" % entry.modseq
        return b"* %d FETCH (%b)\r\n" % (sequence, shown)

    def kinds(self) -> tuple[bytes, bytes]:
        """The responses that tell which flags there are, and which can be changed for good."""
        self._keywords = self.folder.keywords
        flags = b" ".join([*_SYSTEM, _FORWARDED, *(
            keyword.encode("ascii") for keyword in self._keywords if keyword.lower() != "$forwarded")])
        return b"* FLAGS (%b)\r\n" % flags, (
            b"* OK [PERMANENTFLAGS ()] No flag can be changed\r\n" if self.read_only
            else b"* OK [PERMANENTFLAGS (%b \\*)] Flags that last\r\n" % flags)

    def new_kinds(self) -> bytes:
        """L{kinds} when there are keywords that the client has not been told of (RFC 3501 section 7.2.6), else none."""
        return b"".join(self.kinds()) if self._keywords != self.folder.keywords else b""

    def updates(self, expunges: bool) -> Iterator[bytes]:
        """
        What is pending, as untagged responses, in the order that keeps sequence numbers right.

        @param expunges: whether messages may vanish now (RFC 3501 section 7.4.1).
        """
        if expunges and self._expunged and (self.tells_messages or self.removing):
            leaving = self.contexts.expunged(self._expunged)
            for octets in self._vanish():
                yield leaving + octets
                leaving = b""
        self.removing = False
        if self._added and self.tells_messages:
            if self.arrived is not None:
                self.arrived += self._added
            if self.contexts:
                self.contexts.add(self._added)
            self.uids = self._shared.of(self.folder, self.uids + array("I", self._added))
            self._added = []
            exists = b"* %d EXISTS\r\n" % len(self.uids)
            yield exists if self.rev2 else exists + b"* %d RECENT\r\n" % len(self.recent)
        if not self.tells_flags:
            return
        yield self.new_kinds()
        flagged, self._flagged = sorted(self._flagged), set()
        for begin in range(0, len(flagged), BATCH):
            rows = []
            for uid in flagged[begin:begin + BATCH]:
                sequence, entry = self.sequence(uid), self.folder.entry(uid)
                if sequence and entry is not None:
                    rows.append(self.row(sequence, entry, self.rev2 or self.tells_uids))
            yield b"".join(rows)

    def _vanish(self) -> Iterator[bytes]:
        expunged, self._expunged = sorted(self._expunged), set()
        places = [self.sequence(uid) for uid in expunged]
        left = set(expunged)
        self.uids = self._shared.of(self.folder, array("I", [uid for uid in self.uids if uid not in left]))
        self.recent -= left
        if self.qresync or self.uid_only:
            yield b"* VANISHED %b\r\n" % show_set(expunged)
            return
        for begin in range(0, len(places), BATCH):
            # Each number is that which the message has once those before it are gone.
            yield b"".join([
                b"* %d EXPUNGE\r\n" % (place - at) for at, place in enumerate(places[begin:begin + BATCH], begin)])


def _nothing() -> None:
    """Nobody is waiting."""
