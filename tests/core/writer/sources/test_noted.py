"""What notes say to a question, and which of two things they speak for."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.sources.noted import liked, noted
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, wrote

EN = language("en")
CLOSED = "The shop is closed from 24 December to 6 January"
PARCELS = "Last parcels before Christmas leave on 19 December"
#: What arrived broken, and what is said about it whoever answers.
BROKEN = {
    "two of the ten frames in order 50881 arrived broken. What do you propose?": r"(?i)photo|new ones|repla",
    "bei der Bestellung 50881 waren drei Tassen zerbrochen. Was schlagen Sie vor?": r"(?i)ersatz|ersetz|foto|packe",
    "deux cadres de la commande 50881 sont arrivés cassés. Que proposez-vous ?": r"(?i)rempl|photo|frais|embal",
    "el pedido 50881 llegó con tres tazas rotas. ¿Qué proponen?": r"(?i)repo|foto|embalo",
}


class NotedTests(SynchronousTestCase):
    """Sentences that are no facts with a name."""

    def test_named(self) -> None:
        """Who a note names says it of itself, and of what is its own; of others it is told as it stands."""
        for code, name, note, asked, told in (
            ("en", "Nell Garrity", "Nell and Declan do not drive at night", "Will you drive home at night?",
             "Declan and I do not drive at night."),
            ("en", "Nell Garrity", "Nell's dog bites", "Does your dog bite?", "My dog bites."),
            ("en", "Nell Garrity", "Nell works late on Mondays", "Do you work late on Mondays?",
             "I work late on Mondays."),
            ("en", "Nell Garrity", "Maeve stopped swimming", "Does Maeve still go swimming?",
             "Maeve stopped swimming."),
            ("es", "Nuria Casals", "El perro de Nuria persigue a los gatos", "¿Tu perro persigue a los gatos?",
             "Mi perro persigue a los gatos."),
            ("fr", "Élodie Roy", "La voiture d'Élodie est en panne", "Ta voiture est en panne ?",
             "Ma voiture est en panne."),
        ):
            question = read_question(asked, language(code))
            self.assertEqual(noted(question, (note,), NOW, language(code), name=name.split()[0]), told)

    def test_told(self) -> None:
        """A note is told where it has what is asked, and of the type that is asked for."""
        for text, told in (
            ("When are you closed?", f"{CLOSED}."), ("When are the last parcels?", f"{PARCELS}."),
            ("Until when can I order before Christmas, and when are you closed?", f"{CLOSED}. {PARCELS}."),
            ("When is your birthday?", ""), ("How many parcels?", f"{PARCELS}."),
        ):
            self.assertEqual(noted(read_question(text, EN), (CLOSED, PARCELS, "2026-03-02: they wrote about closed"),
                                   NOW, EN), told, text)

    def test_own_words(self) -> None:
        """Whom a note is about tells it in the first person."""
        self.assertEqual(noted(read_question("Where is the bicycle?", EN), ("Has a bicycle in the cellar",), NOW, EN),
                         "I have a bicycle in the cellar.")

    def test_whether(self) -> None:
        """A note is told to who asks whether or which, and what a question points to stands before it."""
        notes = ("Mila does not eat meat", "Nail clipping costs £14", "Both laptops are still in use")
        for text, lead, told in (
            ("Does she eat meat?", "", notes[0]), ("How much is that?", "You do nail clipping", notes[1]),
            ("Have the laptops been sold or are they in use?", "", notes[2]), ("Is that right?", "We come late", ""),
        ):
            said = noted(replace(read_question(text, EN), lead=lead), notes, NOW, EN)
            self.assertEqual(said, f"{told}." if told else "", text)

    def test_liked(self) -> None:
        """A thing that is spoken for is taken, one that is spoken against is not."""
        self.assertEqual(liked(("tea", "coffee"), ("Prefers coffee",), EN), "coffee")
        self.assertEqual(liked(("the grey jacket", "the black jacket"), ("Wants black, never grey",), EN),
                         "the black jacket")
        self.assertEqual(liked(("tea", "coffee"), ("Has a bicycle",), EN), "")

    def test_answered(self) -> None:
        """Everybody answers from the notes."""
        for temperament in TEMPERAMENTS:
            text = wrote(mail("Hello,\n\nwhen are you closed?\n\nEmma", "Christmas"), temperament=temperament,
                         notes=(CLOSED,)).text
            self.assertIn("24 December", text)

    def test_proposed(self) -> None:
        """A firm that is told of broken goods proposes something, in every language; nothing is sent later."""
        for text, pattern in BROKEN.items():
            for temperament in TEMPERAMENTS:
                said = wrote(mail(f"{text}\n\nService", "50881"), temperament=temperament, persona=maria(
                    temperament, role="Owner"))
                self.assertRegex(said.text, pattern)
                self.assertIsNone(said.promise)
