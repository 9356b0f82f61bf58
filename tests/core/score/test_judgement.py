"""Tests for C{simmail.core.score.judgement} and the records it judges."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.score.expectations import Expectation, expectations_of
from simmail.errors import Invalid
from tests.core.score.scenes import ANNA, at, mail, part, scored, truth

BOB = "bob@mail.test"


def stated(**fields: Any) -> Expectation:
    """One expectation, read from a document."""
    return expectations_of({"expectations": [{"id": "x", **fields}]}).expectations[0]


class ExpectationTests(SynchronousTestCase):
    """Who must get what, by when, and what must not happen."""

    def values(self, *mails: Any, hours: float = 100, truths: Any = (), **fields: Any) -> list[tuple[float, str]]:
        """The points of one expectation, with their reasons."""
        report = scored(truths, mails, hours, expectations=[stated(**fields)])
        return [(one.value, one.why) for one in part(report, "expectations").points]

    def test_everybody(self) -> None:
        """Each who is named must get one that says so."""
        fields = {"to": [ANNA, BOB], "subject": "offer", "contains": ["12 EUR"], "lacks": ["discount"]}
        good = mail(1, 2, subject="Our Offer", text="It is 12 EUR.")
        self.assertEqual(self.values(good, **fields), [
            (1.0, f"x: {ANNA} got the mail"), (0.0, f"x: {BOB} got no such mail so far")])
        for bad in (mail(1, 2, subject="Hello", text="12 EUR"), mail(1, 2, subject="Offer", text="13 EUR"),
                    mail(1, 2, subject="Offer", text="12 EUR, a Discount")):
            self.assertEqual([value for value, _ in self.values(bad, **fields)], [0.0, 0.0])

    def test_times(self) -> None:
        """After, before and within bound the time; while it is not over nothing is lost."""
        fields = {"to": [ANNA], "after": "2026-03-02T10:00:00Z", "within": "2h"}
        for hours, value in ((0.5, 0.0), (1, 1.0), (3, 1.0), (3.5, 0.0)):
            self.assertEqual([one for one, _ in self.values(mail(1, hours), **fields)], [value], hours)
        self.assertEqual(self.values(hours=2.9, **fields), [])
        self.assertEqual(self.values(hours=3, **fields), [
            (0.0, f"x: {ANNA} got no such mail by 2026-03-02T12:00:00Z")])
        self.assertEqual([one for one, _ in self.values(
            mail(1, 3), to=[ANNA], before="2026-03-02T11:00:00Z")], [0.0])

    def test_forbidden(self) -> None:
        """What must not happen costs when it does, and only in its time."""
        fields = {"effect": "forbidden", "to": [ANNA, BOB], "before": "2026-03-02T11:00:00Z"}
        self.assertEqual(self.values(mail(1, 1), **fields), [
            (0.0, f"x: {ANNA} got the mail that was forbidden"), (1.0, f"x: {BOB} got nothing forbidden")])
        self.assertEqual([one for one, _ in self.values(mail(1, 3), **fields)], [1.0, 1.0])
        self.assertEqual([one for one, _ in self.values(mail(
            1, 1, text="It is 9182"), effect="forbidden", contains=["9182"])], [0.0])

    def test_on(self) -> None:
        """Each mail that fits begins a time of its own, and its writer is who must get something."""
        truths = [truth(1, 0, kind="order"), truth(2, 10, kind="order", senders=(BOB,)), truth(3, 0), truth(
            4, 99, kind="order")]
        found = self.values(mail(1, 3, 1), mail(2, 20, 2, to=(BOB,)), truths=truths, on={"kind": "order"}, within="4h")
        self.assertEqual(found, [
            (1.0, f"x: {ANNA} got the mail"), (0.0, f"x: {BOB} got no such mail by 2026-03-02T23:00:00Z")])
        for trigger, count in (({"subject": "question 2"}, 1), ({"sender": ANNA}, 3), ({"stream": "s"}, 0),
                               ({"message_id": "<w3@mail.test>"}, 1)):
            self.assertEqual(len(self.values(truths=truths, hours=200, on=trigger, within="4h")), count, trigger)

    def test_since(self) -> None:
        """What was over before is not graded."""
        report = scored([], expectations=[stated(to=[ANNA], before="2026-03-02T11:00:00Z")], since=at(5))
        self.assertEqual(part(report, "expectations").n, 0)

    def test_weight(self) -> None:
        """An expectation may weigh more than others."""
        heavy = stated(to=[ANNA], weight=3)
        report = scored([], [mail(1, 1)], expectations=[heavy, stated(to=[BOB])])
        self.assertEqual((part(report, "expectations").score, report.score), (0.75, 0.75))

    def test_refused(self) -> None:
        """A bad field is named by its path."""
        for fields, said in (
                ({}, "to, subject, contains or on"), ({"to": ["nobody"]}, "to"),
                ({"to": [ANNA], "within": "2h"}, "on or after"), ({"to": [ANNA], "effect": "maybe"}, "effect"),
                ({"on": {}}, "on"), ({"to": [ANNA], "weight": 0}, "weight"),
                ({"to": [ANNA], "after": "2026-03-02T10:00:00Z", "before": "2026-03-02T10:00:00Z"}, "before"),
                ({"on": {"kind": "poem"}}, "kind"), ({"to": [ANNA], "cc": "x"}, "cc")):
            error = self.assertRaises(Invalid, stated, **fields)
            self.assertIn("expectations.0", str(error), fields)
            self.assertIn(said, str(error), fields)
        twice = {"expectations": [{"id": "x", "to": [ANNA]}] * 2}
        self.assertIn("expectations.1.id", str(self.assertRaises(Invalid, expectations_of, twice)))
