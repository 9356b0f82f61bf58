"""
The messages of one loaded folder, in columns: some 60 octets each.

What IMAP asks of a hundred thousand messages is answered by one pass in C
over a column.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress
from operator import not_
from sys import byteorder

import msgspec
from msgspec import Struct

from simmail.mailstore.maildir.filename import Row, SEEN, path_of


class Packed(Struct, array_like=True):
    """All columns as octets, for the index."""

    uids: bytes
    masks: bytes
    sizes: bytes
    dates: bytes
    modseqs: bytes
    recent: bytes
    placed: bytes
    in_new: bytes
    starts: bytes
    lengths: bytes
    keys: bytes


#: Runs that are cut out of columns one by one; more are left out while copying.
_MOST_RUNS = 32
#: Messages of a run that is worth being cut out, on average.
_SHORT = 16

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Packed).decode


def _runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending positions as (begin, end) of neighbours."""
    runs: list[tuple[int, int]] = []
    for at in positions:
        if runs and runs[-1][1] == at:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


class Rows:
    """
    Columns of equal length, in the order of C{uids}.

    @ivar masks: flags as bits; dates: microseconds since 1970.
    @ivar placed: flags as the name of the file has them; in_new: 1 for files in C{new/}.
    @ivar unseen, size: how many have no C{\\Seen}, and octets of all.
    """

    __slots__ = ("uids", "masks", "sizes", "dates", "modseqs", "recent", "placed", "in_new", "_starts",
                 "_lengths", "_keys", "_waste", "unseen", "size")

    def __init__(self) -> None:
        self.uids = array("I")
        self.masks = array("I")
        self.sizes = array("Q")
        self.dates = array("q")
        self.modseqs = array("Q")
        self.recent = bytearray()
        self.placed = array("I")
        self.in_new = bytearray()
        # Keys one behind the other; those of removed messages stay until half of it is waste.
        self._starts = array("I")
        self._lengths = array("B")
        self._keys = bytearray()
        self._waste = 0
        self.unseen = 0
        self.size = 0

    def __len__(self) -> int:
        return len(self.uids)

    def find(self, uid: int) -> int:
        """The position of a UID, -1 when it is not there."""
        at = bisect_left(self.uids, uid)
        return at if at < len(self.uids) and self.uids[at] == uid else -1

    def has(self, uid: int) -> bool:
        """Whether it is there."""
        return self.find(uid) >= 0

    def stretch(self, uids: Sequence[int]) -> int:
        """The position of the first of some UIDs when they stand here one behind the other, else -1."""
        begin = self.find(uids[0]) if uids else -1
        if begin >= 0 and self.uids[begin:begin + len(uids)] != (uids if isinstance(uids, array) else array("I", uids)):
            return -1
        return begin

    def positions(self, uids: Iterable[int]) -> list[int]:
        """The positions of those UIDs that are there, ascending, each once."""
        wanted = uids if isinstance(uids, (list, tuple, array, range)) else list(uids)
        begin = self.stretch(wanted)
        if begin >= 0:
            return list(range(begin, begin + len(wanted)))
        if len(wanted) > len(self.uids) // 8:
            having = set(wanted)
            return [at for at, uid in enumerate(self.uids) if uid in having]
        return [at for at in map(self.find, sorted(set(wanted))) if at >= 0]

    def between(self, uids: range) -> range:
        """The positions of UIDs in a range."""
        return range(bisect_left(self.uids, uids.start), bisect_left(self.uids, uids.stop))

    def key(self, at: int) -> str:
        """The key of the message in a position."""
        start = self._starts[at]
        return self._keys[start:start + self._lengths[at]].decode("ascii")

    def path(self, at: int) -> str:
        """Its file, below the folder."""
        return path_of(self.key(at), self.uids[at], self.sizes[at], self.placed[at], bool(self.in_new[at]))

    def new_path(self, at: int) -> str:
        """Where its file should be."""
        return path_of(self.key(at), self.uids[at], self.sizes[at], self.masks[at], bool(self.recent[at]))

    def merge(self, at: int, mask: int, in_new: bool) -> bool:
        """
        Take over the flags that another program gave a file in its name, and keep what was changed here meanwhile.

        @return: whether the message's flags have changed.
        """
        ours, before = self.masks[at], self.placed[at]
        merged = (mask | (ours & ~before)) & ~(before & ~ours)
        self.placed[at], self.in_new[at] = mask, in_new
        self.restate(at, merged, bool(self.recent[at]) and in_new)
        return merged != ours

    def is_placed(self, at: int) -> bool:
        """Whether it is there."""
        return self.placed[at] == self.masks[at] and self.in_new[at] == self.recent[at]

    def place(self, at: int) -> None:
        """Its file was renamed to where it should be."""
        self.placed[at] = self.masks[at]
        self.in_new[at] = self.recent[at]

    def rows(self, positions: Sequence[int]) -> list[Row]:
        """All of some messages."""
        return list(map(
            Row, *[map(column.__getitem__, positions) for column in (
                self.uids, self.masks, self.sizes, self.dates, self.modseqs)],
            map(bool, map(self.recent.__getitem__, positions)), map(self.key, positions)))

    def paths(self, positions: Sequence[int]) -> list[str]:
        """Their files, below the folder."""
        if not positions or not isinstance(positions, range) or positions.step != 1:
            return list(map(self.path, positions))
        # Neighbours, whose keys stand one behind the other but for some waste.
        begin, end = positions.start, positions.stop
        starts, lengths = self._starts[begin:end], self._lengths[begin:end]
        first = starts[0]
        text = self._keys[first:starts[-1] + lengths[-1]].decode("ascii")
        keys = [text[start - first:start - first + length] for start, length in zip(starts, lengths)]
        return list(map(path_of, keys, self.uids[begin:end], self.sizes[begin:end], self.placed[begin:end],
                        map(bool, self.in_new[begin:end])))

    def find_key(self, key: str) -> int:
        """The position of the message with a key, -1 for none."""
        wanted = key.encode("ascii", "replace")
        at = self._keys.find(wanted)
        while at >= 0:
            position = bisect_left(self._starts, at)
            # Keys keep the order of UIDs.
            if (position < len(self._starts) and self._starts[position] == at
                    and self._lengths[position] == len(wanted)):
                return position
            at = self._keys.find(wanted, at + 1)
        return -1

    def append(self, row: Row) -> None:
        """One more, whose UID is greater than all."""
        uid, mask, size, date, modseq, recent, key = row
        self.uids.append(uid)
        self.masks.append(mask)
        self.sizes.append(size)
        self.dates.append(date)
        self.modseqs.append(modseq)
        self.recent.append(recent)
        self.placed.append(mask)
        self.in_new.append(recent)
        self._starts.append(len(self._keys))
        self._lengths.append(len(key))
        self._keys += key.encode("ascii")
        self.unseen += not mask & SEEN
        self.size += size

    def extend(self, rows: Sequence[Row]) -> None:
        """Some more, in the order of UIDs."""
        if len(rows) == 1:
            self.append(rows[0])
            return
        uids, masks, sizes, dates, modseqs, recent, keys = zip(*rows)
        self.uids.extend(uids)
        self.masks.extend(masks)
        self.sizes.extend(sizes)
        self.dates.extend(dates)
        self.modseqs.extend(modseqs)
        self.recent.extend(recent)
        self.placed.extend(masks)
        self.in_new.extend(recent)
        lengths = list(map(len, keys))
        self._starts.extend(accumulate(lengths[:-1], initial=len(self._keys)))
        self._lengths.extend(lengths)
        # Keys are ASCII, so characters are octets.
        self._keys += "".join(keys).encode("ascii")
        self.unseen += sum(map(not_, map(SEEN.__and__, masks)))
        self.size += sum(sizes)

    def restate(self, at: int, mask: int, recent: bool) -> None:
        """Other flags; the file is not renamed yet."""
        self.unseen += bool(self.masks[at] & SEEN) - bool(mask & SEEN)
        self.masks[at] = mask
        self.recent[at] = recent

    def notice(self, uids: Sequence[int], modseq: int) -> None:
        """Another MODSEQ for some messages, often for all."""
        if len(uids) == len(self.uids):
            self.modseqs = array("Q", [modseq]) * len(uids)
            return
        for uid in uids:
            self.modseqs[self.find(uid)] = modseq

    def remove(self, positions: Sequence[int]) -> None:
        """Remove what is in these positions (ascending)."""
        for at in positions:
            self.unseen -= not self.masks[at] & SEEN
            self.size -= self.sizes[at]
        lengths = [self._lengths[at] for at in positions]
        columns = ("uids", "masks", "sizes", "dates", "modseqs", "recent", "placed", "in_new", "_starts", "_lengths")
        runs = _runs(positions)
        if len(runs) <= _MOST_RUNS:
            for begin, end in reversed(runs):
                for name in columns:
                    del getattr(self, name)[begin:end]
        else:
            stay = bytearray(b"\1") * len(self.uids)
            for at in positions:
                stay[at] = 0
            for name in columns:
                column = getattr(self, name)
                kept = compress(column, stay)
                setattr(self, name, bytearray(kept) if isinstance(column, bytearray) else array(column.typecode, kept))
        self._waste += sum(lengths)
        if self._waste > 4096 and self._waste > len(self._keys) // 2:
            self._compact()

    def _compact(self) -> None:
        keys, starts = bytearray(), array("I")
        for start, length in zip(self._starts, self._lengths):
            starts.append(len(keys))
            keys += self._keys[start:start + length]
        self._keys, self._starts, self._waste = keys, starts, 0

    # What IMAP asks

    def having(self, bit: int, on: bool) -> array[int]:
        """The UIDs of messages with a flag, or without."""
        # The octet of each mask that has the bit, made 1 for those that are wanted.
        place, width = (bit.bit_length() - 1) // 8 if bit else 0, self.masks.itemsize
        first = place if byteorder == "little" else width - 1 - place
        octet = self.masks.tobytes()[first::width]
        held = octet.translate(bytes([bool(value & bit >> 8 * place) is on for value in range(256)]))
        # Neighbours mostly agree: what is answered of a hundred thousand is then cut out, not looked at one by one.
        runs, uids = held.count(b"\0\1") + held.startswith(b"\1"), self.uids
        if runs * _SHORT > len(held):
            return array("I", compress(uids, held))
        found, end = array("I"), 0
        for _ in range(runs):
            begin = held.index(1, end)
            end = held.find(0, begin)
            found += uids[begin:] if end < 0 else uids[begin:end]
        return found

    def having_recent(self) -> list[int]:
        """The UIDs of messages in C{new/}."""
        # The newest ones mostly; often there are none, and each SELECT asks.
        first = self.recent.find(1)
        return list(compress(self.uids[first:], self.recent[first:])) if first >= 0 else []

    def first_unseen(self) -> int | None:
        """The lowest UID without C{\\Seen}."""
        if not self.unseen:
            return None
        return next(uid for uid, mask in zip(self.uids, self.masks) if not mask & SEEN)

    def changed(self, since: int) -> list[int]:
        """The UIDs of messages with a greater modseq."""
        return list(compress(self.uids, map(since.__lt__, self.modseqs)))

    # For the index

    def packed(self) -> bytes:
        """All of it as octets (of this machine's order)."""
        if self._waste:
            self._compact()
        return _pack(Packed(
            self.uids.tobytes(), self.masks.tobytes(), self.sizes.tobytes(), self.dates.tobytes(),
            self.modseqs.tobytes(), bytes(self.recent), self.placed.tobytes(), bytes(self.in_new),
            self._starts.tobytes(), self._lengths.tobytes(), bytes(self._keys)))

    @classmethod
    def unpacked(cls, octets: bytes) -> Rows:
        """What was packed.  @raise ValueError: it cannot be that."""
        packed = _unpack(octets)
        rows = cls()
        for name, data in (("uids", packed.uids), ("masks", packed.masks), ("sizes", packed.sizes),
                           ("dates", packed.dates), ("modseqs", packed.modseqs), ("placed", packed.placed),
                           ("_starts", packed.starts), ("_lengths", packed.lengths)):
            getattr(rows, name).frombytes(data)
        rows.recent, rows.in_new = bytearray(packed.recent), bytearray(packed.in_new)
        rows._keys = bytearray(packed.keys)
        columns = (rows.uids, rows.masks, rows.sizes, rows.dates, rows.modseqs, rows.recent, rows.placed,
                   rows.in_new, rows._starts, rows._lengths)
        if len(set(map(len, columns))) > 1 or sum(rows._lengths) != len(rows._keys):
            raise ValueError("columns of different lengths")
        rows.unseen = sum(map(not_, map(SEEN.__and__, rows.masks)))
        rows.size = sum(rows.sizes)
        return rows
