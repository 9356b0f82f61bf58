"""Tests for C{simmail.universe.people.case_editor}: what a push changes."""

from __future__ import annotations

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.errors import Invalid, NotFound, OverAllowance
from simmail.testing.universe import now
from tests.universe.people.test_cases import CaseTestCase, case
from tests.universe.test_road import persona


class CaseEditorTests(CaseTestCase):
    """Pushed and deleted."""

    def test_push_creates_then_updates(self) -> None:
        """The same external id names the same case; changed fields are named."""
        made = now(self.universe.case_editor.push(case(external_id="crm-7")))
        self.assertTrue(made.new)
        again = now(self.universe.case_editor.push({"external_id": "crm-7", "status": "waiting"}))
        self.assertEqual((again.new, again.changed, again.case.id), (False, ("status",), made.case.id))
        self.assertEqual([event["data"]["new"] for event in self.events("case.updated")], [True, False])

    def test_people_become_personas(self) -> None:
        """Somebody described on a case is a persona with provider C{case}."""
        made = now(self.universe.case_editor.push(case()))
        person = self.universe.people.at("kim@acme.test")
        assert person is not None and made.case.people
        self.assertEqual((person.provider, made.case.people[0].persona_id), ("case", person.id))

    def test_bad_person_changes_nothing(self) -> None:
        """A bad field of one person is refused by its path, and nobody is created."""
        bad = case()
        bad["people"][0]["timing"] = {"reply_rate": 2}
        self.assertRaises(Invalid, now, self.universe.case_editor.push(bad))
        self.assertEqual((len(self.universe.cases), len(self.universe.people)), (0, 0))

    def test_people_the_plan_does_not_allow(self) -> None:
        """People described beyond the plan's allowance are refused by name of the plan, and nothing is created."""
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(people=1))
        two = case()
        two["people"].insert(0, {"addresses": ["lee@acme.test"]})
        error = self.assertRaises(OverAllowance, now, self.universe.case_editor.push(two))
        self.assertIn("the plan tiny allows 1", str(error))
        self.assertEqual((len(self.universe.cases), len(self.universe.people)), (0, 0))
        now(self.universe.case_editor.push(case()))
        self.assertEqual(len(self.universe.people), 1)
        # Who is there already is not one more.
        self.assertFalse(now(self.universe.case_editor.push(case(id=self.universe.cases.all()[0].id))).new)

    def test_joining_later(self) -> None:
        """Who comes to a case that is there writes first about what it wants; who was there does not write again."""
        made = now(self.universe.case_editor.push({"title": "Lease", "people": [{"address": "app@sim.test"}]}))
        now(self.universe.people.create(persona()))
        people = [{"address": "maria@acme.test", "wants": "the keys"}, {"address": "app@sim.test"}]
        for _ in range(2):
            now(self.universe.case_editor.push({"people": people}, made.case.id))
            self.assertEqual([job.kind for job in self.universe.pending.by_id.values()], ["initiate"])

    def test_delete_skips_its_jobs(self) -> None:
        """Jobs about a case that is gone are skipped, and that is told."""
        made = self.owed(deliverables=["2026-03-05T12:00:00Z"])
        (job,) = self.universe.pending.by_id.values()
        now(self.universe.case_editor.delete(made.case.id))
        self.assertEqual(self.universe.pending.by_id, {})
        self.assertEqual([event["data"]["id"] for event in self.events("job.updated")], [job.id])

    def test_delete(self) -> None:
        """A case that is gone is not found, and its people stay."""
        made = now(self.universe.case_editor.push(case()))
        now(self.universe.case_editor.delete(made.case.id))
        self.assertRaises(NotFound, self.universe.cases.found, made.case.id)
        self.assertEqual(len(self.universe.people), 1)
