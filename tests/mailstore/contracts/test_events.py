"""What every mail store tells of what happens to folders."""

from __future__ import annotations

from zope.interface.verify import verifyObject

from simmail.core.records.folder import FolderEvent
from simmail.errors import Conflict, NotFound
from simmail.interfaces import IFolderEvents
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


class EventContract(Contract):
    """What happens to folders, told."""

    def heard(self, mailbox: str = MARIA) -> list[FolderEvent]:
        """All that happens to a mailbox from now on."""
        events: list[FolderEvent] = []
        self.listener = events.append
        result_of(self.store.events.listen(mailbox, self.listener))
        return events

    def taken(self, events: list[FolderEvent]) -> list[tuple[str, ...]]:
        """What was told, and forgotten."""
        found = [(*one[:2], one.old) if one.old else tuple(one[:2]) for one in events]
        events.clear()
        return found

    def test_interface(self) -> None:
        """It is what it says."""
        self.assertTrue(verifyObject(IFolderEvents, self.store.events))

    def test_messages(self) -> None:
        """Messages that come, change and go: of folders that are loaded and of others, of this mailbox."""
        result_of(self.store.create(MARIA))
        events = self.heard()
        self.accept(1, MARIA, TOM, (MARIA, "Junk"))
        self.assertEqual(self.taken(events), [("added", INBOX), ("added", "Junk")])
        folder, target = self.folder(), self.folder(MARIA, "Archive")
        self.accept(2, MARIA)
        result_of(folder.append(a_mail("x"), (), AT))
        self.assertEqual(self.taken(events), [("added", INBOX)] * 2)
        result_of(folder.flag([1], ("\\Seen",), "+"))
        result_of(folder.flag([1], ("\\Seen",), "+"))
        self.assertEqual(self.taken(events), [("flags", INBOX)])
        result_of(folder.copy([1], target))
        self.assertEqual(self.taken(events), [("added", "Archive")])
        result_of(folder.move([1], target))
        self.assertEqual(sorted(self.taken(events)), [("added", "Archive"), ("expunged", INBOX)])
        result_of(folder.expunge([2]))
        self.assertEqual(self.taken(events), [("expunged", INBOX)])
        result_of(self.store.delete_folder(MARIA, "Junk"))
        self.assertEqual(self.taken(events), [("expunged", "Junk")])
        self.store.events.unlisten(MARIA, self.listener)
        self.store.events.unlisten(MARIA, self.listener)
        self.accept(3, MARIA)
        self.assertEqual(events, [])

    def test_names(self) -> None:
        """Folders that are made, called something else, removed and subscribed to, each told once."""
        result_of(self.store.create(MARIA))
        events = self.heard()
        result_of(self.store.create_folder(MARIA, "a"))
        result_of(self.store.create_folder(MARIA, "a/b"))
        self.assertRaises(Conflict, result_of, self.store.create_folder(MARIA, "a"))
        self.assertEqual(self.taken(events), [("made", "a"), ("made", "a/b")])
        self.accept(1, (MARIA, "new"))
        self.assertEqual(self.taken(events), [("made", "new"), ("added", "new")])
        self.folder(MARIA, "a/b")
        result_of(self.store.rename_folder(MARIA, "a", "c"))
        self.assertEqual(sorted(self.taken(events)), [("renamed", "c", "a"), ("renamed", "c/b", "a/b")])
        result_of(self.store.rename_folder(MARIA, "Archive", "old"))
        self.assertEqual(self.taken(events), [("renamed", "old", "Archive"), ("made", "Archive")])
        self.accept(2, MARIA)
        self.taken(events)
        result_of(self.store.rename_folder(MARIA, INBOX, "in"))
        self.assertEqual(sorted(self.taken(events)), [("added", "in"), ("expunged", INBOX), ("made", "in")])
        result_of(self.store.delete_folder(MARIA, "c"))
        self.assertEqual(self.taken(events), [("gone", "c")])
        for name, on in (("x", True), ("x", True), ("Junk", False), ("Junk", False)):
            result_of(self.store.subscribe(MARIA, name, on))
        self.assertEqual(self.taken(events), [("subscribed", "x"), ("unsubscribed", "Junk")])

    def test_refused(self) -> None:
        """Where there is no mailbox nobody can listen; one who fails keeps nothing from others."""
        self.assertRaises(NotFound, result_of, self.store.events.listen(TOM, print))
        result_of(self.store.create(MARIA))

        def fails(event: FolderEvent) -> None:
            raise KeyError(event.name)

        result_of(self.store.events.listen(MARIA, fails))
        events = self.heard()
        self.accept(1, MARIA)
        self.assertEqual(self.taken(events), [("added", INBOX)])
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)  # type: ignore[attr-defined]


globals().update(on_both(__name__, EventContract))
