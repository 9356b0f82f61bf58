"""What the writer does to mailboxes and their folders."""

from __future__ import annotations

from simmail.errors import Conflict, NotFound, OverAllowance
from simmail.mailstore.delivery import mailboxes
from simmail.mailstore.journal.records import Departure, Destination
from simmail.mailstore.maildir.annotations import MOST, ROOM, read
from simmail.mailstore.maildir.subscriptions import subscriptions
from tests.mailstore.maildirs import AT, MARIA, MaildirTestCase, TOM

NAME = "/private/comment"


class MailboxTests(MaildirTestCase):
    """A mailbox with one message."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)
        self.box = self.folder().directory

    def names(self) -> list[str]:
        return sorted(name for name, one in self.layout.folders(self.box).items() if one.directory is not None)

    def test_dropped(self) -> None:
        """A mailbox goes whole; who asks again is told that there is none."""
        gone = mailboxes.DropMailbox(AT, MARIA).do(self.folders)
        self.assertTrue(self.layout.has(gone))
        self.assertEqual((self.layout.boxes(), self.departures), ({}, [Departure("main", MARIA, "", 0, ())]))
        self.assertRaises(NotFound, mailboxes.DropMailbox(AT, MARIA).do, self.folders)
        self.layout.clear(gone)
        self.assertFalse(self.layout.has(gone))

    def test_made(self) -> None:
        """A folder is made once, with its special use."""
        mailboxes.MakeFolder(AT, self.box, "Projects/2026", "\\Archive").do(self.folders)
        self.assertEqual(self.names(), ["INBOX", "Projects/2026"])
        self.assertEqual(self.folder(name="Projects/2026").uids.special_use, "\\Archive")
        for name in ("Projects/2026", "INBOX", "Sent"):
            self.assertRaises(Conflict, mailboxes.MakeFolder(AT, self.box, name, "").do, self.folders)

    def test_folder_dropped(self) -> None:
        """A folder goes, and it is told that its messages did; one that is only shown has nothing to clear."""
        self.deliver(2, to=(MARIA, "Projects"))
        gone = mailboxes.DropFolder(AT, MARIA, self.box, "Projects").do(self.folders)
        assert gone is not None
        self.assertTrue(self.layout.has(gone))
        self.assertEqual((self.names(), self.departures), (["INBOX"], [Departure("main", MARIA, "Projects", 0, ())]))
        self.assertRaises(NotFound, mailboxes.DropFolder(AT, MARIA, self.box, "Projects").do, self.folders)
        self.assertIsNone(mailboxes.DropFolder(AT, MARIA, self.box, "Junk").do(self.folders))

    def test_renamed(self) -> None:
        """A folder and its inferiors; where their messages are is told."""
        self.deliver(2, to=(MARIA, "A"))
        self.deliver(3, to=(MARIA, "A/B"))
        before = self.folder(name="A").uids.uidvalidity
        moves = mailboxes.RenameFolder(AT, MARIA, self.box, "A", "C").do(self.folders)
        self.assertEqual(moves, [("A", "C"), ("A/B", "C/B")])
        self.assertEqual((self.keys(name="C"), self.keys(name="C/B")), (["d-2"], ["d-3"]))
        self.assertGreater(self.folder(name="C").uids.uidvalidity, before)
        self.assertEqual([(one.folder, one.to) for one in self.departures], [
            ("A", Destination(MARIA, "C", 0, ())), ("A/B", Destination(MARIA, "C/B", 0, ()))])
        self.assertRaises(Conflict, mailboxes.RenameFolder(AT, MARIA, self.box, "C", "C/D").do, self.folders)
        self.assertRaises(NotFound, mailboxes.RenameFolder(AT, MARIA, self.box, "A", "X").do, self.folders)

    def test_subscribed(self) -> None:
        """Names come and go; the last one subscribed to is the last one listed, once."""
        before = subscriptions(self.layout, self.box)
        mailboxes.Subscribe(AT, self.box, "Projects", True).do(self.folders)
        mailboxes.Subscribe(AT, self.box, "Projects", True).do(self.folders)
        mailboxes.Subscribe(AT, self.box, before[0], False).do(self.folders)
        mailboxes.Subscribe(AT, self.box, "never", False).do(self.folders)
        self.assertEqual(subscriptions(self.layout, self.box), [*before[1:], "Projects"])

    def test_annotated(self) -> None:
        """Only what is another one afterwards is told; a standard folder that is only shown is made."""
        changes = {NAME: b"one", "/shared/x": None}
        self.assertEqual(mailboxes.Annotate(AT, MARIA, "Sent", changes).do(self.folders), [NAME])
        self.assertEqual((self.names(), read(self.layout, self.box, "Sent")), (["INBOX", "Sent"], {NAME: b"one"}))
        self.assertEqual(mailboxes.Annotate(AT, MARIA, "Sent", {NAME: b"one"}).do(self.folders), [])
        self.assertEqual(mailboxes.Annotate(AT, MARIA, "", {NAME: b"\xff\0"}).do(self.folders), [NAME])
        self.assertEqual(read(self.layout, self.box, ""), {NAME: b"\xff\0"})
        self.assertEqual(mailboxes.Annotate(AT, MARIA, "Sent", {NAME: None}).do(self.folders), [NAME])
        self.assertEqual(read(self.layout, self.box, "Sent"), {})
        self.assertRaises(NotFound, mailboxes.Annotate(AT, MARIA, "Projects", changes).do, self.folders)
        self.assertRaises(NotFound, mailboxes.Annotate(AT, TOM, "INBOX", changes).do, self.folders)

    def test_too_many(self) -> None:
        """More, or larger ones, than there may be change nothing; fewer than there were are taken."""
        many = {f"/private/{number}": b"x" for number in range(MOST)}
        mailboxes.Annotate(AT, MARIA, "INBOX", many).do(self.folders)
        for changes in ({NAME: b"x"}, {"/private/1": bytes(ROOM)}):
            self.assertRaises(OverAllowance, mailboxes.Annotate(AT, MARIA, "INBOX", changes).do, self.folders)
        self.assertEqual(read(self.layout, self.box, "INBOX"), many)

    def test_annotations_copied(self) -> None:
        """All of them, over what was there."""
        mailboxes.Annotate(AT, MARIA, "INBOX", {NAME: b"one"}).do(self.folders)
        mailboxes.Annotate(AT, MARIA, "Sent", {NAME: b"two", "/private/x": b"3"}).do(self.folders)
        mailboxes.CopyAnnotations(AT, MARIA, "INBOX", "Sent").do(self.folders)
        self.assertEqual(read(self.layout, self.box, "Sent"), {NAME: b"one", "/private/x": b"3"})
