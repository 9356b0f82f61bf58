"""What is borrowed, and made one's own."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from simmail.durable import opened
from simmail.mailstore.maildir import sharing
from simmail.mailstore.maildir.sharing import Borrowed, can_exchange, furnish, is_borrowed, target_of

BOX = "maria@acme.test"


class BorrowedTests(SynchronousTestCase):
    """A universe with one mailbox, which is shared."""

    def setUp(self) -> None:
        self.base = Path(self.mktemp())
        shared = self.base / ".shared" / "one"
        for folder, names in (("", 20), (".Sent", 2)):
            for part in ("new", "cur"):
                (shared / BOX / folder / part).mkdir(parents=True)
            for number in range(names):
                (shared / BOX / folder / "cur" / f"m{number},U={number + 1},S=1:2,").write_text("x")
            (shared / BOX / folder / "simmail-uids").write_text("uids")
        self.shared, self.path = shared, self.base / "fork"
        self.path.mkdir()
        (self.path / ".shared").symlink_to("../.shared/one")
        (self.path / BOX).symlink_to(target_of(BOX))
        self.root = os.open(self.path, os.O_RDONLY)
        self.addCleanup(os.close, self.root)
        names = iter(range(1000))
        self.borrowed = Borrowed(str(self.path), self.root, lambda: f"temporary-{next(names)}")

    def test_own(self) -> None:
        """A mailbox gets directories and files of its own; directories of many messages are borrowed on."""
        self.assertTrue(self.borrowed.has(BOX))
        inode = (self.path / BOX / "simmail-uids").stat().st_ino
        self.borrowed.own(BOX)
        self.borrowed.own(BOX)
        self.assertFalse(self.borrowed.has(BOX))
        self.assertEqual(self.borrowed.parts(BOX), {"cur"})
        self.assertEqual(self.borrowed.parts(f"{BOX}/.Sent"), frozenset())
        uids = self.path / BOX / "simmail-uids"
        self.assertNotEqual(uids.stat().st_ino, inode)
        self.assertEqual(uids.read_text(), "uids")
        self.assertTrue((self.path / BOX / ".Sent" / "tmp").is_dir())
        self.assertEqual(sorted(os.listdir(self.path)), [".shared", BOX])
        self.assertEqual(len(os.listdir(self.path / BOX / ".Sent" / "cur")), 2)

    def test_own_parts(self) -> None:
        """A directory of messages has the same files, and looks as if nothing had happened."""
        self.borrowed.own(BOX)
        before = (self.path / BOX / "cur").stat().st_mtime_ns
        self.borrowed.own_parts(BOX, ["new", "cur"])
        self.assertEqual(self.borrowed.parts(BOX), frozenset())
        mine, theirs = self.path / BOX / "cur", self.shared / BOX / "cur"
        self.assertEqual(sorted(os.listdir(mine)), sorted(os.listdir(theirs)))
        self.assertEqual(mine.stat().st_mtime_ns, before)
        name = os.listdir(mine)[0]
        self.assertEqual((mine / name).stat().st_ino, (theirs / name).stat().st_ino)
        (mine / name).unlink()
        self.assertEqual(len(os.listdir(theirs)), 20)

    def test_two_at_once(self) -> None:
        """Two who want a mailbox of their own at the same moment get one, and nothing put into it is lost."""
        waiting, furnished = [Thread(target=self.put, args=(name,)) for name in "ab"], sharing.furnish
        times: list[str] = []
        self.patch(sharing, "furnish", lambda *args: (times.append("once"), furnished(*args)))
        for one in waiting:
            one.start()
        for one in waiting:
            one.join()
        self.assertEqual(times, ["once"])
        self.assertEqual(sorted(os.listdir(self.path / BOX / ".Sent" / "new")), ["a", "b"])
        self.assertEqual(os.listdir(self.shared / BOX / ".Sent" / "new"), [])

    def put(self, name: str) -> None:
        """A file."""
        self.borrowed.own(BOX)
        (self.path / BOX / ".Sent" / "new" / name).write_text("x")

    def test_links_of_others(self) -> None:
        """A link that leads elsewhere is not borrowed, and never was anything in a universe that shares nothing."""
        (self.path / "tom@acme.test").symlink_to(f"../.shared/one/{BOX}")
        (self.path / "abs@acme.test").symlink_to(str(self.shared / BOX))
        self.assertFalse(is_borrowed(self.root, "tom@acme.test") or is_borrowed(self.root, "abs@acme.test"))
        self.assertFalse(is_borrowed(self.root, "nobody@acme.test"))
        os.unlink(self.path / BOX)
        self.borrowed.leave()
        self.borrowed.leave()
        self.assertFalse((self.path / ".shared").is_symlink())
        self.assertFalse(self.borrowed.has(BOX))

    def test_furnish_nothing(self) -> None:
        """Where no links are wanted at once only what is empty is a directory."""
        furnish(str(self.shared / BOX), str(self.path / "fresh"), "fresh", 0)
        self.assertTrue(os.path.islink(self.path / "fresh" / ".Sent" / "cur"))
        self.assertFalse(os.path.islink(self.path / "fresh" / ".Sent" / "new"))

    def test_exchange(self) -> None:
        """What a disk cannot do is found out, and leaves nothing behind."""
        self.assertTrue(can_exchange(str(self.path)))

        def refused(root: int, one: str, other: str) -> None:
            raise OSError(22, "it cannot")

        self.patch(sharing, "_exchange", refused)
        self.assertFalse(can_exchange(str(self.path)))
        self.assertEqual(sorted(os.listdir(self.path)), [".shared", BOX])
        with opened(str(self.path)) as root:
            self.assertRaises(OSError, sharing._exchange, root, "a", "b")
