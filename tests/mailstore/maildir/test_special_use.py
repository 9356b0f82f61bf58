"""Special uses of folders (RFC 6154)."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.core.records.folder import FolderStatus
from simmail.errors import Invalid
from simmail.mailstore.maildir.names import STANDARD, check_special_use, renamed_use, special_order, use_of


def status(name: str, special_use: str) -> FolderStatus:
    """The status of an empty folder."""
    return FolderStatus(name, total=0, unseen=0, recent=0, size=0, uidnext=1, uidvalidity=1, highestmodseq=1,
                        objectid="x", special_use=special_use)


class SpecialUseTests(SynchronousTestCase):
    """Which there are."""

    def test_known(self) -> None:
        """Those of the standard folders may be asked for, and none."""
        for name, use in SPECIAL_FOLDERS:
            self.assertEqual((check_special_use(use), use_of(name), name in STANDARD), (use, use, True))
        self.assertEqual((use_of("Projects"), "Projects" in STANDARD, "sent" in STANDARD), ("", False, False))

    def test_refused(self) -> None:
        """Any other is refused, with the field named."""
        for use in ("\\All", "\\sent", "Sent", "\\Flagged"):
            self.assertEqual(self.assertRaises(Invalid, check_special_use, use).field, "special_use")

    def test_renamed(self) -> None:
        """The use of a standard folder stays with the name; a use that was asked for goes along."""
        self.assertEqual(renamed_use("Sent", "Old", "\\Sent"), "")
        self.assertEqual(renamed_use("Old", "Sent", ""), "\\Sent")
        self.assertEqual(renamed_use("Mine", "Yours", "\\Archive"), "\\Archive")

    def test_order(self) -> None:
        """INBOX, then special folders in their order, then names."""
        folders = [status("b", ""), status("Junk", "\\Junk"), status("INBOX", ""), status("a", ""),
                   status("Sent", "\\Sent")]
        self.assertEqual([one.name for one in sorted(folders, key=special_order)], ["INBOX", "Sent", "Junk", "a", "b"])
