"""Tests for C{simmail.server.signin}: master users."""

from __future__ import annotations

from typing import Any

from simmail.config import from_value
from simmail.errors import Unauthenticated
from simmail.testing.universe import MemoryServer, now
from tests.universe.test_road import RoadTestCase, persona


class MasterTests(RoadTestCase):
    """A person who may watch any mailbox."""

    def setUp(self) -> None:
        """One master user, and somebody to watch."""
        self.server = MemoryServer(from_value({"imap": {"master_users": {"boss@sim.test": "pw"}}}))
        self.universe = self.server.universe()
        now(self.universe.people.create(persona()))

    def sign_in(self, name: str, password: str, proto: Any = "imap") -> Any:
        """Sign in as a mail program would."""
        return now(self.server.roster.sign_in(name, password, proto, "::1"))

    def test_opens_any_mailbox(self) -> None:
        """C{address*master} with the master's password opens the mailbox of C{address}."""
        self.assertEqual(self.sign_in("maria@acme.test*boss@sim.test", "pw").address, "maria@acme.test")

    def test_and_nothing_else(self) -> None:
        """Not with another password, not for a mailbox that is not there, not over SMTP, not for nobody."""
        for name, password, proto in (
            ("maria@acme.test*boss@sim.test", "no", "imap"), ("none@acme.test*boss@sim.test", "pw", "imap"),
            ("maria@acme.test*boss@sim.test", "pw", "smtp"), ("maria@acme.test*", "", "imap"),
            ("maria@acme.test*other@sim.test", "pw", "imap"),
        ):
            self.assertRaises(Unauthenticated, self.sign_in, name, password, proto)
