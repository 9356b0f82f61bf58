"""The case that a mail belongs to."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import case_match
from simmail.core.decide.case_match import Shelved, shelved
from simmail.core.records.case import Case, CasePerson
from tests.core.scenes import APP, MARIA, mail, person

INVOICE = Case("c_inv", "Invoice", status="open", external_id="CRM-7", keys=("INV-2041", "Project Falcon"),
               people=(CasePerson(persona_id="p_maria"), CasePerson(address=APP)))
LEASE = Case("c_lease", "Lease", status="open", keys=("INV-204",))
OLD = Case("c_old", "Old", status="closed", keys=("OLD-1",), people=(CasePerson(address=MARIA),))
SHELF = shelved((INVOICE, LEASE, OLD))


def matched(given: Any, shelf: Shelved = SHELF, persona: Any = None, sender: str = APP, linked: str = "") -> Any:
    """(case id, how) of a mail."""
    who = persona if persona is not None else person("p_other", addresses=["o@acme.test"])
    case, how = case_match.match(given, shelf, who, sender, linked)
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

    @given(st.text("ab1_- ", max_size=12), st.lists(st.text("aB1_- ", min_size=1, max_size=4), max_size=5).map(tuple))
    def test_no_key_is_missed(self, text: str, keys: tuple[str, ...]) -> None:
        """A key that stands alone is found, whatever else is looked for, and the longest of several."""
        shelf = shelved(Case(f"c{n}", "C", keys=(key,)) for n, key in enumerate(keys))
        alone = [key for key in keys if key.strip() and re.search(
            rf"(?<![^\W_]){re.escape(key.lower())}(?![^\W_])", text)]
        found, how = matched(mail(text, subject=""), shelf)
        self.assertEqual(how, "key" if alone else "none")
        if alone:
            self.assertEqual(len(keys[int(found[1:])]), max(map(len, alone)))
