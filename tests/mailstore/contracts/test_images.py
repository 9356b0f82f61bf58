"""The contract of what is done to all mail of a universe: copied, put back, gone."""

from __future__ import annotations

from typing import Any

from zope.interface.verify import verifyObject

from simmail.core.records.folder import FolderChange
from simmail.errors import Conflict, NotFound
from simmail.interfaces import IMailImages
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


def contents(store: Any) -> Any:
    """All that can be asked of a store's mail, but UIDVALIDITYs."""
    found: dict[str, Any] = {}
    for mailbox in store.mailboxes():
        found[mailbox] = sorted(result_of(store.subscribed(mailbox))), result_of(store.annotations.read(mailbox, ""))
        for status in result_of(store.folders(mailbox)):
            folder = result_of(store.folder(mailbox, status.name))
            uids = list(folder.uids)
            found[f"{mailbox} {status.name}"] = (
                status.special_use, status.uidnext, status.objectid, uids, folder.column("flags", uids),
                folder.column("key", uids), folder.column("date", uids), folder.column("recent", uids),
                result_of(folder.reads(uids)), result_of(folder.saved(uids)),
                result_of(folder.containing(["in_body"], "hello")),
                result_of(store.annotations.read(mailbox, status.name)))
    found["held"] = [(key, result_of(store.held.read(key))) for key in result_of(store.held.keys())]
    return found


def uidvalidities(store: Any) -> dict[tuple[str, str], int]:
    """Those of all folders."""
    return {(mailbox, status.name): status.uidvalidity for mailbox in store.mailboxes()
            for status in result_of(store.folders(mailbox))}


class ImagesContract(Contract):
    """Mail is copied as a whole."""

    def fill(self) -> None:
        """Something of everything."""
        inbox = self.filled(5)
        result_of(inbox.flag([1, 2], ["\\Seen", "Key"], "+"))
        result_of(inbox.expunge([3]))
        result_of(self.store.create_folder(MARIA, "Projects/Ä.1"))
        projects = self.folder(MARIA, "Projects/Ä.1")
        result_of(projects.append(a_mail("kept"), ["\\Flagged"], AT))
        result_of(inbox.copy([4], projects, AT))
        result_of(self.store.subscribe(MARIA, "Projects/Ä.1", True))
        result_of(self.store.annotations.write(MARIA, INBOX, {"/private/comment": b"mine"}))
        result_of(self.store.annotations.write(MARIA, "", {"/shared/admin": b"you"}))
        result_of(self.store.create("X" * 300))
        self.filled(2, TOM, "Sent", ("\\Seen",))
        result_of(self.store.held.keep(["job-1", "job-2"], a_mail("later")))

    def copy(self, source: str, target: str, renewed: bool = False) -> Any:
        """A copy, opened."""
        result_of(self.images.copy(source, target, renewed))
        return self.provider.open(target)

    @property
    def images(self) -> Any:
        return self.provider.images

    def test_interface(self) -> None:
        """It provides all of IMailImages."""
        verifyObject(IMailImages, self.images)
        self.assertEqual(result_of(self.images.universes()), [])

    def test_copied(self) -> None:
        """A copy has all there is, and each goes its own way from then on."""
        self.fill()
        before, numbers = contents(self.store), uidvalidities(self.store)
        result_of(self.images.copy("main", "main!one"))
        self.assertEqual(result_of(self.images.universes()), ["main", "main!one"])
        fork = self.copy("main!one", "fork")
        self.assertEqual(contents(fork), before)
        self.assertEqual(uidvalidities(fork), numbers)
        # The original.
        inbox = self.folder()
        result_of(inbox.flag([1], ["\\Seen"], "-"))
        result_of(inbox.expunge([2]))
        self.accept("later", MARIA)
        result_of(self.store.delete(TOM))
        result_of(self.store.held.drop(["job-1"]))
        self.provider.later()
        self.assertEqual(contents(fork), before)
        # The fork.
        mine = contents(self.store)
        inbox = result_of(fork.folder(MARIA, INBOX))
        result_of(inbox.flag(inbox.uids, ["\\Answered", "Other"], "+"))
        result_of(inbox.move([4], result_of(fork.folder(MARIA, "Archive"))))
        self.assertEqual(result_of(inbox.append(a_mail("new"), [], AT)), 6)
        result_of(fork.rename_folder(MARIA, "Projects/Ä.1", "Other"))
        result_of(fork.annotations.write(MARIA, INBOX, {"/private/comment": None}))
        result_of(fork.subscribe(TOM, "Nothing", True))
        result_of(fork.create("new@acme.test"))
        result_of(fork.delete(TOM))
        self.provider.later()
        self.assertEqual(contents(self.store), mine)
        another = self.copy("main!one", "another")
        self.assertEqual(contents(another), before)

    def test_images_go(self) -> None:
        """What was copied stays when its source goes, and the other way round."""
        self.fill()
        before = contents(self.store)
        fork = self.copy("main", "fork")
        second = self.copy("fork", "second")
        result_of(self.store.erase())
        self.assertEqual((contents(fork), contents(second)), (before, before))
        self.provider.shut(fork)
        result_of(self.images.erase("fork"))
        result_of(self.images.erase("fork"))
        self.provider.later()
        self.assertEqual(result_of(self.images.universes()), ["second"])
        self.assertEqual(contents(second), before)
        self.assertEqual(contents(self.copy("second", "fork")), before)

    def test_put_back(self) -> None:
        """Put back in the place of what came after, every folder has a UIDVALIDITY that it never had."""
        self.fill()
        before = contents(self.store)
        result_of(self.images.copy("main", "kept"))
        self.accept("later", MARIA, "new@acme.test")
        result_of(self.store.create_folder(MARIA, "Later"))
        numbers = uidvalidities(self.store)
        changes: list[FolderChange] = []
        inbox = self.folder()
        inbox.listen(changes.append)
        result_of(self.store.reset([]))
        self.assertEqual([change.kind for change in changes], ["reset"])
        self.provider.shut(self.store)
        result_of(self.images.erase("main"))
        self.store = self.copy("kept", "main", True)
        self.assertEqual(contents(self.store), before)
        for place, number in uidvalidities(self.store).items():
            self.assertGreater(number, max(numbers.values()), place)
        self.accept("afterwards", MARIA, "new@acme.test")
        self.assertEqual(list(self.folder().uids), [1, 2, 4, 5, 6])
        self.assertGreater(self.folder("new@acme.test").uidvalidity, max(numbers.values()))

    def test_refused(self) -> None:
        """What has mail is left alone; of nothing there is a copy too."""
        self.fill()
        result_of(self.images.copy("main", "other"))
        before = contents(self.provider.open("other"))
        self.accept("later", MARIA)
        self.assertRaises(Conflict, result_of, self.images.copy("main", "other"))
        self.assertRaises(Conflict, result_of, self.images.prepare("main", "other"))
        self.assertEqual(contents(self.provider.open("other")), before)
        result_of(self.images.copy("nothing", "new"))
        new = self.provider.open("new")
        self.assertEqual(new.mailboxes(), [])
        result_of(new.create(MARIA))
        self.assertEqual(result_of(self.images.universes()), ["main", "new", "other"])

    def test_owed(self) -> None:
        """What is owed a commit is owed for a copy too, and for a copy of that, until each has made it."""
        self.fill()
        self.settle(*result_of(self.store.uncommitted()))
        letter = a_mail("owed")
        self.accept("owed", MARIA, (TOM, "Drafts", ("\\Draft",)), octets=letter, commit=b"this")
        self.accept("gone", MARIA)
        self.accept("moved", TOM)
        result_of(self.folder().expunge([7]))
        result_of(self.folder(TOM).move([1], self.folder(TOM, "Archive")))
        self.accept("settled", MARIA)
        self.store.committed(["d-settled"])
        result_of(self.images.copy("main", "kept"))
        self.settle("d-owed", "d-gone", "d-moved")
        for source, target, renewed in (("kept", "fork", False), ("kept", "again", True), ("fork", "another", False)):
            copy = self.copy(source, target, renewed)
            for _ in range(2):
                self.assertEqual(result_of(copy.uncommitted()), ["d-owed", "d-gone", "d-moved"])
                [[delivery, copies]] = result_of(copy.replay({"d-gone", "d-moved"}))
                self.assertEqual((delivery.universe, delivery.octets, delivery.commit), (target, letter, b"this"))
                inbox, drafts = (result_of(copy.folder(*place)) for place in ((MARIA, INBOX), (TOM, "Drafts")))
                self.assertEqual([(one.uid, one.uidvalidity) for one in copies],
                                 [(6, inbox.uidvalidity), (1, drafts.uidvalidity)])
                self.assertEqual(list(inbox.uids), [1, 2, 4, 5, 6, 8])
                self.assertEqual(list(result_of(copy.folder(TOM, INBOX)).uids), [])
                self.assertEqual(list(result_of(copy.folder(TOM, "Archive")).uids), [1])
                self.store = self.provider.restart()
                copy = self.provider.open(target)
            self.assertEqual(result_of(self.store.uncommitted()), [])
            if target != "fork":
                copy.committed(["d-owed", "d-gone", "d-moved"])
                self.assertEqual(result_of(copy.uncommitted()), [])
                self.store = self.provider.restart()
                self.assertEqual(result_of(self.provider.open(target).uncommitted()), [])

    def test_prepared(self) -> None:
        """What comes, changes and goes after it was prepared is in the copy as it is at last."""
        self.fill()
        result_of(self.images.prepare("main", "kept"))
        inbox = self.folder()
        self.accept("later", MARIA, (TOM, "Drafts"), "new@acme.test")
        result_of(inbox.flag([4, 5], ["\\Flagged"], "+"))
        self.provider.later()
        result_of(inbox.expunge([1]))
        result_of(self.store.delete_folder(MARIA, "Projects/Ä.1"))
        result_of(self.store.create_folder(MARIA, "Late"))
        result_of(self.store.delete("X" * 300))
        result_of(self.store.held.drop(["job-1"]))
        result_of(self.store.annotations.write(MARIA, INBOX, {"/private/comment": None}))
        before = contents(self.store)
        told: list[Any] = []
        result_of(self.images.copy("main", "kept", taken=lambda: told.append(contents(self.store))))
        self.assertEqual(contents(self.provider.open("kept")), before)
        self.assertEqual(told, [before])

    def test_reset(self) -> None:
        """All mail goes; mailboxes that are kept are empty and new."""
        self.fill()
        numbers = uidvalidities(self.store)
        inbox, changes = self.folder(), self.changes(self.folder())
        for _ in range(2):
            result_of(self.store.reset([MARIA]))
        self.assertEqual([change.kind for change in changes], ["reset"])
        self.assertRaises(NotFound, result_of, inbox.append(a_mail("late"), [], AT))
        self.assertEqual(self.store.mailboxes(), [MARIA])
        self.assertEqual((result_of(self.store.totals()), result_of(self.store.held.keys())), ({}, []))
        self.assertGreater(self.folder().uidvalidity, max(numbers.values()))
        self.assertEqual(result_of(self.store.uncommitted()), [])
        self.accept("new", MARIA)
        self.assertEqual(list(self.folder().uids), [1])

    assertGreater: Any
    assertRaises: Any
    assertEqual: Any


globals().update(on_both(__name__, ImagesContract))
