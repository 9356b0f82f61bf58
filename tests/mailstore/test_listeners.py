"""Those who are called when something happens."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.listeners import Listeners


class ListenersTests(SynchronousTestCase):
    """C{Listeners}."""

    def setUp(self) -> None:
        self.listeners: Listeners[[str]] = Listeners("the test")
        self.heard: list[str] = []

    def test_all_in_order(self) -> None:
        """All are called, in the order they came, and none after it was removed."""
        first, second = (lambda what: self.heard.append(f"1 {what}")), (lambda what: self.heard.append(f"2 {what}"))
        self.assertFalse(self.listeners.watched)
        for one in (first, second):
            self.listeners.listen(one)
        self.assertTrue(self.listeners.watched)
        self.listeners.tell("a")
        self.listeners.unlisten(first)
        self.listeners.unlisten(first)
        self.listeners.tell("b")
        self.assertEqual(self.heard, ["1 a", "2 a", "2 b"])

    def test_one_fails(self) -> None:
        """One that fails does not keep it from the others, and is said in the log."""
        def broken(what: str) -> None:
            raise ValueError(what)

        self.listeners.listen(broken)
        self.listeners.listen(self.heard.append)
        self.listeners.tell("a")
        self.assertEqual(self.heard, ["a"])
        self.assertEqual([str(error.value) for error in self.flushLoggedErrors(ValueError)], ["a"])

    def test_removed_meanwhile(self) -> None:
        """One that removes itself while it is called takes nobody else's turn."""
        def once(what: str) -> None:
            self.listeners.unlisten(once)
            self.heard.append("once")

        self.listeners.listen(once)
        self.listeners.listen(self.heard.append)
        for what in "ab":
            self.listeners.tell(what)
        self.assertEqual(self.heard, ["once", "a", "b"])
