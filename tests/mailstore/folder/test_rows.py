"""Columns of messages, against a list of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder.rows import Rows
from simmail.mailstore.maildir.filename import Row, SEEN

Drawn = tuple[int, int, int, int, int, bool, str]

_ROW = st.tuples(st.integers(1, 3), st.integers(0, 255), st.integers(0, 2**33), st.integers(-2**50, 2**50),
                 st.integers(1, 2**40), st.booleans(), st.text("abc-", min_size=1, max_size=5))


def rows_of(drawn: list[Drawn]) -> tuple[Rows, list[Row]]:
    """The same messages as columns and as a list."""
    rows, plain, uid = Rows(), [], 0
    for step, mask, size, date, modseq, recent, key in drawn:
        uid += step
        row = Row(uid, mask, size, date, modseq, recent, f"{key}{uid}")
        rows.append(row)
        plain.append(row)
    return rows, plain


class RowsTests(SynchronousTestCase):
    """What is put in comes out."""

    def alike(self, rows: Rows, plain: list[Row]) -> None:
        self.assertEqual(rows.rows(range(len(rows))), plain)
        self.assertEqual(rows.rows(range(0, len(rows), 2)), plain[::2])
        count = len(rows)
        for places in (range(count), range(0, count, 2), range(1, count), range(min(1, count)), list(range(count))):
            self.assertEqual(rows.paths(places), [rows.path(at) for at in places])
        uids = [row.uid for row in plain]
        for some in (uids, uids[1:4], uids[::2], [*uids[1:3], 10**9], [10**9], []):
            self.assertEqual(rows.positions(some), [at for at, uid in enumerate(uids) if uid in some])
            self.assertEqual(rows.stretch(some), uids.index(some[0]) if some in (
                uids[at:at + len(some)] for at in range(len(uids))) and some else -1)
        self.assertEqual(rows.unseen, sum(not row.mask & SEEN for row in plain))
        self.assertEqual(rows.size, sum(row.size for row in plain))
        for bit in (1, 4):
            for on in (True, False):
                self.assertEqual(list(rows.having(bit, on)), [row.uid for row in plain if bool(row.mask & bit) is on])
        self.assertEqual(rows.first_unseen(), next((row.uid for row in plain if not row.mask & SEEN), None))
        self.assertEqual(rows.having_recent(), [row.uid for row in plain if row.recent])
        for row in plain:
            self.assertEqual(rows.uids[rows.find_key(row.key)], row.uid)
            self.assertEqual(rows.changed(row.modseq), [one.uid for one in plain if one.modseq > row.modseq])
        self.assertEqual(rows.find_key("ab"), -1)

    @given(st.lists(_ROW, max_size=90), st.sets(st.integers(0, 89)), st.sets(st.integers(0, 89)))
    def test_alike(self, drawn: list[Drawn], some: set[int], more: set[int]) -> None:
        """After removals, changes of flags, and packing, columns and list are alike."""
        rows, plain = rows_of(drawn)
        self.alike(rows, plain)
        for gone in (some, more):
            positions = sorted(at for at in gone if at < len(plain))
            rows.remove(positions)
            plain = [row for at, row in enumerate(plain) if at not in gone]
            self.alike(rows, plain)
            if plain:
                rows.restate(len(plain) // 2, 1, False)
                plain[len(plain) // 2] = plain[len(plain) // 2]._replace(mask=1, recent=False)
        self.alike(Rows.unpacked(rows.packed()), plain)

    @given(st.lists(_ROW, max_size=40), st.lists(st.integers(0, 130), max_size=60))
    def test_positions(self, drawn: list[Drawn], uids: list[int]) -> None:
        """UIDs are found in order, each once, whatever they come in."""
        rows, plain = rows_of(drawn)
        expected = [at for at, row in enumerate(plain) if row.uid in set(uids)]
        for each in (uids, set(uids), iter(uids), tuple(uids)):
            self.assertEqual(rows.positions(each), expected)

    @given(st.lists(_ROW, min_size=1, max_size=12))
    def test_together(self, drawn: list[Drawn]) -> None:
        """What is put in at once is as what is put in one by one."""
        rows, plain = rows_of(drawn)
        together = Rows()
        together.extend(plain)
        self.assertEqual(together.packed(), rows.packed())
        self.assertEqual((together.unseen, together.size), (rows.unseen, rows.size))
        self.alike(together, plain)

    def test_long_runs(self) -> None:
        """Neighbours of one kind are found wherever they begin and end, and are nobody else's afterwards."""
        for seen in ((), range(1, 301), range(100, 200), range(1, 150), range(150, 301), (1, 300), range(1, 301, 2)):
            rows = Rows()
            rows.extend([Row(uid, SEEN * (uid in seen), 1, 0, 1, False, str(uid)) for uid in range(1, 301)])
            self.assertEqual(list(rows.having(SEEN, True)), sorted(seen))
            rows.having(SEEN, False).append(7)
            self.assertEqual(list(rows.having(SEEN, False)), [uid for uid in range(1, 301) if uid not in seen])
        self.assertEqual(list(Rows().having(SEEN, False)), [])

    def test_keys_are_compacted(self) -> None:
        """Keys of removed messages do not stay for ever."""
        rows = Rows()
        for uid in range(1, 2001):
            rows.append(Row(uid, 0, 1, 0, 1, False, f"key-{uid:06d}"))
        rows.remove([at for at in range(2000) if at % 10])
        self.assertLess(len(rows.packed()), 200 * 60 + 200)
        self.assertEqual(rows.key(1), "key-000011")

    def test_rubbish(self) -> None:
        """What was not packed by it is refused."""
        good = rows_of([(1, 0, 1, 1, 1, False, "a"), (1, 0, 1, 1, 1, False, "b")])[0].packed()
        for octets in (b"", b"\x90", b"rubbish", good[:-3], good.replace(b"\xc4\x02\x00\x00", b"\xc4\x01\x00")):
            self.assertRaises(ValueError, Rows.unpacked, octets)
