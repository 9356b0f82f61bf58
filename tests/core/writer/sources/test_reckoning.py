"""What is reckoned from what was said, and what is told again, in four languages."""

from __future__ import annotations

from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.reckoning import reckoned
from tests.core.writer.samples import NOW, TEMPERAMENTS
from tests.core.writer.sources.threads import FRAME, asked, remarks

EN = language("en")
_DENYING = r"(?i)\b(can)?no[nt]?\b|nein|n't|nie|never|jamais|nunca|nobody|nadie|nicht|rien"


def said(*sentences: str) -> list[Remark]:
    """Sentences of a mail of two days ago, a Saturday."""
    return [Remark("said", "correspondent", "", NOW - timedelta(days=2), one) for one in sentences]


class ReckonedTests(SynchronousTestCase):
    """Sums, spans and dates of a thread."""

    def reckon(self, question: str, *sentences: str) -> str:
        """What comes of a question."""
        return reckoned(read_question(question, EN), said(*sentences), EN)

    def test_total(self) -> None:
        """All sums, those that are named, or so many of one that is for each; each written as the others are."""
        thread = ("The door costs £1,200.50 and the lock £80.", "Paint is £45 per tin.")
        self.assertEqual(self.reckon("What do the door and the lock come to?", *thread),
                         "£1,280.50 (£1,200.50 + £80)")
        self.assertEqual(self.reckon("What is the total for 4 tins of paint?", *thread), "£180 (4 × £45)")
        self.assertEqual(self.reckon("How much is it altogether?", "Tea is 3 euros.", "Cake is 4 euros."),
                         "7 euros (3 euros + 4 euros)")
        self.assertEqual(self.reckon("How much is it altogether?", "Tea is 3 euros."), "")
        self.assertEqual(self.reckon("What does the door cost?", *thread), "")

    def test_difference(self) -> None:
        """The smaller from the greater; what is left after a deposit."""
        self.assertEqual(self.reckon("How much cheaper is the red one?", "The red one is £30.", "The blue one is £42."),
                         "£12 (£42 - £30)")
        self.assertEqual(self.reckon("What is left to pay?", "The hall is £600.", "You paid a deposit of £150."),
                         "£450 (£600 - £150)")

    def test_dates(self) -> None:
        """Days between two dates, time between two hours, and which date is the later."""
        thread = ("We start on Tuesday 10 March.", "We finish on Friday 13 March.")
        self.assertEqual(self.reckon("How many days are between start and finish?", *thread),
                         "3 days (10 March – 13 March)")
        self.assertEqual(self.reckon("Which of the two dates is later?", *thread), "13 March")
        self.assertEqual(self.reckon("Which date is earlier?", *thread), "10 March")
        self.assertEqual(self.reckon("How long is it between the tour and lunch?", "The tour begins at 10:15.",
                                     "Lunch is at 12:30."), "2 hours 15 minutes (10:15 – 12:30)")

    def test_called_off(self) -> None:
        """What was called off costs nothing."""
        off = Remark("called_off", "correspondent", "lock", NOW)
        thread = [*said("The door costs £1,200 and the lock £80."), off]
        self.assertEqual(reckoned(read_question("What is left to pay?", EN), thread, EN), "£1,200")


class ToldTests(SynchronousTestCase):
    """What everybody answers who has read the mails before."""

    def test_told(self) -> None:
        """Asked with or without a question mark, everybody tells it again, and promises nothing."""
        for code, sentence, found in (
            ("en", "Remind me which day we are starting.", "10 March"),
            ("en", "I've lost track of the price of the scaffolding.", "£180"),
            ("en", "Just to check the job number, please.", "MR-2207"),
            ("en", "Who did I say needs the key?", "Gary"),
            ("en", "How many men did I say I'd bring?", "two men"),
            ("en", "What do the repair and the scaffolding come to together?", "£1,630"),
            ("en", "I've forgotten where we said we'd meet.", "back gate"),
            ("en", "I can't find the mail any more - what time were we going to begin?", "9:30"),
            ("de", "Ich weiß leider nicht mehr, an welchem Tag wir anfangen wollten.", "9. März"),
            ("de", "Schreiben Sie mir bitte noch einmal, was die Kartons kosten.", "350 Euro"),
            ("de", "Was macht das alles zusammen?", "2.750 Euro"),
            ("de", "Nur zur Sicherheit: die Auftragsnummer.", "UN-5518"),
            ("de", "Wie viele Leute kommen, hatte ich geschrieben?", "vier Leuten"),
            ("fr", "Je ne me souviens plus du jour que nous avions fixé.", "10 mars"),
            ("fr", "Rappelez-moi le prix de la pelouse, s'il vous plaît.", "340 €"),
            ("fr", "Quel est le total des deux montants ?", "1 540 €"),
            ("fr", "Qui s'occupe des arbres, déjà ?", "Marc"),
            ("fr", "J'ai perdu le numéro du devis.", "JD-914"),
            ("es", "No recuerdo qué día quedamos en empezar.", "10 de marzo"),
            ("es", "Recuérdeme cuánto costaba el envío, por favor.", "85 €"),
            ("es", "¿Cuánto suman los folletos y el envío?", "705 €"),
            ("es", "¿Quién se encarga del diseño?", "Marta"),
            ("es", "He perdido el número de pedido.", "PF-3306"),
            ("es", "¿Cuántos ejemplares eran?", "5.000"),
        ):
            before = remarks(code)
            for temperament in TEMPERAMENTS:
                written = asked(code, sentence, temperament, before)
                self.assertIn(found.lower(), written.text.lower(), sentence)
                self.assertIsNone(written.promise, sentence)

    def test_denied(self) -> None:
        """A wrong day is put right."""
        for code, sentence, right in (
            ("en", "It was Wednesday we start, wasn't it?", "10 March"),
            ("de", "Wir fangen am Dienstag an, oder?", "9. März"),
            ("fr", "Nous commençons bien mercredi, non ?", "10 mars"),
            ("es", "Quedamos en empezar el miércoles, ¿verdad?", "10 de marzo"),
        ):
            for temperament in TEMPERAMENTS:
                self.assertIn(right, asked(code, sentence, temperament, remarks(code)).text, sentence)

    def test_dropped(self) -> None:
        """What is not wanted any more is off, by its name."""
        for code, sentence, what in (
            ("en", "Forget the scaffolding, we have our own.", "scaffolding"),
            ("de", "Vergessen Sie die Kartons, die brauchen wir nicht mehr.", "Kartons"),
            ("fr", "Laissez tomber la pelouse, finalement.", "pelouse"),
            ("es", "Olvide el envío, los recogemos nosotros.", "envío"),
        ):
            for temperament in TEMPERAMENTS:
                written = asked(code, sentence, temperament, remarks(code))
                self.assertRegex(written.text, rf"(?i)\b{what}\b", sentence)
                self.assertIsNone(written.promise, sentence)

    def test_no_such_day(self) -> None:
        """A date that there is none of is asked about, and nothing agreed."""
        for code, sentence, said_back in (
            ("en", "Could we meet on 31 April at 10:00?", "31 April"),
            ("de", "Passt Ihnen der 31. September um 10 Uhr?", "31. September"),
            ("fr", "Seriez-vous libre le 31 avril à 10h ?", "31 avril"),
            ("es", "¿Le viene bien el 31 de abril a las 10:00?", "31 de abril"),
        ):
            for temperament in TEMPERAMENTS:
                written = asked(code, sentence, temperament, ())
                self.assertIn(said_back, written.text, sentence)
                self.assertIn("?", written.text, sentence)
                self.assertEqual(written.appointments, (), sentence)

    def changed(self, code: str, texts: tuple[str, ...], sentence: str, found: str, no: str = "") -> None:
        """What everybody says to a sentence after some mails."""
        greeting = FRAME[code][0]
        before = remarks(code, tuple(f"{greeting}\n\n{text}\n\nX" for text in texts))
        for temperament in TEMPERAMENTS:
            text = asked(code, sentence, temperament, before).text
            self.assertRegex(text, found, sentence)
            if no:
                self.assertNotRegex(text, no, sentence)

    def test_changed(self) -> None:
        """What was said last holds: a price, a number, a day, a name, what is wanted."""
        stools = ("We offer 10 stools at £120 each, plus £60 for delivery.",
                  "I can let you have them for £110 each now.", "Simon says you need 14 stools instead of 10.")
        self.changed("en", stools, "What does it all come to with delivery?", r"£1,?600 \(.*14 × £110")
        self.changed("en", stools, "We agreed on £120 each, right?", "£110")
        moved = ("Shall we say Tuesday 10 March at 9:00?", "Sorry, I have to go away then. Let us make it Thursday 12 "
                 "March at 15:00.")
        self.changed("en", moved, "Remind me which day it is.", "12 March", "Tuesday")
        self.changed("en", ("Anna Lutz looks after the site.", "Small correction: it is Anne Lutz, not Anna."),
                     "Who looks after the site?", "Anne Lutz")
        self.changed("en", ("I want my money back.", "Never mind the money, please send me another lamp."),
                     "So what am I getting, the money or a lamp?", "lamp", "(?i)the money[.!]")
        self.changed("de", ("Die 6 Tische sind fertig, Stückpreis 240 Euro.",), "Was kosten alle sechs zusammen?",
                     "1440 Euro|1.440 Euro")
        self.changed("fr", ("Les 4 vitrines sont prêtes, à 310 € pièce.", "Le montage coûte 120 €."),
                     "Combien cela fait-il en tout, avec le montage ?", "1[ .]?360 €")
        self.changed("es", ("Los 5 remolques están listos, a 180 € cada uno.", "El montaje cuesta 75 €."),
                     "¿Cuánto es todo, los cinco con el montaje?", "975 €")

    def test_never(self) -> None:
        """What nobody said is denied, in any language."""
        for code, sentence, no in (
            ("en", "You promised to pay £75 for the crane, didn't you?", "(?i)^yes"),
            ("de", "Du wolltest doch den Kran bezahlen, oder?", "(?i)^ja"),
            ("fr", "Tu avais promis de payer la grue, non ?", "(?i)^oui"),
            ("es", "Habíamos dicho que la grúa la pagas tú, ¿verdad?", "(?i)^sí"),
        ):
            for temperament in TEMPERAMENTS:
                text = asked(code, sentence, temperament, remarks(code)).text
                self.assertNotRegex(text.partition("\n\n")[2] or text, no, sentence)
                self.assertRegex(text, _DENYING, sentence)

    def test_kin(self) -> None:
        """A colour is asked for, and one was said; what was wrong, and something was broken."""
        lamp = ("My lamp came with a broken switch.", "Could it be the blue one this time?")
        self.changed("en", lamp, "My wife asks what colour the new lamp will be.", "(?i)blue")
        self.changed("en", lamp, "What did I say was wrong with it?", "broken switch")

    def test_said_back(self) -> None:
        """What stands in the same mail is said back; what was called off is not on any more."""
        self.changed("en", ("We use grey slate.",), "We come on Wednesday 25 March. Could you repeat the day to me?",
                     "25 March")
        self.changed("en", ("Shall we meet on Thursday 12 March at 9:00?", "Please call the whole thing off."),
                     "My boss wonders what is planned for Thursday now.", r"(?i)\boff\b|cancel")

    def test_two_things(self) -> None:
        """Asked for two things in one sentence, everybody tells both, whoever asks."""
        self.changed("en", ("Order 60233 came to £45 in all.", "We meet at the old bakery in Mill Road at 10:15."),
                     "They want the order number and what I paid. Sorry, I've deleted everything.", r"(?s)60233.*45")
        self.changed("en", ("We meet at the old bakery in Mill Road.", "It has to be a bit later: we meet at 10:15."),
                     "Inge asks when and where we meet.", r"(?s)10:15.*bakery")
        self.changed("en", ("Ruth stands in for me from Monday 23 March on.",), "Who stands in for me, and from when?",
                     r"(?s)Ruth.*23 March")
        self.changed("de", ("Unser Fahrer heißt Olaf Kruse.",), "Wie hieß der Fahrer noch gleich?", "Olaf Kruse")
        self.changed("de", ("Wir liefern am Donnerstag, dem 12. März, um 14:00 Uhr.",),
                     "Welchen Tag und welche Uhrzeit hatten wir gesagt?", r"12\. März|Donnerstag")

    def test_taken_off(self) -> None:
        """What is taken off is no price; "at" says what each costs."""
        stools = ("That is 6 stools at £210 each, plus £90 for delivery.",
                  "I can take £15 off each stool, so £195 a piece.", "So it is 8 stools at £195, delivery £90.")
        self.changed("en", stools, "What does the whole thing come to with delivery?", "£1,?650")

    def test_by_looks(self) -> None:
        """A number of the subject; a question word at the end; what somebody else asks; who comes instead."""
        self.changed("es", ("La carpa cuesta 740 € y las mesas 160 €.",),
                     "¿Cuánto hacen la carpa y las mesas?", "900 €")
        self.changed("fr", ("Le stand coûte 890 € et l'éclairage 130 €.",),
                     "Le stand et l'éclairage, cela fait combien ?", "1 ?020 €")
        self.changed("de", ("Der Filter kostet 18 Euro und die Wartung 95 Euro.",),
                     "Wie viel macht das mit Filter zusammen?", "113 Euro")
        self.changed("en", ("Shall we meet on Friday 13 March at 9:30?",),
                     "She would like to hear from you on what day she is expected.", "13 March")
        self.changed("en", ("Our mechanic is Stefan Brook.", "Stefan is ill, so his brother Lukas comes instead."),
                     "Who is the mechanic?", "Lukas")
