"""What a case makes people do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.case_jobs import deliveries, opening, outside
from simmail.core.decide.decision import Promise, Relate
from simmail.core.records.case import Case, CasePerson, Deliverable
from simmail.core.records.relationship import Dossier
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from tests.core.scenes import APP, MARIA, NOW, SEED, after, of, only, person

CASE = Case("c_1", "Lease", people=(CasePerson(address=MARIA, wants="a lower rent"), CasePerson(address=APP)),
            deliverables=(
                Deliverable("the signed lease", "p_maria", after(days=3)),
                Deliverable("the plan", "p_other", after(days=1)),
                Deliverable("a photo", "p_maria"), Deliverable("the deposit", "p_maria", after(days=9))))
RELIABLE: dict[str, Any] = {"behaviors": {"keep_promises": 1}}


class DeliveryTests(SynchronousTestCase):
    """Deliverables."""

    def test_pledged(self) -> None:
        """Each dated deliverable of the persona is pledged and planned; the dossier holds them."""
        reactions = deliveries(CASE, None, person(**RELIABLE), APP, Dossier(APP), SEED, NOW, Pace())
        found = of(Promise, reactions)
        self.assertEqual([(one.what, one.to, one.will_keep) for one in found],
                         [("the signed lease", APP, True), ("the deposit", APP, True)])
        for pledge in found:
            self.assertEqual(pledge.deliver.kind, "deliver")
            self.assertTrue(NOW < pledge.deliver.due <= pledge.due)
            self.assertEqual(pledge.deliver.case_id, "c_1")
            msgspec.json.encode(pledge.deliver.data)
        promises = only(Relate, reactions).dossier.promises
        self.assertEqual([one.job_id for one in promises], [one.deliver.id for one in found])
        self.assertEqual(len({one.job_id for one in promises}), 2)

    def test_only_what_is_new(self) -> None:
        """A case pushed again pledges only what is new or has another date."""
        moved = replace(CASE, deliverables=(
            *(CASE.deliverables or ())[:1], Deliverable("the deposit", "p_maria", after(days=12))))
        reactions = deliveries(moved, CASE, person(**RELIABLE), APP, Dossier(APP), SEED, NOW, Pace())
        self.assertEqual([one.due for one in of(Promise, reactions)], [after(days=12)])
        self.assertEqual(deliveries(CASE, CASE, person(), APP, Dossier(APP), SEED, NOW, Pace()), ())

    def test_forgotten(self) -> None:
        """Who never keeps promises delivers late or has to be asked."""
        fates = set()
        for n in range(30):
            who = person(f"p_{n}", behaviors={"keep_promises": 0})
            case = replace(CASE, deliverables=(Deliverable("it", who.id, after(days=1)),))
            pledge = only(Promise, deliveries(case, None, who, APP, Dossier(APP), SEED, NOW, Pace()))
            self.assertFalse(pledge.will_keep)
            fates.add(pledge.deliver is None)
            if pledge.deliver is not None:
                self.assertGreater(pledge.deliver.due, after(days=1))
        self.assertEqual(fates, {True, False})


class OpeningTests(SynchronousTestCase):
    """Writing first."""

    def test_wants(self) -> None:
        """Who wants something in the case writes to the outside, after its own delay."""
        eager = person(timing={"reply_rate": 1, "delay": {"median": "20m", "spread": 1}})
        plan = opening(CASE, eager, APP, SEED, NOW, Pace())
        assert plan is not None
        self.assertEqual((plan.kind, plan.due, plan.data["wants"], plan.data["to"], plan.case_id),
                         ("initiate", NOW + timedelta(minutes=20), "a lower rent", APP, "c_1"))
        msgspec.json.encode(plan.data)

    def test_nobody(self) -> None:
        """Nothing wanted, nobody to write to, or no inclination: nothing."""
        eager = person(timing={"reply_rate": 1})
        self.assertIsNone(opening(Case("c", "C"), eager, APP, SEED, NOW, Pace()))
        self.assertIsNone(opening(CASE, eager, "", SEED, NOW, Pace()))
        self.assertIsNone(opening(CASE, person(timing={"reply_rate": 0}), APP, SEED, NOW, Pace()))
        found = [opening(CASE, person(temperament="ghost"), APP, Dice(str(n)), NOW, Pace()) for n in range(200)]
        self.assertTrue(0 < sum(one is not None for one in found) < 30)

    def test_outside(self) -> None:
        """The outside is the first address that belongs to no persona."""
        self.assertEqual(outside(CASE, frozenset((MARIA,))), APP)
        self.assertEqual(outside(CASE, frozenset((MARIA, APP))), "")
        self.assertEqual(outside(Case("c", "C"), frozenset()), "")
