"""LIST and STATUS responses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import FolderStatus
from simmail.imap.untagged.mailbox_data import (
    attributes_of, find_folder, list_names, names_above, status_items, status_line,
)
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import ADDRESS, now
from tests.imap.recorder import connection, Recorder


class NameTests(SynchronousTestCase):
    """Names and what is said of them."""

    @given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), max_size=5))
    def test_above(self, names: list[str]) -> None:
        """What lies above some names is what each begins with, up to a separator."""
        expected = {name[:at] for name in names for at, char in enumerate(name) if char == "/"}
        self.assertEqual(names_above(names), expected)

    def test_attributes(self) -> None:
        """There or not, subscribed to, with something below, for a special use."""
        sent = next(one for one in now(Recorder().store.folders(ADDRESS)) if one.special_use == "\\Sent")
        for name, found, subscribed, parents, extended, expected in (
            ("Sent", sent, {"Sent"}, set[str](), True, [b"\\Subscribed", b"\\HasNoChildren", b"\\Sent"]),
            ("Sent", sent, set[str](), {"Sent"}, False, [b"\\HasChildren", b"\\Sent"]),
            ("x", None, set[str](), {"x"}, True, [b"\\NonExistent", b"\\HasChildren"]),
            ("x", None, {"x"}, None, False, [b"\\Noselect", b"\\Subscribed"]),
        ):
            self.assertEqual(attributes_of(name, found, subscribed, parents, extended), expected)


class ResponseTests(SynchronousTestCase):
    """On a connection in memory."""

    def setUp(self) -> None:
        self.imap = Recorder()

    def status(self, name: str, *items: bytes) -> bytes:
        """The STATUS of a folder."""
        found: FolderStatus = self.imap.house.folder(name).status()
        line: bytes = self.imap.run(status_line(connection(self.imap), found, list(items)))
        return line

    def test_items(self) -> None:
        """Each item once, in the order they come."""
        self.assertEqual(status_items(Arguments(b"(unseen MESSAGES UNSEEN)")), [b"UNSEEN", b"MESSAGES"])
        for text in (b"()", b"UNSEEN", b"(FOO)", b"(UNSEEN"):
            self.assertRaises(Bad, status_items, Arguments(text))

    def test_status(self) -> None:
        """Every item has its value."""
        self.imap.house.deliver()
        self.imap.house.deliver("plain", "INBOX", "\\Deleted", "\\Seen")
        size = sum(self.imap.house.folder().column("size", [1, 2]))
        line = self.status("INBOX", b"MESSAGES", b"RECENT", b"UIDNEXT", b"UIDVALIDITY", b"UNSEEN", b"SIZE", b"DELETED")
        self.assertEqual(line, b"* STATUS INBOX (MESSAGES 2 RECENT 1 UIDNEXT 3 UIDVALIDITY 1 UNSEEN 1 SIZE %d "
                               b"DELETED 1)\r\n" % size)
        self.assertRegex(self.status("INBOX", b"MAILBOXID", b"HIGHESTMODSEQ"),
                         rb"\(MAILBOXID \([\w-]+\) HIGHESTMODSEQ \d+\)")

    def test_spelled(self) -> None:
        """Names are spelled as the client reads them."""
        now(self.imap.store.create_folder(ADDRESS, "Entwürfe"))
        self.assertIn(b"Entw&APw-rfe", self.status("Entwürfe", b"UNSEEN"))
        self.imap.utf8 = True
        self.assertIn("Entwürfe".encode(), self.status("Entwürfe", b"UNSEEN"))

    def test_list(self) -> None:
        """Names as they are now: made, renamed, or not there any more (RFC 5465 section 5.4)."""
        now(self.imap.store.create_folder(ADDRESS, "a/b"))
        self.imap.run(list_names(connection(self.imap), {"a/b": "old", "a": "", "none": "b"}))
        self.assertEqual(self.imap.sent, b'* LIST (\\HasNoChildren) "/" a/b ("OLDNAME" (old))\r\n'
                                         b'* LIST (\\NonExistent \\HasChildren) "/" a\r\n'
                                         b'* LIST (\\NonExistent \\HasNoChildren) "/" none\r\n')

    def find(self, name: str, code: str) -> bytes:
        """How a folder that is not there is refused."""
        with self.assertRaises(No) as caught:
            self.imap.run(find_folder(connection(self.imap), name, code))
        return caught.exception.line

    def test_find(self) -> None:
        """One that is there; one that could be made; one that never could."""
        self.assertEqual(self.imap.run(find_folder(connection(self.imap), "INBOX")).name, "INBOX")
        self.assertEqual(self.find("x", "TRYCREATE"), b"NO [TRYCREATE] There is no such mailbox")
        self.assertEqual(self.find("x", "NONEXISTENT"), b"NO [NONEXISTENT] There is no such mailbox")
        self.assertTrue(self.find("x//y", "TRYCREATE").startswith(b"NO [CANNOT]"))
