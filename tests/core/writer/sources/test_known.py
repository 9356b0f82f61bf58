"""What is known of a question, looked up once for a mail."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import Scene, set_scene
from simmail.core.writer.sources.known import is_told, known_answer, sources, without_topic
from tests.core.writer.samples import mail, request
from tests.core.writer.sources.threads import remarks


def scene(text: str) -> Scene:
    """A mail of a thread in which a repair was agreed, to somebody who knows where it is."""
    return set_scene(replace(request(mail(text, "Re: Roof")), remarks=remarks("en"), facts={"address": "12 Mill Lane"}))


class KnownTests(SynchronousTestCase):
    """The nearest answers: a fact, a piece of the thread; nothing where neither says it."""

    def test_nearest(self) -> None:
        """Each question has its answer, and what nobody told has none."""
        for text, act, value in (("What is the address?", "answer.fact", "12 Mill Lane"),
                                 ("What is the job number?", "answer.piece", "MR-2207"),
                                 ("Who won the race?", None, "")):
            here = scene(text)
            known, (question,) = sources(here), here.read[0].found.points
            found = known_answer(here, here.read[0], question, known)
            self.assertEqual(None if found is None else found.act, act, text)
            self.assertIn(value, "" if found is None else found.values["value"])
            self.assertEqual(is_told(here, question, known), act == "answer.piece", text)
            # Asked again it is not looked up again.
            self.assertIs(known_answer(here, here.read[0], question, known), found)

    def test_without_topic(self) -> None:
        """Who says in full what is answered need not name it."""
        self.assertEqual(without_topic({"topic": "the roof", "value": "grey"}), {"value": "grey"})
