"""Questions that are said again as statements."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.statement import clause_stated, either_stated, is_sound, stated
from simmail.core.language.clause.tables import Sides
from simmail.core.language.tables import language

EN = language("en")


class StatedTests(SynchronousTestCase):
    """Questions that want a yes or a no."""

    def check(self, rows: tuple[tuple[str, str, str], ...], sides: Sides = Sides()) -> None:
        for question, yes, no in rows:
            told = stated(question, EN, sides)
            self.assertEqual((told.yes, told.no) if told else None, (yes, no), question)

    def test_verbs(self) -> None:
        """What is done agrees with who does it, and stands in the time it was asked in."""
        self.check((
            ("Is there a charge?", "there's a charge", "there isn't a charge"),
            ("Does he need to bring ID?", "he needs to bring ID", "he doesn't need to bring ID"),
            ("Did the committee agree on the layout?", "the committee agreed on the layout",
             "the committee didn't agree on the layout"),
            ("Has my letter arrived?", "your letter has arrived", "your letter hasn't arrived"),
            ("Does the firm pay for breakfast?", "the firm pays for breakfast", "the firm doesn't pay for breakfast"),
            ("Have you any pets?", "I have some pets", "I haven't any pets"),
        ))

    def test_subjects(self) -> None:
        """A subject of several words ends where what is said of it begins."""
        self.check((
            ("Is the side door code the same?", "the side door code is the same", "the side door code isn't the same"),
            ("Is a room with a bath possible?", "a room with a bath is possible", "a room with a bath isn't possible"),
            ("Is the new kitchen ready?", "the new kitchen is ready", "the new kitchen isn't ready"),
            ("Does the whole lamp have to go back?", "the whole lamp has to go back",
             "the whole lamp doesn't have to go back"),
            ("Are all 61 real?", "all 61 are real", "all 61 aren't real"),
            ("Is that seat taken?", "that seat is taken", "that seat isn't taken"),
        ))

    def test_still_yet_any(self) -> None:
        """What is no longer, not yet, and not any is said as one says it."""
        self.check((
            ("Is it still for sale?", "it's still for sale", "it isn't for sale any more"),
            ("Do you still have his key?", "I still have his key", "I don't have his key any more"),
            ("Is the rota up yet?", "the rota is up already", "the rota isn't up yet"),
            ("Did anybody hand it in?", "somebody handed it in", "nobody handed it in"),
            ("Are there any costs on top?", "there are some costs on top", "there aren't any costs on top"),
            ("Will your mother come too?", "my mother will come too", "my mother won't come either"),
        ))

    def test_persons(self) -> None:
        """I, you and we change sides."""
        self.check((
            ("Have you read the book I gave you?", "I've read the book you gave me",
             "I haven't read the book you gave me"),
            ("Would you sign our petition?", "I'll sign your petition", "I can't sign your petition"),
            ("May I bring my dog?", "you can bring your dog", "you can't bring your dog"),
            ("Do we need our own towels?", "you need your own towels", "you don't need your own towels"),
            ("Did you save a copy before you changed it?", "I saved a copy before I changed it",
             "I didn't save a copy before I changed it"),
        ))
        self.check((
            ("Are you taking new patients?", "we're taking new patients", "we aren't taking new patients"),
            ("Are you a robot?", "I'm a robot", "I'm not a robot"),
        ), Sides(we=True))

    def test_offers(self) -> None:
        """What is offered is wished for or not."""
        self.check((
            ("Shall I hold 400 pieces for you?", "please hold 400 pieces for me",
             "there's no need to hold 400 pieces for me, thank you"),
            ("Shall we go hiking?", "let's go hiking", "let's not go hiking"),
        ))

    def test_not_told(self) -> None:
        """Where nothing tells subject and verb apart, or more is asked, nothing is said."""
        for question in ("Is anybody from your family coming?", "Can we swap?", "Is the work what you expected?",
                         "Do you know who has it?", "Is \"Dear all\" all right?", "Do you prefer flying or the train?",
                         "What is it?", "", "Is?", "Ist es da?"):
            self.assertIsNone(stated(question, EN), question)
        self.assertIsNone(stated("Parla italiano?", language("it")))


class EitherTests(SynchronousTestCase):
    """Questions which of two things is so."""

    def test_both(self) -> None:
        """Clauses, verbs and participles behind "or" are said with the subject they have."""
        for question, both in (
            ("Does it have to be before we go, or could I come on the 27th?", (
                "it has to be before you go", "you can come on the 27th")),
            ("Do we stay with the 12th or go to the 19th?", ("we'll stay with the 12th", "we'll go to the 19th")),
            ("Are the weekend's values lost or stored somewhere?", (
                "the weekend's values are lost", "the weekend's values are stored somewhere")),
            ("Shall I ring the man or do you do it?", ("please ring the man", "I'll do it")),
            ("Do you want to present it yourself or shall I?", ("I want to present it myself", "you can do it")),
            ("Does your new address apply, or still Canal Road?", ("our new address applies", "still Canal Road")),
            ("Do you know if Roy has a key, or should I leave him mine?", ("Roy has a key", "please leave him yours")),
            ("Is it a boy or a girl?", ("it's a boy", "it's a girl")),
        ):
            self.assertEqual(either_stated(question, EN), both, question)

    def test_neither(self) -> None:
        """Two things that are no clauses are chosen by their names."""
        for question in ("Tea or coffee?", "Do you prefer flying or going by train?", "Could I have red or white?"):
            self.assertEqual(either_stated(question, EN), ())


class ClauseTests(SynchronousTestCase):
    """Clauses that stand behind "whether"."""

    def test_clauses(self) -> None:
        """They are said as they stand, by the other side, or denied."""
        for clause, both in (
            ("it was all booked to the other one", ("it was all booked to the other one",
                                                    "it wasn't all booked to the other one")),
            ("Roy has a key to the gate", ("Roy has a key to the gate", "Roy doesn't have a key to the gate")),
            ("you can make it", ("I can make it", "I can't make it")),
            ("to give up", ("I'd give up", "I wouldn't give up")),
        ):
            told = clause_stated(clause, EN)
            self.assertEqual((told.yes, told.no) if told else None, both, clause)


class MainVerbTests(SynchronousTestCase):
    """What is done where "do" is all the verb there is."""

    def test_do(self) -> None:
        """It stays, and something else that is done takes its place."""
        for clause, yes in (("you do Saturdays", "I do Saturdays"), ("he does repairs", "he does repairs"),
                            ("you do deliver", "I deliver")):
            told = clause_stated(clause, EN)
            self.assertEqual(told.yes if told else "", yes)


class SoundTests(SynchronousTestCase):
    """What may not be said."""

    def test_sound(self) -> None:
        """A sentence that begins with a verb that asks, that shouts or stays open, is not said."""
        for statement, sound in (
            ("the back door is mended", True), ("is the back door didn't mend", False),
            ("I want THE WET ONE BACK", False), ("you still need it:", False),
        ):
            self.assertIs(is_sound(statement, EN), sound, statement)

    def test_leads(self) -> None:
        """What leads a question in, and what is told behind it, is no part of what is said."""
        told = stated("Also is the back door mended, I am not carrying it round again?", EN)
        self.assertEqual(told.yes if told else "", "the back door is mended")
        self.assertEqual(either_stated("Do you come here or does he come to you, he has a bike?", EN),
                         ("I come here", "he comes to me"))
