"""What temperaments choose, and what that promises."""

from __future__ import annotations

from datetime import date

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.choice import consistent, does, plain, values_of, what_for
from simmail.core.writer.context import Scene, set_scene
from simmail.core.writer.reply.reply import reply
from simmail.core.writer.request import Promised
from simmail.core.writer.speech_act import ACTS, Said
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, request


def scene(*texts: str, temperament: str = "responsive", trust: float = 0.5, seed: str = "seed") -> Scene:
    """What Maria has before her."""
    return set_scene(request(*(mail(text, "Invoice INV-7") for text in texts), temperament=temperament, trust=trust,
                             seed=seed))


class ChoiceTests(SynchronousTestCase):
    """Acts."""

    def test_acts(self) -> None:
        """Every temperament has an act that exists for every intent of its table, and the same one each time."""
        for temperament in TEMPERAMENTS:
            before = scene("Hello.", temperament=temperament)
            for intent in before.manner.does:
                acts = does(before, intent, 0)
                self.assertEqual(acts, does(before, intent, 0))
                for act in acts if intent not in ("question",) else ():
                    self.assertIn(act, ACTS, (temperament, intent))

    def test_has_none(self) -> None:
        """Who has no hat lends none."""
        for seed in map(str, range(9)):
            some = scene("Have you still got the hat? Could I borrow it on Friday?", seed=seed, temperament="ghost")
            told = [one.act for one in reply(some) if one.act.startswith("answer.")]
            self.assertTrue(len(told) == 1 or told[0] not in ("answer.no", "answer.denied", "answer.not_so"), told)

    def test_distrust(self) -> None:
        """Who has lost trust does not pay but asks."""
        trusting = {act for n in range(20) for act in does(scene("Hello.", seed=str(n)), "invoice", 0)}
        doubting = {act for n in range(20) for act in does(scene("Hello.", seed=str(n), trust=0.1), "invoice", 0)}
        self.assertIn("invoice.pay", trusting)
        self.assertNotIn("invoice.pay", doubting)
        self.assertIn("invoice.doubt", doubting)

    def test_promises(self) -> None:
        """An act that promises has a day, and names what is promised; what is given for it counts."""
        before = scene("Please look into it.")
        read = before.read[0]
        day = date(2026, 3, 20)
        acts = {act.act: act for n in range(20) for act in plain(
            scene("Please look into it.", seed=str(n)), read, "task", 0, day=day, what="the plan")}
        promise = acts["task.do"].promise
        assert promise is not None
        self.assertEqual((promise.what, promise.due.date()), ("the plan", day))
        self.assertIn("by", acts["task.do"].values)
        self.assertEqual({act.promise for name, act in acts.items() if name != "task.do"} - {None}, set())

    def test_what(self) -> None:
        """What is promised is named by what is known of it."""
        before = scene("Hello.")
        for act, values, expected in (
            ("invoice.pay", {"ref": "INV-7"}, "the payment of INV-7"), ("bill.pay", {}, "the payment of your invoice"),
            ("task.do", {}, "word that it is done"), ("enquiry.promise", {}, "our quote"),
            ("chaser.answer", {"owed": "the plan"}, "the plan"),
        ):
            self.assertEqual(what_for(before, act, values), expected, act)

    def test_values(self) -> None:
        """The last mail of a batch is what is common; an earlier one names its own things."""
        first, last = mail("EUR 10.00 are due.", "Invoice INV-1"), mail("EUR 20.00 are due.", "Invoice INV-2")
        both = set_scene(request(first, last, now=NOW))
        self.assertEqual(values_of(both, both.read[1])["amount"], "EUR 20.00")
        self.assertEqual(values_of(both, both.read[0])["amount"], "EUR 10.00")
        self.assertEqual(values_of(both, both.read[0])["me"], values_of(both, both.read[1])["me"])


class ConsistencyTests(SynchronousTestCase):
    """What cannot both be said."""

    def test_time(self) -> None:
        """A time that was taken stands: no other day beside it, unless that is known; the bare no goes, too."""
        slot = Said(act="meeting.accept", values={"slot": "Monday 9 March at 17:10"}, remarks=(
            Remark("agreed", "persona", "appointment", NOW),))
        other = Said(act="answer.option", values={"option": "Thursday at 8:20"})
        known = Said(act="answer.fact", values={"label": "delivery", "value": "Thursday at 8:20"})
        same = Said(act="answer.way", values={"option": "Monday at 17:10"})
        no = Said(act="answer.no", values={"no": "no"})
        named = Said(act="answer.denied", values={"value": "I don't smoke"})
        for said, kept in (([slot, other], [slot]), ([slot, known, same], [slot, known, same]),
                           ([slot, no, named], [slot, named]), ([other, no], [other, no])):
            self.assertEqual(consistent(said, NOW, language("en")), kept)

    def test_refused(self) -> None:
        """Who declines promises nothing beside it."""
        said = [Said(act="event.decline", values={}), Said(act="task.do", values={}, promise=Promised("word", NOW))]
        self.assertEqual(consistent(said, NOW, language("en")), said[:1])

    def test_solved(self) -> None:
        """What is solved works: asked whether it does, nobody denies it beside."""
        solved, no = Said(act="support.solved", values={}), Said(act="answer.denied", values={"value": "it doesn't"})
        self.assertEqual(consistent([solved, no], NOW, language("en")), [solved])
        self.assertEqual(consistent([no], NOW, language("en")), [no])
