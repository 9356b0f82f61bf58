"""Tests for C{simmail.universe.people.cases}."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

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


class CaseTestCase(RoadTestCase):
    """A universe with cases."""

    def owed(self, **fields: Any) -> Any:
        """A case by which Maria, who keeps promises, owes the price list."""
        person = self.universe.people.at("maria@acme.test") or now(
            self.universe.people.create(persona(behaviors={"keep_promises": 1.0})))
        return now(self.universe.case_editor.push({
            "external_id": "crm-8", "title": "Offer", "people": [{"persona_id": person.id}, {
                "address": "app@sim.test"}], **fields, "deliverables": [
                    {"name": "the price list", "persona_id": person.id, "due": due} for due in fields.get(
                        "deliverables", ())]}))


class CaseTests(CaseTestCase):
    """What threads are about."""

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
