"""What figures come to that were changed by so much."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.recall.reckoned import reckoned
from tests.core.writer.sources.threads import FRAME, remarks


def thread(*texts: str) -> tuple[Remark, ...]:
    """What some mails of a thread say."""
    return tuple(remarks("en", tuple(f"{FRAME['en'][0]}\n\n{one}\n\nTom" for one in texts)))


class ReckonedTests(SynchronousTestCase):
    """L{reckoned}"""

    def of(self, *texts: str) -> str:
        """What all that was changed in a thread comes to."""
        said = thread(*texts)
        return reckoned([one for one in said if one.kind == "said"], said, language("en"))

    def test_changed(self) -> None:
        """Sums, measures and numbers, as they stood there."""
        for texts, total in (
            (("The price is £7,400 for all of it.", "I can knock £600 off if you clear the loft."), "£6,800"),
            (("I want the shelf 320 cm long, please.", "There is room for 20 cm more."), "340 cm"),
            (("We need 12 stools on Friday.", "Bring two more stools.", "And another three stools."), "17 stools"),
            (("We are ten people for lunch.", "There will be two fewer people."), "8 people"),
        ):
            self.assertEqual(self.of(*texts), total, texts)

    def test_not_changed(self) -> None:
        """Nothing comes of what was never named, was said anew later, or is named twice."""
        for texts in (
            ("We need chairs on Friday.", "Please bring two more stools."),
            ("We need 12 stools on Friday.", "Two more stools, please.", "So 20 stools it is in the end."),
            ("We need 12 stools in the hall and 4 stools outside.", "Please bring two more stools."),
            ("We need 12 stools on Friday.",),
        ):
            self.assertEqual(self.of(*texts), "", texts)
