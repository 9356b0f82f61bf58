"""Mailboxes that take no mail, and notifications."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.bounce import notification, refused
from simmail.core.decide.decide import react
from simmail.core.decide.decision import Bounce, PlannedJob, Relate
from simmail.core.rng import Dice
from tests.core.scenes import APP, MARIA, NOW, after, of, only, person, situation


class BounceTests(SynchronousTestCase):
    """A mailbox that takes no mail."""

    def test_fixed_status(self) -> None:
        """A forced status bounces with its kind, to the envelope sender, a little later."""
        reactions = react(situation(status="disabled", envelope_sender="bounces@app.test"))
        expected = Bounce("disabled", MARIA, "bounces@app.test", "mailbox status disabled")
        self.assertEqual(only(Bounce, reactions), expected)
        plan = only(PlannedJob, reactions)
        self.assertEqual((plan.kind, plan.data["to"], plan.data["bounce"]), ("bounce", "bounces@app.test", "disabled"))
        self.assertTrue(NOW < plan.due < after(minutes=20))

    def test_behaviour(self) -> None:
        """behaviors.bounce is the share of mails that bounce, as refused() tells beforehand."""
        persona = person(behaviors={"bounce": 0.3})
        count = 0
        for n in range(1000):
            one = situation(persona=persona, seed=Dice(str(n)))
            reactions = react(one)
            early = refused(persona, "ok", one.dice)
            self.assertEqual(bool(of(Bounce, reactions)), early is not None)
            count += early is not None
        self.assertTrue(250 < count < 350, count)

    def test_one_kind_of_bounce(self) -> None:
        """An address bounces in one way, whenever it does."""
        kinds = {}
        for name in range(40):
            persona = person(id=f"p_{name}", behaviors={"bounce": 0.5})
            found = {one.kind for n in range(30) if (one := refused(persona, "ok", Dice("seed").on("mail", n)))}
            self.assertEqual(len(found), 1)
            kinds[name] = found.pop()
        self.assertEqual(set(kinds.values()), {"full", "blocked", "disabled"})

    def test_no_notice_about_a_notice(self) -> None:
        """Nothing is sent to the null sender, and it is counted all the same."""
        reactions = react(situation(status="full", envelope_sender=""))
        self.assertEqual([type(one) for one in reactions], [Bounce, Relate])
        self.assertEqual(only(Relate, reactions).dossier.received, 1)

    def test_asked_for(self) -> None:
        """Who asks for a notification of success gets one (RFC 3461), and none where nothing is to be sent to."""
        asked = situation(dsn={"notify": ["SUCCESS"], "envid": "e1"})
        (plan,) = notification(asked, "delivered")
        self.assertEqual(
            (plan.kind, plan.data["to"], plan.data["envid"], plan.data["bounce"]), ("bounce", APP, "e1", None))
        self.assertEqual(notification(situation(), "delivered"), ())
        self.assertEqual(notification(situation(dsn={"notify": ["NEVER"]}), "failed"), ())
        self.assertEqual(notification(situation(dsn={"notify": ["SUCCESS"]}, envelope_sender=""), "delivered"), ())
