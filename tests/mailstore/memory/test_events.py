"""What happens to folders of the store in memory is told to who listens to their mailbox."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.mailstore.memory.parts import EventsInMemory
from simmail.mailstore.memory.mailstore import MemoryMailStore
from tests.contracts.mailstores import AT, a_mail, result_of

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
