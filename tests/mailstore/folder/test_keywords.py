"""Flags as bits and as names."""

from __future__ import annotations

from hypothesis import given, strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder.state import KeywordTable
from simmail.mailstore.maildir.flags import SYSTEM

NAMES = [name for name, _ in SYSTEM]


class KeywordTests(SynchronousTestCase):
    """C{KeywordTable}."""

    def setUp(self) -> None:
        self.table = KeywordTable()
        self.table.learn(("$Later", "", "Key"))

    def test_bits(self) -> None:
        """Each flag has a bit of its own, whatever its case; a keyword that no message has has none."""
        bits = [self.table.bit(flag) for flag in [*NAMES, "$Later", "Key"]]
        self.assertEqual(len(set(bits)), len(bits))
        self.assertTrue(all(bin(bit).count("1") == 1 for bit in bits))
        self.assertEqual(self.table.bit("\\SEEN"), self.table.bit("\\Seen"))
        self.assertEqual(self.table.bit("kEY"), bits[-1])
        self.assertEqual(self.table.bit("Other"), 0)

    def test_learned(self) -> None:
        """When the table is another one, masks are read by it; the same again changes nothing."""
        mask = self.table.mask(("\\Seen", "Key"))
        self.assertEqual(self.table.flags_of(mask), {"\\Seen", "Key"})
        known = self.table.known
        self.table.learn(("$Later", "", "Key"))
        self.assertEqual(known, {mask: {"\\Seen", "Key"}})
        self.table.learn(("$Later", "", "Other"))
        self.assertEqual(self.table.flags_of(mask), {"\\Seen", "Other"})
        self.assertEqual(self.table.keywords_of(mask), ("Other",))

    @given(st.sets(st.sampled_from([*NAMES, "$Later", "Key"])))
    def test_there_and_back(self, flags: set[str]) -> None:
        """Flags made a mask are the same flags."""
        table = KeywordTable()
        table.learn(("$Later", "", "Key"))
        self.assertEqual(table.flags_of(table.mask(flags)), flags)
