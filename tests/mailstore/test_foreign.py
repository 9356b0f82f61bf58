"""Other programs and processes that read and write the same Maildirs."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.mailstore import background
from simmail.mailstore.background import _TICK
from simmail.mailstore.delivery import external
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class ForeignTestCase(SynchronousTestCase):
    """A store with three messages in one INBOX, and another program's view of it."""

    shared = False

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path, self.shared)
        self.store = self.provider.store
        for number in range(3):
            self.accept(number)
        self.box = Path(self.path, "mail", "main", MARIA)
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.told: list[Any] = []
        self.folder.listen(lambda change: self.told.append((change.kind, change.uids)))

    def tearDown(self) -> None:
        self.provider.stop()

    def accept(self, number: int, *places: Any) -> Any:
        return result_of(self.store.accept(a_delivery(number, *(places or (MARIA,)))))

    def poll(self) -> list[Any]:
        """What is told when somebody looks."""
        result_of(self.folder.poll())
        told, self.told[:] = list(self.told), []
        return told

    def later(self) -> None:
        """Time enough for files to get their names."""
        self.provider.clock.advance(2)

    def again(self) -> Any:
        """The folder after an orderly restart."""
        self.store = self.provider.restart()
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        return self.folder


class DeliveryTests(ForeignTestCase):
    """Another program delivers."""

    delivered = 0

    def deliver(self, name: str = "1772.M1P2.host", octets: bytes = b"Subject: x\n\nhi\n", part: str = "new") -> Path:
        path = self.box / part / name
        path.write_bytes(octets)
        self.delivered += 1
        seconds = AT.timestamp() + self.delivered - 1
        os.utime(path, (seconds, seconds))
        return path

    def test_delivered(self) -> None:
        """It gets a UID, CRLF line ends and its date; who watches is told; it counts as delivered."""
        foreign: list[Any] = []
        self.store.watch(lambda _, copy: foreign.append((copy.mailbox, copy.folder, copy.uid)))
        path = self.deliver()
        self.assertEqual(self.poll(), [("added", (4,))])
        self.assertEqual(foreign, [(MARIA, "INBOX", 4)])
        entry = self.folder.entry(4)
        self.assertEqual((entry.size, entry.date, entry.recent, entry.flags), (18, AT, True, set()))
        self.assertEqual(result_of(self.folder.read(4)), b"Subject: x\r\n\r\nhi\r\n")
        self.assertFalse(path.exists())
        self.assertEqual(self.poll(), [])
        self.assertEqual(self.accept(9)[0].uid, 5)
        self.assertEqual(list(self.again().uids), [1, 2, 3, 4, 5])

    def test_noticed_by_the_watch(self) -> None:
        """Mail for an INBOX that nobody has open is noticed too, while time goes by."""
        foreign: list[Any] = []
        self.accept(7, TOM)
        self.store.watch(lambda _, copy: foreign.append((copy.mailbox, copy.folder, copy.uid)))
        self.provider.clock.pump([_TICK] * 4)
        Path(self.path, "mail", "main", TOM, "new", "abc.host").write_bytes(b"x\r\n")
        self.deliver()
        self.provider.clock.pump([_TICK] * 4)
        self.assertEqual(sorted(foreign), [(MARIA, "INBOX", 4), (TOM, "INBOX", 2)])
        self.assertEqual(self.told, [("added", (4,))])
        self.assertEqual({name: one[:2] for name, one in result_of(self.store.counts()).items()},
                         {MARIA: (4, 4), TOM: (2, 2)})

    def test_delivered_while_stopped(self) -> None:
        """What came while the store was closed is found when the folder is opened."""
        self.provider.stop()
        self.deliver()
        self.deliver("99.host:2,FS", part="cur")
        self.store = self.provider.start()
        foreign: list[Any] = []
        self.store.watch(lambda _, copy: foreign.append((copy.mailbox, copy.folder, copy.uid)))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(list(folder.uids), [1, 2, 3, 4, 5])
        self.assertEqual(sorted(map(sorted, folder.column("flags", [4, 5]))), [[], ["\\Flagged", "\\Seen"]])
        self.assertEqual([args[:2] for args in foreign], [(MARIA, "INBOX")])

    def test_delivered_while_listed(self) -> None:
        """A list of folders finds it as well."""
        self.provider.stop()
        self.deliver()
        self.store = self.provider.start()
        result_of(self.store.folders(MARIA))
        status = next(one for one in result_of(self.store.folders(MARIA)) if one.name == "INBOX")
        self.assertEqual((status.total, status.uidnext), (4, 5))

    def watched(self) -> list[Any]:
        """What is told from now on, as (id, UID)."""
        foreign: list[Any] = []
        self.store.watch(lambda one, copy: foreign.append((one, copy.uid)))
        return foreign

    def test_told_until_settled(self) -> None:
        """What was told and not settled is told again after a crash or restart, and no longer once it is settled."""
        foreign = self.watched()
        self.deliver()
        self.deliver("1773.host")
        self.poll()
        self.assertEqual([uid for _, uid in foreign], [4, 5])
        self.poll()
        result_of(self.store.folders(MARIA))
        self.assertEqual(len(foreign), 2)
        for again in (self.provider.crash, self.provider.restart, self.provider.crash):
            self.store = again()
            self.assertEqual(self.watched(), foreign)
        self.store.committed([foreign[0][0]])
        self.later()
        self.store = self.provider.crash()
        self.assertEqual(self.watched(), foreign[1:])
        # Nothing of it was owed as a delivery is.
        self.assertEqual([one for one in result_of(self.store.uncommitted()) if "foreign" in one], [])

    def test_moved_before_it_was_told(self) -> None:
        """What somebody has removed meanwhile is not told; nor is what belongs to a universe that is gone."""
        self.deliver()
        self.deliver("1773.host")
        self.poll()
        result_of(self.folder.expunge([4]))
        self.store = self.provider.crash()
        ((one, uid),) = self.watched()
        self.assertEqual(uid, 5)
        self.assertEqual(result_of(self.provider.journal.foreign("main")), [one])
        self.later()
        self.store = self.provider.crash()
        result_of(self.provider.journal.keep(["other"]))
        self.assertEqual(self.watched(), [])

    def test_killed_while_taken(self) -> None:
        """A kill at any step of taking it: it is there once, and told until settled."""
        for step, octets in (("rename", b"Subject: x\r\n\r\nhi\r\n"), ("unlink", b"Subject: x\n\nhi\n"),
                             ("pwritev", b"y\r\n")):
            for done in (False, True):
                with self.subTest(step=step, done=done):
                    before = set(self.folder.uids)
                    self.watched()
                    self.deliver(f"{step}.{done}", octets)
                    self.killed_at(step, done)
                    foreign = self.watched()
                    self.folder = result_of(self.store.folder(MARIA, "INBOX"))
                    result_of(self.folder.poll())
                    (uid,) = set(self.folder.uids) - before
                    self.assertEqual([one[1] for one in foreign], [uid])
                    self.assertEqual(result_of(self.folder.read(uid)), octets.replace(b"\r", b"").replace(
                        b"\n", b"\r\n"))
                    self.store.committed([foreign[0][0]])
                    self.later()

    def killed_at(self, step: str, done: bool) -> None:
        """Look, and be killed at a system call: before it, or once it is done."""
        real = getattr(os, step)

        class Killed(BaseException):
            pass

        def deadly(*args: Any, **kwargs: Any) -> Any:
            if done:
                real(*args, **kwargs)
            raise Killed

        with mock.patch.object(os, step, deadly):
            self.assertRaises(Killed, result_of, self.folder.poll())
        self.store = self.provider.crash()

    def test_cannot_be_taken(self) -> None:
        """A file that cannot be read, or not be renamed, does not keep others back, and is tried again later."""
        foreign = self.watched()
        self.patch(background, "_AGAIN", 0.0)
        told = 0
        for room, step in ((external, "read_stray"), (os, "rename")):
            real = getattr(room, step)

            def refuse(*args: Any, real: Callable[..., Any] = real, **kwargs: Any) -> Any:
                if any("stubborn" in str(one) for one in args):
                    raise PermissionError(13, "Permission denied")
                return real(*args, **kwargs)

            patched = self.patch(room, step, refuse)
            for name in (f"a.stubborn.{step}", f"b.host.{step}"):
                self.deliver(name)
            self.provider.clock.pump([_TICK] * 4)
            self.assertEqual(len(foreign), told + 1)
            self.assertTrue((self.box / "new" / f"a.stubborn.{step}").exists())
            patched.restore()
            self.provider.clock.pump([_TICK] * 4)
            told += 2
            self.assertEqual(len(foreign), told)
            self.assertEqual(len(result_of(self.provider.journal.foreign("main"))), told)

    def test_found_while_filing(self) -> None:
        """What another program delivers is found though mail is filed beside it all the time."""
        foreign = self.watched()
        for n in range(8):
            self.accept(20 + n)
            if n == 3:
                self.deliver()
            self.provider.clock.pump([_TICK])
        self.assertEqual(len(foreign), 1)

    def test_put_into_another_folder(self) -> None:
        """What is put into new/ of another folder has appeared there, and was not delivered."""
        foreign = self.watched()
        self.accept(7, (MARIA, "Archive"))
        (self.box / ".Archive" / "new" / "x.host").write_bytes(b"Subject: x\r\n\r\n")
        folder = result_of(self.store.folder(MARIA, "Archive"))
        result_of(folder.poll())
        self.assertEqual((list(folder.uids), foreign), ([1, 2], []))

    def test_many(self) -> None:
        """Many at once are told in order, each once."""
        foreign = self.watched()
        for n in range(65):
            self.deliver(f"{n:03d}.host")
        self.provider.clock.pump([_TICK] * 3)
        self.assertEqual([uid for _, uid in foreign], list(range(4, 69)))

    def test_put_into_cur(self) -> None:
        """What is put into cur/ is there with its flags, and was not delivered."""
        foreign: list[Any] = []
        self.store.watch(lambda _, copy: foreign.append((copy.mailbox, copy.folder, copy.uid)))
        self.deliver("draft.host,S=15:2,DSab", part="cur")
        self.assertEqual(self.poll(), [("added", (4,))])
        self.assertEqual((foreign, self.folder.entry(4).flags), ([], {"\\Draft", "\\Seen"}))

    def test_strange_names(self) -> None:
        """No name of a file makes a folder unreadable; names that begin with a dot are no messages."""
        names = ["x" * 250, "a b", "ünïcode", "-rf", ",U=1,S=2", "k,U=0,S=1", "k,U=99999999999,S=1", "k,U=1,S=1:2,S",
                 "new\nline", "k,U=4294967295,S=3", os.fsdecode(b"\xff\xfe")]
        for name in names:
            self.deliver(name)
        self.deliver(".hidden")
        os.mkdir(self.box / "new" / "directory")
        os.mkfifo(self.box / "new" / "pipe")
        os.symlink("/etc/passwd", self.box / "new" / "link")
        self.poll()
        self.assertEqual(list(self.folder.uids), list(range(1, 4 + len(names))))
        for uid in self.folder.uids[3:]:
            self.assertEqual(result_of(self.folder.read(uid)), b"Subject: x\r\n\r\nhi\r\n")
        self.assertEqual(self.poll(), [])
        self.assertEqual(list(self.again().uids), list(range(1, 4 + len(names))))


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
