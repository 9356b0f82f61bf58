"""What every mail store promises of mailboxes: they come and go, are counted and erased."""

from __future__ import annotations

from collections import Counter

from simmail.core.records.delivery import Copy
from simmail.errors import Invalid, NotFound
from tests.contracts.mailstores import AT, result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


class MailboxContract(Contract):
    """Mailboxes."""

    def test_mailboxes(self) -> None:
        """Mailboxes are made by hand or by mail, listed in order, and deleted with everything in them."""
        self.assertEqual((self.store.mailboxes(), self.store.exists(TOM)), ([], False))
        result_of(self.store.create(TOM))
        result_of(self.store.create(TOM))
        self.accept(1, MARIA)
        self.assertEqual(self.store.mailboxes(), [MARIA, TOM])
        self.assertTrue(self.store.exists(TOM) and self.store.exists(MARIA))
        folder, changes = self.folder(), self.changes(self.folder())
        result_of(self.store.delete(MARIA))
        self.assertEqual((self.store.mailboxes(), self.store.exists(MARIA)), ([TOM], False))
        self.assertEqual([change.kind for change in changes], ["reset"])
        self.assertEqual((list(folder.uids), folder.entry(1), folder.counts()), ([], None, (0, 0, 0)))
        for call in (folder.read(1), folder.append(b"x", [], AT), folder.flag([1], [], "+"), folder.expunge([1]),
                     folder.digests([1]), folder.poll(), folder.vanished(0), folder.take_recent(), folder.reads([1]),
                     self.folder(TOM).copy([1], folder), self.store.folder(MARIA, INBOX), self.store.folders(MARIA),
                     self.store.delete(MARIA), self.store.subscribed(MARIA), self.store.create_folder(MARIA, "x", "")):
            self.assertRaises(NotFound, result_of, call)
        self.store = self.provider.restart()
        self.assertEqual(self.store.mailboxes(), [TOM])

    def test_uidvalidity_grows(self) -> None:
        """A mailbox or folder made again has a greater UIDVALIDITY."""
        first = self.accept(1, MARIA, (MARIA, "Work"))
        result_of(self.store.delete(MARIA))
        second = self.accept(2, MARIA, (MARIA, "Work"))
        result_of(self.store.delete_folder(MARIA, "Work"))
        third = self.accept(3, MARIA, (MARIA, "Work"))
        self.assertGreater(second[0].uidvalidity, first[0].uidvalidity)
        self.assertGreater(second[1].uidvalidity, first[1].uidvalidity)
        self.assertGreater(third[1].uidvalidity, second[1].uidvalidity)
        self.assertEqual(third[0].uidvalidity, second[0].uidvalidity)
        self.assertEqual([copy.uid for copy in third], [2, 1])

    def test_strange_names(self) -> None:
        """Any name without control characters works, comes back exactly, and none leaves the store."""
        for number, name in enumerate((
            "../../etc/passwd", "..", ".", "a/b@c", "ä ö@tëst.example", "X" * 300 + "@long.test", "%2E", "%-abc",
            "UPPER@case.test", "tmp", "-rf", "日本@例え.test", ".tmp", ".gone",
        )):
            self.accept(number, name)
            self.assertTrue(self.store.exists(name))
            self.assertIn(name, self.store.mailboxes())
            self.assertEqual(list(self.folder(name).uids), [1])
        before = self.store.mailboxes()
        self.store = self.provider.restart()
        self.assertEqual(self.store.mailboxes(), before)
        for name in ("", "a\0b", "a\nb", "x" * 2000, "\udcff"):
            self.assertFalse(self.store.exists(name))
            self.assertRaises(Invalid, result_of, self.store.create(name))
            self.assertRaises(NotFound, result_of, self.store.folder(name, INBOX))

    def counts(self) -> dict[str, tuple[int, int]]:
        """(total, unread) by mailbox; the sums are held to what folders say."""
        found = result_of(self.store.counts())
        totals: Counter[str] = Counter()
        for mailbox, one in found.items():
            there = {status.name: (status.total, status.unseen) for status in result_of(self.store.folders(mailbox))
                     if status.total}
            self.assertEqual(one.folders, there)
            self.assertEqual((one.total, one.unread), tuple(map(sum, zip((0, 0), *there.values()))))
            totals.update({name: total for name, (total, _) in there.items()})
        self.assertEqual(result_of(self.store.totals()), totals)
        return {mailbox: (one.total, one.unread) for mailbox, one in found.items()}

    def test_counts(self) -> None:
        """Counts of every mailbox are true from the start, and after each kind of change, over all folders."""
        self.filled(3)
        result_of(self.store.create(TOM))
        self.accept(6, (MARIA, "Junk", ()))
        self.store = self.provider.restart()
        self.assertEqual(self.counts(), {MARIA: (4, 4), TOM: (0, 0)})
        self.accept(7, MARIA, (MARIA, "Sent", ("\\Seen",)), (TOM, INBOX, ("\\Seen",)))
        self.assertEqual(self.counts(), {MARIA: (6, 5), TOM: (1, 0)})
        folder = self.folder()
        result_of(folder.flag([1, 2], ["\\Seen"], "+"))
        self.assertEqual(self.counts()[MARIA], (6, 3))
        result_of(folder.move([1, 3], self.folder(TOM)))
        self.assertEqual(self.counts(), {MARIA: (4, 2), TOM: (3, 1)})
        result_of(folder.move([2], self.folder(MARIA, "Archive")))
        result_of(folder.append(b"x", [], AT))
        self.accept(8, "new@acme.test", MARIA)
        self.assertEqual(self.counts(), {MARIA: (6, 4), TOM: (3, 1), "new@acme.test": (1, 1)})
        result_of(self.store.delete(TOM))
        self.assertNotIn(TOM, self.counts())
        self.accept(9, TOM)
        self.assertEqual(self.counts()[TOM], (1, 1))

    def test_counts_of_folders(self) -> None:
        """Folders that are made, renamed and removed, loaded or not, are counted under the name they have."""
        self.filled(2)
        for name in ("Zoo", "Zoo/Cats", "Zoo/Dogs"):
            result_of(self.store.create_folder(MARIA, name, ""))
            for flags in ((), ("\\Seen",)):
                self.accept(f"{name[-4:].strip('/')}{len(flags)}", (MARIA, name, flags))
        for loaded in (False, True):
            if not loaded:
                self.store = self.provider.restart()
            self.assertEqual(self.counts()[MARIA][0], 8)
            held = [self.folder(MARIA, "Zoo"), self.folder(MARIA, "Zoo/Cats")] if loaded else []
            result_of(self.store.rename_folder(MARIA, "Zoo", "Farm"))
            self.assertEqual(self.counts()[MARIA], (8, 5))
            result_of(self.store.rename_folder(MARIA, "Farm", "Zoo"))
            self.assertEqual(self.counts()[MARIA], (8, 5))
            self.assertTrue(not any(len(folder.uids) for folder in held))
        dogs = self.folder(MARIA, "Zoo/Dogs")
        result_of(self.store.delete_folder(MARIA, "Zoo/Dogs"))
        self.assertEqual((self.counts()[MARIA], list(dogs.uids)), ((6, 4), []))
        self.store = self.provider.restart()
        self.counts()
        result_of(self.store.delete_folder(MARIA, "Zoo/Cats"))
        self.assertEqual(self.counts()[MARIA], (4, 3))
        result_of(self.store.rename_folder(MARIA, INBOX, "Old"))
        self.assertEqual(self.counts()[MARIA], (4, 3))

    def test_status(self) -> None:
        """The list tells the same of a folder, loaded or not."""
        self.accept(1, (MARIA, "Work"), octets=b"12345")
        self.accept(2, (MARIA, "Work", ("\\Seen",)), octets=b"678")
        result_of(self.folder(MARIA, "Work").flag([1], ["\\Seen"], "+"))
        self.accept(3, (MARIA, "Work"), octets=b"9")
        loaded = self.status("Work")
        self.assertEqual(loaded[:5] + loaded[6:7] + loaded[8:9], ("Work", "", 3, 1, 1, 4, 9))
        self.store = self.provider.restart()
        self.assertEqual(self.status("Work"), loaded)
        self.assertEqual(self.folder(MARIA, "Work").status(), loaded)

    def test_erase(self) -> None:
        """After erasing there is nothing, nothing is owed, and it goes on with greater UIDVALIDITYs."""
        first, folder = self.accept(1, MARIA, TOM)[0], self.folder()
        changes = self.changes(folder)
        result_of(self.store.erase())
        self.assertEqual((self.store.mailboxes(), self.counts()), ([], {}))
        self.assertEqual([change.kind for change in changes], ["reset"])
        second = self.accept(1, MARIA)[0]
        self.assertEqual(second, Copy(MARIA, INBOX, 1, second.uidvalidity))
        self.assertGreater(second.uidvalidity, first.uidvalidity)
        self.settle("d-1")
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.replay(set())), [])
        self.assertEqual(self.store.mailboxes(), [MARIA])

    def test_space(self) -> None:
        """Space on the disk is told."""
        free, total = self.store.space()
        self.assertTrue(0 < free <= total)


globals().update(on_both(__name__, MailboxContract))
