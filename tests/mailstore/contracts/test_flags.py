"""What every mail store promises of flags."""

from __future__ import annotations

from simmail.errors import Invalid
from tests.contracts.mailstores import result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, on_both


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


globals().update(on_both(__name__, FlagContract))
