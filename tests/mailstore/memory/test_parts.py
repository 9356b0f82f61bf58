"""What the store in memory has beside its folders."""

from __future__ import annotations

from typing import Any

from tests.contracts.mailstores import AT, a_mail, result_of
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, OverAllowance
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.mailstore.memory.parts import EventsInMemory, OpenMessageInMemory


MARIA = "maria@acme.test"


class AnnotationTests(SynchronousTestCase):
    """C{AnnotationsInMemory}."""

    def setUp(self) -> None:
        self.store = MemoryMailStore("main")
        result_of(self.store.create(MARIA))
        self.told: list[Any] = []
        self.store.annotations.listen(lambda *args: self.told.append(args))

    def write(self, folder: str, changes: dict[str, bytes | None]) -> None:
        result_of(self.store.annotations.write(MARIA, folder, changes, "me"))

    def test_written(self) -> None:
        """Of a folder or of the mailbox; only what has become another is told, with who did it."""
        self.write("inbox", {"/private/a": b"1", "/private/b": b"2"})
        self.write("INBOX", {"/private/a": b"1", "/private/b": None, "/private/c": None})
        self.write("", {"/shared/comment": b"x"})
        self.assertEqual(result_of(self.store.annotations.read(MARIA, "INBOX")), {"/private/a": b"1"})
        self.assertEqual(result_of(self.store.annotations.read(MARIA, "")), {"/shared/comment": b"x"})
        self.assertEqual(self.told, [
            (MARIA, "INBOX", ("/private/a", "/private/b"), "me"), (MARIA, "INBOX", ("/private/b",), "me"),
            (MARIA, "", ("/shared/comment",), "me")])

    def test_refused(self) -> None:
        """Of a folder that is not there, or more than there is room for: nothing changes."""
        self.assertRaises(NotFound, self.write, "Never", {"/private/a": b"1"})
        self.assertRaises(OverAllowance, self.write, "INBOX", {"/private/a": b"x" * (2 << 20), "/private/b": b"1"})
        self.assertEqual((result_of(self.store.annotations.read(MARIA, "INBOX")), self.told), ({}, []))


MARIA, TOM = "maria@acme.test", "tom@acme.test"


class EventTests(SynchronousTestCase):
    """C{EventsInMemory}, as the store tells it."""

    def setUp(self) -> None:
        self.store = MemoryMailStore("main")
        self.told: list[tuple[str, str, str]] = []
        for mailbox in (MARIA, TOM):
            result_of(self.store.create(mailbox))

    def hear(self, event: Any) -> None:
        self.told.append((event.kind, event.name, event.old))

    def test_of_a_mailbox(self) -> None:
        """Folders that are made, renamed and removed, and mail in them; of that mailbox only, until it is enough."""
        result_of(self.store.events.listen(MARIA, self.hear))
        for mailbox in (MARIA, TOM):
            result_of(self.store.create_folder(mailbox, "Work"))
        result_of(self.store.rename_folder(MARIA, "Work", "Play"))
        result_of(result_of(self.store.folder(MARIA, "Play")).append(a_mail("x"), [], AT))
        result_of(self.store.subscribe(MARIA, "Play", True))
        result_of(self.store.subscribe(MARIA, "Play", True))
        result_of(self.store.delete_folder(MARIA, "Play"))
        self.store.events.unlisten(MARIA, self.hear)
        self.store.events.unlisten(MARIA, self.hear)
        result_of(self.store.create_folder(MARIA, "More"))
        self.assertEqual(self.told, [
            ("made", "Work", ""), ("renamed", "Play", "Work"), ("added", "Play", ""), ("subscribed", "Play", ""),
            ("gone", "Play", "")])

    def test_no_mailbox(self) -> None:
        """Nobody listens to a mailbox that is not there."""
        self.assertRaises(NotFound, result_of, self.store.events.listen("nobody@acme.test", self.hear))

    def test_nothing_is_kept(self) -> None:
        """Of mailboxes to which nobody listens nothing is kept."""
        events = EventsInMemory(lambda mailbox: None)
        events.tell(MARIA, "made", "Work")
        result_of(events.listen(MARIA, self.hear))
        events.unlisten(MARIA, self.hear)
        self.assertEqual(events._listeners, {})


class OpenedTests(SynchronousTestCase):
    """C{OpenMessageInMemory}."""

    def test_pieces(self) -> None:
        """Any piece of it, as far as it goes; closed, nothing is held."""
        message = OpenMessageInMemory(b"0123456789")
        self.assertEqual(message.size, 10)
        self.assertEqual([result_of(message.read(*piece)) for piece in ((0, 4), (4, 100), (10, 1), (3, 0))],
                         [b"0123", b"456789", b"", b""])
        message.close()

    def test_derived(self) -> None:
        """What is worked out from the whole of it is worked out where the caller says."""
        where: list[Any] = []

        def in_thread(work: Any) -> Any:
            where.append(work)
            return work()

        self.assertEqual(result_of(OpenMessageInMemory(b"abc").derive("length", len, in_thread)), 3)
        self.assertEqual(len(where), 1)
