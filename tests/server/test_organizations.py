"""Tests for C{simmail.server.organizations}."""

from __future__ import annotations

from simmail.core.rules.quota_plan import plans_of
from simmail.errors import Conflict, Invalid
from simmail.testing.universe import now
from tests.universe.test_road import RoadTestCase


class OrganizationsTests(RoadTestCase):
    """Organisations and their plans."""

    def test_bad_ids(self) -> None:
        """Ids that could not stand in keys and paths are refused."""
        for bad in ("", "A", "a b", "../x", "a" * 64, "-a", "a:b", "a\n"):
            self.assertRaises(Invalid, now, self.server.roster.create_universe(bad))
        self.assertRaises(Conflict, now, self.server.roster.create_universe("main"))

    def test_plans(self) -> None:
        """Plans are read with their features and limits; a bad one is named."""
        plans = plans_of({"free": {"features": [], "limits": {"people": 25}}})
        self.assertEqual(plans["free"].limits.people, 25)
        self.assertIn("self-hosted", plans)
        self.assertEqual(self.assertRaises(Invalid, plans_of, {"x": {"features": ["magic"]}}).field, "plans.x")
