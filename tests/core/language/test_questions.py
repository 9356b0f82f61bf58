"""Questions: which sentences ask, in what form, about what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language import questions
from simmail.core.language.questions import apart, asks, led_in, options, read_question, read_reminders
from simmail.core.language.tables import language
from tests.core.hostile import seconds

EN, DE = language("en"), language("de")
ES, FR = language("es"), language("fr")


class AskingTests(SynchronousTestCase):
    """Sentences that want an answer."""

    def test_asks(self) -> None:
        """A question mark behind words asks; footers, addresses and marks alone do not."""
        for sentence, known, expected in (
            ("Which colour do you prefer?", EN, True), ("Why?", EN, True), ("Sale?", EN, False),
            ("Any questions?", EN, False), ("Any thoughts?", EN, True), ("What do you think?", EN, True),
            ("Didn't request this?", EN, False), ("Is it \"done?\"", EN, True), ("What?!", EN, True),
            ("See https://x.test/?", EN, False), ("???", EN, False), ("It rained.", EN, False), ("", EN, False),
            ("Wann?", DE, True), ("Noch Fragen?", DE, False), ("Können Sie uns den Plan schicken?", DE, True),
        ):
            self.assertEqual(asks(sentence, known), expected, sentence)

    def test_alone(self) -> None:
        """What would be idle beside other sentences asks when it is all that is said."""
        self.assertEqual((asks("ok?", EN), asks("ok?", EN, alone=True)), (False, True))
        self.assertFalse(asks("ok.", EN, alone=True))

    def test_apart(self) -> None:
        """Two questions of one sentence are two; an "and" inside one is not."""
        self.assertEqual(apart("How many seats do you need, and when do you need them?", EN),
                         ["How many seats do you need?", "When do you need them?"])
        self.assertEqual(len(apart("Do you like salt and pepper on it?", EN)), 1)


class FormTests(SynchronousTestCase):
    """What a question is."""

    def test_forms(self) -> None:
        """The form is told by how a question begins, and by what it offers."""
        for sentence, known, form in (
            ("Could we meet, do you have time on Friday?", EN, "time"), ("By when do you need it?", EN, "when"),
            ("How many seats do you need?", EN, "many"), ("Why did you leave?", EN, "why"),
            ("Which browser do you use?", EN, "what"), ("Could you tell me who signs?", EN, "what"),
            ("Do you want tea or coffee?", EN, "choice"), ("Is it the blue one?", EN, "yes_no"),
            ("Was it the price, or was something missing?", EN, "either"),
            ("Wie viele Lizenzen brauchen Sie?", DE, "many"), ("Warum haben Sie gekündigt?", DE, "why"),
        ):
            self.assertEqual(read_question(sentence, known).form, form, sentence)

    def test_topics(self) -> None:
        """What it is about is said as the answering side says it; of German only the noun."""
        for sentence, known, topic in (
            ("Which delivery address should we use?", EN, "the delivery address"),
            ("How many licences do you need?", EN, "the number of licences"),
            ("Is your new office open?", EN, "our new office"), ("Is it on your side?", EN, ""),
            ("Wie lautet Ihre Lieferadresse?", DE, "Lieferadresse"),
            ("Bist du gegen sieben zu Hause?", DE, ""), ("Fährst du am Montag zur Chorprobe?", DE, "Chorprobe"),
            ("¿Prefiere que las enviemos mañana?", ES, ""), ("¿Vienes a las siete?", ES, ""),
            ("¿Ha llegado la factura?", ES, "la factura"),
            ("Pouvez-vous passer le prendre ce soir ?", FR, ""), ("Je prends le mien ?", FR, ""),
            ("Avez-vous reçu la facture ?", FR, "la facture"),
        ):
            self.assertEqual(read_question(sentence, known).topic, topic, sentence)

    def test_short_answers(self) -> None:
        """Yes and no, as the question has them."""
        for sentence, short in (
            ("Do you have it?", ("yes, we do", "no, we don't")),
            ("May we call?", ("yes, please do", "no, please don't")),
            ("Is the order complete?", ("yes, it is", "no, it isn't")), ("Could you send it?", ("yes", "no")),
            ("Are the boxes there?", ("yes, they are", "no, they aren't")),
        ):
            self.assertEqual(read_question(sentence, EN).short, short, sentence)
        self.assertEqual(read_question("Haben Sie es?", DE).short, ("ja", "nein"))

    def test_options(self) -> None:
        """Both sides of a choice; without a word of choosing only a question offers one."""
        self.assertEqual(options("Yes or no?", EN, asked=True), ())
        self.assertEqual(options("Tea or coffee?", EN, asked=True), ("tea", "coffee"))
        self.assertEqual(options("Do you want tea or coffee?", EN, asked=True), ("tea", "coffee"))
        self.assertEqual(options("Do you prefer the red box or the blue box?", EN), ("the red box", "the blue box"))
        self.assertEqual(options("The red box or the blue box has arrived.", EN), ())
        self.assertEqual(options("Bank transfer in advance or cash on site?", EN, asked=True),
                         ("Bank transfer in advance", "cash on site"))
        self.assertEqual(options("Cash on site or invoice to the office?", EN, asked=True),
                         ("Cash on site", "invoice to the office"))
        self.assertEqual(options("Do all drivers need a pass, or only those from abroad?", EN, asked=True), ())
        for other in ("¿Prefiere otra fecha o que le devolvamos el importe?",
                      "¿Quiere que le cambiemos la lámpara o que le devolvamos el dinero?"):
            self.assertEqual(read_question(other, language("es")).form, "either")

    def test_whole_words(self) -> None:
        """A question word is a whole word: "wollen" does not ask where, nor "whole" who."""
        for code, question, form in (
            ("de", "Wollt ihr?", "yes_no"), ("de", "Wohnt sie noch in Kiel?", "yes_no"),
            ("de", "Wo wohnt sie?", "what"),
            ("de", "Werden sie geliefert?", "yes_no"), ("en", "What's the plan?", "what"),
        ):
            self.assertEqual(read_question(question, language(code)).form, form, question)

    def test_clauses(self) -> None:
        """What is had a look at is no second question, and what is told before an offer belongs to none."""
        self.assertEqual(len(apart("Could you come by on Friday and have a look at the pump?", EN)), 1)
        self.assertEqual(led_in("I still have your ladder, shall I bring it back?", EN), "Shall I bring it back?")
        self.assertEqual(led_in("The red one, does it fit?", EN), "The red one, does it fit?")

    @given(st.text(max_size=300), st.sampled_from((EN, DE)))
    def test_anything(self, sentence: str, known: questions.Language) -> None:
        """Any text is read, and what is said again of it is short and on one line."""
        asks(sentence, known)
        for part in apart(sentence, known):
            found = read_question(part, known)
            self.assertLessEqual(len(found.text), 201)
            self.assertNotIn("\n", found.text + found.topic)

    def test_quick(self) -> None:
        """A sentence without end costs no more than its beginning."""
        self.assertLess(seconds(read_question, "which or what, " * 50_000 + "?", EN), 0.5)


class OfferedTests(SynchronousTestCase):
    """Things to choose."""

    def test_whole(self) -> None:
        """A thing to choose keeps its name, and ends with no word that opens something else."""
        for text, offered in (
            ("Is it Leo Grant or Leo Hussain?", ("Leo Grant", "Leo Hussain")),
            ("RAL 7016 or the lighter 7035?", ("RAL 7016", "the lighter 7035")),
            ("Should I send it in or take it to a shop?", ("send it in", "take it to a shop")),
            ("Do you want us to run it, bin it or send it back?", (
                "please run it", "please bin it", "please send it back")),
            ("No excuses: the first or the last week of October?", ("the first", "the last week of October")),
            ('"Stay salty" or "Come in, now"?', ("Stay salty", "Come in, now")),
            ("Bonfire - yes or no?", ()), ("It goes on till 1 or so?", ()),
            ("Could you send me them by 6, or the sellers walk?", ()),
        ):
            self.assertEqual(options(text, EN, asked=True), offered, text)


class ReportedTests(SynchronousTestCase):
    """Questions that a statement tells of."""

    def test_parts(self) -> None:
        """Each of several is one."""
        for text, expected in (
            ("I need to know how many vans you have, which size the rims are and who signs for the delivery.",
             [("How many vans you have?", "many"), ("Which size the rims are?", "what"),
              ("Who signs for the delivery?", "who")]),
            ("Inge asks when and where we meet.",
             [("When we meet?", "when"), ("Where we meet?", "where")]),
            ("Our driver asks at which gate he should unload and until when.",
             [("At which gate he should unload?", "where"),
              ("At which gate he should unload and until when?", "when")]),
        ):
            found = read_reminders(text, language("en"), answers=False)
            self.assertEqual([(one.text, one.type) for one in found], expected)

    def test_inverted(self) -> None:
        """In French the noun may stand before the verb of a question."""
        self.assertEqual(apart("Singst du mit, und bringst du die Noten mit?", language("de")),
                         ["Singst du mit?", "Bringst du die Noten mit?"])
        self.assertEqual(apart("L'appartement est-il libre, et combien coûte-t-il ?", language("fr")),
                         ["L'appartement est-il libre?", "Combien coûte-t-il ?"])
