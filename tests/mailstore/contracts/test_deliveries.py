"""What every mail store promises of deliveries: filed everywhere, owed until they are committed, kept for jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from zope.interface.verify import verifyObject

from simmail.errors import Invalid, NotFound
from simmail.interfaces import IFolder, IHeld, IMailStore
from tests.contracts.mailstores import AT, a_delivery, a_mail, result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


class DeliveryContract(Contract):
    """Deliveries."""

    def test_interfaces(self) -> None:
        """The store and its folders provide what they say."""
        self.accept(1, MARIA)
        self.assertTrue(verifyObject(IMailStore, self.store))
        self.assertTrue(verifyObject(IFolder, self.folder()))

    def test_filed_everywhere(self) -> None:
        """A delivery is in every place, with its octets, flags and date; copies come in the order of placements."""
        copies = self.accept(1, (TOM, "Sent", ("\\Seen", "$Label1")), MARIA, octets=a_mail("one"))
        self.assertEqual([(copy.mailbox, copy.folder, copy.uid) for copy in copies],
                         [(TOM, "Sent", 1), (MARIA, INBOX, 1)])
        for copy, flags, recent in zip(copies, ({"\\Seen", "$Label1"}, set()), (False, True)):
            folder = self.folder(copy.mailbox, copy.folder)
            self.assertEqual(folder.uidvalidity, copy.uidvalidity)
            entry = folder.entry(1)
            self.assertEqual((entry.uid, entry.flags, entry.size, entry.date, entry.recent),
                             (1, flags, len(a_mail("one")), AT, recent))
            self.assertEqual(result_of(folder.read(1)), a_mail("one"))

    def test_uids_ascend(self) -> None:
        """Each delivery gets the next UID of the folder, and a greater MODSEQ."""
        uids = [self.accept(number, MARIA)[0].uid for number in range(5)]
        self.assertEqual(uids, [1, 2, 3, 4, 5])
        folder = self.folder()
        self.assertEqual(list(folder.uids), uids)
        self.assertEqual(folder.uidnext, 6)
        self.accept(5, MARIA)
        self.assertGreater(folder.entry(6).modseq, folder.entry(5).modseq)
        self.assertEqual(folder.highestmodseq, folder.entry(6).modseq)

    def test_same_id_files_once(self) -> None:
        """The same delivery id in the same folder is one message, also when named twice in one delivery."""
        first = self.accept(1, MARIA, MARIA)
        self.assertEqual(first[0], first[1])
        self.assertEqual(self.accept(1, MARIA, MARIA), first)
        self.settle("d-1")
        again = self.accept(1, MARIA, TOM)
        self.assertEqual(again[0], first[0])
        self.assertEqual(list(self.folder().uids), [1])
        self.assertEqual(list(self.folder(TOM).uids), [1])

    def test_same_id_after_restart(self) -> None:
        """The same delivery id is one message across restarts too."""
        first = self.accept(1, MARIA)
        self.store.committed(["d-1"])
        self.store = self.provider.restart()
        self.assertEqual(self.accept(1, MARIA), first)
        self.assertEqual(list(self.folder().uids), [1])

    def test_unsettled(self) -> None:
        """What is committed for good is told by what is not."""
        for number in (1, 2, 3):
            self.accept(number, MARIA)
        self.assertEqual(result_of(self.store.unsettled()), ["d-1", "d-2", "d-3"])
        self.store.committed(["d-1", "d-3"])
        self.assertEqual(result_of(self.store.unsettled()), ["d-2"])
        self.store = self.provider.restart()
        self.assertEqual(result_of(self.store.unsettled()), ["d-2"])

    def test_filed_nowhere(self) -> None:
        """A delivery without placements is owed its commit all the same."""
        self.assertEqual(self.accept(1), ())
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1"])

    def test_refused(self) -> None:
        """A name, id or flag that cannot be, or a date without a zone, is refused and changes nothing."""
        for delivery in (
            a_delivery(1, MARIA, ("", INBOX)), a_delivery(1, MARIA, (TOM, "a//b")), a_delivery(1, (MARIA, "a\r\nb")),
            a_delivery(1, ("a\nb@acme.test", INBOX)), a_delivery(1, (MARIA, INBOX, ("\\Recent",))),
            a_delivery(1, MARIA, (TOM, INBOX, ("two words",))), a_delivery(1, MARIA, at=datetime(2026, 3, 1)),
            a_delivery(1, "\ud800@acme.test"),
        ):
            self.assertRaises(Invalid, result_of, self.store.accept(delivery))
        self.assertEqual(self.store.mailboxes(), [])
        self.assertEqual(result_of(self.store.uncommitted()), [])

    def test_inbox_in_any_case(self) -> None:
        """INBOX is one folder however it is written."""
        self.accept(1, (MARIA, "inbox"))
        self.accept(2, (MARIA, "Inbox"))
        self.assertEqual(list(self.folder(MARIA, "iNBOX").uids), [1, 2])
        self.assertEqual(self.folder(MARIA, "inbox").name, INBOX)

    def test_loaded_folder_is_told(self) -> None:
        """Who listens is told of each message in order, before the Deferred fires."""
        folder = self.filled(1)
        told: list[Any] = []
        folder.listen(lambda change: told.append((change.kind, change.uids, change.modseq)))
        for number in (7, 8):
            self.store.accept(a_delivery(number, MARIA)).addCallback(lambda copies: told.append(copies[0].uid))
        first, second = folder.entry(2).modseq, folder.entry(3).modseq
        self.assertEqual(told, [("added", (2,), first), 2, ("added", (3,), second), 3])

    def test_unlisten(self) -> None:
        """Who has stopped listening is not told; a listener that fails disturbs nobody."""
        folder = self.filled(1)
        told, quiet = [], []
        folder.listen(lambda change: 1 / 0)
        folder.listen(quiet.append)
        folder.listen(told.append)
        folder.unlisten(quiet.append)
        folder.unlisten(quiet.append)
        self.accept(2, MARIA)
        self.assertEqual((len(told), quiet), (1, []))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_octets_are_kept(self) -> None:
        """Octets come back as they were: empty, binary, without a last line end, large."""
        large = b"Subject: big\r\n\r\n" + b"0123456\r\n" * 300_000
        for number, octets in enumerate((b"\0\xff\r\n\r\n\x80", b"x", large)):
            uid = self.accept(number, MARIA, octets=octets)[0].uid
            self.assertEqual(result_of(self.folder().read(uid)), octets)
            self.assertEqual(self.folder().entry(uid).size, len(octets))

    def test_dates(self) -> None:
        """Dates come back as the same instant, in UTC, to the microsecond, also before 1970."""
        for number, at in enumerate((
            datetime(2026, 3, 1, 9, 0, 0, 123457, tzinfo=timezone(timedelta(hours=5))),
            datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), datetime(2037, 1, 1, tzinfo=UTC),
        )):
            uid = self.accept(number, MARIA, at=at)[0].uid
            entry = self.folder().entry(uid)
            self.assertEqual(entry.date, at)
            self.assertEqual(entry.date.tzinfo, UTC)


class OwedContract(Contract):
    """What is owed after a crash."""

    def test_owed_until_settled(self) -> None:
        """What is not settled is owed, in order; what has no commit owes nothing."""
        for number in (3, 1, 2):
            self.accept(number, MARIA)
        self.accept(4, MARIA, commit=b"")
        self.store.committed(["d-1", "d-9"])
        self.store = self.provider.restart()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-3", "d-2"])

    def test_replay(self) -> None:
        """What is owed and not known comes back whole, with its copies; it is in its places once."""
        copies = self.accept(1, (TOM, "Sent", ("\\Seen",)), MARIA)
        self.accept(2, MARIA)
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1", "d-2"])
        self.assertEqual(result_of(self.store.replay({"d-2"})),
                         [(a_delivery(1, (TOM, "Sent", ("\\Seen",)), MARIA), copies)])
        self.assertEqual(list(self.folder().uids), [1, 2])
        self.store.committed(["d-1", "d-2"])
        self.store = self.provider.restart()
        self.assertEqual(result_of(self.store.uncommitted()), [])

    def test_replay_after_removal(self) -> None:
        """A copy that was removed on purpose is not filed again."""
        copies = self.accept(1, MARIA)
        result_of(self.folder().expunge([1]))
        self.store = self.provider.crash()
        for known in ({"d-1"}, set[str]()):
            result_of(self.store.uncommitted())
            self.assertEqual([copies for _, copies in result_of(self.store.replay(known))], [] if known else [copies])
            self.assertEqual(list(self.folder().uids), [])

    def test_uids_are_for_ever(self) -> None:
        """UIDs, UIDVALIDITY, UIDNEXT, flags and dates are the same after restarts and crashes."""
        folder = self.filled(4)
        result_of(folder.flag([2], ["\\Flagged", "$Label1"], "+"))
        result_of(folder.expunge([4]))
        before = self.described(folder)
        for start in (self.provider.crash, self.provider.restart, self.provider.restart, self.provider.crash):
            modseq = folder.highestmodseq
            self.store = start()
            folder = self.folder()
            self.assertEqual(self.described(folder), before)
            self.assertGreaterEqual(folder.highestmodseq, modseq)
        self.assertEqual(self.accept(9, MARIA)[0].uid, 5)

    def described(self, folder: Any) -> Any:
        return (folder.uidvalidity, folder.uidnext, folder.objectid, folder.keywords,
                [entry._replace(modseq=0) for entry in folder.entries(folder.uids)])


class HeldContract(Contract):
    """Octets kept for later, in no mailbox."""

    def test_kept(self) -> None:
        """Under each key until dropped, by restarts too; nothing of it is mail."""
        held = self.store.held
        self.assertTrue(verifyObject(IHeld, held))
        self.assertEqual(result_of(held.keys()), [])
        result_of(held.keep(("j_2", "j_1"), b"one\r\n"))
        result_of(held.keep(("j_3",), b"x" * 300_000))
        self.store = self.provider.crash()
        held = self.store.held
        self.assertEqual(result_of(held.keys()), ["j_1", "j_2", "j_3"])
        result_of(held.drop(("j_2", "nothing")))
        self.assertEqual(result_of(held.read("j_1")), b"one\r\n")
        self.assertEqual(result_of(held.read("j_3")), b"x" * 300_000)
        self.assertRaises(NotFound, result_of, held.read("j_2"))
        self.assertEqual(self.store.mailboxes(), [])

    def test_again(self) -> None:
        """What is kept again is replaced, alone."""
        held = self.store.held
        result_of(held.keep(("j_1", "j_2"), b"one"))
        result_of(held.keep(("j_3", "j_1"), b"two"))
        self.assertEqual([result_of(held.read(key)) for key in ("j_1", "j_2", "j_3")], [b"two", b"one", b"two"])

    def test_erased(self) -> None:
        """It goes with the universe."""
        result_of(self.store.held.keep(("j_1",), b"one"))
        result_of(self.store.erase())
        self.assertEqual(result_of(self.store.held.keys()), [])


globals().update(on_both(__name__, DeliveryContract, OwedContract, HeldContract))
