"""Flags are changed: at once for all who look, a little later in the names of files."""

from __future__ import annotations

from simmail.errors import Invalid
from simmail.mailstore.maildir.flags import MOST_KEYWORDS
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.folders import FolderCase


class FlagTests(FolderCase):
    """Where nobody else serves the mail."""

    def test_modes(self) -> None:
        """Flags are added, removed and set; only what changed is answered and told."""
        self.fill(2, "\\Seen")
        self.kinds()
        for mode, flags, changed, expected in (
                ("+", ["\\seen", "Key"], [1, 2], {"\\Seen", "Key"}), ("+", ["KEY"], [], {"\\Seen", "Key"}),
                ("-", ["\\Seen", "Never"], [1, 2], {"Key"}), ("=", ["\\Draft"], [1, 2], {"\\Draft"})):
            self.assertEqual(result_of(self.folder.flag([1, 2, 5], flags, mode)), (changed, []))
            self.assertEqual([one.flags for one in self.folder.entries([1, 2])], [expected] * 2)
            self.assertEqual(self.kinds(), [("flags", (1, 2))] if changed else [])
        self.assertRaises(Invalid, result_of, self.folder.flag([1], ["\\Seen"], "?"))

    def test_unchanged_since(self) -> None:
        """What has changed since is left as it is, and answered as such (RFC 7162)."""
        self.fill(3)
        before = self.folder.highestmodseq
        result_of(self.folder.flag([2], ["\\Seen"], "+"))
        self.assertEqual(result_of(self.folder.flag([1, 2, 3], ["\\Flagged"], "+", before)), ([1, 3], [2]))
        self.assertEqual(self.folder.entry(2).flags, {"\\Seen"})

    def test_in_names_later(self) -> None:
        """Files get their flags in their names before long, or when the store is closed."""
        self.fill(2)
        result_of(self.folder.flag([1], ["\\Seen"], "+"))
        self.assertEqual([name.rpartition(",")[2] for name in self.files() if ":2," in name], [])
        self.provider.clock.advance(2)
        self.assertTrue(self.files()[0].endswith(":2,S"))
        result_of(self.folder.flag([2], ["\\Flagged"], "+"))
        self.provider.stop()
        self.assertTrue(self.files()[1].endswith(":2,F"))
        self.provider.start()

    def test_crash(self) -> None:
        """What was answered is so in the next process, whatever the names of files say."""
        self.fill(2)
        result_of(self.folder.flag([1, 2], ["\\Seen", "Key"], "+"))
        modseq = self.folder.highestmodseq
        self.store = self.provider.crash()
        folder = self.loaded("INBOX")
        self.assertEqual([one.flags for one in folder.entries([1, 2])], [{"\\Seen", "Key"}] * 2)
        self.assertGreaterEqual(folder.highestmodseq, modseq)

    def test_recent(self) -> None:
        """Messages are recent to who opens the folder first."""
        self.fill(3)
        self.assertEqual(result_of(self.folder.take_recent()), [1, 2, 3])
        self.assertEqual(result_of(self.folder.take_recent()), [])
        self.assertEqual(self.folder.counts(), (3, 3, 0))
        result_of(self.folder.append(a_mail("x"), [], AT))
        self.store = self.provider.restart()
        self.assertEqual(result_of(self.loaded("INBOX").take_recent()), [4])

    def test_keywords(self) -> None:
        """A folder has room for so many keywords; one that no message has makes room for another."""
        self.fill(1)
        names = [f"Key{number}" for number in range(MOST_KEYWORDS)]
        result_of(self.folder.flag([1], names, "+"))
        self.assertRaises(Invalid, result_of, self.folder.flag([1], ["Another"], "+"))
        result_of(self.folder.flag([1], ["Key3"], "-"))
        result_of(self.folder.flag([1], ["Another"], "+"))
        self.assertEqual(self.folder.entry(1).flags, {*names, "Another"} - {"Key3"})


class SharedTests(FolderCase):
    """Where other processes serve the same mail, names of files have all flags at once."""

    shared = True

    def test_in_names_at_once(self) -> None:
        """Set, and no more recent."""
        self.fill(2)
        result_of(self.folder.flag([1], ["\\Seen"], "+"))
        self.assertTrue(self.files()[0].endswith(":2,S"))
        self.assertEqual(result_of(self.folder.take_recent()), [2])
        self.assertTrue(self.files()[1].endswith(":2,"))
