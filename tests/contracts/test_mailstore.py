"""What every mail store promises, run on the one in memory and the one on disk."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from twisted.trial.unittest import SynchronousTestCase
from zope.interface.verify import verifyObject

from simmail.core.message.sort import Criterion
from simmail.core.records.delivery import Copy, SPECIAL_FOLDERS
from simmail.core.records.folder import FolderChange, FolderEvent
from simmail.errors import Conflict, Invalid, NotFound, OverAllowance
from simmail.interfaces import IAnnotations, IFolder, IFolderEvents, IHeld, IMailStore, IOpened
from simmail.mailstore.maildir import annotations as annotating
from tests.contracts.mailstores import (
    AT, DiskProvider, MemoryProvider, a_delivery, a_mail, result_of, tiny_digest,
)

MARIA, TOM = "maria@acme.test", "tom@acme.test"
INBOX = "INBOX"


class Contract:
    """The tests; C{provider} makes a store."""

    provider_of: Any

    def setUp(self) -> None:
        self.provider = self.provider_of(self.mktemp())
        self.store = self.provider.store

    def tearDown(self) -> None:
        self.provider.stop()

    # What tests use

    def accept(self, *args: Any, **kwargs: Any) -> Any:
        return result_of(self.store.accept(a_delivery(*args, **kwargs)))

    def settle(self, *ids: str) -> None:
        self.store.committed(ids)
        # Settling is lazy; owed() is in the same queue.
        result_of(self.store.uncommitted())

    def folder(self, mailbox: str = MARIA, name: str = INBOX) -> Any:
        return result_of(self.store.folder(mailbox, name))

    def filled(self, count: int, mailbox: str = MARIA, name: str = INBOX, flags: tuple[str, ...] = ()) -> Any:
        for number in range(count):
            self.accept(f"{mailbox[0]}{name[0]}{number}", (mailbox, name, flags))
        return self.folder(mailbox, name)

    def changes(self, folder: Any) -> list[FolderChange]:
        changes: list[FolderChange] = []
        folder.listen(changes.append)
        return changes

    def names(self, mailbox: str = MARIA) -> list[str]:
        return [status.name for status in result_of(self.store.folders(mailbox))]

    def status(self, name: str, mailbox: str = MARIA) -> Any:
        return next(one for one in result_of(self.store.folders(mailbox)) if one.name == name)


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


class AnnotationContract(Contract):
    """Annotations of folders and mailboxes."""

    def test_interface(self) -> None:
        """It is an IAnnotations."""
        self.assertTrue(verifyObject(IAnnotations, self.store.annotations))

    def read(self, folder: str = INBOX) -> dict[str, bytes]:
        """Maria's."""
        found: dict[str, bytes] = result_of(self.store.annotations.read(MARIA, folder))
        return found

    def write(self, folder: str, changes: dict[str, bytes | None], origin: object = None) -> None:
        """Maria's."""
        result_of(self.store.annotations.write(MARIA, folder, changes, origin))

    def test_kept(self) -> None:
        """Entries come, change and go; each folder has its own, and so has the mailbox; they outlast the process."""
        result_of(self.store.create(MARIA))
        told: list[Any] = []
        self.store.annotations.listen(lambda *args: told.append(args))
        self.write(INBOX, {"/private/comment": bytes(range(256)), "/shared/comment": b""}, self)
        self.write("inbox", {"/private/comment": None, "/private/other": b"x", "/private/gone": None})
        self.write("Drafts", {"/private/comment": b"drafts"})
        self.write("", {"/private/comment": b"server"})
        self.write("Drafts", {"/private/comment": b"drafts"})
        self.assertEqual(told, [
            (MARIA, INBOX, ("/private/comment", "/shared/comment"), self),
            (MARIA, INBOX, ("/private/comment", "/private/other"), None),
            (MARIA, "Drafts", ("/private/comment",), None), (MARIA, "", ("/private/comment",), None)])
        self.store = self.provider.crash()
        self.assertEqual(self.read(), {"/shared/comment": b"", "/private/other": b"x"})
        self.assertEqual(self.read("Drafts"), {"/private/comment": b"drafts"})
        self.assertEqual((self.read("Junk"), self.read("")), ({}, {"/private/comment": b"server"}))

    def test_with_folders(self) -> None:
        """They go where their folder goes; INBOX keeps its own."""
        self.accept(1, MARIA)
        result_of(self.store.create_folder(MARIA, "a"))
        self.write("a", {"/private/comment": b"a"})
        result_of(self.store.rename_folder(MARIA, "a", "b"))
        self.assertEqual(self.read("b"), {"/private/comment": b"a"})
        result_of(self.store.delete_folder(MARIA, "b"))
        result_of(self.store.create_folder(MARIA, "b"))
        self.assertEqual(self.read("b"), {})
        self.write(INBOX, {"/private/comment": b"in"})
        result_of(self.store.rename_folder(MARIA, INBOX, "c"))
        self.assertEqual((self.read(), self.read("c")), ({"/private/comment": b"in"},) * 2)
        for folder in ("b2", "a/b"):
            self.assertRaises(NotFound, self.read, folder)
            self.assertRaises(NotFound, self.write, folder, {"/private/x": b""})
        self.assertRaises(NotFound, result_of, self.store.annotations.read(TOM, ""))
        self.assertRaises(NotFound, result_of, self.store.annotations.write(TOM, INBOX, {"/private/x": b""}))

    def test_limits(self) -> None:
        """There is room for so many, and so much; what is refused changes nothing."""
        result_of(self.store.create(MARIA))
        many = {f"/private/{n}": b"x" for n in range(annotating.MOST)}
        self.write(INBOX, many)
        self.assertRaises(OverAllowance, self.write, INBOX, {"/private/0": b"y", "/private/more": b"x"})
        self.assertEqual(self.read(), many)
        self.write(INBOX, {"/private/0": None, "/private/more": b"x"})
        self.assertEqual(len(self.read()), annotating.MOST)
        large = {f"/private/{n}": bytes(annotating.ROOM // 4) for n in range(4)}
        self.assertRaises(OverAllowance, self.write, "Sent", large)
        self.assertEqual(self.read("Sent"), {})

    def test_failing_listener(self) -> None:
        """One listener that fails does not keep others from hearing, nor the change from being made."""
        result_of(self.store.create(MARIA))
        told: list[str] = []

        def fails(*args: Any) -> None:
            raise ValueError("a defect")

        self.store.annotations.listen(fails)
        hears = lambda mailbox, folder, names, origin: told.extend(names)  # noqa: E731
        self.store.annotations.listen(hears)
        self.write(INBOX, {"/private/x": b""})
        self.assertEqual((told, len(self.flushLoggedErrors(ValueError))), (["/private/x"], 1))
        self.store.annotations.unlisten(hears)
        self.store.annotations.unlisten(fails)
        self.write(INBOX, {"/private/x": b"y"})
        self.assertEqual(told, ["/private/x"])


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


class FlagContract(Contract):
    """Flags."""

    def test_add_remove_set(self) -> None:
        """Flags are added, removed and set; what changed is answered and told with one MODSEQ."""
        folder = self.filled(4)
        changes = self.changes(folder)
        origin = object()
        self.assertEqual(result_of(folder.flag([1, 2, 2, 99], ["\\seen", "Work"], "+", None, origin)), ([1, 2], []))
        self.assertEqual(result_of(folder.flag([2, 3], ["\\Seen"], "-")), ([2], []))
        self.assertEqual(result_of(folder.flag(range(1, 5), ["\\Draft", "WORK"], "=")), ([1, 2, 3, 4], []))
        self.assertEqual(folder.entry(1).flags, {"\\Draft", "Work"})
        self.assertEqual([(change.kind, change.uids, change.origin is origin) for change in changes],
                         [("flags", (1, 2), True), ("flags", (2,), False), ("flags", (1, 2, 3, 4), False)])
        self.assertEqual([entry.modseq for entry in folder.entries([1, 4])], [changes[2].modseq] * 2)
        self.assertEqual(folder.highestmodseq, changes[2].modseq)

    def test_every_flag(self) -> None:
        """Each system flag and keyword is kept by itself, and across a restart."""
        flags = ["\\Seen", "\\Answered", "\\Flagged", "\\Deleted", "\\Draft", "$Forwarded", "$Junk", "NonJunk"]
        folder = self.filled(len(flags))
        for uid, flag in enumerate(flags, 1):
            result_of(folder.flag([uid], [flag], "="))
        for _ in range(2):
            self.assertEqual([entry.flags for entry in folder.entries(folder.uids)], [{flag} for flag in flags])
            for uid, flag in enumerate(flags, 1):
                self.assertEqual(list(folder.having(flag.upper())), [uid])
                self.assertEqual(list(folder.having(flag, on=False)), [one for one in folder.uids if one != uid])
            self.store = self.provider.restart()
            folder = self.folder()
        self.assertEqual(folder.keywords, ("$Junk", "NonJunk"))

    def test_unchangedsince(self) -> None:
        """Messages changed since a MODSEQ fail and stay as they are (RFC 7162 section 3.1.3)."""
        folder = self.filled(3)
        since = folder.highestmodseq
        result_of(folder.flag([2], ["\\Seen"], "+"))
        self.assertEqual(result_of(folder.flag([1, 2, 3], ["\\Flagged"], "+", since)), ([1, 3], [2]))
        self.assertEqual(list(folder.having("\\Flagged")), [1, 3])

    def test_nothing_changes(self) -> None:
        """What has the flags already is not changed, uses no MODSEQ and is not told."""
        folder = self.filled(2, flags=("\\Seen",))
        modseq, changes = folder.highestmodseq, self.changes(folder)
        self.assertEqual(result_of(folder.flag([1, 2], ["\\Seen"], "+")), ([], []))
        self.assertEqual(result_of(folder.flag([], ["\\Seen"], "-")), ([], []))
        self.assertEqual((folder.highestmodseq, changes), (modseq, []))

    def test_refused(self) -> None:
        """Flags and modes that cannot be are refused."""
        folder = self.filled(1)
        for flags, mode in ((["\\Recent"], "+"), (["\\Unheard"], "+"), ([""], "+"), (["a b"], "="), (["ä"], "+"),
                            (["x" * 65], "+"), (["\\Seen"], "*")):
            self.assertRaises(Invalid, result_of, folder.flag([1], flags, mode))
        self.assertEqual(folder.entry(1).flags, set())

    def test_keywords_are_limited(self) -> None:
        """A folder has room for 26 keywords in use; one too many is refused, unused ones give way."""
        folder = self.filled(2)
        result_of(folder.flag([1], [f"k{number}" for number in range(26)], "+"))
        self.assertRaises(Invalid, result_of, folder.flag([2], ["more"], "+"))
        self.assertEqual(folder.entry(2).flags, set())
        result_of(folder.flag([1], ["k3"], "-"))
        result_of(folder.flag([2], ["more", "$Forwarded"], "+"))
        self.assertEqual(folder.entry(2).flags, {"more", "$Forwarded"})
        self.assertNotIn("k3", folder.entry(1).flags)
        self.assertEqual(len(folder.entry(1).flags), 25)
        self.accept(50, (MARIA, INBOX, ("\\Seen", "yet-more")))
        self.assertEqual(folder.entry(3).flags - {"yet-more"}, {"\\Seen"})

    def test_recent(self) -> None:
        """Recent is what nobody took or flagged; taking tells nobody and changes no MODSEQ."""
        folder = self.filled(3)
        self.assertEqual(folder.counts(), (3, 3, 3))
        result_of(folder.flag([2], ["\\Flagged"], "+"))
        self.assertEqual(folder.counts(), (3, 3, 2))
        modseq, changes = folder.highestmodseq, self.changes(folder)
        self.assertEqual(result_of(folder.take_recent()), [1, 3])
        self.assertEqual(result_of(folder.take_recent()), [])
        self.assertEqual((folder.counts(), folder.highestmodseq, changes), ((3, 3, 0), modseq, []))
        self.store = self.provider.restart()
        self.assertEqual(self.folder().counts(), (3, 3, 0))


class FolderContract(Contract):
    """Messages in folders."""

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

    def test_columns(self) -> None:
        """Bulk answers agree with single ones, in the order asked, with None for what is gone."""
        folder = self.filled(5)
        result_of(folder.flag([2, 4], ["\\Seen", "Work"], "+"))
        result_of(folder.expunge([3]))
        self.assertEqual(folder.unseen(), [1, 5])
        self.assertEqual(folder.first_unseen(), 1)
        self.assertEqual([entry.uid for entry in folder.entries([5, 3, 1])], [5, 1])
        for name in ("uid", "flags", "size", "date", "modseq", "recent"):
            for uids in ([4, 3, 1], list(folder.uids), [], [77]):
                entries = map(folder.entry, uids)
                self.assertEqual(folder.column(name, uids),
                                 [None if entry is None else getattr(entry, name) for entry in entries])
        self.assertEqual(folder.column("key", [1, 3]), ["d-mI0", None])
        self.assertIs(*folder.column("flags", [2, 4]))
        self.assertEqual(folder.find("d-mI3"), 4)
        self.assertEqual(folder.find("d-mI"), None)
        self.assertEqual(folder.find("d-mI2"), None)
        result_of(folder.flag([1, 5], ["\\Seen"], "+"))
        self.assertEqual((folder.first_unseen(), folder.counts()), (None, (4, 0, 0)))

    def test_reads(self) -> None:
        """Many are read at once; those missing are left out."""
        folder = self.filled(3)
        self.assertEqual(result_of(folder.reads([3, 9, 1])),
                         [(3, a_mail("mail mI2")), (1, a_mail("mail mI0"))])
        self.assertEqual(result_of(folder.reads([])), [])

    def test_open(self) -> None:
        """A message is read piece by piece, from the flags it had or others; those missing are not there."""
        folder = self.filled(2)
        octets = a_mail("mail mI1")
        one = result_of(folder.open(2))
        self.assertTrue(verifyObject(IOpened, one))
        self.assertEqual(one.size, len(octets))
        self.assertEqual(b"".join(result_of(one.read(at, 7)) for at in range(0, one.size, 7)), octets)
        self.assertEqual(result_of(one.read(one.size, 7)), b"")
        result_of(folder.flag([2], ("\\Seen",), "+"))
        self.assertEqual(result_of(one.read(0, 1000)), octets)
        other = result_of(folder.open(2))
        one.close()
        self.assertEqual(result_of(other.read(6, 5)), octets[6:11])
        other.close()
        self.assertIs(result_of(folder.open(9)), None)

    def test_open_and_gone(self) -> None:
        """Who reads a message has it to its end, though it is expunged meanwhile, and with it its mailbox."""
        folder = self.filled(2)
        one = result_of(folder.open(1))
        result_of(folder.expunge([1]))
        self.assertEqual(result_of(one.read(0, 1000)), a_mail("mail mI0"))
        self.assertIs(result_of(folder.open(1)), None)
        result_of(self.store.delete(MARIA))
        self.assertEqual(result_of(one.read(3, 2)), a_mail("mail mI0")[3:5])
        one.close()
        self.assertRaises(NotFound, result_of, folder.open(2))

    def test_derive(self) -> None:
        """What is worked out from the whole of a message is told; what goes wrong with it is told and not kept."""
        folder = self.filled(1)
        one = result_of(folder.open(1))
        self.assertEqual(result_of(one.derive("size", len, lambda call: call())), one.size)
        self.assertEqual(result_of(one.derive("size", len, lambda call: call())), one.size)
        self.assertRaises(ValueError, result_of, one.derive("no", lambda octets: int(octets), lambda call: call()))
        self.assertEqual(result_of(one.derive("no", len, lambda call: call())), one.size)
        one.close()

    def test_digests(self) -> None:
        """Digests are those of the octets, whole or in part, after a restart and in copies too."""
        folder = self.filled(3)
        uid = result_of(folder.append(a_mail("dated ü\0", "a\0b\r\n"), [], AT))
        for _ in range(2):
            octets = dict(result_of(folder.reads(folder.uids)))
            self.assertEqual(result_of(folder.digests([1, uid, 99])),
                             {1: tiny_digest(octets[1]), uid: tiny_digest(octets[uid])})
            self.assertEqual(result_of(folder.digested([uid, 2, 98], ("subject", "sent", "envelope", "attachments"))), {
                each: (one.subject, one.sent, one.envelope, one.attachments)
                for each in (2, uid) for one in [tiny_digest(octets[each])]})
            self.assertEqual(result_of(folder.digested([uid, 2], ("sent_day",))), {
                uid: (date(2026, 2, 28).toordinal(),), 2: (0,)})
            names = ("subject", "header", "subject")
            self.assertEqual(result_of(folder.columns([uid, 98, 2, uid], names)), ([uid, 2], [
                [getattr(tiny_digest(octets[each]), name) for each in (uid, 2)] for name in names]))
            self.assertEqual(result_of(folder.columns([98], names)), ([], [[], [], []]))
            self.assertEqual(result_of(folder.digests([])), {})
            self.store = self.provider.restart()
            folder = self.folder()
        target = self.folder(MARIA, "Archive")
        result_of(folder.copy([uid], target))
        self.assertEqual(result_of(target.digests([1])), {1: tiny_digest(octets[uid])})

    def test_threaded(self) -> None:
        """What messages are threaded by is what their digests have, in the order asked for."""
        folder = self.filled(2)
        digests = result_of(folder.digests([1, 2]))
        self.assertEqual(result_of(folder.threaded([2, 9, 1], ("chain", "order_subject"))), (([2, 1], [
            [digests[uid].chain for uid in (2, 1)], [digests[uid].order_subject for uid in (2, 1)]]), True))
        self.assertEqual(result_of(folder.threaded([], ("chain",))), (([], [[]]), True))

    def test_ordered(self) -> None:
        """Messages are put in order by what the folder and the digests say of them, backwards too, then by UID."""
        folder = self.filled(3)
        for subject, hours in (("mail mI1", -3), ("dated", 2), ("Mail B", -9)):
            result_of(folder.append(a_mail(subject, "x" * 9), [], AT + timedelta(hours=hours)))
        for _ in range(2):
            uids = list(folder.uids)
            for criteria, expected in (
                ((Criterion("order_subject"),), [5, 6, 1, 2, 4, 3]),
                ((Criterion("order_subject", True),), [3, 2, 4, 1, 6, 5]),
                ((Criterion("size"), Criterion("arrival", True)), [5, 1, 2, 3, 6, 4]),
                ((Criterion("order_from"), Criterion("arrival")), [6, 4, 1, 2, 3, 5]),
                # What is dated was sent long before it was filed.
                ((Criterion("at"),), [6, 4, 1, 2, 3, 5]),
                ((), [1, 2, 3, 4, 5, 6]),
            ):
                self.assertEqual(result_of(folder.ordered([99, *reversed(uids)], criteria)), expected, criteria)
            self.assertEqual(result_of(folder.ordered([2, 6], [Criterion("arrival")])), [6, 2])
            self.assertEqual(result_of(folder.ordered([], [Criterion("arrival")])), [])
            self.store = self.provider.restart()
            folder = self.folder()
        result_of(folder.expunge([6]))
        self.assertEqual(result_of(folder.ordered([4, 5, 6], [Criterion("arrival")])), [4, 5])

    def test_containing(self) -> None:
        """Texts are found in fields, in whichever case and form; learned or not."""
        folder = self.filled(1)
        for subject in ("Rechnung für Äpfel", "50%_off\\", "RECHNUNG"):
            result_of(folder.append(a_mail(subject, f"about {subject}\r\n"), [], AT))
        for name, text, uids in (
            ("subject", "rechnung", [2, 4]), ("subject", "50%_OFF\\", [3]), ("subject", "0%o", []),
            ("body", "ABOUT 50", [3]), ("subject", "FÜR Ä", [2]), ("subject", "fu\u0308r A\u0308p", [2]),
            ("from", "maria@acme", [1, 2, 3, 4]), ("from", "MÄRIA <", [1, 2, 3, 4]), ("subject", "f\u00fcra", []),
            ("header", "subject: rech", [2, 4]), ("body", "", [1, 2, 3, 4]), ("subject", "'; drop table", []),
            ("subject", "\0", []), ("subject", "\ud800", []),
        ):
            self.assertEqual(result_of(folder.containing([f"in_{name}"], text)), uids, (name, text))
        self.assertEqual(result_of(folder.containing(("in_subject", "in_body"), "about rech")), [2, 4])
        result_of(folder.expunge([2]))
        self.assertEqual(result_of(folder.containing(("in_subject",), "rechnung")), [4])

    def test_kept_text(self) -> None:
        """The text of a message once it is at hand."""
        folder = self.filled(2)
        result_of(folder.digested([1, 2], ("text",)))
        self.assertEqual(result_of(folder.kept_text(2)), "Hello\r\n")
        self.assertIsNone(result_of(folder.kept_text(3)))
        result_of(folder.expunge([2]))
        self.assertIsNone(result_of(folder.kept_text(2)))

    def test_everywhere(self) -> None:
        """Where mail may be, and texts in the mail of many folders at once."""
        self.assertEqual(result_of(self.store.places()), [])
        folders = []
        for mailbox, name, subjects in (
                (MARIA, "INBOX", ("Rechnung", "Äpfel")), (MARIA, "Sent", ()), ("joe@acme.test", "Work", ("rechnung",)),
                ("joe@acme.test", "INBOX", ("other", "50% Rechnung"))):
            result_of(self.store.create(mailbox))
            if name == "Work":
                result_of(self.store.create_folder(mailbox, name))
            folders.append(result_of(self.store.folder(mailbox, name)))
            for subject in subjects:
                result_of(folders[-1].append(a_mail(subject, f"about {subject}\r\n"), [], AT))
        places = set(result_of(self.store.places()))
        self.assertLessEqual({(MARIA, "INBOX"), ("joe@acme.test", "INBOX"), ("joe@acme.test", "Work")}, places)
        self.assertNotIn((MARIA, "Sent"), places)
        for _ in range(2):
            for wanted, expected in (
                ([(("in_subject",), "RECH")], [[1], [], [1], [2]]), ([], [[1, 2], [], [1], [1, 2]]),
                ([(("in_subject", "in_from"), "MäRIA"), (("in_body",), "about o")], [[], [], [], [1]]),
                ([(("in_subject",), "äPFEL")], [[2], [], [], []]),
                ([(("in_body",), "50% r"), (("in_body",), "x")], [[]] * 4),
            ):
                found = result_of(self.store.containing(folders, wanted))
                self.assertEqual([list(uids) for uids in found], expected, wanted)
            self.provider.later()
        result_of(self.store.rename_folder("joe@acme.test", "Work", "Done"))
        found = result_of(self.store.containing(folders, [(("in_subject",), "rech")]))
        self.assertEqual([list(uids) for uids in found], [[1], [], [], [2]])
        self.assertIn(("joe@acme.test", "Done"), result_of(self.store.places()))
        self.assertEqual(result_of(self.store.containing([], [(("in_subject",), "x")])), [])
        result_of(folders[0].expunge([1]))
        result_of(folders[0].append(a_mail("Rechnung 2"), [], AT))
        found = result_of(self.store.containing(folders[:2], [(("in_subject",), "rech")]))
        self.assertEqual([list(uids) for uids in found], [[3], []])

    def test_containing_long(self) -> None:
        """However long the text is, it is looked for."""
        folder = self.filled(1)
        text = "0123456789%_" * 5000
        result_of(folder.append(a_mail("long", f"x{text}y\r\n"), (), AT))
        self.assertEqual(result_of(folder.containing(("in_body",), text)), [2])
        self.assertEqual(result_of(folder.containing(("in_body",), text[:30_000] + "Z")), [])
        self.assertEqual(result_of(folder.containing(("in_body",), text[:25_000] + "\u00e4" + text[25_001:])), [])

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


class MailboxContract(Contract):
    """Mailboxes and lists of folders."""

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

    def test_special_folders(self) -> None:
        """A mailbox has its special folders from the start, in their order, before all others."""
        result_of(self.store.create(MARIA))
        result_of(self.store.create_folder(MARIA, "Zoo", ""))
        result_of(self.store.create_folder(MARIA, "Alpha/Beta", "\\Junk"))
        statuses = result_of(self.store.folders(MARIA))
        self.assertEqual([(one.name, one.special_use) for one in statuses],
                         [*SPECIAL_FOLDERS[:-1], ("Alpha/Beta", "\\Junk"), SPECIAL_FOLDERS[-1], ("Zoo", "")])
        for status in statuses:
            folder = self.folder(MARIA, status.name)
            self.assertEqual(folder.status(), status)
            self.assertEqual(folder.special_use, status.special_use)
            self.assertEqual((status.total, status.uidnext, status.size), (0, 1, 0))
        self.assertEqual(len({status.objectid for status in statuses}), len(statuses))

    def test_special_folder_keeps_its_identity(self) -> None:
        """A special folder has the UIDVALIDITY and object id before its first message that it has after it."""
        result_of(self.store.create(MARIA))
        before, folder = self.status("Sent"), self.folder(MARIA, "Sent")
        copy = self.accept(1, (MARIA, "Sent", ("\\Seen",)))[0]
        self.assertEqual((copy.uidvalidity, copy.uid), (before.uidvalidity, 1))
        self.assertEqual(list(folder.uids), [1])
        after = self.status("Sent")
        self.assertEqual((after.uidvalidity, after.objectid, after.total), (before.uidvalidity, before.objectid, 1))
        draft = self.folder(MARIA, "Drafts")
        result_of(draft.append(b"x", ["Work", "\\Draft"], AT))
        result_of(draft.flag([1], ["More"], "+"))
        result_of(draft.copy([1], self.folder(MARIA, "Archive")))
        self.assertEqual(self.folder(MARIA, "Archive").entry(1).flags, {"Work", "More", "\\Draft"})

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

    def test_folder_names(self) -> None:
        """Names of folders come back exactly; impossible ones are refused."""
        result_of(self.store.create(MARIA))
        names = ["a.b", "a", "a/b/c", "Entwürfe", "日本", "a&b", "&AOQ-", "new", "cur", "...", "~root", "100%*", "..a/.b",
                 "INBOX/sub", "x" * 150, "\\back", "tab in space", "😀"]
        for name in names:
            result_of(self.store.create_folder(MARIA, name, ""))
            self.accept(f"n{names.index(name)}", (MARIA, name))
        self.assertEqual(self.names()[6:], sorted(names))
        self.store = self.provider.restart()
        self.assertEqual(self.names()[6:], sorted(names))
        for name in names:
            self.assertEqual(list(self.folder(MARIA, name).uids), [1])
        for name in ("", "/", "a/", "/a", "a//b", ".", "..", "a/..", "a\rb", "a\0", "\x7f", "\ud800", "y" * 300,
                     "ü" * 150,
                     "/".join("a" * 40)):
            self.assertRaises(Invalid, result_of, self.store.create_folder(MARIA, name, ""))
            self.assertRaises(NotFound, result_of, self.store.folder(MARIA, name))
        self.assertRaises(Invalid, result_of, self.store.create_folder(MARIA, "ok", "\\All"))

    def test_folders_come_and_go(self) -> None:
        """Creating what exists and deleting INBOX conflict; inferiors outlive a deleted folder."""
        self.accept(1, (MARIA, "Work"), (MARIA, "Work/Old"))
        for name in ("Work", "Sent", "inbox"):
            self.assertRaises(Conflict, result_of, self.store.create_folder(MARIA, name, ""))
        self.assertRaises(Conflict, result_of, self.store.delete_folder(MARIA, "InBox"))
        self.assertRaises(NotFound, result_of, self.store.delete_folder(MARIA, "none"))
        self.assertRaises(NotFound, result_of, self.store.folder(MARIA, "work"))
        changes = self.changes(self.folder(MARIA, "Work"))
        result_of(self.store.delete_folder(MARIA, "Work"))
        self.assertEqual([change.kind for change in changes], ["reset"])
        self.assertEqual(self.names()[6:], ["Work/Old"])
        self.assertEqual(list(self.folder(MARIA, "Work/Old").uids), [1])

    def test_special_folder_deleted(self) -> None:
        """A special folder that is deleted is emptied: it keeps its use, its identity and those below it."""
        self.accept(1, (MARIA, "Trash"), (MARIA, "Trash/Old"))
        before, changes = self.status("Trash"), self.changes(self.folder(MARIA, "Trash"))
        for _ in range(2):
            result_of(self.store.delete_folder(MARIA, "Trash"))
        self.assertEqual([(change.kind, change.uids) for change in changes], [("expunged", (1,))])
        self.store = self.provider.restart()
        after = self.status("Trash")
        self.assertEqual((after.special_use, after.total, after.uidnext), ("\\Trash", 0, 2))
        self.assertEqual((after.uidvalidity, after.objectid), (before.uidvalidity, before.objectid))
        self.assertEqual(list(self.folder(MARIA, "Trash/Old").uids), [1])

    def test_special_folder_renamed(self) -> None:
        """In the place of a special folder that is renamed is a new one that nobody takes for it."""
        self.accept(1, (MARIA, "Sent"), (MARIA, "Sent/Old"))
        before = self.status("Sent")
        result_of(self.store.rename_folder(MARIA, "Sent", "Trash/Sent"))
        result_of(self.store.rename_folder(MARIA, "Drafts", "Never used"))
        self.store = self.provider.restart()
        self.assertEqual(self.names(), [
            "INBOX", "Sent", "Drafts", "Archive", "Trash", "Junk", "Never used", "Trash/Sent", "Trash/Sent/Old"])
        after, moved = self.status("Sent"), self.status("Trash/Sent")
        self.assertEqual((after.special_use, after.total, moved.special_use, moved.total), ("\\Sent", 0, "", 1))
        self.assertGreater(after.uidvalidity, before.uidvalidity)
        self.assertEqual((moved.objectid, after.objectid == before.objectid), (before.objectid, False))
        self.assertEqual(self.accept(2, (MARIA, "Sent"))[0].uid, 1)
        result_of(self.store.rename_folder(MARIA, "Sent", "Again"))
        self.assertGreater(self.status("Sent").uidvalidity, after.uidvalidity)
        self.assertRaises(Conflict, result_of, self.store.rename_folder(MARIA, "Again", "Sent"))

    def test_rename(self) -> None:
        """A renamed folder keeps its messages and object id; inferiors follow; UIDVALIDITY grows."""
        self.accept(1, (MARIA, "Work", ("\\Seen", "Key")), (MARIA, "Work/Old"), (MARIA, "Workshop"))
        old, changes = self.status("Work"), self.changes(self.folder(MARIA, "Work"))
        result_of(self.store.rename_folder(MARIA, "Work", "Play/Time"))
        self.assertEqual([change.kind for change in changes], ["reset"])
        self.assertEqual(self.names()[6:], ["Play/Time", "Play/Time/Old", "Workshop"])
        new, folder = self.status("Play/Time"), self.folder(MARIA, "Play/Time")
        self.assertEqual((new.objectid, new.uidnext, folder.entry(1).flags), (old.objectid, 2, {"\\Seen", "Key"}))
        self.assertGreater(new.uidvalidity, old.uidvalidity)
        self.assertEqual(result_of(self.folder(MARIA, "Play/Time/Old").read(1)), a_mail("mail 1"))
        self.assertEqual(result_of(folder.digests([1]))[1].subject, "mail 1")
        self.assertEqual(self.accept(2, (MARIA, "Play/Time"))[0].uid, 2)
        again = self.accept(3, (MARIA, "Work"))[0]
        self.assertEqual(again.uid, 1)
        self.assertGreater(again.uidvalidity, old.uidvalidity)

    def test_rename_inferiors_only(self) -> None:
        """A name that only has inferiors can be renamed."""
        self.accept(1, (MARIA, "a/b"))
        result_of(self.store.rename_folder(MARIA, "a", "c"))
        self.assertEqual(self.names()[6:], ["c/b"])

    def test_rename_refused(self) -> None:
        """A rename onto something, below itself, or of nothing, is refused and changes nothing."""
        self.accept(1, (MARIA, "a"), (MARIA, "a/x"), (MARIA, "b/x"))
        names = self.names()
        for old, new, error in (("a", "b", Conflict), ("a", "a/y", Conflict), ("a", "Sent", Conflict),
                                ("none", "c", NotFound), ("a", "", Invalid), ("b/x", "a/x", Conflict),
                                ("inbox", "a", Conflict), ("a", "inbox", Conflict), ("a/", "c", NotFound)):
            self.assertRaises(error, result_of, self.store.rename_folder(MARIA, old, new))
        self.assertEqual(self.names(), names)

    def test_rename_special(self) -> None:
        """A special use that came with the name stays behind; one given by hand goes along."""
        self.accept(1, (MARIA, "Archive"))
        result_of(self.store.create_folder(MARIA, "Mine", "\\Archive"))
        result_of(self.store.rename_folder(MARIA, "Archive", "Old"))
        result_of(self.store.rename_folder(MARIA, "Mine", "Yours"))
        self.assertEqual((self.status("Old").special_use, self.status("Yours").special_use), ("", "\\Archive"))
        self.assertEqual((self.status("Archive").special_use, self.status("Archive").total), ("\\Archive", 0))

    def test_rename_inbox(self) -> None:
        """Renaming INBOX moves its messages; INBOX and its inferiors stay (RFC 3501 section 6.3.5)."""
        folder = self.filled(3)
        self.accept(9, (MARIA, "INBOX/sub"))
        changes = self.changes(folder)
        result_of(self.store.rename_folder(MARIA, "inbox", "old-mail"))
        self.assertEqual([(change.kind, change.uids) for change in changes], [("expunged", (1, 2, 3))])
        self.assertEqual(list(self.folder(MARIA, "old-mail").uids), [1, 2, 3])
        self.assertIn("INBOX/sub", self.names())
        self.assertEqual(self.accept(10, MARIA)[0].uid, 4)

    def test_subscriptions(self) -> None:
        """The special folders are subscribed to until told otherwise; any possible name can be."""
        result_of(self.store.create(MARIA))
        special = {name for name, _ in SPECIAL_FOLDERS}
        self.assertEqual(result_of(self.store.subscribed(MARIA)), special)
        result_of(self.store.subscribe(MARIA, "Entwürfe/x", True))
        result_of(self.store.subscribe(MARIA, "Entwürfe/x", True))
        result_of(self.store.subscribe(MARIA, "Junk", False))
        self.store = self.provider.restart()
        self.assertEqual(result_of(self.store.subscribed(MARIA)), special - {"Junk"} | {"Entwürfe/x"})
        self.assertRaises(Invalid, result_of, self.store.subscribe(MARIA, "a//b", True))
        self.assertRaises(NotFound, result_of, self.store.subscribe(TOM, "a", True))

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


def _on(contract: type[Contract], provider: Any) -> type:
    name = f"{contract.__name__.removesuffix('Contract')}{provider.__name__.removesuffix('Provider')}Tests"
    return type(name, (contract, SynchronousTestCase), {
        "provider_of": provider, "__module__": __name__, "__doc__": contract.__doc__, "__qualname__": name})


for _contract in (DeliveryContract, OwedContract, HeldContract, AnnotationContract, EventContract, FlagContract,
                  FolderContract, MailboxContract):
    for _provider in (MemoryProvider, DiskProvider):
        _tests = _on(_contract, _provider)
        globals()[_tests.__name__] = _tests
del _contract, _provider, _tests
