"""Making, naming and counting mailboxes."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid
from simmail.imap.command.mailbox import create, delete, rename, status, subscribe, unsubscribe
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import ADDRESS, now
from tests.imap.recorder import Recorder


class MailboxTests(SynchronousTestCase):
    """On a connection in memory, with a real store."""

    def setUp(self) -> None:
        self.imap = Recorder()

    def names(self) -> set[str]:
        """The folders there are."""
        return {one.name for one in now(self.imap.store.folders(ADDRESS))}

    def refused(self, code: bytes, command: object, given: bytes) -> None:
        """A command is refused with a response code, and changes nothing."""
        before = self.names()
        with self.assertRaises(No) as caught:
            self.imap.do(command, given)
        self.assertTrue(caught.exception.line.startswith(b"NO [%b]" % code), caught.exception.line)
        self.assertEqual(self.names(), before)

    def test_create(self) -> None:
        """CREATE makes what lies above, answers the identifier, and knows what it causes."""
        _, answer = self.imap.do(create, b"a/b/c/")
        self.assertLessEqual({"a", "a/b", "a/b/c"}, self.names())
        objectid = now(self.imap.store.folder(ADDRESS, "a/b/c")).objectid
        self.assertEqual(answer, b"[MAILBOXID (%b)] CREATE completed" % objectid.encode())
        self.assertEqual(self.imap.causing, {"a", "a/b", "a/b/c"})

    def test_create_refused(self) -> None:
        """What exists, what has no name, what cannot be."""
        self.refused(b"ALREADYEXISTS", create, b"inbox")
        self.refused(b"CANNOT", create, b"///")
        self.assertRaises(Invalid, self.imap.do, create, b'"a//b"')

    def test_special_use(self) -> None:
        """A special use that nobody has; one for each mailbox, one mailbox for each."""
        self.refused(b"USEATTR", create, b"x (USE (\\Sent))")
        self.refused(b"USEATTR", create, b"x (USE (\\Flagged))")
        self.refused(b"USEATTR", create, b"x (USE (\\Sent \\Drafts))")
        self.imap.do(create, b"x (USE ())")
        self.assertIn("x", self.names())
        for given in (b"y (USE (Sent))", b"y (USE (\\Sent)", b"y (FOO)"):
            self.assertRaises(Bad, self.imap.do, create, given)

    def test_delete(self) -> None:
        """DELETE; of a mailbox that is selected the client is told that it is closed."""
        self.imap.do(create, b"x/y")
        self.imap = Recorder(self.imap.house, "x/y")
        said, _ = self.imap.do(delete, b"x/y")
        self.assertEqual((said, self.imap.selected), (b"* OK [CLOSED] Previous mailbox closed\r\n", None))
        self.assertNotIn("x/y", self.names())

    def test_delete_refused(self) -> None:
        """INBOX stays, and what is not there cannot go."""
        self.refused(b"CANNOT", delete, b"INBOX")
        self.refused(b"NONEXISTENT", delete, b"x")
        self.imap.do(create, b"x/y")
        self.imap.do(delete, b"x")
        self.refused(b"HASCHILDREN", delete, b"x")

    def test_rename(self) -> None:
        """RENAME takes what lies below along, and makes what lies above."""
        self.imap.do(create, b"x/y")
        self.imap.do(rename, b"x z/x")
        self.assertLessEqual({"z", "z/x", "z/x/y"}, self.names())
        self.assertNotIn("x", self.names())
        self.assertEqual(self.imap.causing, {"x", "z", "z/x"})

    def test_rename_selected(self) -> None:
        """A mailbox that is renamed is closed where it is selected, also from above."""
        self.imap.do(create, b"x/y")
        self.imap = Recorder(self.imap.house, "x/y")
        said, _ = self.imap.do(rename, b"x z")
        self.assertEqual(said, b"* OK [CLOSED] Previous mailbox closed\r\n")

    def test_rename_refused(self) -> None:
        """To a name that is there, of one that is not, of a mailbox into itself."""
        self.imap.do(create, b"x")
        self.refused(b"ALREADYEXISTS", rename, b"x INBOX")
        self.refused(b"NONEXISTENT", rename, b"y z")
        self.refused(b"CANNOT", rename, b"x x/y")

    def test_rename_inbox(self) -> None:
        """Of INBOX its messages move."""
        self.imap.house.deliver()
        self.imap.do(rename, b"inbox old")
        self.assertEqual(self.imap.house.folder("old").counts()[0], 1)
        self.assertEqual(self.imap.house.folder("INBOX").counts()[0], 0)

    def test_subscribe(self) -> None:
        """Names are subscribed to whether they exist or not."""
        self.imap.do(subscribe, b"nowhere/")
        self.assertIn("nowhere", now(self.imap.store.subscribed(ADDRESS)))
        self.imap.do(unsubscribe, b"nowhere")
        self.assertNotIn("nowhere", now(self.imap.store.subscribed(ADDRESS)))
        self.assertEqual(self.imap.causing, {"nowhere"})

    def test_status(self) -> None:
        """Items in the order they were asked for, each once; HIGHESTMODSEQ switches CONDSTORE on."""
        self.imap.house.deliver()
        said, _ = self.imap.do(status, b"INBOX (UNSEEN MESSAGES UNSEEN HIGHESTMODSEQ DELETED APPENDLIMIT)")
        self.assertRegex(
            said, rb"\A\* STATUS INBOX \(UNSEEN 1 MESSAGES 1 HIGHESTMODSEQ \d+ DELETED 0 APPENDLIMIT \d+\)\r\n\Z")
        self.assertIn(b"CONDSTORE", self.imap.enabled)
        for given in (b"INBOX", b"INBOX ()", b"INBOX (FOO)", b"INBOX (UNSEEN"):
            self.assertRaises(Bad, self.imap.do, status, given)
        self.refused(b"NONEXISTENT", status, b"x (MESSAGES)")

    def test_deleted(self) -> None:
        """What is marked deleted, in messages and octets (RFC 9208)."""
        self.imap.house.deliver("plain", "INBOX", "\\Deleted")
        self.imap.house.deliver("plain")
        (size,) = self.imap.house.folder().column("size", [1])
        said, _ = self.imap.do(status, b"INBOX (DELETED DELETED-STORAGE)")
        self.assertEqual(said, b"* STATUS INBOX (DELETED 1 DELETED-STORAGE %d)\r\n" % size)
