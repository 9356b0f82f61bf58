"""Cases: facts, secrets, and how they are stored."""

from __future__ import annotations

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records import case as cases
from simmail.core.records.case import Case, CasePerson
from tests.core.scenes import APP, MARIA, SEED, person

FACTS = {"amount": 1200.0, "due": "Friday", "paid": False, "lines": ["a", "b"], "bank": {"iban": "DE00"}}


class FactTests(SynchronousTestCase):
    """What may be said."""

    def facts(self, **fields: Any) -> dict[str, str]:
        """The facts Maria may state of a case with these fields."""
        return cases.facts(Case("c_1", "C", facts=FACTS), person(**fields), SEED)

    def test_levels(self) -> None:
        """all tells all, little nothing, some the same half each time, and another persona another half."""
        self.assertEqual(self.facts(knows="all"), {
            "amount": "1200", "due": "Friday", "paid": "no", "lines": "a, b", "bank": "iban DE00"})
        self.assertEqual(self.facts(knows="little"), {})
        some = self.facts(knows="some")
        self.assertEqual(len(some), 3)
        self.assertEqual(some, self.facts())
        halves = {tuple(self.facts(id=f"p_{n}")) for n in range(30)}
        self.assertGreater(len(halves), 5)

    def test_case_decides(self) -> None:
        """What a case says of a persona's knowledge and wishes comes before what the persona says."""
        case = Case("c_1", "C", facts=FACTS, people=(CasePerson(address=MARIA, knows="all", wants="a refund"),))
        self.assertEqual(cases.knows(case, person(knows="little")), "all")
        self.assertEqual(cases.wants(case, person(wants="peace")), "a refund")
        self.assertEqual(cases.wants(Case("c", "C"), person(wants="peace")), "peace")
        self.assertEqual(cases.wants(None, person()), "")

    def test_no_facts(self) -> None:
        """A case without facts has none."""
        self.assertEqual(cases.facts(Case("c", "C"), person(knows="all"), SEED), {})

    def test_secrets(self) -> None:
        """A secret is told only to whom it allows, asked for by name; facts never hold one."""
        case = Case("c_1", "C", facts={"amount": 5}, secrets={
            "lowest price": {"text": "900 euros", "allow": [APP]}, "password": "hunter2 hunter2"})
        for asker, question, expected in (
            (APP, "What is your lowest price?", {"lowest price": "900 euros"}), (APP, "What is the price?", {}),
            ("x@else.test", "What is your lowest price?", {}), (APP, "What is the password?", {}),
        ):
            self.assertEqual(cases.confided(case, asker, question), expected, question)
        self.assertEqual(cases.facts(case, person(knows="all"), SEED), {"amount": "5"})

    def test_leaks(self) -> None:
        """A secret's value in a text is seen, however it is spaced, unless it was confided."""
        case = Case("c", "C", secrets={"price": {"text": "900 euros", "allow": [APP]}, "pin": 1234, "flag": True})
        self.assertEqual(cases.leaks(case, "It is 900\n  EUROS, pin 1234"), ("price", "pin"))
        self.assertEqual(cases.leaks(case, "It is 900 euros", ["price"]), ())
        self.assertEqual(cases.leaks(Case("c", "C"), "x"), ())


class RecordTests(SynchronousTestCase):
    """As stored."""

    def test_round_trip(self) -> None:
        """A case reads back as it was written, and what is not set is not shown."""
        for case in (
            Case("c_inv", "Invoice", status="open", external_id="CRM-7", keys=("INV-2041", "Project Falcon"),
                 people=(CasePerson(persona_id="p_maria"), CasePerson(address=APP))),
            Case("c_lease", "Lease", status="closed", facts=FACTS, people=(CasePerson(address=MARIA, knows="all"),)),
        ):
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(case), type=Case), case)
        self.assertEqual(msgspec.json.encode(Case("c", "C")), b'{"id":"c","title":"C"}')
