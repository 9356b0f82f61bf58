"""What a request wants, said again by who was asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.restate import asks_ability, deed, found_out, of_another
from simmail.core.language.clause.tables import LONGEST, restating
from simmail.core.language.tables import Language, language

EN, DE = language("en"), language("de")


class EnglishTests(SynchronousTestCase):
    """Sentences whose questions put the verb first."""

    def test_ability(self) -> None:
        """How somebody is wants nothing done."""
        self.assertTrue(asks_ability("Can you drive yet?", EN))
        self.assertFalse(asks_ability("Can you send it again?", EN))
        self.assertEqual(deed("Can you walk properly again?", EN), ("", ""))
        self.assertEqual(deed("Would you hire him again?", EN), ("", ""))
        self.assertEqual(deed("Would it be possible for you to check the text by Tuesday?", EN)[0],
                         "check the text by Tuesday")
        self.assertEqual(deed("Could you tell me when it goes?", EN)[0], "")
        self.assertEqual(deed("Could anybody else give the 10 am talk?", EN)[0], "give the 10 am talk")
        self.assertEqual(deed("Could you send the list again?", EN)[0], "send the list again")
        self.assertEqual(deed("Could you Invoice it to the office?", EN)[0], "invoice it to the office")

    def test_things(self) -> None:
        """Several things are done together, whatever stands behind them; two clauses are not."""
        for text, done in (
            ("Mate, can you put by 6 lengths of copper, a bag of elbows and 2 tubs of flux, I'll be in at 7.",
             "put by 6 lengths of copper, a bag of elbows and 2 tubs of flux"),
            ("Please bring the ladder, the drill and your boots.", "bring the ladder, the drill and my boots"),
            ("Could you send us samples of three or four kinds?", "send you samples of three or four kinds"),
            ("Could you bring the right ones before then?", "bring the right ones before then"),
            ("Please send me the plan, check the figures and ring Tom.", "send you the plan"),
        ):
            self.assertEqual(deed(text, EN)[0], done)

    def test_deed(self) -> None:
        """What is to be done, behind "I'll"; what only asks to be told is no deed."""
        for request, said in (
            ("Could you help us carry boxes on Saturday morning?", "help you carry boxes on Saturday morning"),
            ("Would you kindly came to the farm last year?", ""), ("Could you send me the file you mentioned?", ""),
            ("And put them in a spreadsheet, please.", "put them in a spreadsheet"),
            ("Please sign the NDA and send it back to me.", ""),
            ("Could you water my plants while I'm away?", ""),
            ("Can you ring the surgery when you get a minute?", "ring the surgery"),
            ("Could you have a look at section 3 in particular, if possible?", "have a look at section 3"),
            ("Please let me know what you think.", ""), ("It rains in the north.", ""),
            ("Please visit https://x.test/ at once.", ""),
        ):
            self.assertEqual(deed(request, EN)[0], said)


class LedInTests(SynchronousTestCase):
    """Requests that are led in at length."""

    def test_german(self) -> None:
        """An infinitive with "zu" and a clause behind "dass" are what is asked for; an excuse is nothing to do."""
        self.assertEqual(deed("Wären Sie so nett, sie bis Freitag zurückzuschneiden?", DE)[0],
                         "schneide sie bis Freitag zurück")
        self.assertEqual(deed("Ich möchte, dass Sie das in Ordnung bringen.", DE)[0], "bringe das in Ordnung")
        self.assertEqual(deed("Wir bitten Sie, die Verspätung zu entschuldigen.", DE)[0], "")

    def test_others(self) -> None:
        """The infinitive stands there already."""
        self.assertEqual(deed("Merci de nous renvoyer le contrat signé.", language("fr"))[0],
                         "vous renvoyer le contrat signé")
        self.assertEqual(deed("Merci d'éteindre les ordinateurs.", language("fr"))[0], "éteindre les ordinateurs")
        for request, said in (("¿Sería tan amable de enviarme el contrato?", "enviarle el contrato"),
                              ("¿Podría enviarme por favor la factura?", "enviarle la factura"),
                              ("¿Me lo puedes mandar antes del jueves?", "mandárselo antes del jueves")):
            self.assertEqual(deed(request, language("es"))[0], said)


class GermanTests(SynchronousTestCase):
    """Sentences with the verb in the second place."""

    def test_near_and_far(self) -> None:
        """Who says du is called du."""
        self.assertEqual(deed("Bitte schick mir die Zahlen bis Donnerstag.", DE, polite=False)[0],
                         "schicke dir die Zahlen bis Donnerstag")
        self.assertEqual(deed("Bitte senden Sie uns den Vertrag zurück.", DE)[0], "sende Ihnen den Vertrag zurück")

    def test_other_side(self) -> None:
        """What is no plain deed is not said again, and who keeps something keeps it itself."""
        for request in ("Could you come by on Friday and have a look at it?", "Please come on Friday.",
                        "Could you have tea ready?"):
            self.assertEqual(deed(request, EN)[0], "")
        for request, said in (("Könnten Sie sich die Pumpe ansehen?", "sehe mir die Pumpe an"),
                              ("Könnten Sie sich um die Pumpe kümmern?", "kümmere mich um die Pumpe")):
            self.assertEqual(deed(request, DE)[0], said)
        for request in ("¿Te puedes quedar con Luna?", "¿Puedes quedarte con Luna?"):
            self.assertEqual(deed(request, language("es"), polite=False)[0], "quedarme con Luna")

    def test_could_you(self) -> None:
        """A request that asks whether somebody can: I can, and that I cannot."""
        self.assertEqual(deed("Könntest du mir am Samstag beim Umzug helfen?", DE, polite=False), (
            "helfe dir am Samstag beim Umzug", "kann dir am Samstag beim Umzug leider nicht helfen"))
        for request, said in (
            ("Kannst du das Angebot an Krause heute rausschicken?", "schicke das Angebot an Krause heute raus"),
            ("Könntest du den Hamster füttern und die Tomaten gießen?", "füttere den Hamster und gieße die Tomaten"),
            ("Könnt ihr mir euren Schlüssel geben?", "gebe dir unseren Schlüssel"),
            ("Bitte bis morgen korrigieren.", "korrigiere das bis morgen"),
            ("Es ist der falsche Tag, bitte das Plakat heute noch ändern!", "ändere das Plakat heute noch"),
            ("Bitte Turnschuhe mitbringen.", "bringe Turnschuhe mit"), ("Bitte bis Freitag antworten.", ""),
            ("Bitte um Rückmeldung.", ""), ("Bitte zurückrufen.", ""),
            ("Kannst du schon wieder auftreten?", ""), ("Würdest du ihn wieder einstellen?", ""),
        ):
            self.assertEqual(deed(request, DE, polite=False)[0], said)


class OtherTests(SynchronousTestCase):
    """Whose life is asked about."""

    def test_of_another(self) -> None:
        """Somebody else who is named or called "she", and not who reads it."""
        for code, question, other in (
            ("en", "Does Lowri eat meat?", True), ("en", "Do you eat meat?", False), ("de", "Isst sie Fleisch?", True),
            ("de", "Essen Sie Fleisch?", False), ("fr", "Ta fille mange-t-elle de la viande ?", True),
            ("fr", "Tu manges de la viande ?", False), ("es", "¿Ella come carne?", True),
            ("en", "Any allergies?", False),
        ):
            self.assertEqual(of_another(question, language(code)), other, question)


class AnythingTests(SynchronousTestCase):
    """Whatever is written."""

    @given(st.text(max_size=200), st.sampled_from((EN, DE)), st.booleans())
    def test_anything(self, sentence: str, known: Language, polite: bool) -> None:
        """What is said again is short, on one line, and leads nowhere."""
        for said in (*deed(sentence, known, polite), found_out(sentence, known)):
            self.assertLessEqual(len(said), LONGEST)
            for sign in "\n@{}<>":
                self.assertNotIn(sign, said)
            self.assertNotIn("://", said)

    def test_no_table(self) -> None:
        """A language without a table restates nothing."""
        self.assertEqual(restating("xx").order, "")
