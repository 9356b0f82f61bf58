"""
Every dialog file of SMTP, played.
"""

from __future__ import annotations

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.smtp import replies
from simmail.testing.dialog import Dialog
from tests.smtp.door import Door

FOLDER = Path(__file__).parent.parent / "dialogs" / "smtp"


class DialogTests(SynchronousTestCase):
    """One test for each file."""

    def test_every_reply_is_shown(self) -> None:
        """Each reply that the server can give without a defect of its own is in some dialog."""
        shown = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))
        missing = []
        for name, value in vars(replies).items():
            for one in value.values() if name == "BAD" else (value,):
                if name.isupper() and isinstance(one, bytes):
                    line = one.decode("ascii").removesuffix("\r\n").split("\r\n")[0]
                    if f": {line}" not in shown:
                        missing.append(name)
        self.assertEqual(missing, [])


def _add(path: Path) -> None:
    def test(self: DialogTests) -> None:
        door = Door()
        Dialog(door.connect, door.actions()).play(path.read_text(encoding="utf-8"), path.name)
        self.assertEqual(self.flushLoggedErrors(), [])

    test.__doc__ = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    setattr(DialogTests, "test_" + path.stem.replace("-", "_"), test)


for _path in sorted(FOLDER.glob("*.txt")):
    _add(_path)
