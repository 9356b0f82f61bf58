"""Tests for C{simmail.mailstore.export.carrying}."""

from __future__ import annotations

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid
from simmail.mailstore.export.carrying import ArrivingTree, CarriedTree, PAGE
from simmail.mailstore.maildir.uidlist import next_uidvalidity


class CarryingTests(SynchronousTestCase):
    """The universe elm, in two folders of mail."""

    def setUp(self) -> None:
        self.here, self.there = Path(self.mktemp()), Path(self.mktemp())
        (self.here / "elm" / "ann" / ".INBOX" / "cur").mkdir(parents=True)
        self.there.mkdir()
        self.mail = self.here / "elm" / "ann" / ".INBOX" / "cur"
        self.leaving = CarriedTree(str(self.here), "elm")
        self.arriving = ArrivingTree(str(self.there), "elm")
        self.arriving.begin()
        self.octets = 0

    def carry(self) -> int:
        """Carry what has changed; answers how many octets of files that was."""
        octets = 0
        for page in self.leaving.changes():
            octets += sum(len(row[4]) for row in page if row[0] in ("file", "more"))
            self.arriving.put(page)
        return octets

    def tree(self, root: Path) -> dict[str, bytes | None]:
        """All that is there."""
        return {str(one.relative_to(root)): None if one.is_dir() else one.read_bytes() for one in root.rglob("*")}

    def check(self) -> None:
        """It is whole and in its place."""
        self.arriving.finish(self.leaving.counter())
        self.assertEqual(self.tree(self.there / "elm"), self.tree(self.here / "elm"))
        self.assertEqual(list((self.there.parent / f"{self.there.name}.arriving").iterdir()), [])

    def test_carried(self) -> None:
        """Large and empty files too, with their times; UIDVALIDITYs that come are greater."""
        (self.mail / "1").write_bytes(b"x" * (2 * PAGE + 7))
        (self.mail / "2").write_bytes(b"")
        os.utime(self.mail / "2", ns=(5_000_000_007, 5_000_000_007))
        next_uidvalidity(f"{self.here}/.uidvalidity", 900)
        self.assertEqual(self.carry(), 2 * PAGE + 7)
        self.check()
        self.assertEqual((self.there / "elm/ann/.INBOX/cur/2").stat().st_mtime_ns, 5_000_000_007)
        self.assertGreater(next_uidvalidity(f"{self.there}/.uidvalidity", 1), 900)

    def test_changes(self) -> None:
        """What came since goes, what went goes away; what has another name or a second one is not read again."""
        for name in ("1", "2", "3"):
            (self.mail / name).write_bytes(b"message " + name.encode())
        (self.mail / "list").write_bytes(b"1 2 3")
        os.link(self.mail / "1", self.here / "elm" / "ann" / "1")
        self.assertEqual(self.carry(), 3 * 9 + 5)
        self.assertEqual(self.carry(), 0)
        (self.mail / "1").rename(self.mail / "1:2,S")
        (self.mail / "2").unlink()
        (self.mail / "list.new").write_bytes(b"1 3")
        (self.mail / "list.new").replace(self.mail / "list")
        new = self.here / "elm" / "bob" / ".Sent"
        new.mkdir(parents=True)
        os.link(self.mail / "3", new / "3")
        self.assertEqual(self.carry(), 3)
        (new / "3").unlink()
        new.rmdir()
        new.parent.rmdir()
        self.assertEqual(self.carry(), 0)
        self.check()

    def test_borrowed(self) -> None:
        """What a mailbox borrows goes as if it were its own; what is about to be or gone does not go."""
        (self.mail / "1").write_bytes(b"one")
        (self.here / "elm" / "ann").rename(self.here / "shared")
        (self.here / "elm" / ".shared").symlink_to("..")
        (self.here / "elm" / "ann").symlink_to("../shared")
        for name in (".tmp", ".gone"):
            (self.here / "elm" / name).mkdir()
            (self.here / "elm" / name / "half").write_bytes(b"x")
        self.carry()
        self.arriving.finish(1)
        self.assertEqual(self.tree(self.there / "elm"), {
            "ann": None, "ann/.INBOX": None, "ann/.INBOX/cur": None, "ann/.INBOX/cur/1": b"one"})

    def test_elsewhere(self) -> None:
        """Nothing is put where it does not belong; what came of one that was broken off goes."""
        for path in (b"../x", b"/x", b"a/../../x", b""):
            self.assertRaises(Invalid, self.arriving.put, [("file", path, 0o600, 0, b"x")])
        self.assertRaises(Invalid, self.arriving.put, [("link", b"x", 0o600, 0, b"../../x")])
        self.arriving.put([("file", b"x", 0o600, 0, b"x")])
        self.arriving.begin()
        self.arriving.finish(1)
        self.assertEqual(self.tree(self.there / "elm"), {})
