"""Tests for C{simmail.core.records.world}: the settings document."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis.strategies import dictionaries, floats, integers, lists, none, recursive, sampled_from, text
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.world import Company, WorldMix, WorldSettings, world_of
from simmail.errors import Invalid

_NAMES = sampled_from((
    "enabled", "seed", "company", "streams", "name", "industry", "domains", "inboxes", "id", "kind", "to", "per_day",
    "profile", "mix", "cap_per_day", "new", "known"))
_VALUES = recursive(
    none() | integers() | floats() | text(max_size=20) | sampled_from(("inquiry", "flat", "a@b.test", True)),
    lambda inner: lists(inner, max_size=3) | dictionaries(_NAMES, inner, max_size=4), max_leaves=12)


class WorldTests(SynchronousTestCase):
    """Reading."""

    def test_defaults(self) -> None:
        """Nothing is a world that is off; what is left out or null takes its default."""
        self.assertEqual(world_of({}), WorldSettings())
        (stream,) = world_of({"company": {"inboxes": ["a@b.test"]}, "streams": [
            {"id": "a", "kind": "spam", "profile": None, "cap_per_day": None}]}).streams
        self.assertEqual((stream.per_day, stream.profile, stream.mix, stream.enabled, stream.cap_per_day),
                         (5.0, "office", WorldMix(), True, None))

    def test_addresses(self) -> None:
        """Addresses and domains are kept in lower case, each once; a stream's own go before the company's."""
        world = world_of({"company": {"domains": ["Acme.TEST", "acme.test"], "inboxes": ["Hello@Acme.test"]},
                          "streams": [{"id": "a", "kind": "order"},
                                      {"id": "b", "kind": "order", "to": ["B@acme.test"]}]})
        self.assertEqual(world.company, Company(domains=("acme.test",), inboxes=("hello@acme.test",)))
        self.assertEqual([world.addressees(one) for one in world.streams], [("hello@acme.test",), ("b@acme.test",)])
        self.assertEqual(world.inboxes, {"hello@acme.test", "b@acme.test"})

    @given(_VALUES)
    def test_anything(self, value: Any) -> None:
        """Whatever is sent is a world that says the same when it is sent back, or is refused."""
        try:
            world = world_of(value)
        except Invalid:
            return
        self.assertEqual(world_of({"enabled": world.enabled, "seed": world.seed, "company": {
            "name": world.company.name, "industry": world.company.industry, "domains": list(world.company.domains),
            "inboxes": list(world.company.inboxes)}, "streams": []}).company, world.company)
