"""SPF, term by term."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis.strategies import text
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.authentication import SpfCheck
from simmail.core.inspection.sender.lookup import Kind, NoAnswer
from simmail.core.inspection.sender.spf import check

_ZONE: dict[tuple[str, Kind], tuple[str, ...]] = {
    ("a.example", "A"): ("192.0.2.1", "192.0.2.2"), ("a.example", "AAAA"): ("2001:db8::1",),
    ("b.example", "MX"): ("a.example",), ("good.example", "TXT"): ("other", "v=spf1 ip4:192.0.2.1 -all"),
    ("1.2.0.192.in-addr.arpa", "PTR"): ("mail.a.example",), ("mail.a.example", "A"): ("192.0.2.1",),
    ("1.2.0.192.list.example", "A"): ("127.0.0.2",), ("two.example", "TXT"): ("v=spf1 -all", "v=spf1 +all"),
    ("app.example", "TXT"): ("v=spf1 +all",),
}


def asked(record: str, ip: str = "192.0.2.1", helo: str = "mail.app.example", **zone: str) -> SpfCheck:
    """SPF of a domain with one record."""
    def lookup(name: str, kind: Kind) -> tuple[str, ...]:
        if name == "silent.example":
            raise NoAnswer("silence")
        if name == "x.example" and kind == "TXT":
            return (record,)
        return _ZONE.get((name, kind), ())
    return check(ip, helo, "app@x.example", lookup)


class SpfTests(SynchronousTestCase):
    """RFC 7208."""

    def test_terms(self) -> None:
        """Each term matches whom it names, and nobody else."""
        for term in ("ip4:192.0.2.0/24", "ip4:192.0.2.1", "a:a.example", "a:a.example/31", "mx:b.example",
                     "include:good.example", "ptr:a.example", "exists:%{ir}.list.example", "all", "A:a.example"):
            found = asked(f"v=spf1 {term} -all")
            self.assertEqual(found.result, "pass", (term, found))
            if term not in ("all",):
                self.assertEqual(asked(f"v=spf1 {term} -all", "198.51.100.9").result, "fail", term)
        self.assertEqual(asked("v=spf1 ip6:2001:db8::/32 -all", "2001:db8::7").result, "pass")
        self.assertEqual(asked("v=spf1 a:a.example -all", "2001:db8::1").result, "pass")

    def test_results(self) -> None:
        """Qualifiers, no match, redirect, no record, silence."""
        for record, result in (
                ("v=spf1 -all", "fail"), ("v=spf1 ~all", "softfail"), ("v=spf1 ?all", "neutral"), ("v=spf1", "neutral"),
                ("v=spf1 redirect=good.example", "pass"), ("v=spf1 redirect=none.example", "permerror"),
                ("v=spf10 -all", "none"), ("v=spf1 include:silent.example -all", "temperror"),
                ("v=spf1 include:none.example -all", "permerror"), ("v=spf1 ip4:300.1.1.1 -all", "permerror"),
                ("v=spf1 -all include:", "permerror"), ("v=spf1 moo -all", "permerror"),
                ("v=spf1 a:%{x}.example -all", "permerror"), ("v=spf1 a/33 -all", "permerror"),
                ("v=spf1 x=%{d} -all", "fail")):
            self.assertEqual(asked(record).result, result, record)
        self.assertIn("2 SPF records", check("192.0.2.1", "", "a@two.example", lambda *key: _ZONE.get(key, ())).why)

    def test_counter(self) -> None:
        """Ten look-ups are allowed and eleven are not, whoever sends; two may be without an answer."""
        ten = "v=spf1 " + "a:a.example " * 10 + "-all"
        self.assertEqual((asked(ten).lookups, asked(ten).broken), (10, ""))
        eleven = asked("v=spf1 " + "a:a.example " * 11 + "-all")
        # The first term matches this client; the next sender would see a permanent error.
        self.assertEqual(eleven.result, "pass")
        self.assertIn("more than 10 look-ups", eleven.broken)
        self.assertEqual(asked("v=spf1 " + "a:a.example " * 11 + "-all", "198.51.100.9").result, "permerror")
        self.assertIn("look-ups without an answer", asked("v=spf1 a:n1.example a:n2.example a:n3.example -all").broken)

    def test_nested(self) -> None:
        """Look-ups of included records count."""
        self.assertEqual(asked("v=spf1 include:good.example mx:b.example -all").lookups, 2)

    def test_unknown_client(self) -> None:
        """Without the client's address the record is looked at only."""
        found = asked("v=spf1 a:a.example -all", "")
        self.assertEqual((found.result, found.lookups, found.record), ("unseen", 1, "v=spf1 a:a.example -all"))

    def test_null(self) -> None:
        """For the null reverse-path the greeting is asked about."""
        found = check("192.0.2.1", "app.example", "", lambda *key: _ZONE.get(key, ()))
        self.assertEqual((found.result, found.domain), ("pass", "app.example"))

    @settings(deadline=None, max_examples=200)
    @given(text(alphabet="v=spf1 ainclude:mxptr/%{}dir.-0+?~2e", max_size=60))
    def test_anything(self, record: str) -> None:
        """Any record has a result."""
        asked("v=spf1 " + record)
