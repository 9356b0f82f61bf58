"""What is asked to be done."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.core.writer.answers.test_yes_no import acts


class RequestTests(SynchronousTestCase):
    """Requests of one deed, of two, and of a thing."""

    def test_deeds(self) -> None:
        """What is asked for is said again, two deeds as well."""
        for text, task in (
            ("Could you clear the cupboard beforehand?", "clear the cupboard beforehand"),
            ("Please thank Jamal for coming out to measure twice.", "thank Jamal for coming out to measure twice"),
        ):
            (found,) = acts(f"Hi Maria,\n\n{text}\n\nDana")
            self.assertIn(found.partition(" ")[2], (task, ""))
            self.assertIn(found.partition(" ")[0], ("answer.will", "answer.wont"))

    def test_items(self) -> None:
        """Of what a list wants, numbers are given, and the rest is promised."""
        found = acts("Hi Maria,\n\nfor the plan I still need from you by Monday:\n- how many sockets\n"
                     "- the name as it should stand on the fascia\n\nDana")
        self.assertEqual([one.partition(" ")[0] for one in found], ["answer.number", "answer.item"])

    def test_either(self) -> None:
        """Of two deeds one is done; what is told behind a deed is none of it."""
        for text, task in (
            ("Please explain or amend.", "amend it"),
            ("Could you fetch them on Tuesday and my van's clutch has gone?", "fetch them on Tuesday"),
        ):
            found, _ = acts(f"Hi Maria,\n\n{text} Who was present?\n\nDana")
            self.assertIn(found, (f"answer.will {task}", "answer.wont"))
