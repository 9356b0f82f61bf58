"""What every mail store promises of the folders of a mailbox: made, renamed, removed, subscribed to."""

from __future__ import annotations

from collections import Counter

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.errors import Conflict, Invalid, NotFound
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.contracts.contract import Contract, MARIA, TOM, on_both


class FolderNameContract(Contract):
    """The folders of a mailbox."""

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


globals().update(on_both(__name__, FolderNameContract))
