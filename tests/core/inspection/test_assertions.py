"""Assertions about reports."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.assertions import Assertion, judge
from simmail.core.inspection.report import inspect
from simmail.errors import Invalid
from tests.core.inspection.messages import BODY, BULK


class AssertionTests(SynchronousTestCase):
    """Every way to compare."""

    def setUp(self) -> None:
        """A report."""
        self.report = inspect(BULK + BODY + b"https://shop.example/o/1 http://shop.example/o/2\r\n")

    def holds(self, what: str, op: Any, value: Any) -> bool:
        """Whether one assertion holds."""
        (found,) = judge(self.report, [Assertion(what, op, value)])
        self.assertEqual(bool(found.why), not found.holds)
        return found.holds

    def test_holding(self) -> None:
        """What holds, and what would not."""
        size = self.report.size
        for what, op, right, wrong in (
                ("subject", "eq", "Your order", "your order"), ("subject", "ne", "x", "Your order"),
                ("size", "lt", size + 1, size), ("size", "le", size, size - 1), ("size", "gt", size - 1, size),
                ("size", "ge", size, size + 1), ("spam.action", "in", ["deliver"], ["junk"]),
                ("subject", "contains", "order", "Order"), ("subject", "not_contains", "Order", "order"),
                ("subject", "starts_with", "Your", "order"), ("subject", "ends_with", "order", "Your"),
                ("links.1.url", "eq", "http://shop.example/o/2", None), ("links.count", "eq", 2, 3),
                ("links.7.url", "eq", None, ""), ("unsubscribe.one_click", "eq", True, 1),
                ("rules.FROM_PRESENT", "eq", "pass", "unseen"), ("auth.why", "contains", "spf", "nothing")):
            self.assertTrue(self.holds(what, op, right), (what, op))
            self.assertFalse(self.holds(what, op, wrong), (what, op))

    def test_never_by_accident(self) -> None:
        """Texts are not numbers, and what is not there is not less than anything."""
        self.assertFalse(self.holds("subject", "lt", 3))
        self.assertFalse(self.holds("links.9.ms", "lt", 3))
        self.assertFalse(self.holds("links.9.url", "contains", "x"))

    def test_misspelled_below_nothing(self) -> None:
        """A path below what is not there is still one that reports have."""
        self.assertTrue(self.holds("links.9.status", "ne", 404))
        self.assertTrue(self.holds("profiles.gmail.demands.0.reply.code", "ne", 550))
        for what in ("links.9.statsu", "links.9.url.x", "spam.rules.9.nmae", "profiles.gmail.demands.0.reply.cod"):
            self.assertRaises(Invalid, judge, self.report, [Assertion(what, "ne", 404)])

    def test_no_value(self) -> None:
        """Nothing to compare with is no null: else what was left out by mistake would hold."""
        error = self.assertRaises(Invalid, judge, self.report, [Assertion("size", "ne")])
        self.assertIn("assertions.0.value: is required", str(error))
        self.assertTrue(self.holds("size", "ne", None))

    def test_refused(self) -> None:
        """Paths that no report has, values that do not fit."""
        for what, op, value, text in (
                ("colour", "eq", 1, "assertions.0.what: the report has no colour"),
                ("rules.FROM_PRESNET", "eq", "pass", "rules has no FROM_PRESNET"),
                ("links.first", "eq", 1, "links has no first"), ("subject.text", "eq", 1, "subject has no text"),
                ("links.\u0660.url", "eq", "x", "links has no \u0660"),
                ("size", "lt", True, "value: lt needs a number"), ("size", "in", 3, "in needs a list"),
                ("subject", "contains", 3, "contains needs a text")):
            error = self.assertRaises(Invalid, judge, self.report, [Assertion(what, op, value)])  # type: ignore
            self.assertIn(text, str(error))
