"""Fault rules as the API takes and shows them."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.fault_rule import (
    FaultRule, KINDS, NumberedRule, PAIRS, STAGES, is_advanced, rule_of, rules_of, shown,
)
from simmail.errors import Invalid

REJECT = {"kind": "reject", "stage": "rcpt"}


class FieldTests(SynchronousTestCase):
    """Rules as the API takes them."""

    def test_pairs(self) -> None:
        """A kind stands where it makes sense and nowhere else."""
        for kind in KINDS:
            for stage in STAGES:
                rule = {"kind": kind, "stage": stage, "delay_ms": 1, "bytes_per_second": 1, "interval": "1m"}
                if stage in PAIRS[kind]:
                    self.assertEqual(rule_of(rule).stage, stage)
                else:
                    with self.assertRaises(Invalid) as caught:
                        rule_of(rule)
                    self.assertEqual(caught.exception.field, "stage")
        self.assertEqual({stage for stages in PAIRS.values() for stage in stages}, set(STAGES))

    def test_refused(self) -> None:
        """What is wrong is named by its place and path."""
        for fields, field in (
            ({"kind": "explode"}, "0.kind"), ({"stage": "quit"}, "0.stage"), ({"kind": None}, "0.kind"),
            ({"rate": 1.1}, "0.rate"), ({"rate": "1"}, "0.rate"), ({"code": 250}, "0.code"), ({"code": 450}, "0.code"),
            ({"code": 5.5}, "0.code"), ({"enhanced": "5.7"}, "0.enhanced"), ({"enhanced": "4.7.1"}, "0.enhanced"),
            ({"enhanced": "5.7.1234"}, "0.enhanced"), ({"message": "a\r\nb"}, "0.message"),
            ({"message": "a" + 10 * "\nb"}, "0.message"),
            ({"message": "a\n" + "b" * 401}, "0.message"), ({"stage": "imap_fetch", "message": "a\nb"}, "0.message"),
            ({"first": -1}, "0.first"),
            ({"every": True}, "0.every"), ({"per": "hour"}, "0.per"), ({"window": {"tz": "Mars/Base"}}, "0.window.tz"),
            ({"window": {"days": "someday"}}, "0.window.days"), ({"window": {"from": "25:00"}}, "0.window.from"),
            ({"window": {"until": "1"}}, "0.window.until"), ({"colour": "red"}, "0.colour"),
            ({"enabled": 1}, "0.enabled"),
            ({"kind": "delay"}, "0.delay_ms"), ({"kind": "delay", "delay_ms": 3_600_001}, "0.delay_ms"),
            ({"kind": "rate_limit"}, "0.interval"), ({"kind": "rate_limit", "interval": "0s"}, "0.interval"),
            ({"kind": "throttle", "stage": "data"}, "0.bytes_per_second"),
            ({"kind": "late", "stage": "deliver"}, "0.delay_ms"), ({"certificate": "expired"}, "0.certificate"),
            ({"kind": "tls_fail", "stage": "starttls", "certificate": "old"}, "0.certificate"),
            ({"kind": "tls_fail", "stage": "starttls", "certificate": "expired", "code": 454}, "0.certificate"),
        ):
            with self.assertRaises(Invalid) as caught:
                rules_of([{**REJECT, **fields}])
            self.assertEqual(caught.exception.field, field, fields)

    def test_round_trip(self) -> None:
        """What is shown is taken again as it was; hits are read only."""
        rule = rule_of({
            "name": "night", "kind": "defer", "stage": "rcpt", "match": " @Acme.test", "rate": 0.5, "code": 450,
            "enhanced": "4.2.0", "message": "later", "window": {"days": "sat-sun"}, "enabled": False, "every": 2,
            "per": "ip", "hits": 7, "interval": None})
        self.assertEqual(shown(rule, 3), {
            "name": "night", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "rate": 0.5, "code": 450,
            "enhanced": "4.2.0", "message": "later", "window": {"days": "sat-sun"}, "enabled": False, "every": 2,
            "per": "ip", "hits": 3})
        self.assertEqual(rule_of(shown(rule, 3)), rule)
        self.assertEqual(shown(FaultRule("drop", "data")), {
            "name": "", "kind": "drop", "stage": "data", "match": "", "rate": 1.0, "enabled": True, "hits": 0})

    def test_advanced(self) -> None:
        """What needs the plan's chaos feature: three kinds, any window, any scenario, while enabled."""
        def advanced(**fields: Any) -> bool:
            return is_advanced(rule_of({**REJECT, **fields}))

        self.assertFalse(advanced())
        self.assertTrue(advanced(kind="greylist"))
        self.assertTrue(advanced(kind="rate_limit", interval="1m"))
        self.assertTrue(advanced(kind="drop"))
        self.assertTrue(advanced(window={}))
        self.assertTrue(advanced(scenario="postgrey"))
        self.assertFalse(advanced(kind="drop", enabled=False))

    def test_enhanced_without_code(self) -> None:
        """It goes with the code that the kind has at the stage."""
        for kind, stage, good, bad in (("tls_fail", "starttls", "4.7.0", "5.7.0"), ("defer", "auth", "4.7.1", "5.7.1"),
                                       ("auth_fail", "auth", "5.7.9", "4.7.0")):
            rule = rule_of({"kind": kind, "stage": stage, "enhanced": good})
            self.assertEqual(rule.enhanced, good)
            self.assertRaises(Invalid, rule_of, {"kind": kind, "stage": stage, "enhanced": bad})

    def test_left_out(self) -> None:
        """A member that is null counts as left out; a whole number may be written with a point."""
        self.assertEqual(rule_of({**REJECT, "code": None, "window": None, "first": 3.0}), FaultRule(
            "reject", "rcpt", first=3))

    def test_texts(self) -> None:
        """What is wrong is told in words."""
        for fields, text in (
            ({"kind": "explode"}, "0.kind: must be one of " + ", ".join(KINDS)),
            ({"stage": None}, "0.stage: is required"),
            ({"rate": 2}, "0.rate: must be from 0 to 1"), ({"first": -1}, "0.first: must be from 0 to 1000000000"),
            ({"first": "1"}, "0.first: must be a whole number, not text"),
            ({"name": "x" * 201}, "0.name: must not be longer than 200 characters"),
            ({"code": 600}, "0.code: must be from 400 to 599"),
            ({"code": 450}, "0.code: must be from 500 to 599 for reject"),
            ({"stage": "data", "kind": "greylist"}, "0.stage: greylist may stand at rcpt"),
        ):
            self.assertEqual(str(self.assertRaises(Invalid, rules_of, [{**REJECT, **fields}])), text)

    def test_contradictions(self) -> None:
        """No rule is made that contradicts itself, whoever makes it."""
        self.assertRaises(ValueError, FaultRule, "greylist", "data")
        self.assertRaises(ValueError, msgspec.structs.replace, FaultRule("drop", "data"), certificate="expired")

    def test_numbered(self) -> None:
        """Rules that nothing tells apart are numbered, and the first of them is known as one without a number."""
        same = rules_of([REJECT, {**REJECT, "code": 551}, {**REJECT, "name": "other"}])
        self.assertEqual([one.nth for one in same], [0, 1, 0])
        self.assertEqual(len({one.identity for one in same}), 3)
        self.assertEqual(same[0].identity, NumberedRule("reject", "rcpt").identity)
        self.assertNotIn("nth", shown(same[1]))

    @settings(max_examples=100, deadline=None)
    @given(st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["kind", "stage", "code", "window", "rate", "match", "tz", "days", "message", "x"]), inner, max_size=4),
        max_leaves=12))
    def test_anything(self, value: Any) -> None:
        """Whatever is sent, it is taken whole or refused as Invalid."""
        for one in (value, [value], [{**REJECT, "window": value}], [{**REJECT, "code": value, "match": value}]):
            try:
                msgspec.json.encode([shown(rule) for rule in rules_of(one)])
            except Invalid:
                pass
