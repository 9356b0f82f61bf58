"""Every dialog file, played."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import DIALOGS, House


class DialogTests(SynchronousTestCase):
    """One file for each command and each extension."""


def _test(name: str):  # type: ignore[no-untyped-def]
    def test(self: DialogTests) -> None:
        House().play(name)
        self.assertEqual(self.flushLoggedErrors(), [])

    test.__doc__ = f"The dialog of {name}."
    return test


for _path in sorted(DIALOGS.glob("*.txt")):
    setattr(DialogTests, f"test_{_path.stem.replace('-', '_')}", _test(_path.name))
