"""The set of mails is whole, what a program finds in answers is so, and it is played the same each time."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from tests.universe.believable import sheet, specimens, stage, verdicts
from tests.universe.believable.specimens import Conversation, Specimen, Turn
from tests.universe.believable.stage import Letter, Played
from tests.universe.believable.verdicts import Summary, Verdict

MAILS, CONVERSATIONS, PATTERNS = specimens.mails(), specimens.conversations(), specimens.patterns()

#: Everything that comes into a mailbox in ordinary life.
KINDS = frozenset((
    "question", "questions", "choice", "check", "meeting", "move", "cancellation", "invoice", "reminder", "complaint",
    "refund", "offer", "coldoffer", "order", "status", "support", "bug", "application", "data_request", "details",
    "signature", "legal", "phishing", "injection", "greeting", "private", "missing", "ticket", "code", "newsletter",
    "parcel", "sick", "congratulations", "condolence", "event", "survey", "thanks", "wrong_recipient", "out_of_hours",
    "forwarded", "long", "oneline", "notext", "htmlonly", "itip", "request", "notice", "foreign"))

#: What somebody has said before in a conversation: whatever a later turn may ask for.
EARLIER = "Oiled, and four."
#: Answers that know nothing.
EMPTY = {
    "en": ("Yes.", "I'll check and tell you by Monday 21 September.", "Noted, thanks.", "Not sure, sorry."),
    "de": ("Ja, genau.", "Das kläre ich und melde mich bis Montag, 21. September.", "Notiert, danke."),
    "fr": ("Oui.", "Je me renseigne et vous réponds d'ici lundi.", "C'est noté, merci."),
    "es": ("Sí.", "Lo consulto y le contesto antes del lunes.", "Tomo nota, gracias."),
}


def letter(text: str, turn: int = 0, kind: str = "reply", calendar: str = "") -> Letter:
    """A letter with that text."""
    return Letter(kind, turn, datetime(2026, 9, 8, tzinfo=ZoneInfo("UTC")), "a@b.test", "Re: x", text, (), calendar)


def mail(**fields: object) -> Specimen:
    """A mail of which only the checks matter."""
    found: Specimen = msgspec.convert({
        "name": "x", "kind": "question", "to": "judith", "from": "a@b.test", "at": "Mon 10:00", "subject": "x",
        "good": "", "bad": "", **fields}, Specimen)
    return found


def talk(*turns: dict[str, object]) -> Conversation:
    """A conversation of which only the checks matter."""
    return Conversation("x", "judith", "a@b.test", "x", "", tuple(
        msgspec.convert({"text": "?", "good": "", **one}, Turn) for one in turns))


class SetTests(SynchronousTestCase):
    """The mails and conversations themselves."""

    def test_kinds_and_languages(self) -> None:
        """Every kind is there, at least 60 mails, most of them English, each name once."""
        self.assertEqual({one.kind for one in MAILS}, KINDS)
        languages = Counter(one.language for one in MAILS)
        for language, least in {"en": 36, "de": 14, "fr": 5, "es": 5}.items():
            self.assertGreaterEqual(languages[language], least, language)
        names = Counter([*(one.name for one in MAILS), *(one.name for one in CONVERSATIONS)])
        self.assertEqual([name for name, count in names.items() if count > 1], [])

    def test_conversations(self) -> None:
        """Ten of eight turns; at least thirty of them ask for what was said, and say what is right."""
        self.assertGreaterEqual(len(CONVERSATIONS), 10)
        self.assertEqual({len(one.turns) for one in CONVERSATIONS}, {8})
        recalls = [turn for one in CONVERSATIONS for turn in one.turns if turn.recall]
        self.assertGreaterEqual(len(recalls), 30)
        self.assertEqual([turn.text for turn in recalls if not turn.must], [])
        for one in CONVERSATIONS:
            kept: set[str] = set()
            for turn in one.turns:
                self.assertTrue(not turn.given or turn.given in kept, f"{one.name}: {turn.text}")
                kept.update(turn.keep)

    def test_people_and_times(self) -> None:
        """Each mail is to somebody there is, at a time there is; turns come one after another."""
        people = specimens.people()
        for one in MAILS:
            specimens.instant(one.at, people[one.to]["timing"]["hours"]["tz"])
        for talk in CONVERSATIONS:
            times = specimens.instants(talk, people[talk.to]["timing"]["hours"]["tz"])
            self.assertEqual(times, sorted(set(times)), talk.name)

    def test_patterns(self) -> None:
        """Each expression is one, and none is found in nothing: it would always be there."""
        kept = {"people": "four", "finish": "oil"}
        for language, found in [
            *((one.language, text) for one in MAILS for text in (*one.must, *one.must_not)),
            *((one.language, text) for one in CONVERSATIONS for turn in one.turns
              for text in (*turn.must, *turn.must_not, *turn.never, *turn.keep.values())),
        ]:
            self.assertIsNone(PATTERNS.compiled(found, language, kept).search(""), found)
        self.assertRaises(KeyError, PATTERNS.compiled, "<nobody>", "en")

    def test_days(self) -> None:
        """A date has to be on the day that is named."""
        self.assertEqual(specimens.instant("Tue 15 10:12", "UTC").isoformat(), "2026-09-15T10:12:00+00:00")
        self.assertEqual(specimens.instant("Sun 18:00", "Europe/London").isoformat(), "2026-09-13T18:00:00+01:00")
        self.assertRaises(ValueError, specimens.instant, "Mon 15 10:12", "UTC")
        self.assertEqual([f"{one:%a %d %H}" for one in specimens.instants(talk(
            {"at": "Thu 10 09:00"}, {}, {}), "UTC")], ["Thu 10 09", "Fri 11 10", "Mon 14 10"])


class VerdictTests(SynchronousTestCase):
    """What a program says of answers."""

    def test_mail(self) -> None:
        """A forbidden word is a fault wherever it stands, an expected one is counted."""
        asked = mail(must=["yard", "lane"], must_not=["<yes_no>"])
        self.assertEqual(verdicts.of_mail(asked, Played((letter("In the yard."),), {}), PATTERNS), Verdict((), 1, 2))
        found = verdicts.of_mail(asked, Played((letter("Hi,\n\nYes, gladly."),), {}), PATTERNS)
        self.assertEqual(found, Verdict(("wrong: <yes_no>",), 0, 2))
        idea = verdicts.of_mail(asked, Played((letter("No idea, ask Tom."),), {}), PATTERNS)
        self.assertEqual(idea.faults, ())

    def test_silence(self) -> None:
        """It is wrong where an answer is due; what is not an answer is none."""
        later = Played((letter("Any news?", kind="nudge"),), {})
        self.assertEqual(verdicts.of_mail(mail(), later, PATTERNS).faults, ("no answer",))
        self.assertEqual(verdicts.of_mail(mail(answer="none"), later, PATTERNS).faults, ())

    def test_anywhere(self) -> None:
        """Signs of a machine, another language and a sentence twice are wrong in every letter."""
        for language, text, fault in (
            ("en", "On {date} then.", "nobody writes"), ("de", "Thank you.", "another language"),
            ("en", "As to your second question, four.", "nobody writes"),
            ("en", "That suits me very well. That suits me very well.", "said twice"),
        ):
            found = verdicts.of_mail(
                mail(language=language), Played((letter("Gut."), letter(text, kind="deliver")), {}), PATTERNS).faults
            self.assertEqual([one.partition(":")[0] for one in found], [fault], text)

    def test_calendar(self) -> None:
        """An invitation asks for a calendar reply."""
        asked = mail(itip="REPLY")
        self.assertEqual(verdicts.of_mail(asked, Played((letter("Yes."),), {}), PATTERNS).faults,
                         ("no calendar reply",))
        self.assertEqual(verdicts.of_mail(asked, Played((letter("Yes.", calendar="REPLY"),), {}), PATTERNS).faults, ())

    def test_recall(self) -> None:
        """Right is what holds all and nothing wrong; silence is not."""
        asked = talk({"recall": True, "must": ["friday", "14:30"], "must_not": ["10:00"]})
        for text, right in (("Friday at 14:30.", True), ("Friday.", False), ("Friday, 10:00 or 14:30", False)):
            (found,) = verdicts.of_conversation(asked, Played((letter(text),), {}), PATTERNS)
            self.assertEqual((found.recall, bool(found.faults)), (right, not right), text)
        (silent,) = verdicts.of_conversation(asked, Played((), {}), PATTERNS)
        self.assertEqual((silent.recall, silent.faults), (False, ("no answer",)))

    def test_right_answers(self) -> None:
        """Each question about what was said has answers that are right; what answers any question is not."""
        listed = specimens.right_answers()
        for asked in CONVERSATIONS:
            recalls = [number for number, turn in enumerate(asked.turns, 1) if turn.recall]
            self.assertEqual(recalls, sorted(listed[asked.name]), asked.name)
            for number in recalls:
                def right(text: str, number: int = number, asked: Conversation = asked) -> bool | None:
                    letters = [letter(EARLIER, turn) for turn in range(number - 1)]
                    found = verdicts.of_conversation(
                        asked, Played((*letters, letter(text, number - 1)), {}), PATTERNS)
                    return found[number - 1].recall
                for text in listed[asked.name][number]:
                    self.assertIs(right(text), True, f"{asked.name} {number}: {text}")
                for text in EMPTY[asked.language]:
                    self.assertIs(right(text), False, f"{asked.name} {number}: {text}")

    def test_kept(self) -> None:
        """What it said before it has to say again, in figures or letters; what it never said, it need not."""
        asked = talk({"keep": {"people": r"\b(\d+|four|five)\b"}},
                     {"recall": True, "given": "people", "must": ["<people>"]})
        for first, second, right in (("We are four.", "4, still.", True), ("4 of us", "Five.", False),
                                     ("Not sure yet.", "Not sure yet.", None)):
            found = verdicts.of_conversation(asked, Played((letter(first), letter(second, 1)), {}), PATTERNS)
            self.assertIs(found[1].recall, right, first)

    def test_never(self) -> None:
        """What was called off is wrong in whatever is written from then on, and only from then on."""
        called = talk({}, {"never": ["refund is on"]}, {"recall": True, "must": ["kettle"]})
        found = verdicts.of_conversation(called, Played((
            letter("Your refund is on its way."), letter("Fine.", 1), letter("A kettle.", 2),
            letter("The refund is on its way.", 2, "deliver")), {}), PATTERNS)
        self.assertEqual([bool(one.faults) for one in found], [False, False, True])
        self.assertIs(found[2].recall, False)

    def test_scores(self) -> None:
        """Shares and means; what is no score, or of no mail, is refused."""
        self.assertEqual(Summary.of([0, 1, 3, 3]), Summary(4, 1.75, 0.25, 0.25, 0, 0.5))
        self.assertRaises(ValueError, Summary.of, [4])
        self.assertRaises(ValueError, Summary.of, [])
        given = {"mails": {"x": {"busy": {"score": 2}}}, "conversations": {"x": {"busy": {1: {"score": 0}}}}}
        found = verdicts.scored(given, [mail()], [talk({"recall": True, "must": ["x"]})])
        self.assertEqual(found["all"], {"all": [2, 0]})
        self.assertEqual(found["kind"], {"question": [2], "(recall)": [0]})
        self.assertRaises(KeyError, verdicts.scored, {"mails": {"y": {"busy": {"score": 2}}}}, [mail()], [])
        self.assertRaises(ValueError, verdicts.scored, {"mails": {"x": {"busy": {"score": 5}}}}, [mail()], [])


class StageTests(SynchronousTestCase):
    """Playing."""

    def test_unsigned(self) -> None:
        """The name at the end and what stands below it are no part of what was said; the name elsewhere is."""
        self.assertEqual(stage.unsigned("Judith is out.\n\nBest,\nJudith\nOffice Manager", "Judith Okafor"),
                         "Judith is out.\n\nBest,")
        self.assertEqual(stage.unsigned("Fine.\n-- \nLarkfield", "Judith Okafor"), "Fine.")

    def test_calendar_method(self) -> None:
        """The method stands in the content type."""
        self.assertEqual(stage.calendar_method(b"Content-Type: text/calendar;\r\n method=\"REPLY\"\r\n"), "REPLY")
        self.assertEqual(stage.calendar_method(b"Content-Type: text/plain\r\n\r\nmethod=REPLY"), "")

    def test_octets(self) -> None:
        """Every mail is made of the same octets each time, with all its parts."""
        for one in MAILS:
            self.assertEqual(stage.message(one).as_bytes(), stage.message(one).as_bytes(), one.name)
            found = [part.get_filename() for part in stage.message(one).walk() if part.get_filename()]
            self.assertEqual(found, list(one.attached), one.name)

    def test_same_each_time(self) -> None:
        """A mail and a conversation get the same letters again, and those are on the sheet."""
        asked = next(one for one in MAILS if one.name == "where_to_park")
        once = stage.play_mail(asked, "responsive")
        self.assertEqual(once, stage.play_mail(asked, "responsive"))
        self.assertTrue(once.letters)
        page = sheet.of_mail(asked, {"responsive": once}, {"responsive": Verdict(("wrong: x",))})
        for part in (asked.good, once.letters[0].text.split("\n")[-1], "program: wrong: x"):
            self.assertIn(part, page)
        self.assertNotIn(asked.good, sheet.of_mail(asked, {"responsive": once}, {"responsive": Verdict()}, True))

    def test_a_conversation(self) -> None:
        """Every turn of a willing person is answered before the next one, in one thread for each subject."""
        asked = next(one for one in CONVERSATIONS if one.name == "calder_call")
        played = stage.play_conversation(asked, "busy")
        self.assertEqual(played, stage.play_conversation(asked, "busy"))
        self.assertEqual({one.turn for one in played.letters if one.kind == "reply"}, set(range(8)))
        self.assertEqual({one.to for one in played.answers(2)}, {"emily@strand-venues.test"})
        page = sheet.of_conversation(asked, {"busy": played}, {
            "busy": verdicts.of_conversation(asked, played, PATTERNS)})
        self.assertEqual(page.count("#### Turn"), 8)
