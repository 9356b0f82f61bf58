"""What every mail store promises of changes of a folder: append, replace, copy, move, expunge."""

from __future__ import annotations

from datetime import datetime, timedelta

from simmail.errors import Invalid, NotFound
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


class ChangeContract(Contract):
    """Changes of one folder."""

    def test_append(self) -> None:
        """What is appended is there with flags and date, told before the answer, and owed to nobody."""
        folder = self.filled(1)
        changes = self.changes(folder)
        uid = result_of(folder.append(a_mail("mine"), ["\\draft", "Work"], AT + timedelta(days=1)))
        self.assertEqual((uid, [change.uids for change in changes]), (2, [(2,)]))
        entry = folder.entry(2)
        self.assertEqual((entry.flags, entry.date), ({"\\Draft", "Work"}, AT + timedelta(days=1)))
        self.assertEqual(result_of(folder.read(2)), a_mail("mine"))
        self.assertEqual(result_of(self.store.uncommitted()), ["d-mI0"])
        for flags, moment in ((["\\Recent"], AT), ([], datetime(2026, 1, 1))):
            self.assertRaises(Invalid, result_of, folder.append(b"x", flags, moment))
        self.assertEqual(list(folder.uids), [1, 2])

    def test_append_all(self) -> None:
        """Several are there at once, in order, each with flags and date of its own, told together; or none is."""
        folder = self.filled(1)
        changes = self.changes(folder)
        messages = [(a_mail(f"mine {n}"), ["\\draft", f"k{n}"], AT + timedelta(days=n)) for n in (1, 2, 3)]
        self.assertEqual(result_of(folder.append_all(messages)), [2, 3, 4])
        self.assertEqual([(change.kind, change.uids) for change in changes], [("added", (2, 3, 4))])
        for at, (octets, flags, moment) in enumerate(messages, 2):
            entry = folder.entry(at)
            self.assertEqual((entry.flags, entry.date, entry.size), ({"\\Draft", flags[1]}, moment, len(octets)))
            self.assertEqual(result_of(folder.read(at)), octets)
        self.assertEqual(len({folder.entry(uid).modseq for uid in (2, 3, 4)}), 3)
        for flags, moment in ((["\\Recent"], AT), ([], datetime(2026, 1, 1))):
            self.assertRaises(Invalid, result_of, folder.append_all([messages[0], (b"x", flags, moment)]))
        self.assertEqual(result_of(folder.append_all([])), [])
        self.assertEqual((list(folder.uids), len(set(folder.column("key", folder.uids)))), ([1, 2, 3, 4], 4))
        self.assertEqual(result_of(self.store.uncommitted()), ["d-mI0"])

    def test_saved(self) -> None:
        """When each message was put into its folder; its own date where nothing else was said."""
        inbox, archive = self.filled(3), self.folder(name="Archive")
        days = [AT + timedelta(days=n, microseconds=n) for n in range(9)]
        result_of(inbox.append(a_mail("old"), (), AT - timedelta(days=400), days[1]))
        result_of(inbox.append_all([(a_mail("a"), (), days[5]), (a_mail("b"), (), days[6])], days[2]))
        result_of(inbox.replace(1, inbox, a_mail("c"), (), days[5], days[3]))
        result_of(inbox.append(a_mail("plain"), (), days[4]))
        saved = [AT, AT, days[1], days[2], days[2], days[3], days[4]]
        self.assertEqual(result_of(inbox.saved(list(inbox.uids))), saved)
        self.assertEqual(result_of(inbox.saved([8, 1, 4])), [days[4], None, days[1]])
        result_of(inbox.copy([2, 3, 5], archive, days[7]))
        result_of(inbox.move([4, 8], archive, days[8]))
        result_of(inbox.copy([2], archive))
        self.assertEqual(result_of(archive.saved([1, 2, 3, 4, 5, 6])), [days[7]] * 3 + [days[8]] * 2 + [AT])
        self.assertEqual(result_of(self.folder(name="Junk").saved([])), [])
        result_of(self.store.rename_folder(MARIA, "Archive", "Old"))
        self.store = self.provider.restart()
        old = self.folder(name="Old")
        self.assertEqual(result_of(old.saved(list(old.uids))), [days[7]] * 3 + [days[8]] * 2 + [AT])
        inbox = self.folder()
        self.assertEqual(result_of(inbox.saved(list(inbox.uids))), [AT, AT, days[2], days[2], days[3]])
        result_of(self.store.rename_folder(MARIA, INBOX, "Moved", days[6]))
        moved = self.folder(name="Moved")
        self.assertEqual(result_of(moved.saved(list(moved.uids))), [days[6]] * 5)

    def test_replace(self) -> None:
        """A message takes the place of another, in the same folder or elsewhere."""
        folder = self.filled(3)
        drafts = self.folder(name="Drafts")
        changes = self.changes(folder)
        uid = result_of(folder.replace(2, folder, a_mail("mine"), ["\\Draft"], AT + timedelta(days=1)))
        self.assertEqual((uid, list(folder.uids)), (4, [1, 3, 4]))
        self.assertEqual([(change.kind, change.uids) for change in changes], [("added", (4,)), ("expunged", (2,))])
        entry = folder.entry(4)
        self.assertEqual((entry.flags, entry.date), ({"\\Draft"}, AT + timedelta(days=1)))
        self.assertEqual(result_of(folder.read(4)), a_mail("mine"))
        self.assertEqual(result_of(folder.vanished(folder.highestmodseq - 1)), [2])
        self.assertEqual(changes[-1].modseq, folder.highestmodseq)
        self.assertEqual(result_of(folder.replace(4, drafts, a_mail("there"), (), AT)), 1)
        self.assertEqual((list(folder.uids), list(drafts.uids)), ([1, 3], [1]))
        self.assertRaises(NotFound, result_of, folder.replace(2, drafts, a_mail("no"), (), AT))
        self.assertRaises(Invalid, result_of, folder.replace(1, drafts, a_mail("no"), ["\\Recent"], AT))
        self.assertEqual((list(folder.uids), list(drafts.uids)), ([1, 3], [1]))
        result_of(folder.poll())
        self.assertEqual(list(folder.uids), [1, 3])
        self.store = self.provider.restart()
        self.assertEqual((list(self.folder().uids), list(self.folder(name="Drafts").uids)), ([1, 3], [1]))

    def test_copy(self) -> None:
        """A copy keeps octets, flags, keywords, dates and key, in ascending UIDs; those missing are left out."""
        folder = self.filled(4)
        result_of(folder.flag([1, 2, 3], ["one", "\\Flagged"], "+"))
        result_of(folder.flag([3], ["two"], "="))
        target = self.filled(1, TOM, "Archive", ("zero",))
        changes, quiet = self.changes(target), self.changes(folder)
        self.assertEqual(result_of(folder.copy([3, 1, 77, 4], target)), [(1, 2), (3, 3), (4, 4)])
        self.assertEqual([(change.kind, change.uids) for change in changes], [("added", (2, 3, 4))])
        self.assertEqual(quiet, [])
        self.assertEqual([entry.flags for entry in target.entries(target.uids)],
                         [{"zero"}, {"one", "\\Flagged"}, {"two"}, set()])
        self.assertEqual(target.column("recent", [2, 3, 4]), [False, False, True])
        self.assertEqual(target.column("date", [2, 3, 4]), [AT] * 3)
        self.assertEqual(target.column("key", [2, 3, 4]), folder.column("key", [1, 3, 4]))
        self.assertEqual(result_of(target.read(3)), a_mail("mail mI2"))

    def test_copy_is_recent(self) -> None:
        """What is copied or moved without flags is recent, whoever had opened the folder it comes from."""
        folder = self.filled(3)
        self.assertEqual(result_of(folder.take_recent()), [1, 2, 3])
        target = self.folder(MARIA, "Archive")
        result_of(folder.copy([1], target))
        result_of(folder.move([2], target))
        self.assertEqual((target.counts()[2], result_of(target.take_recent())), (2, [1, 2]))

    def test_copy_into_itself(self) -> None:
        """A folder can be copied and moved into itself: the messages get new UIDs."""
        folder = self.filled(2)
        self.assertEqual(result_of(folder.copy([1, 2], folder)), [(1, 3), (2, 4)])
        changes = self.changes(folder)
        self.assertEqual(result_of(folder.move([1, 4], folder)), [(1, 5), (4, 6)])
        self.assertEqual(list(folder.uids), [2, 3, 5, 6])
        self.assertEqual([(change.kind, change.uids) for change in changes], [("added", (5, 6)), ("expunged", (1, 4))])

    def test_move(self) -> None:
        """What is moved is in the target and no more in the source, which tells it as expunged."""
        folder = self.filled(3)
        target = self.folder(MARIA, "Trash")
        changes = self.changes(folder)
        since = folder.highestmodseq
        self.assertEqual(result_of(folder.move([3, 1], target)), [(1, 1), (3, 2)])
        self.assertEqual((list(folder.uids), list(target.uids)), ([2], [1, 2]))
        self.assertEqual([(change.kind, change.uids) for change in changes], [("expunged", (1, 3))])
        self.assertEqual(changes[0].modseq, folder.highestmodseq)
        self.assertEqual(result_of(folder.vanished(since)), [1, 3])
        self.assertEqual(result_of(target.read(2)), a_mail("mail mI2"))
        self.assertIsNone(folder.entry(1))

    def test_expunge(self) -> None:
        """What is expunged is gone for good; its UID is not used again."""
        folder = self.filled(4)
        changes = self.changes(folder)
        since = folder.highestmodseq
        self.assertEqual(result_of(folder.expunge([4, 2, 9])), [2, 4])
        self.assertEqual([(change.kind, change.uids) for change in changes], [("expunged", (2, 4))])
        self.assertEqual(result_of(folder.expunge([2])), [])
        self.assertRaises(NotFound, result_of, folder.read(2))
        self.assertEqual(result_of(folder.vanished(since)), [2, 4])
        self.assertEqual(result_of(folder.vanished(folder.highestmodseq)), [])
        self.assertEqual(self.accept(9, MARIA)[0].uid, 5)
        self.assertEqual(list(folder.uids), [1, 3, 5])

    def test_vanished_after_restart(self) -> None:
        """After an orderly restart it is still known what was expunged."""
        folder = self.filled(4)
        since = folder.highestmodseq
        result_of(folder.expunge([2]))
        self.store = self.provider.restart()
        self.accept(8, MARIA)
        folder = self.folder()
        self.assertEqual(result_of(folder.vanished(since)), [2])
        self.assertEqual([uid for uid in folder.changed(since) if uid < 5], [])

    def test_changed(self) -> None:
        """What has a greater MODSEQ is found."""
        folder = self.filled(3)
        since = folder.highestmodseq
        self.assertEqual(folder.changed(since), [])
        result_of(folder.flag([2], ["\\Seen"], "+"))
        self.accept(9, MARIA)
        self.assertEqual(folder.changed(since), [2, 4])

    def test_same_object(self) -> None:
        """All who ask for a folder get the same object."""
        folder = self.filled(1)
        self.assertIs(self.folder(), folder)
        self.assertIs(self.folder(MARIA, "inbox"), folder)

    def test_poll(self) -> None:
        """Looking for what others did changes nothing when nobody did."""
        folder = self.filled(2)
        changes = self.changes(folder)
        self.assertIsNone(result_of(folder.poll()))
        self.assertEqual((changes, list(folder.uids)), ([], [1, 2]))


globals().update(on_both(__name__, ChangeContract))
