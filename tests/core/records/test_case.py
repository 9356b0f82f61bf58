"""Cases: matching, facts, secrets."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records import case as cases
from simmail.core.records.case import Case, CasePerson, Shelved, shelved
from tests.core.scenes import APP, MARIA, SEED, mail, person

INVOICE = Case("c_inv", "Invoice", status="open", external_id="CRM-7", keys=("INV-2041", "Project Falcon"),
               people=(CasePerson(persona_id="p_maria"), CasePerson(address=APP)))
LEASE = Case("c_lease", "Lease", status="open", keys=("INV-204",))
OLD = Case("c_old", "Old", status="closed", keys=("OLD-1",), people=(CasePerson(address=MARIA),))
SHELF = shelved((INVOICE, LEASE, OLD))


def matched(given: Any, shelf: Shelved = SHELF, persona: Any = None, sender: str = APP, linked: str = "") -> Any:
    """(case id, how) of a mail."""
    who = persona if persona is not None else person("p_other", addresses=["o@acme.test"])
    case, how = cases.match(given, shelf, who, sender, linked)
    return (case.id if case is not None else "", how)


class MatchTests(SynchronousTestCase):
    """The first that fits."""

    def test_order(self) -> None:
        """header before thread before key before persona before none; a key in the subject before one in the text."""
        header = (("X-Service-Case", "CRM-7"),)
        everything = {"subject": "Re: INV-204", "text": "about INV-2041"}
        maria = person(case_ids=["c_old"])
        self.assertEqual(
            matched(mail(**everything, headers=header), linked="c_lease", persona=maria), ("c_inv", "header"))
        self.assertEqual(matched(mail(**everything), linked="c_old", persona=maria), ("c_old", "thread"))
        self.assertEqual(matched(mail(**everything), persona=maria), ("c_lease", "key"))
        self.assertEqual(matched(mail("about INV-2041", subject="x"), persona=maria), ("c_inv", "key"))
        self.assertEqual(matched(mail(), persona=maria), ("c_inv", "persona"))
        self.assertEqual(matched(mail()), ("", "none"))

    def test_header(self) -> None:
        """The header names an id or an external id; one that names nothing is passed over."""
        for value, expected in (("c_lease", ("c_lease", "header")), (" CRM-7 ", ("c_inv", "header")),
                                ("c_none", ("", "none")), ("", ("", "none"))):
            self.assertEqual(matched(mail(headers=(("x-service-case", value),))), expected)

    def test_gone(self) -> None:
        """A thread linked to a case that is gone is matched anew."""
        self.assertEqual(matched(mail(subject="INV-2041"), linked="c_gone"), ("c_inv", "key"))

    def test_whole_keys(self) -> None:
        """Keys stand alone, in any case and with spaces; the longer of two wins."""
        for text, expected in (
            ("inv-2041!", "c_inv"), ("(INV-204)", "c_lease"), ("XINV-204", ""), ("INV-20415", ""), ("INV-2041a", ""),
            ("INV-204 and INV-2041", "c_inv"), ("on project falcon.", "c_inv"), ("OLD-1", "c_old"),
            ("INV-20415 INV-2041", "c_inv"),
        ):
            self.assertEqual(matched(mail(text, subject="x"))[0], expected, text)

    def test_open_before_closed(self) -> None:
        """A key of two cases is the open one's."""
        shelf = shelved((Case("a", "A", status="closed", keys=("K-1",)), Case("b", "B", status="open", keys=("K-1",))))
        self.assertEqual(matched(mail("K-1"), shelf), ("b", "key"))

    def test_persona(self) -> None:
        """Only when there is exactly one open case with that correspondent."""
        maria = person()
        self.assertEqual(matched(mail(), persona=maria), ("c_inv", "persona"))
        self.assertEqual(matched(mail(), persona=maria, sender="x@else.test"), ("", "none"))
        two = shelved((INVOICE, Case("c_2", "Two", status="open", people=(CasePerson(address=MARIA),))))
        self.assertEqual(matched(mail(), two, maria), ("", "none"))
        self.assertEqual(matched(mail(), two, maria, "x@else.test"), ("c_2", "persona"))
        self.assertEqual(matched(mail(), shelved((OLD,)), maria), ("", "none"))
        self.assertEqual(matched(mail(), shelved((LEASE,)), person(case_ids=["c_lease"])), ("c_lease", "persona"))

    @given(st.text(max_size=100), st.text(max_size=20), st.lists(st.text(max_size=8), max_size=4).map(tuple))
    def test_anything(self, text: str, subject: str, keys: tuple[str, ...]) -> None:
        """Any mail and any keys give one of the answers."""
        how = matched(mail(text, subject=subject), shelved((Case("c", "C", keys=keys),)))[1]
        self.assertIn(how, ("key", "none"))


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
        for case in (INVOICE, LEASE, OLD):
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(case), type=Case), case)
        self.assertEqual(msgspec.json.encode(Case("c", "C")), b'{"id":"c","title":"C"}')
