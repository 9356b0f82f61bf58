"""Tests for C{simmail.server.apikeys}."""

from __future__ import annotations

from simmail.errors import Unauthenticated
from simmail.testing.universe import now
from tests.universe.test_road import RoadTestCase


class ApiKeysTests(RoadTestCase):
    """API keys."""

    def test_keys(self) -> None:
        """A key is known by its digest only, and not at all once revoked."""
        roster = self.server.roster
        token = now(roster.create_key("main", "member", "ci"))
        identity = now(roster.identify(token))
        self.assertEqual((identity.universe, identity.role, identity.name), ("main", "member", "ci"))
        stored = b"".join(now(self.server.database.table("", "keys")).values())
        self.assertNotIn(token.rpartition("_")[2].encode(), stored)
        for bad in (token[:-1], token + "x", "", "sm_", "sm_a_b", token.upper()):
            self.assertRaises(Unauthenticated, now, roster.identify(bad))
        now(roster.revoke_key(identity.prefix))
        self.assertRaises(Unauthenticated, now, roster.identify(token))
