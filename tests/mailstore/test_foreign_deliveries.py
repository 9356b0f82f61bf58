"""Other programs deliver into our Maildirs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from simmail.mailstore import background
from simmail.mailstore.background import _TICK
from simmail.mailstore.delivery import external
from tests.contracts.mailstores import AT, result_of
from tests.mailstore.foreign import ForeignTestCase, MARIA, TOM


class DeliveryTests(ForeignTestCase):
    """Another program delivers."""

    delivered = 0

    def setUp(self) -> None:
        """Looks cost the machine's time, and a busy one would be let rest while this clock goes on."""
        super().setUp()
        self.patch(background, "_RARELY", 0.0)
        self.patch(background, "_MORE_RARELY", 0.0)

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
