"""What a question asks for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.question_types import (
    TYPES, asking, checked, clauses, is_lost, mentions_any, passed_on, recalled, reminder, said_thing,
    says_only, type_inside, type_of,
)
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language

EN, DE = language("en"), language("de")


class TypeTests(SynchronousTestCase):
    """The type of a question."""

    def test_types(self) -> None:
        """Each question word asks for its own."""
        for sentence, known, kind in (
            ("Who signs?", EN, "who"), ("Where is it?", EN, "where"), ("At what time do we start?", EN, "when"),
            ("How long does it take?", EN, "long"), ("What does it cost to send it?", EN, "much"),
            ("How many are there?", EN, "many"), ("Which one do you mean?", EN, "what"), ("How is it done?", EN, "how"),
            ("Why is it late?", EN, "why"), ("Is it late?", EN, "yes_no"), ("May I ask what it is?", EN, "what"),
            ("Could you tell me who signs?", EN, "who"), ("Do you want tea or coffee?", EN, "choice"),
            ("Wer unterschreibt?", DE, "who"), ("An welchem Tag kommt er?", DE, "when"),
            ("Wie lange dauert es?", DE, "long"), ("Was kostet das Papier?", DE, "much"),
            ("Wie viele sind es?", DE, "many"), ("Ist es spät?", DE, "yes_no"),
        ):
            self.assertEqual(read_question(sentence, known).type, kind, sentence)
        for known in (EN, DE):
            self.assertLessEqual(set(asking(known.code).types), set(TYPES))

    def test_inside(self) -> None:
        """A question inside another sentence has its type, another sentence none."""
        self.assertEqual((type_inside("could you tell us when it starts", EN), type_inside("it rains", EN)),
                         ("when", ""))
        self.assertEqual(type_of("whoever comes", EN), "")

    def test_checked(self) -> None:
        """Only what stands before a "right?" is checked."""
        self.assertEqual((checked("It is Monday, isn't it?", EN), checked("It is Monday?", EN)), ("It is Monday", ""))
        self.assertTrue(says_only("Is that right?", EN))
        self.assertFalse(says_only("Is that your hat?", EN))

    def test_clauses(self) -> None:
        """A condition is no clause to be answered."""
        self.assertEqual(clauses("Call me if it rains.", EN), ())
        self.assertEqual(clauses("Bitte teilen Sie uns mit, ob Sie kommen.", DE), ("Sie kommen",))

    def test_said_before(self) -> None:
        """What was said before, and by what name it goes."""
        self.assertTrue(recalled("Which day did we say?", EN))
        self.assertFalse(recalled("Which day suits you?", EN))
        self.assertEqual((said_thing("What is the order number?", EN), said_thing("Who are you?", EN)),
                         ("order number", ""))
        self.assertTrue(mentions_any("Why so late?", asking("en").late))

    def test_reminders(self) -> None:
        """A statement may ask to be told again; one that tells it, or speaks of something else, does not."""
        for sentence, known, kind in (
            ("Remind me which day we start.", EN, "when"), ("I've lost track of the price.", EN, "much"),
            ("Just to be sure: the date is 5 May.", EN, ""), ("I forgot to attach the price list.", EN, ""),
            ("The price is fine.", EN, ""), ("I can't find the mail any more.", EN, ""),
            ("Ich weiß nicht mehr, wer kommt.", DE, "who"), ("Die Adresse brauchen wir nicht mehr.", DE, ""),
        ):
            self.assertEqual(reminder(sentence, known), kind, sentence)
        self.assertTrue(is_lost("Sorry, I deleted your mail.", EN))
        self.assertFalse(is_lost("I read your mail.", EN))

    def test_passed_on(self) -> None:
        """Somebody else may ask, by way of the writer."""
        self.assertEqual(passed_on("My boss wonders when Tim comes.", EN), ("when", "when Tim comes."))
        self.assertEqual(passed_on("Mein Chef fragt, wer kommt.", DE), ("who", "wer kommt."))
        self.assertEqual(passed_on("My boss asks for patience.", EN), ("", ""))
