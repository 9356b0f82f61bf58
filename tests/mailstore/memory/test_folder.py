"""One folder of the store in memory."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import FolderChange
from simmail.errors import Invalid, NotFound
from simmail.mailstore.maildir.flags import MOST_KEYWORDS
from simmail.mailstore.memory.folder import MemoryFolder
from simmail.mailstore.memory.parts import MemoryContext
from tests.contracts.mailstores import AT, a_mail, result_of, tiny_digest

MARIA = "maria@acme.test"


class FolderTests(SynchronousTestCase):
    """C{MemoryFolder}, alone."""

    def setUp(self) -> None:
        self.context = MemoryContext(tiny_digest, lambda mailbox: None)
        self.folder = MemoryFolder(self.context, MARIA, "INBOX", "", 7)
        self.told: list[FolderChange] = []
        self.folder.listen(self.told.append)

    def fill(self, count: int, *flags: str) -> list[int]:
        return [self.folder.add(f"d-{n}", a_mail(f"mail {n}"), flags, AT) for n in range(count)]

    def test_one_way_up(self) -> None:
        """UIDs and MODSEQs only rise, whatever goes; each change is told once, with its MODSEQ."""
        self.fill(3)
        self.assertEqual(result_of(self.folder.expunge([3, 1, 9])), [1, 3])
        self.assertEqual(self.folder.add("d-9", a_mail("new"), (), AT), 4)
        self.assertEqual([(one.kind, one.uids) for one in self.told], [
            ("added", (1,)), ("added", (2,)), ("added", (3,)), ("expunged", (1, 3)), ("added", (4,))])
        modseqs = [one.modseq for one in self.told]
        self.assertEqual(modseqs, sorted(set(modseqs)))
        self.assertEqual(result_of(self.folder.vanished(modseqs[2])), [1, 3])
        self.assertEqual(result_of(self.folder.vanished(modseqs[3])), [])

    def test_keys(self) -> None:
        """The message of a delivery is found by its key, the first of its copies, until it is gone."""
        self.fill(2)
        other = MemoryFolder(self.context, MARIA, "Archive", "", 8)
        self.assertEqual(result_of(self.folder.copy([1, 2], other)), [(1, 1), (2, 2)])
        self.assertEqual((self.folder.find("d-1"), other.find("d-1")), (2, 2))
        self.assertEqual(result_of(self.folder.move([2], self.folder)), [(2, 3)])
        self.assertEqual((self.folder.find("d-1"), self.folder.find("d-7")), (3, None))

    def test_keywords(self) -> None:
        """A keyword keeps its first spelling; one too many is refused, and one that nobody has gives its place up."""
        self.fill(2)
        result_of(self.folder.flag([1], ["Red"], "+"))
        result_of(self.folder.flag([2], ["RED", "\\seen"], "+"))
        entry: Any = self.folder.entry(2)
        self.assertEqual((entry.flags, self.folder.keywords), ({"Red", "\\Seen"}, ("Red",)))
        rest = [f"k{n}" for n in range(MOST_KEYWORDS - 1)]
        result_of(self.folder.flag([1], rest, "+"))
        self.assertRaises(Invalid, result_of, self.folder.flag([1], ["more"], "+"))
        result_of(self.folder.flag([1], ["k0"], "-"))
        result_of(self.folder.flag([2], ["more"], "+"))
        self.assertIn("more", self.folder.keywords)
        self.assertNotIn("k0", self.folder.keywords)

    def test_renamed(self) -> None:
        """Under another name there is the same mail; the old object is dead and says so."""
        self.fill(2)
        self.folder.annotations["/private/comment"] = b"x"
        renamed = self.folder.renamed("Work", "", 9)
        self.assertEqual((list(renamed.uids), renamed.objectid), ([1, 2], "7"))
        self.assertEqual((renamed.uidvalidity, renamed.uidnext), (9, 3))
        self.assertEqual(renamed.annotations, {"/private/comment": b"x"})
        self.assertEqual(self.told[-1].kind, "reset")
        for call in (lambda: self.folder.read(1), lambda: self.folder.poll(), lambda: renamed.copy([1], self.folder)):
            self.assertRaises(NotFound, result_of, call())
        self.assertEqual(result_of(renamed.read(1)), a_mail("mail 0"))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("+-="), st.sets(st.integers(1, 5)), st.sets(st.sampled_from(
        ["\\Seen", "\\Flagged", "Red", "blue"])))))
    def test_flags(self, steps: list[tuple[str, set[int], set[str]]]) -> None:
        """Flags are what adding, removing and setting them one after the other makes of them."""
        folder = MemoryFolder(self.context, MARIA, "INBOX", "", 7)
        for n in range(4):
            folder.add(f"d-{n}", a_mail("x"), (), AT)
        expected: dict[int, set[str]] = {uid: set() for uid in range(1, 5)}
        for mode, uids, flags in steps:
            changed, _ = result_of(folder.flag(uids, flags, mode))
            for uid in uids & expected.keys():
                before = expected[uid]
                after = before | flags if mode == "+" else before - flags if mode == "-" else set(flags)
                self.assertEqual(uid in changed, before != after)
                expected[uid] = after
        self.assertEqual({entry.uid: entry.flags for entry in folder.entries(folder.uids)}, expected)
        self.assertEqual(folder.counts()[1], sum("\\Seen" not in flags for flags in expected.values()))
