"""Days that are suggested beside what is asked."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.reply import reply
from tests.core.writer.samples import mail, maria, request


class SuggestionTests(SynchronousTestCase):
    """Somebody who could come on a day."""

    def test_day(self) -> None:
        """Who agrees to the rest says whether the day suits; a day that is asked for is answered as before."""
        text = "Hi Maria,\n\nthe fence is down. {}\nDo you have a dog?\n\nDana"
        for sentence, named in (("He could start on Thursday 12th.", 1), ("He started on Thursday 5th.", 0),
                                ("It was built by my father.", 0)):
            scene = set_scene(request(mail(text.format(sentence), "Fence"), persona=maria("responsive")))
            told = [one for one in reply(scene) if one.act in ("answer.suits", "answer.unsuited")]
            refused = any(one.act in ("answer.denied", "answer.no", "answer.not_so") for one in reply(scene))
            self.assertEqual(len(told), 0 if refused else named, sentence)
