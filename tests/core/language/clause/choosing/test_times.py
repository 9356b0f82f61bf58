"""Days and hours to choose from."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.choosing.times import either_time, timed_lines
from simmail.core.language.reader import read_mail
from simmail.core.language.tables import language
from tests.core.writer.samples import NOW, mail

EN = language("en")


class TimeTests(SynchronousTestCase):
    """Times in a sentence and on lines."""

    def test_either(self) -> None:
        """Those on both sides of an "or", whole."""
        for sentence, found in (
            ("He can come tomorrow between 8 and 10 or Friday between 1 and 3.",
             ("tomorrow between 8 and 10", "Friday between 1 and 3")),
            ("I have 15 minutes on Monday at 10 or Tuesday at 2.", ("Monday at 10", "Tuesday at 2")),
            ("It comes in oak or ash.", ()),
        ):
            self.assertEqual(either_time(sentence, EN), found)

    def test_lines(self) -> None:
        """Those that stand on lines of their own above what asks for one."""
        body = "We have:\n\nMon 21 September, AM\nWed 23 September, PM\n\nPlease reply with your preferred slot."
        self.assertEqual(timed_lines("Please reply with your preferred slot.", body, EN),
                         ("Mon 21 September, AM", "Wed 23 September, PM"))

    def test_asked(self) -> None:
        """A question which of them has them to choose from."""
        text = "He can come tomorrow between 8 and 10 or Friday between 1 and 3. Which suits?"
        found = read_mail(mail(text), NOW, EN)
        self.assertEqual([one.options for one in found.points], [
            ("tomorrow between 8 and 10", "Friday between 1 and 3")])
