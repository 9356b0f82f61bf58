"""STORE on a connection in memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command import store as module
from simmail.imap.command.store import store
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, now
from tests.imap.recorder import Recorder

FLAGS = st.sets(st.sampled_from(["\\Seen", "\\Flagged", "\\Draft", "blue"]))


class StoreTests(SynchronousTestCase):
    """Flags of four messages."""

    def setUp(self) -> None:
        self.house = House()
        for _ in range(4):
            self.house.deliver()
        self.imap = Recorder(self.house, "INBOX")

    def flags(self) -> list[set[str]]:
        """What the messages have."""
        return [set(one) for one in self.house.folder().column("flags", self.house.folder().uids)]

    @given(FLAGS, st.lists(st.tuples(st.sampled_from(["", "+", "-"]), FLAGS), max_size=4))
    def test_model(self, first: set[str], steps: list[tuple[str, set[str]]]) -> None:
        """Flags are set, added and taken away as sets are, and told as they are then."""
        self.setUp()
        expected = set(first)
        self.imap.do(store, f"2 FLAGS ({' '.join(first)})".encode())
        for sign, flags in steps:
            expected = flags if not sign else expected | flags if sign == "+" else expected - flags
            said, _ = self.imap.do(store, f"2 {sign}FLAGS ({' '.join(flags)})".encode())
            shown = " ".join(sorted(expected))
            self.assertTrue(said.endswith(f"* 2 FETCH (FLAGS ({shown}))\r\n".encode()), said)
        self.assertEqual(self.flags()[1], expected)

    def test_silent(self) -> None:
        """Silently nothing is told but mod-sequences, where the client knows them (RFC 7162 section 3.1.3)."""
        self.assertEqual(self.imap.do(store, b"1:2 +FLAGS.SILENT \\Seen")[0], b"")
        self.imap.enabled.add(b"CONDSTORE")
        said, _ = self.imap.do(store, b"1:3 +FLAGS.SILENT \\Seen")
        self.assertRegex(said, rb"\A\* 3 FETCH \(MODSEQ \(\d+\)\)\r\n\Z")

    def test_without_parentheses(self) -> None:
        """Flags may stand without them."""
        self.imap.do(store, b"1 FLAGS \\Seen blue")
        self.assertEqual(self.flags()[0], {"\\Seen", "blue"})

    def test_uid(self) -> None:
        """By UID the UID is told; without numbers only that."""
        self.assertIn(b"* 4 FETCH (UID 4 FLAGS (\\Seen))", self.imap.do(store, b"4 +FLAGS (\\Seen)", uid=True)[0])
        self.imap.enabled.add(b"UIDONLY")
        self.assertIn(b"* 3 UIDFETCH (FLAGS (\\Seen))", self.imap.do(store, b"3 +FLAGS (\\Seen)", uid=True)[0])

    def test_unchangedsince(self) -> None:
        """What others changed since stays, and is named."""
        now(self.house.folder().flag([2], ("\\Flagged",), "+", None))
        before = self.house.folder().entry(2).modseq - 1
        _, answer = self.imap.do(store, b"1:3 (UNCHANGEDSINCE %d) +FLAGS (\\Seen)" % before)
        self.assertEqual(answer, b"[MODIFIED 2] Conditional STORE failed for some")
        self.assertEqual(self.flags(), [{"\\Seen"}, {"\\Flagged"}, {"\\Seen"}, set()])
        self.assertIn(b"CONDSTORE", self.imap.enabled)

    def test_expunged(self) -> None:
        """Of some that are gone that is told; of none but such it is refused; by UID it does not matter."""
        now(self.house.folder().expunge([1, 2]))
        self.assertTrue(self.imap.do(store, b"1:3 +FLAGS (\\Seen)")[1].startswith(b"[EXPUNGEISSUED]"))
        with self.assertRaises(No) as caught:
            self.imap.do(store, b"1:2 +FLAGS (\\Seen)")
        self.assertIn(b"[EXPUNGEISSUED]", caught.exception.line)
        self.assertEqual(self.imap.do(store, b"1:2 +FLAGS (\\Seen)", uid=True), (b"", b"STORE completed"))

    def test_keyword(self) -> None:
        """A keyword that is new is announced before a message is told to have it."""
        said, _ = self.imap.do(store, b"1 +FLAGS (green)")
        self.assertRegex(said, rb"(?s)\A\* FLAGS \(.*green.*\)\r\n.*PERMANENTFLAGS.*\* 1 FETCH \(FLAGS \(green\)\)")

    def test_slices(self) -> None:
        """Many are changed in slices, and each is told once."""
        self.patch(module, "SLICE", 3)
        said, _ = self.imap.do(store, b"1:* +FLAGS (\\Seen)")
        self.assertEqual([line.split()[1] for line in said.splitlines()], [b"1", b"2", b"3", b"4"])

    def test_bad(self) -> None:
        """What is no STORE, and a mailbox that is only examined."""
        for text in (b"1 FOO (x)", b"1 +FLAGS", b"1 FLAGS (\\Recent", b"1 +FLAGS (\\Foo)", b"5 +FLAGS (x)",
                     b"1 (FOO 1) FLAGS (x)", b"x FLAGS (y)"):
            with self.assertRaises(Bad, msg=text):
                self.imap.do(store, text)
        self.imap = Recorder(self.house, "INBOX", read_only=True)
        self.assertRaises(No, self.imap.do, store, b"1 +FLAGS (\\Seen)")
        self.assertEqual(self.flags(), [set()] * 4)
