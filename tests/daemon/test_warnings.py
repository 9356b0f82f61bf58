"""What the readiness probe tells of damage."""

from __future__ import annotations

from twisted.logger import LogPublisher
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.warnings import LONGEST, MOST_KEPT, MOST_TOLD, Troubles
from simmail.mailstore.damage import Damage, MOST_SAID


class TroublesTests(SynchronousTestCase):
    """Lines of the log become lines of C{/readyz}."""

    def setUp(self) -> None:
        self.troubles = Troubles()
        self.lines: list[str] = []
        self.damage = Damage("main")
        publisher = LogPublisher(self.troubles, lambda event: self.lines.append(event["where"]))
        self.patch(Damage, "log", type(Damage.log)(observer=publisher))

    def test_once(self) -> None:
        """What is damaged is said once, told until it is well, and names no address."""
        for _ in range(3):
            self.damage.found("maria@acme.test", "a mailbox is odd")
            self.damage.found("tom@acme.test", "a mailbox is odd")
        self.damage.found("tom@acme.test", "it is odd in another way")
        self.assertEqual(self.lines, ["maria@acme.test", "tom@acme.test"])
        self.assertEqual(self.troubles.describe(), ["main: a mailbox is odd (2 times)"])
        self.damage.well("tom@acme.test")
        self.damage.well("tom@acme.test")
        self.assertEqual(self.troubles.describe(), ["main: a mailbox is odd"])
        self.damage.well("maria@acme.test")
        self.assertEqual((self.troubles.describe(), len(self.lines)), ([], 4))

    def test_mended(self) -> None:
        """What was damaged and is mended is said each time, and told of until the end."""
        for _ in range(2):
            self.damage.mended("maria@acme.test", "it was odd")
        self.damage.mended("maria@acme.test", "it was odder")
        self.assertEqual((len(self.lines), self.damage.said), (3, {}))
        self.assertEqual(self.troubles.describe(), ["main: it was odd", "main: it was odder"])

    def test_bounded(self) -> None:
        """However much is damaged, little is told and kept."""
        for number in range(3 * MOST_SAID):
            self.damage.found(str(number), f"trouble {number:05d} " + "x" * 1000)
        told = self.troubles.describe()
        self.assertEqual((len(told), max(map(len, told))), (MOST_TOLD, LONGEST))
        self.assertEqual(told[-1], f"and {MOST_KEPT - MOST_TOLD + 1} more; see the log")
        self.assertEqual(len(self.damage.said), MOST_SAID)

    def test_others(self) -> None:
        """Other lines of the log are no trouble."""
        self.troubles({"log_format": "hello"})
        self.assertEqual(self.troubles.describe(), [])
