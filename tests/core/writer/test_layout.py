"""How a mail is laid out: length, formality, slips, signature, habits."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import Style
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, wrote

QUESTION = mail("Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana", "Order 77120")
CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")


class StyleTests(SynchronousTestCase):
    """Length, formality, slips, signature, client."""

    def test_length(self) -> None:
        """Long writers write more than short ones."""
        for temperament in TEMPERAMENTS:
            sizes = [sum(len(wrote(QUESTION, temperament=temperament, seed=str(n), style=Style(length=length)).text)
                         for n in range(12)) for length in ("short", "medium", "long")]
            self.assertLess(sizes[0], sizes[2], temperament)

    def test_formality(self) -> None:
        """Formal writers greet by the whole name and use no contractions; casual ones do neither."""
        formal = wrote(CONTRACT, style=Style(formality="formal"), temperament="skeptical").text
        self.assertTrue(formal.startswith("Dear Dana Novak,"))
        self.assertNotRegex(formal, r"\b\w+('ll|n't|'ve|'m|'re)\b")
        casual = wrote(CONTRACT, style=Style(formality="casual"), temperament="skeptical").text
        self.assertTrue(casual.startswith("Hi Dana"))

    def test_slips(self) -> None:
        """Slips change words, never the references, names and amounts of the mail, and not the signature."""
        reminder = mail(
            "Hi Maria, invoice INV-2041 over EUR 1,240.00 is overdue.\n\nBest,\nDana Novak", "Payment reminder")
        plain = wrote(reminder, temperament="procedural", style=Style(typos=0.0))
        typed = wrote(reminder, temperament="procedural", style=Style(typos=0.6))
        self.assertNotEqual(plain.text, typed.text)
        for kept in ("INV-2041", "EUR 1,240.00", "Dear Dana Novak", "Maria Lindqvist", "Head of Purchasing"):
            self.assertEqual(plain.text.count(kept), typed.text.count(kept), kept)
        self.assertEqual(len(plain.text.split()), len(typed.text.split()))

    def test_signature(self) -> None:
        """The given signature stands below the delimiter; an empty one means none; the default is name, role, firm."""
        given_ = wrote(QUESTION, style=Style(signature="M. L.\n040 123", client="gmail")).text
        self.assertTrue(given_.endswith("\n\n-- \nM. L.\n040 123\n"), given_)
        self.assertNotIn("-- ", wrote(QUESTION, style=Style(signature="")).text)
        self.assertNotIn("--", wrote(QUESTION, style=Style(signature="-- \n")).text)
        for client in ("gmail", "plain", "outlook"):
            text = wrote(QUESTION, style=Style(signature="-- \nM. L.\n040 123", client=client)).text
            self.assertEqual((text.count("--"), text.count("-- \nM. L.\n040 123")), (1, 1), client)
        self.assertTrue(wrote(QUESTION).text.endswith("-- \nMaria Lindqvist\nHead of Purchasing\nNorrland Print\n"))

    def test_role(self) -> None:
        """A role that is no job title stands in no signature."""
        for role, shown in (("Head of Purchasing", True), ("the angry customer", False), ("tenant", False)):
            text = wrote(QUESTION, persona=maria(role=role)).text
            self.assertEqual(role in text.partition("-- ")[2], shown, role)

    def test_clients(self) -> None:
        """Phones say what they are, in the mail's language; Outlook puts no delimiter and says RE."""
        self.assertTrue(wrote(QUESTION, style=Style(client="iphone")).text.endswith("\n\nSent from my iPhone\n"))
        german = mail("Welche Adresse ist die richtige, und wann können wir liefern?")
        self.assertTrue(wrote(german, style=Style(client="iphone")).text.endswith("Von meinem iPhone gesendet\n"))
        outlook = wrote(german, style=Style(client="outlook"))
        self.assertNotIn("-- ", outlook.text)
        self.assertEqual(outlook.subject, "AW: Hello")

    def test_habits(self) -> None:
        """A person keeps to one greeting and one closing."""
        self.assertEqual(len({wrote(QUESTION, seed=str(n)).text.split("\n")[0] for n in range(20)}), 1)
