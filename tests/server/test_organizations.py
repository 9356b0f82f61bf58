"""Tests for C{simmail.server.organizations}."""

from __future__ import annotations

from simmail.config import from_value
from simmail.core.rules.quota_plan import plans_of
from simmail.core.rules.recipients import rules_of
from simmail.errors import Conflict, Invalid
from simmail.testing.universe import MemoryServer, now
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


class UniversesTests(RoadTestCase):
    """The open universes."""

    def test_routes(self) -> None:
        """Unauthenticated mail goes where the recipient lives, else to the default universe."""
        other = self.server.universe("other")
        now(other.store.create("x@there.test"))
        self.assertIs(self.server.roster.route("x@there.test"), other)
        self.assertIs(self.server.roster.route("y@nowhere.test"), self.universe)
        now(self.universe.store.create("x@there.test"))
        self.assertIs(self.server.roster.route("x@there.test"), self.universe)

    def test_routes_by_domain(self) -> None:
        """A domain that one universe names is its own, until the default names it or has the mailbox."""
        other = self.server.universe("other")
        other.policy.rules = rules_of({"domains": {"there.test": {}}})
        route = self.server.roster.route
        self.assertIs(route("x@there.test"), other)
        now(self.universe.store.create("x@there.test"))
        self.assertIs(route("x@there.test"), self.universe)
        self.assertIs(route("y@there.test"), other)
        self.universe.policy.rules = other.policy.rules
        self.assertIs(route("y@there.test"), self.universe)

    def test_routes_by_domain_of_the_company(self) -> None:
        """The domains of the company that a World writes to are its universe's."""
        other, route = self.server.universe("other"), self.server.roster.route
        now(other.streams.put({"company": {"domains": ["There.test"]}}))
        self.assertIs(route("x@there.test"), other)
        now(other.streams.put({}))
        self.assertIs(route("x@there.test"), self.universe)

    def test_routes_without_a_look(self) -> None:
        """Where the answer is the default anyway, its store is not asked: that may be a look at the disk."""
        asked: list[str] = []
        self.patch(self.universe.store, "exists", asked.append)
        self.assertIs(self.server.roster.route("new@nowhere.test"), self.universe)
        self.assertEqual(asked, [])

    def test_routes_past_the_demo(self) -> None:
        """Mailboxes of the demo decide nothing, not even when it is the default; what is nobody's goes there then."""
        server = MemoryServer(from_value({"smtp": {"default_universe": "demo"}}))
        demo, other = server.universe("demo"), server.universe("other")
        for one in (demo, other):
            now(one.store.create("x@there.test"))
        self.assertIs(server.roster.route("x@there.test"), other)
        self.assertIs(server.roster.route("y@nowhere.test"), demo)
