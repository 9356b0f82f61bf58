"""UID files."""

from __future__ import annotations

import os
import threading

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.maildir.uidlist import UidListDamaged, FILE, UidList, next_uidvalidity, write_new


class UidsTests(SynchronousTestCase):
    """One file."""

    def setUp(self) -> None:
        path = self.mktemp()
        os.makedirs(f"{path}/box")
        self.root = os.open(path, os.O_RDONLY)
        self.addCleanup(os.close, self.root)
        self.path = f"{path}/box/{FILE}"
        write_new(self.root, f"box/{FILE}", 77, "4d", "\\Sent", uidnext=5)

    def opened(self) -> UidList:
        uids = UidList.open(self.root, "box")
        self.addCleanup(uids.close)
        return uids

    def test_new(self) -> None:
        """A new file says what it was given."""
        uids = self.opened()
        self.assertEqual((uids.uidvalidity, uids.uidnext, uids.highestmodseq, uids.objectid, uids.special_use,
                          uids.keywords), (77, 5, 1, "4d", "\\Sent", ()))

    def test_take(self) -> None:
        """UIDs and MODSEQs are used up at once for everybody."""
        one, two = self.opened(), self.opened()
        with one.locked():
            self.assertEqual(one.take(3, 3), (5, 2))
        with two.locked() as changed:
            self.assertTrue(changed)
            self.assertEqual(two.take(1, 1, expunge=True), (8, 5))
        with one.locked():
            self.assertEqual((one.uidnext, one.highestmodseq, one.expunged), (9, 5, 5))
        with one.locked() as changed:
            self.assertFalse(changed)
            one.raise_to(100)
            one.raise_to(50)
        self.assertEqual(self.opened().uidnext, 100)

    def test_keywords(self) -> None:
        """Keywords get places that stay; others see them; unused ones give way when there is no room."""
        one, two = self.opened(), self.opened()
        with one.locked():
            self.assertTrue(one.define(["a", "B", "A"][:2]))
            self.assertTrue(one.define(["b", "c"]))
        with two.locked():
            self.assertEqual(two.keywords, ("a", "B", "c"))
            self.assertEqual(two.special_use, "\\Sent")
            self.assertTrue(two.define([f"k{number}" for number in range(23)]))
            self.assertFalse(two.define(["more"]))
            self.assertFalse(two.define(["more"], used=(1 << 26) - 1))
            self.assertTrue(two.define(["more", "a"], used=(1 << 26) - 1 - 0b101))
        with one.locked():
            self.assertEqual(one.keywords[:4], ("a", "B", "more", "k0"))

    def test_rewritten_shorter(self) -> None:
        """A shorter table leaves nothing of the longer one."""
        one = self.opened()
        with one.locked():
            one.define(["long" * 10])
            one.keywords = ("s",)
            one.change("", 78)
        again = self.opened()
        self.assertEqual((again.uidvalidity, again.special_use, again.keywords), (78, "", ("s",)))

    def test_damaged(self) -> None:
        """Rubbish is not taken for anything."""
        for octets in (b"", b"x", b"simmail-uids 2" + b" " * 200, os.urandom(300)):
            with open(self.path, "wb") as file:
                file.write(octets)
            self.assertRaises(UidListDamaged, UidList.open, self.root, "box")

    def test_threads(self) -> None:
        """However many take UIDs at once, each is given once."""
        taken: list[int] = []

        def take() -> None:
            uids = UidList.open(self.root, "box")
            for _ in range(200):
                with uids.locked():
                    taken.append(uids.take(1, 1)[0])
            uids.close()
        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(taken, list(range(5, 805)))


class CounterTests(SynchronousTestCase):
    """The counter of UIDVALIDITYs."""

    def test_grows(self) -> None:
        """Each is greater than all before, at least the floor, also when the counter was lost or damaged."""
        path = self.mktemp()
        values = [next_uidvalidity(path, floor) for floor in (0, 0, 1000, 5, 1001, 0)]
        self.assertEqual(values, [1, 2, 1000, 1001, 1002, 1003])
        with open(path, "wb") as file:
            file.write(b"rubbish")
        self.assertEqual(next_uidvalidity(path, 2000), 2000)
        self.assertEqual(next_uidvalidity(path, 0), 2001)
