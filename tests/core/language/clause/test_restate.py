"""What a sentence asks, said again by who was asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.restate import asks_ability, deed, indirect, of_another, statement, whether
from simmail.core.language.clause.tables import LONGEST, restating
from simmail.core.language.tables import Language, language

EN, DE = language("en"), language("de")


class EnglishTests(SynchronousTestCase):
    """Sentences whose questions put the verb first."""

    def test_indirect(self) -> None:
        """The clause of a question: its subject before its verb, and persons as the other side says them."""
        for question, clause in (
            ("Where should he park?", "where he should park"),
            ("How many people will use the software?", "how many people will use the software"),
            ("Who signs the contract on your side?", "who signs the contract on our side"),
            ("Could you tell me who signs on your side?", "who signs on our side"),
            ("Why was the delivery two weeks late?", "why the delivery was two weeks late"),
            ("Why did the delivery come so late?", "why the delivery came so late"),
            ("What does the new contract cost?", "what the new contract costs"),
            ("How will you get here - train or car?", "how I will get here"),
            ("Why do you need my address?", "why I need your address"),
            ("When can we reach you by phone?", "when you can reach me by phone"),
            ("Where shall we meet on Thursday?", "where we should meet on Thursday"),
            ("Where is the insurance certificate?", "where the insurance certificate is"),
        ):
            self.assertEqual(indirect(question, EN), clause)

    def test_statement(self) -> None:
        """A yes and a no in full."""
        for question, said, denied in (
            ("Are you going to the fair?", "I'm going to the fair", "I'm not going to the fair"),
            ("Will somebody be at home?", "somebody will be at home", "nobody will be at home"),
            ("Is there anything you don't eat?", "there's something I don't eat", "there isn't anything I don't eat"),
            ("Did you get my mail?", "I got your mail", "I didn't get your mail"),
            ("Do you ship to Norway?", "we ship to Norway", "we don't ship to Norway"),
            ("Does your team work on Fridays?", "my team works on Fridays", "my team doesn't work on Fridays"),
            ("Has order 4711 been shipped?", "order 4711 has been shipped", "order 4711 hasn't been shipped"),
            ("Could we borrow your ladder?", "you can borrow my ladder", "you can't borrow my ladder"),
            ("Do you still play the piano?", "I still play the piano", "I don't play the piano any more"),
            ("Has anyone from your side already seen the plans?", "someone from our side has already seen the plans",
             "nobody from our side has seen the plans yet"),
            ("Is the old one still under warranty?", "the old one is still under warranty",
             "the old one isn't under warranty any more"),
            ("My boots have split, does the firm pay for new ones?", "the firm pays for new ones",
             "the firm doesn't pay for new ones"),
            ("Will you and Ifan come?", "we will come", "we won't come"),
            ("And are you lot coming on Saturday?", "we're coming on Saturday", "we aren't coming on Saturday"),
            ("Can Lowri swim?", "Lowri can swim", "Lowri can't swim"),
            ("Is it too late?", "it's too late", "it isn't too late"),
            ("Is your knee better?", "my knee is better", "my knee isn't better"),
            ("Are the twins allergic to nuts?", "", ""), ("Were the bills you sent in March paid?", "", ""),
            ("Is that still so?", "", ""), ("Is the man from the garage coming?", "", ""),
            ("Is your brother up for it?", "my brother is up for it", "my brother isn't up for it"),
        ):
            self.assertEqual(tuple(statement(question, EN)), (said, denied))

    def test_whether(self) -> None:
        """What stands behind "whether" is a statement already."""
        self.assertEqual(whether("your child may go by bus", EN).said, "my child may go by bus")
        self.assertEqual(whether("there are any allergies", EN).denied, "there aren't any allergies")

    def test_ability(self) -> None:
        """How somebody is wants nothing done."""
        self.assertTrue(asks_ability("Can you drive yet?", EN))
        self.assertFalse(asks_ability("Can you send it again?", EN))
        self.assertEqual(deed("Can you walk properly again?", EN), ("", ""))
        self.assertEqual(deed("Would you hire him again?", EN), ("", ""))
        self.assertEqual(deed("Would it be possible for you to check the text by Tuesday?", EN)[0],
                         "check the text by Tuesday")
        self.assertEqual(deed("Could you tell the lads that it stays?", EN)[0], "tell the lads that it stays")
        self.assertEqual(deed("Could you tell me when it goes?", EN)[0], "")
        self.assertEqual(statement("Will you?", EN).said, "I will")
        self.assertEqual(deed("Could anybody else give the 10 am talk?", EN)[0], "give the 10 am talk")
        self.assertEqual(deed("Could you send the list again?", EN)[0], "send the list again")
        self.assertEqual(deed("Could you Invoice it to the office?", EN)[0], "invoice it to the office")

    def test_deed(self) -> None:
        """What is to be done, behind "I'll"; what only asks to be told is no deed."""
        for request, said in (
            ("Could you help us carry boxes on Saturday morning?", "help you carry boxes on Saturday morning"),
            ("And put them in a spreadsheet, please.", "put them in a spreadsheet"),
            ("Please sign the NDA and send it back to me.", "sign the NDA and send it back to you"),
            ("Could you water my plants while I'm away?", "water your plants while you're away"),
            ("Please let me know what you think.", ""), ("It rains in the north.", ""),
            ("Please visit https://x.test/ at once.", ""),
        ):
            self.assertEqual(deed(request, EN)[0], said)


class GermanTests(SynchronousTestCase):
    """Sentences with the verb in the second place."""

    def test_indirect(self) -> None:
        """In a clause the verb is last."""
        for question, clause in (
            ("Wo soll er parken?", "wo er parken soll"),
            ("Wann kommt die Lieferung an?", "wann die Lieferung ankommt"),
            ("Warum kam die Lieferung zwei Wochen zu spät?", "warum die Lieferung zwei Wochen zu spät kam"),
            ("Wie viele Lizenzen brauchen Sie?", "wie viele Lizenzen ich brauche"),
            ("Wo können wir Sie erreichen?", "wo Sie mich erreichen können"),
            ("An welchem Tag wollten wir uns treffen?", "an welchem Tag wir uns treffen wollten"),
        ):
            self.assertEqual(indirect(question, DE), clause)

    def test_near_and_far(self) -> None:
        """Who says du is called du."""
        self.assertEqual(indirect("An welche Adresse dürfen wir liefern?", DE, polite=False),
                         "an welche Adresse ihr liefern dürft")
        self.assertEqual(deed("Bitte schick mir die Zahlen bis Donnerstag.", DE, polite=False)[0],
                         "schicke dir die Zahlen bis Donnerstag")
        self.assertEqual(deed("Bitte senden Sie uns den Vertrag zurück.", DE)[0], "sende Ihnen den Vertrag zurück")

    def test_statement(self) -> None:
        """A yes in full, and a no where it is clear where "nicht" stands."""
        self.assertEqual(tuple(statement("Isst du eigentlich Fleisch?", DE)), ("ich esse Fleisch", ""))
        self.assertEqual(statement("Können Sie am Freitag liefern?", DE).denied,
                         "ich kann am Freitag leider nicht liefern")
        self.assertEqual(statement("Ist Ihr Büro am Freitag besetzt?", DE).said, "mein Büro ist am Freitag besetzt")
        self.assertEqual(whether("Ihr Kind mit dem Bus fahren darf", DE).said, "mein Kind darf mit dem Bus fahren")

    def test_whether(self) -> None:
        """"Whether" stands in front of a clause, and is no verb."""
        self.assertEqual(statement("Weißt du, ob er sich irgendwo anmelden muss?", DE).said,
                         "er muss sich irgendwo anmelden")

    def test_other_side(self) -> None:
        """What is yours among several is ours, a noun may look like a verb, and who keeps something keeps it itself."""
        self.assertEqual(statement("Habt ihr euren Wagen noch?", DE, polite=False).said, "wir haben unseren Wagen")
        self.assertEqual(statement("Will the stock take be done by Friday?", EN).said,
                         "the stock take will be done by Friday")
        for request, said in (
            ("Could you come by on Friday and have a look at it?", "come by on Friday and have a look at it"),
            ("Please come and look at the pump on Friday.", "come and look at the pump on Friday"),
            ("Please come on Friday.", ""), ("Could you have tea ready?", ""),
        ):
            self.assertEqual(deed(request, EN)[0], said)
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
            ("Könnten Sie die Rechnung überweisen und mir eine Kopie mitbringen?",
             "überweise die Rechnung und bringe dir eine Kopie mit"),
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
        for said in (indirect(sentence, known, polite), *statement(sentence, known, polite),
                     *whether(sentence, known, polite), *deed(sentence, known, polite)):
            self.assertLessEqual(len(said), LONGEST)
            for sign in "\n@{}<>":
                self.assertNotIn(sign, said)
            self.assertNotIn("://", said)

    def test_no_table(self) -> None:
        """A language without a table restates nothing."""
        self.assertEqual(restating("xx").order, "")
