"""Other programs and processes change the same Maildirs."""

from __future__ import annotations

import mailbox
import os
from pathlib import Path
from typing import Any

from simmail.errors import NotFound
from tests.contracts.mailstores import DiskProvider, a_delivery, a_mail, result_of
from tests.mailstore.foreign import ForeignTestCase, MARIA


class ChangeTests(ForeignTestCase):
    """Another program changes what is there."""

    def test_read_by_another(self) -> None:
        """The standard library's Maildir sees messages, flags and folders as we do."""
        result_of(self.folder.flag([2], ["\\Seen", "\\Answered", "\\Flagged", "Key"], "+"))
        self.later()
        self.accept(8, (MARIA, "Sent", ("\\Seen",)))
        other = mailbox.Maildir(str(self.box), create=False)
        flags = sorted(message.get_flags() for message in other)
        self.assertEqual(flags, ["", "", "FRSa"])
        self.assertEqual({message["Subject"] for message in other}, {"mail 0", "mail 1", "mail 2"})
        self.assertEqual(other.list_folders(), ["Sent"])
        self.assertEqual(len(other.get_folder("Sent")), 1)

    def test_changed_by_another(self) -> None:
        """Flags, moves to cur/ and removals of another program are noticed and told."""
        result_of(self.folder.take_recent())
        self.later()
        since = self.folder.highestmodseq
        other = mailbox.Maildir(str(self.box), create=False)
        for key, message in list(other.items()):
            if message["Subject"] == "mail 1":
                message.set_flags("FS")
                other[key] = message
            if message["Subject"] == "mail 2":
                other.remove(key)
        other.add(b"Subject: four\n\nx\n")
        self.assertEqual(sorted(self.poll()), [("added", (4,)), ("expunged", (3,)), ("flags", (2,))])
        self.assertEqual(self.folder.entry(2).flags, {"\\Flagged", "\\Seen"})
        self.assertEqual(result_of(self.folder.vanished(since)), [3])
        self.assertEqual(self.folder.changed(since), [2, 4])
        self.assertEqual(result_of(self.store.counts())[MARIA][:2], (3, 2))

    def test_changed_while_stopped(self) -> None:
        """The same while the store was closed."""
        result_of(self.folder.take_recent())
        since = self.folder.highestmodseq
        self.provider.stop()
        files = sorted((self.box / "cur").iterdir())
        files[0].rename(f"{files[0]}RS")
        files[2].unlink()
        self.store = self.provider.start()
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(list(folder.uids), [1, 2])
        self.assertEqual(folder.entry(1).flags, {"\\Answered", "\\Seen"})
        self.assertEqual(folder.changed(since), [1])
        self.assertEqual(result_of(folder.vanished(since)), [3])

    def files(self) -> list[str]:
        """Flags in the names of files, by UID."""
        names = sorted(name for part in ("cur", "new") for name in os.listdir(self.box / part))
        return [name.partition(":2,")[2] for name in names]

    def test_renamed_later(self) -> None:
        """Flags are in the names of files a moment later, once for many changes."""
        result_of(self.folder.take_recent())
        result_of(self.folder.flag([1, 2], ["\\Seen"], "+"))
        result_of(self.folder.flag([2, 3], ["\\Flagged", "Key"], "+"))
        self.assertEqual(self.files(), ["", "", ""])
        self.later()
        self.assertEqual(self.files(), ["S", "FSa", "Fa"])
        self.assertFalse((self.box / "simmail-flags").exists())
        self.assertEqual(self.poll()[2:], [])

    def test_both_change_flags(self) -> None:
        """Flags that another program sets meanwhile and ours are all kept."""
        result_of(self.folder.flag([1, 2], ["\\Seen", "\\Draft"], "+"))
        self.later()
        result_of(self.folder.flag([1], ["\\Draft"], "-"))
        result_of(self.folder.flag([2, 3], ["\\Answered"], "+"))
        self.told.clear()
        for name in (self.box / "cur").iterdir():
            name.rename(str(name).replace(":2,DS", ":2,DF"))
        for crash in (False, True):
            if crash:
                self.folder = result_of(self.provider.crash().folder(MARIA, "INBOX"))
                self.store = self.provider.store
            else:
                self.assertEqual(self.poll(), [("flags", (1, 2))])
            self.assertEqual(list(map(sorted, self.folder.column("flags", [1, 2, 3]))),
                             [["\\Flagged"], ["\\Answered", "\\Draft", "\\Flagged"], ["\\Answered"]])
        self.later()
        self.assertEqual(self.files(), ["F", "DFR", "R"])

    def test_noted_flags_survive(self) -> None:
        """Flags that are only noted are there after a kill, in counts of what is not loaded too."""
        result_of(self.folder.flag([2], ["\\Seen", "Key"], "+"))
        result_of(self.folder.take_recent())
        self.provider.die()
        with open(self.box / "simmail-flags", "ab") as file:
            file.write(b"99 FS 1:3,4000000000:4294967295\n7 D 1,x\nrubbish\n5 D 1:")
        self.store = self.provider.start()
        self.assertEqual(result_of(self.store.counts())[MARIA][:2], (3, 0))
        status = next(one for one in result_of(self.store.folders(MARIA)) if one.name == "INBOX")
        self.assertEqual((status.total, status.unseen, status.recent), (3, 0, 0))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(list(map(sorted, folder.column("flags", [1, 2, 3]))), [["\\Flagged", "\\Seen"]] * 3)
        self.later()
        self.assertEqual(self.files(), ["FS", "FS", "FS"])

    def test_renamed_under_our_hands(self) -> None:
        """A change meets files that were renamed meanwhile: it is done all the same."""
        for name in sorted((self.box / "new").iterdir())[:2]:
            name.rename(self.box / "cur" / f"{name.name}:2,F")
        self.assertEqual(result_of(self.folder.flag([1, 2, 3], ["\\Seen"], "+")), ([1, 2, 3], []))
        self.later()
        self.assertEqual(self.files(), ["FS", "FS", "S"])
        self.assertEqual(list(map(sorted, self.folder.column("flags", [1, 2, 3]))),
                         [["\\Flagged", "\\Seen"], ["\\Flagged", "\\Seen"], ["\\Seen"]])
        for name in (self.box / "cur").iterdir():
            name.rename(f"{name}T".replace("ST", "RST"))
        self.assertEqual(result_of(self.folder.reads([1, 3])), [(1, a_mail("mail 0")), (3, a_mail("mail 2"))])
        for name in (self.box / "cur").iterdir():
            name.rename(str(name).replace("R", ""))
        target = result_of(self.store.folder(MARIA, "Trash"))
        self.assertEqual(result_of(self.folder.copy([1, 2], target)), [(1, 3), (2, 4)])
        for name in (self.box / "cur").iterdir():
            name.rename(str(name).replace("ST", "T"))
        self.assertEqual(result_of(self.folder.expunge([1, 2, 3])), [1, 2, 3])
        self.assertEqual(list((self.box / "cur").iterdir()), [])

    def test_removed_under_our_hands(self) -> None:
        """A change meets files that are gone: they are told as expunged before long, the others changed."""
        sorted((self.box / "new").iterdir())[1].unlink()
        self.assertEqual(result_of(self.folder.flag([1, 2, 3], ["\\Seen"], "+")), ([1, 2, 3], []))
        self.later()
        self.assertEqual(self.told, [("flags", (1, 2, 3)), ("expunged", (2,))])
        sorted((self.box / "cur").iterdir())[0].unlink()
        self.assertRaises(NotFound, result_of, self.folder.read(1))
        self.assertEqual(list(self.folder.uids), [3])

    def test_same_uid_twice(self) -> None:
        """A file that another program copied with our name gets a UID of its own; nothing shows twice."""
        one = sorted((self.box / "new").iterdir())[0]
        os.link(one, self.box / "cur" / f"copy,U=2,S={len(a_mail('mail 0'))}:2,S")
        os.link(one, self.box / "new" / f"back,U=99,S={len(a_mail('mail 0'))}")
        self.poll()
        self.assertEqual(list(self.folder.uids), [1, 2, 3, 4, 5])
        self.assertEqual(len(set(self.folder.column("key", self.folder.uids))), 5)
        self.assertEqual(list(self.again().uids), [1, 2, 3, 4, 5])

    def test_links_are_not_followed(self) -> None:
        """A link in the place of a message does not show what it leads to."""
        one = sorted((self.box / "new").iterdir())[0]
        one.unlink()
        one.symlink_to("/etc/passwd")
        self.assertRaises(NotFound, result_of, self.folder.read(1))

    def test_old_uid_comes_back(self) -> None:
        """A file put back under a UID that was expunged does not bring the UID back."""
        one = sorted((self.box / "new").iterdir())[0]
        octets = one.read_bytes()
        result_of(self.folder.expunge([1]))
        for step in range(2):
            one.write_bytes(octets)
            if step:
                self.again()
            else:
                self.poll()
            self.assertNotIn(1, self.folder.uids)
            self.assertEqual(self.folder.uids[-1], 4 + step)

    def test_folder_made_by_another(self) -> None:
        """A folder that another program made is there, with its messages; a strange name is shown under an escape."""
        other = mailbox.Maildir(str(self.box), create=False)
        other.add_folder("Lists.python").add(b"Subject: x\n\ny\n")
        self.assertIn("Lists/python", [one.name for one in result_of(self.store.folders(MARIA))])
        folder = result_of(self.store.folder(MARIA, "Lists/python"))
        self.assertEqual((list(folder.uids), result_of(folder.read(1))), ([1], b"Subject: x\r\n\r\ny\r\n"))
        self.assertGreater(folder.uidvalidity, 0)
        for strange in (".", ".a..b", ".&", ".&AGE-", ".INBOX", ".ä"):
            os.makedirs(self.box / strange / "cur", exist_ok=True)
        names = [one.name for one in result_of(self.store.folders(MARIA))]
        self.assertEqual(names[6:], [
            "Lists/python", "a/\ufffd/b", "\ufffd26", "\ufffd26AGE-", "\ufffd49NBOX", "\ufffdC3\ufffdA4"])
        (self.box / ".a..b" / "cur" / "1.x:2,").write_bytes(b"Subject: x\n\ny\n")
        self.assertEqual(list(result_of(self.store.folder(MARIA, "a/\ufffd/b")).uids), [1])
        result_of(self.store.rename_folder(MARIA, "a/\ufffd/b", "fine"))
        self.assertEqual(list(result_of(self.store.folder(MARIA, "fine")).uids), [1])

    def test_folder_removed_by_another(self) -> None:
        """A folder whose directory is gone is gone; who watches is told."""
        self.accept(8, (MARIA, "Work"))
        folder = result_of(self.store.folder(MARIA, "Work"))
        told: list[Any] = []
        folder.listen(lambda change: told.append(change.kind))
        _remove(self.box / ".Work")
        self.assertRaises(NotFound, result_of, folder.poll())
        self.assertEqual(told, ["reset"])
        self.assertEqual(self.accept(9, (MARIA, "Work"))[0].uid, 1)

    def test_uid_file_lost(self) -> None:
        """Without the UID file, or with a damaged one, there is a greater UIDVALIDITY and nothing else changes."""
        before = self.folder.uidvalidity
        for octets in (None, b"rubbish", b""):
            self.provider.stop()
            if octets is None:
                (self.box / "simmail-uids").unlink()
            else:
                (self.box / "simmail-uids").write_bytes(octets)
            self.store = self.provider.start()
            folder = result_of(self.store.folder(MARIA, "INBOX"))
            self.assertEqual((list(folder.uids), folder.uidnext), ([1, 2, 3], 4))
            self.assertGreater(folder.uidvalidity, before)
            before = folder.uidvalidity
        self.assertEqual(self.accept(9)[0].uid, 4)

    def test_mailbox_made_by_another(self) -> None:
        """A mailbox that another process made exists at once, and is listed before long."""
        mailbox.Maildir(str(self.box.parent / "new@acme.test"))
        self.assertTrue(self.store.exists("new@acme.test"))
        mailbox.Maildir(str(self.box.parent / "newer@acme.test"))
        self.provider.clock.advance(5)
        self.assertIn("newer@acme.test", self.store.mailboxes())
        _remove(self.box.parent / "newer@acme.test")
        self.provider.clock.advance(5)
        self.assertNotIn("newer@acme.test", self.store.mailboxes())


def _remove(path: Path) -> None:
    for each in sorted(path.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    path.rmdir()


class EventTests(ForeignTestCase):
    """Who listens to a mailbox hears of all its folders."""

    def setUp(self) -> None:
        super().setUp()
        self.accept(9, (MARIA, "Lists"))
        self.again()
        self.events: list[tuple[str, str]] = []
        result_of(self.store.events.listen(MARIA, lambda event: self.events.append((event.kind, event.name))))
        self.store.watch(lambda foreign, copy: None)

    def heard(self) -> list[tuple[str, str]]:
        """What is told a moment later, each once."""
        for _ in range(10):
            self.provider.clock.advance(0.5)
        events, self.events[:] = sorted(set(self.events)), []
        return events

    def test_messages(self) -> None:
        """Mail that comes and goes in folders that nobody has opened, and in one that somebody has."""
        self.assertEqual(self.heard(), [])
        lists = mailbox.Maildir(self.box / ".Lists", create=False)
        lists.add(a_mail("foreign"))
        self.assertIn(("changed", "Lists"), self.heard())
        folder = result_of(self.store.folder(MARIA, "Lists"))
        self.assertEqual(len(folder.uids), 2)
        self.assertIn(("added", "Lists"), self.heard())
        lists.remove(sorted(lists.keys())[0])
        self.assertEqual(self.heard(), [("expunged", "Lists")])
        mailbox.Maildir(self.box, create=False).add(a_mail("delivered"))
        self.assertEqual(self.heard(), [("added", "INBOX")])
        self.assertEqual(self.heard(), [])

    def test_names(self) -> None:
        """Folders that are made and removed, and subscriptions."""
        (self.box / ".new").mkdir(mode=0o700)
        for name in ("tmp", "new", "cur"):
            (self.box / ".new" / name).mkdir(mode=0o700)
        (self.box / ".Lists").rename(self.box / ".Other")
        self.assertEqual(self.heard(), [("gone", "Lists"), ("made", "Other"), ("made", "new")])
        self.assertEqual(self.heard(), [])
        result_of(self.store.create_folder(MARIA, "ours"))
        result_of(self.store.subscribe(MARIA, "ours", True))
        self.assertEqual(self.heard(), [("made", "ours"), ("subscribed", "ours")])
        other = DiskProvider(self.path, True, "journal2")
        result_of(other.store.subscribe(MARIA, "ours", False))
        result_of(other.store.delete_folder(MARIA, "ours"))
        other.stop()
        self.assertEqual(self.heard(), [("gone", "ours"), ("unsubscribed", "ours")])

    def test_mailbox_removed(self) -> None:
        """A mailbox that is gone is no trouble."""
        result_of(self.store.delete(MARIA))
        self.heard()
        self.assertEqual(self.heard(), [])
        self.assertEqual(self.flushLoggedErrors(), [])


class SharedTests(ForeignTestCase):
    """Where others serve the same mail, flags are in the names of files at once."""

    shared = True

    def test_renamed_under_our_hands(self) -> None:
        """A change meets files that were renamed meanwhile: it is done all the same."""
        for name in sorted((self.box / "new").iterdir())[:2]:
            name.rename(self.box / "cur" / f"{name.name}:2,F")
        self.assertEqual(result_of(self.folder.flag([1, 2, 3], ["\\Seen"], "+")), ([1, 2, 3], []))
        self.assertEqual(list(map(sorted, self.folder.column("flags", [1, 2, 3]))),
                         [["\\Flagged", "\\Seen"], ["\\Flagged", "\\Seen"], ["\\Seen"]])
        self.assertEqual(len(list((self.box / "cur").iterdir())), 3)

    def test_removed_under_our_hands(self) -> None:
        """A change meets files that are gone: they are told as expunged, the others changed."""
        sorted((self.box / "new").iterdir())[1].unlink()
        self.assertEqual(result_of(self.folder.flag([1, 2, 3], ["\\Seen"], "+")), ([1, 3], []))
        self.assertEqual(self.told, [("flags", (1, 3)), ("expunged", (2,))])

    def test_recent(self) -> None:
        """What is taken as recent is in cur/ at once."""
        self.assertEqual(result_of(self.folder.take_recent()), [1, 2, 3])
        self.assertEqual(len(list((self.box / "cur").iterdir())), 3)
        self.assertEqual(self.folder.counts(), (3, 3, 0))


class ProcessTests(ForeignTestCase):
    """Two processes (here: two stores with a journal each) serve the same mail."""

    shared = True

    def setUp(self) -> None:
        super().setUp()
        self.other = DiskProvider(self.path, True, "journal2")

    def tearDown(self) -> None:
        self.other.stop()
        super().tearDown()

    def test_uids_ascend_in_all(self) -> None:
        """UIDs ascend across processes, and each process tells them in order, its own never first."""
        other = result_of(self.other.store.folder(MARIA, "INBOX"))
        told: list[Any] = []
        other.listen(lambda change: told.append((change.kind, change.uids)))
        stores = [self.store, self.other.store]
        uids = [result_of(stores[number % 2].accept(a_delivery(number, MARIA)))[0].uid for number in range(10, 20)]
        self.assertEqual(uids, list(range(4, 14)))
        result_of(other.poll())
        self.poll()
        self.assertEqual(list(self.folder.uids), list(range(1, 14)))
        self.assertEqual(list(other.uids), list(range(1, 14)))
        self.assertEqual([uid for kind, some in told for uid in some], list(range(4, 14)))

    def test_same_id_in_both(self) -> None:
        """The same delivery id accepted in two processes is one message."""
        first = self.accept(50, MARIA)
        self.assertEqual(result_of(self.other.store.accept(a_delivery(50, MARIA))), first)

    def test_flags_of_the_other(self) -> None:
        """Flags and keywords that one process sets, the other sees."""
        other = result_of(self.other.store.folder(MARIA, "INBOX"))
        result_of(other.flag([1], ["Key", "\\Seen"], "+"))
        self.assertEqual(self.poll(), [("flags", (1,))])
        self.assertEqual(self.folder.entry(1).flags, {"Key", "\\Seen"})
        result_of(self.folder.flag([2], ["key2"], "+"))
        result_of(other.flag([3], ["Key3"], "+"))
        self.poll()
        self.assertEqual(self.folder.entry(3).flags, {"Key3"})
        result_of(other.expunge([2]))
        self.assertEqual(self.poll(), [("expunged", (2,))])
