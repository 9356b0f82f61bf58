"""What answers to one mail are taken from, read and looked up once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import MailQuestion, read_question
from simmail.core.language.tables import language
from simmail.core.writer.context import set_scene
from simmail.core.writer.sources.answer_sources import AnswerSources
from tests.core.writer.samples import mail, request
from tests.core.writer.sources.threads import remarks

EN = language("en")


class CountingMeaning:
    """Finds a sentence far from everything, and counts how often it is asked about each."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()

    def kinds(self, text: str) -> Mapping[str, float]:
        """No kind is likely."""
        return {}

    def exchange(self, sentence: str) -> tuple[str, float]:
        """Return that it begins none."""
        return "", 0.0

    def nearness(self, one: str, other: str) -> float:
        """Nothing is near."""
        self.asked[(one, other)] += 1
        return 0.0


def question(text: str) -> MailQuestion:
    """A question of a mail."""
    return read_question(text, EN)


class AnswerSourcesTests(SynchronousTestCase):
    """Facts, remarks, notes, and the sheet."""

    def setUp(self) -> None:
        """A thread about a roof, with a fact and a note."""
        self.meaning = CountingMeaning()
        self.request = request(
            mail("Hello Maria,\n\nwho needs the key to the loft?\n\nOwen"), remarks=remarks("en"),
            facts={"delivery address": "Kajgatan 5"}, notes=("parking: behind the house",), meaning=self.meaning)

    def sources(self, answered: frozenset[str] = frozenset()) -> AnswerSources:
        """What answers are taken from when some mails are answered."""
        scene = set_scene(self.request)
        return AnswerSources(self.request, scene.calendar, EN, answered, scene.far, scene.distant)

    def test_asked_once(self) -> None:
        """Sentences are compared with a question once, however often it is asked, and with another again."""
        known = self.sources()
        asked = question("What does the forecast promise?")
        self.meaning.asked.clear()
        for _ in range(3):
            known.spoken_of(asked)
            known.piece(asked)
        self.assertEqual(set(self.meaning.asked.values()), {1})
        before = self.meaning.asked.total()
        known.spoken_of(replace(asked, text="What does the weather promise?"))
        self.assertEqual(self.meaning.asked.total(), 2 * before)

    def test_piece(self) -> None:
        """A piece of the thread answers, but no statement that wants confirming."""
        known, asked = self.sources(), question("Who needs the key to the loft?")
        found = known.piece(asked)
        assert found is not None
        self.assertEqual((found.text, found.sure), ("Gary", True))
        self.assertIsNone(known.piece(replace(asked, checks=True)))

    def test_answered(self) -> None:
        """What an answered mail says itself is no answer to it."""
        of = {one.message_id for one in self.request.remarks if "Gary" in one.value}
        self.assertEqual(len(of), 1)
        self.assertTrue(any("Gary" in one.value for one in self.sources().remarks))
        known = self.sources(frozenset(of))
        self.assertFalse(any("Gary" in one.value for one in known.remarks))
        self.assertIsNone(known.piece(question("Who needs the key to the loft?")))

    def test_facts(self) -> None:
        """A fact and a note answer what is asked by their names."""
        known = self.sources()
        fact, note = known.fact(question("What is the delivery address?")), known.note(question("Where is parking?"))
        assert fact is not None and note is not None
        self.assertEqual((fact.value, note.value), ("Kajgatan 5", "behind the house"))
        self.assertIsNone(known.note(question("What is the delivery address?")))

    def test_reckoned(self) -> None:
        """A sum is of the figures of the thread."""
        self.assertIn("£1,630", self.sources().sum_of(question("What is the total?")))
        self.request = replace(self.request, remarks=())
        self.assertEqual(self.sources().sum_of(question("What is the total?")), "")
