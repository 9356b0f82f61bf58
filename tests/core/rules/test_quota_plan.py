"""Plans: features and allowances."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.quota_plan import Allowances, Plan, SELF_HOSTED, SERVED, plans_of
from simmail.errors import FeatureMissing, Invalid, OverAllowance


class PlanTests(SynchronousTestCase):
    """What an organisation may use."""

    def test_features(self) -> None:
        """What the plan lacks is refused naming both."""
        plan = Plan("free", ("links",))
        plan.require("links")
        self.assertEqual(str(self.assertRaises(FeatureMissing, plan.require, "chaos")),
                         "the plan free does not include chaos")
        for feature in SERVED:
            SELF_HOSTED.require(feature)

    def test_allowances(self) -> None:
        """The last one that is allowed is taken, one more is not; None is no limit."""
        plan = Plan("free", limits=Allowances(people=2, logins=0))
        plan.check("people", 1)
        plan.check("streams", 10**9)
        self.assertEqual(
            str(self.assertRaises(OverAllowance, plan.check, "people", 2)), "the plan free allows 2 people")
        self.assertRaises(OverAllowance, plan.check, "logins", 0)

    def test_document(self) -> None:
        """Plans of a document stand beside the one that has everything; an empty one has nothing."""
        plans = plans_of({"free": {"features": ["links"], "limits": {"people": 5, "logins": None}}, "none": None})
        self.assertEqual(plans["free"], Plan("free", ("links",), Allowances(people=5)))
        self.assertEqual((plans["none"], plans["self-hosted"]), (Plan("none"), SELF_HOSTED))

    def test_refused(self) -> None:
        """What is wrong is named by its plan and in words."""
        for value, text in (
            ([], "plans: must be an object"), ({"x": 7}, "plans.x: must be an object"),
            ({"x": {"features": ["magic"]}},
             "plans.x: features.0: must be one of insights, webhooks, links, chaos, mcp"),
            ({"x": {"limits": {"people": "5"}}}, "plans.x: limits.people: must be a whole number or null, not text"),
            ({"x": {"price": 5}}, "plans.x: price: unknown field"),
        ):
            self.assertEqual(str(self.assertRaises(Invalid, plans_of, value)), text)

    @given(st.recursive(st.none() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2)
           | st.dictionaries(st.sampled_from(["features", "limits", "people", "x"]), inner, max_size=3), max_leaves=8))
    def test_anything(self, value: Any) -> None:
        """Whatever a file holds, it is plans or a refusal."""
        try:
            self.assertIn("self-hosted", plans_of(value))
        except Invalid as error:
            self.assertTrue(error.field.startswith("plans"))
