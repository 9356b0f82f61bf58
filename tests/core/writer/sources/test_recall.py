"""What was said before."""

from __future__ import annotations

from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import read_facts
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark, RemarkKind
from simmail.core.writer.sources.recall import check, is_gone, recall
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, wrote

EN = language("en")


def remark(kind: RemarkKind, what: str, value: str, **fields: str) -> Remark:
    """Something that was said two days ago."""
    return Remark(kind=kind, by="correspondent", what=what, value=value, at=NOW - timedelta(days=2), **fields)


VISIT = remark("agreed", "site visit", "Thursday at 14:00")
PRICE = remark("stated", "price of the brochures", "EUR 480.00")
ORDER = remark("stated", "order number", "77120")
THREAD = (remark("proposed", "site visit", "Tuesday at 9:00"), VISIT, PRICE, ORDER)


class RecallTests(SynchronousTestCase):
    """Remarks and questions."""

    def test_recall(self) -> None:
        """The remark of the type that is asked for; what was agreed counts more than what was proposed."""
        for question, found in (
            ("Which day did we say for the site visit?", VISIT), ("What was the price of the brochures again?", PRICE),
            ("What is the order number?", ORDER), ("Who paints the fence?", None), ("How much did we agree on?", PRICE),
        ):
            self.assertEqual(recall(read_question(question, EN), THREAD, EN), found, question)

    def test_check(self) -> None:
        """A statement is so or not, by the facts first and by the thread."""
        facts = read_facts({"price": "EUR 500.00"}, ())
        for question, so in (
            ("You agreed to Wednesday, right?", False), ("You agreed to Thursday, right?", True),
            ("The price was EUR 480, wasn't it?", False), ("It rains, right?", None),
        ):
            found = check(read_question(question, EN), NOW, THREAD, facts, EN)
            self.assertEqual(found.agrees if found else None, so, question)

    def test_gone(self) -> None:
        """What was called off is on no more, whoever takes it so."""
        for code, said, asked, gone in (
            ("en", ("The fireworks start at eight.", "The fireworks are off, by the way."),
             "The fireworks are still on, aren't they?", True),
            ("en", ("The fireworks are off.", "The fireworks are at nine after all."), "Are the fireworks still on?",
             False),
            ("en", ("And can we skip the Friday?",), "And we're still going up on the Friday, yes?", True),
            ("en", ("The fireworks are off.",), "Is the band still coming?", False),
            ("de", ("Das Feuerwerk fällt aus.",), "Das Feuerwerk gibt es noch, oder?", True),
            ("fr", ("Le concert est annulé.",), "Le concert a toujours lieu, non ?", True),
            ("es", ("El concierto se cancela.",), "¿El concierto sigue en pie?", True),
        ):
            remarks = [remark("said", "", one) for one in said]
            self.assertIs(is_gone(asked, remarks, language(code)), gone, asked)

    def test_counted(self) -> None:
        """A right day makes no wrong number right."""
        facts = read_facts({"stools": "18 in oak", "delivery date": "9 October"}, ())
        for number, so in ((30, False), (18, True)):
            found = check(read_question(f"You ordered {number} stools in oak for 9 October, correct?", EN), NOW, (),
                          facts, EN)
            self.assertEqual(found and found.agrees, so)

    def test_told(self) -> None:
        """Everybody tells the day that was agreed, denies another one, and promises no new one."""
        asked = mail("Hi Maria,\n\nwhich day did we say for the site visit?\n\nDana", "Re: Site visit")
        wrong = mail("Hi Maria,\n\nyou agreed to Wednesday, right?\n\nDana", "Re: Site visit")
        for temperament in TEMPERAMENTS:
            for seed in range(4):
                for one in (asked, wrong):
                    written = wrote(one, temperament=temperament, seed=str(seed), remarks=THREAD)
                    self.assertIn("Thursday at 14:00", written.text)
                    self.assertIsNone(written.promise)
                self.assertNotIn("Wednesday", written.text)

    def test_in_german(self) -> None:
        """So it is in German."""
        visit = remark("agreed", "Besichtigung", "Donnerstag um 14:00 Uhr", language="de")
        for text in ("Hallo Maria,\n\nan welchem Tag wollten wir uns nochmal treffen?\n\nGruß\nJonas",
                     "Hallo Maria,\n\ndu hattest doch Mittwoch zugesagt, oder?\n\nGruß\nJonas"):
            for temperament in TEMPERAMENTS:
                self.assertIn("Donnerstag um 14:00 Uhr", wrote(
                    mail(text, "AW: Besichtigung"), temperament=temperament, remarks=(visit,)).text)

    def test_in_the_subject(self) -> None:
        """A number that stands in the subject is told, a thread or none."""
        asked = mail("Hi Maria,\n\nwhat is the order number again?\n\nDana", "Order 77120 - delivery")
        for temperament in TEMPERAMENTS:
            self.assertIn("77120", wrote(asked, temperament=temperament).text)
