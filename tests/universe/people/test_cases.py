"""Tests for C{simmail.universe.people.cases} and C{case_editor}."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.errors import Invalid, NotFound, OverAllowance
from simmail.testing.universe import now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


def case(**fields: Any) -> dict[str, Any]:
    """Fields of a case with one persona and the application on it."""
    return {
        "title": "Invoice INV-2041", "keys": ["INV-2041"], "facts": {"amount": "1200 EUR"},
        "secrets": {"discount": "we would take 900"},
        "people": [{"addresses": ["kim@acme.test"], "name": "Kim Lee", "temperament": "responsive", "knows": "all",
                    "timing": {"reply_rate": 1.0}}, {"address": "app@sim.test"}],
        **fields,
    }


QUESTION = MAIL.replace(b"maria", b"kim").replace(b"Maria", b"Kim").replace(b"Lunch on Friday?", b"INV-2041").replace(
    b"do you have time for lunch on Friday at 12:30?", b"what is the amount of INV-2041, and is there a discount?")


class CaseTests(RoadTestCase):
    """What threads are about."""

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

    def test_case_ids(self) -> None:
        """A persona is read with the cases that name it; writing that back keeps nothing of them."""
        made = now(self.universe.case_editor.push(case()))
        person = self.universe.people.at("kim@acme.test")
        assert person is not None
        shown = self.universe.cases.shown(person)
        self.assertEqual(shown.case_ids, (made.case.id,))
        now(self.universe.case_editor.push({"id": "c_other"}))
        now(self.universe.people.patch(person.id, {"case_ids": [made.case.id, "c_other"], "role": "buyer"}))
        kept = self.universe.people.at("kim@acme.test")
        assert kept is not None
        self.assertEqual((kept.case_ids, kept.role), (("c_other",), "buyer"))
        now(self.universe.case_editor.push({"id": made.case.id, "people": []}))
        self.assertEqual(self.universe.cases.shown(kept).case_ids, ("c_other",))

    def test_facts_are_said_and_secrets_are_not(self) -> None:
        """A mail with the case's key is linked; the answer states its fact and never its secret."""
        now(self.universe.case_editor.push(case()))
        self.server.send(self.universe, "app@sim.test", "kim@acme.test", QUESTION)
        (received,) = self.events("persona.received")
        self.assertEqual(received["case_id"], received["data"]["case_id"])
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        (reply,) = self.inbox()
        self.assertIn("1200 EUR", reply.text)
        self.assertNotIn("900", reply.text)
        self.assertEqual(reply.header("X-Service-Case"), received["case_id"])

    def test_deliverable_is_promised_and_settled(self) -> None:
        """What a persona owes by a case is promised at once, and a job delivers it."""
        due = self.universe.clock.now() + timedelta(days=3)
        now(self.universe.people.create(persona(behaviors={"keep_promises": 1.0})))
        person = self.universe.people.at("maria@acme.test")
        assert person is not None
        now(self.universe.case_editor.push({
            "title": "Offer", "people": [{"persona_id": person.id}, {"address": "app@sim.test"}],
            "deliverables": [{"name": "the price list", "persona_id": person.id, "due": due.isoformat()}]}))
        (promised,) = self.events("persona.promised")
        self.assertTrue(promised["data"]["will_keep"])
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=10)))
        sent = [event["data"]["kind"] for event in self.events("persona.sent")]
        self.assertIn("deliver", sent)
        self.assertTrue(any(mail.attachments for mail in self.inbox()))

    def owed(self, **fields: Any) -> Any:
        """A case by which Maria, who keeps promises, owes the price list."""
        person = self.universe.people.at("maria@acme.test") or now(
            self.universe.people.create(persona(behaviors={"keep_promises": 1.0})))
        return now(self.universe.case_editor.push({
            "external_id": "crm-8", "title": "Offer", "people": [{"persona_id": person.id}, {
                "address": "app@sim.test"}], **fields, "deliverables": [
                    {"name": "the price list", "persona_id": person.id, "due": due} for due in fields.get(
                        "deliverables", ())]}))

    def test_deliverable_due_another_day(self) -> None:
        """A new date replaces the old promise and its job; the thing comes once."""
        self.owed(deliverables=["2026-03-05T12:00:00Z"])
        (first,) = self.universe.pending.by_id.values()
        self.owed(deliverables=["2026-03-20T12:00:00Z"])
        (second,) = self.universe.pending.by_id.values()
        self.assertNotEqual(first.id, second.id)
        self.assertEqual(now(self.universe.scheduler.job(first.id)).state, "skipped")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual([event["data"]["kind"] for event in self.events("persona.sent")], ["deliver"])

    def test_nothing_is_owed_any_more(self) -> None:
        """What a case does not ask for any more, or one that is closed, is not delivered."""
        changes: tuple[dict[str, Any], ...] = (
            {"deliverables": []}, {"deliverables": ["2026-03-05T12:00:00Z"], "status": "closed"})
        for fields in changes:
            self.universe = self.server.universe(f"u{len(fields)}")
            self.owed(deliverables=["2026-03-05T12:00:00Z"])
            self.owed(**fields)
            self.assertEqual(self.universe.pending.by_id, {})

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
