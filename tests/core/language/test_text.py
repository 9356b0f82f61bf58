"""Text from outside."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.text import calm, clean, say


class TextTests(SynchronousTestCase):
    """What is read, and what is said again."""

    def test_clean(self) -> None:
        """Control and direction characters go, line ends are LF."""
        self.assertEqual(clean("a\r\nb\x07\u202ec\rd"), "a\nbc\nd")

    def test_say(self) -> None:
        """One line without signs of templates, cut between words."""
        self.assertEqual(say("the {big}\n<b>plan</b>"), "the big b plan /b")
        self.assertEqual(say("one two three four", 12), "one two…")

    def test_calm(self) -> None:
        """Many words in capitals are written small, names in capitals are not."""
        self.assertEqual(calm("DO YOU WANT THE WET ONE BACK OR SHALL I BIN IT?"),
                         "Do you want the wet one back or shall I bin it?")
        self.assertEqual(calm("The BBC and DN 88213 are fine."), "The BBC and DN 88213 are fine.")
