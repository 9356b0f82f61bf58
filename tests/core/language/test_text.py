"""Text from outside."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.text import clean, say


class TextTests(SynchronousTestCase):
    """What is read, and what is said again."""

    def test_clean(self) -> None:
        """Control and direction characters go, line ends are LF."""
        self.assertEqual(clean("a\r\nb\x07\u202ec\rd"), "a\nbc\nd")

    def test_say(self) -> None:
        """One line without signs of templates, cut between words."""
        self.assertEqual(say("the {big}\n<b>plan</b>"), "the big b plan /b")
        self.assertEqual(say("one two three four", 12), "one two…")
