"""Tests for C{simmail.server.signin}: master users, names that say their universe."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from simmail.config import from_value
from simmail.core.records.commit import EventQuery
from simmail.core.rules.faults import FaultEvent
from simmail.errors import Invalid, Unauthenticated, Unavailable
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

    def test_moving(self) -> None:
        """While the universe is not served nobody is told that the mailbox is not there."""
        roster: Any = self.server.roster
        roster._release(self.universe)
        self.assertRaises(Unavailable, self.sign_in, "maria@acme.test*boss@sim.test", "pw")
        self.assertRaises(Unauthenticated, self.sign_in, "maria@acme.test*boss@sim.test", "no")

    def test_and_nothing_else(self) -> None:
        """Not with another password, not for a mailbox that is not there, not over SMTP, not for nobody."""
        for name, password, proto in (
            ("maria@acme.test*boss@sim.test", "no", "imap"), ("none@acme.test*boss@sim.test", "pw", "imap"),
            ("maria@acme.test*boss@sim.test", "pw", "smtp"), ("maria@acme.test*", "", "imap"),
            ("maria@acme.test*other@sim.test", "pw", "imap"),
        ):
            self.assertRaises(Unauthenticated, self.sign_in, name, password, proto)


class QualifiedTests(RoadTestCase):
    """Names that say their universe."""

    def setUp(self) -> None:
        """The same login in two universes, one of them separate, and a third organisation's."""
        self.server = MemoryServer(from_value({"imap": {"master_users": {"boss@sim.test": "pw"}}}))
        self.universe = self.server.universe()
        self.fork = self.server.universe("a-fork", separate=True)
        for universe in (self.universe, self.fork):
            now(self.server.roster.accounts(universe).create(
                {"address": "app@sim.test", "password": "s3cret", "username": "billing"}))

    def sign_in(self, name: str, password: str = "s3cret", proto: Any = "imap") -> Any:
        """Sign in as a mail program would."""
        return now(self.server.roster.sign_in(name, password, proto, "10.0.0.1"))

    def test_everywhere(self) -> None:
        """Every login of every universe may say where it is; the plain name means the original."""
        for name in ("app@sim.test", "billing"):
            for proto in ("imap", "smtp"):
                for suffix, universe in (("", "main"), ("%main", "main"), ("%a-fork", "a-fork"), ("%A-Fork", "a-fork")):
                    login = self.sign_in(name + suffix, proto=proto)
                    self.assertEqual((login.universe.id, login.address, login.username),
                                     (universe, "app@sim.test", name))

    def test_nobody(self) -> None:
        """No other universe's password or name opens it, and what is no universe is part of the name."""
        now(self.server.roster.accounts(self.fork).change("app@sim.test", {"password": "other"}))
        now(self.server.roster.accounts(self.fork).create({"address": "new@sim.test", "password": "s3cret"}))
        for name, password in (
            ("app@sim.test", "other"), ("app@sim.test%a-fork", "s3cret"), ("app@sim.test%nope", "s3cret"),
            ("%a-fork", "other"), ("new@sim.test", "s3cret"), ("new@sim.test%main", "s3cret"),
        ):
            self.assertRaises(Unauthenticated, self.sign_in, name, password)
        self.assertEqual(self.sign_in("new@sim.test%a-fork").address, "new@sim.test")

    def test_moving(self) -> None:
        """
        While a universe is not served here, nobody is told that a password is wrong, however often it is tried; who
        has a login elsewhere gets in.
        """
        roster: Any = self.server.roster
        roster._release(self.fork)
        for name in ("app@sim.test%a-fork", "nobody@sim.test"):
            for _ in range(12):
                self.assertRaises(Unavailable, self.sign_in, name)
        self.assertEqual(self.sign_in("billing").universe.id, "main")
        self.assertRaises(Unavailable, roster.answers["logins"], "app@sim.test%a-fork")
        now(self.fork.close())
        now(Deferred.fromCoroutine(roster._opened_again(self.fork.record)))
        self.assertEqual(self.sign_in("app@sim.test%a-fork").universe.id, "a-fork")
        self.assertRaises(Unauthenticated, self.sign_in, "nobody@sim.test")

    def test_failures_are_told_there(self) -> None:
        """Who tries a wrong password in a universe is told of in that universe."""
        self.assertRaises(Unauthenticated, self.sign_in, "app@sim.test%a-fork", "wrong")
        log = [now(self.server.database.events(one.id, EventQuery(types=("auth.failed",))))
               for one in (self.universe, self.fork)]
        self.assertEqual([len(one) for one in log], [0, 1])

    def test_unauthenticated_mail(self) -> None:
        """Mail of nobody's never goes to a separate universe, however many have the mailbox."""
        other = self.server.universe("shop")
        for universe in (other, self.fork):
            now(universe.store.create("x@there.test"))
        self.assertIs(self.server.roster.route("x@there.test"), other)
        now(self.fork.store.create("y@there.test"))
        self.assertIs(self.server.roster.route("y@there.test"), self.universe)

    def test_master(self) -> None:
        """A master user says in which universe the mailbox is."""
        self.assertIs(self.sign_in("app@sim.test%a-fork*boss@sim.test", "pw").universe, self.fork)
        self.assertIs(self.sign_in("app@sim.test*boss@sim.test", "pw").universe, self.universe)

    def test_taken(self) -> None:
        """A separate universe takes no name from others; nobody takes a name that reads as another's."""
        accounts = self.server.roster.accounts
        now(accounts(self.fork).create({"address": "b@sim.test", "password": "x"}))
        now(accounts(self.universe).create({"address": "b@sim.test", "password": "x"}))
        error = self.assertRaises(
            Invalid, now, accounts(self.universe).change("b@sim.test", {"username": "app@sim.test%a-fork"}))
        self.assertEqual(error.field, "username")
        tried = now(accounts(self.fork).test("app@sim.test", "s3cret", "billing%a-fork"))
        self.assertTrue(tried.imap.ok)
        self.assertFalse(now(accounts(self.fork).test("app@sim.test", "s3cret", "billing%main")).imap.ok)
        self.assertEqual(accounts(self.fork).get("app@sim.test%a-fork").address, "app@sim.test")

    def test_faults(self) -> None:
        """A rule for a login draws for it as in the original."""
        rule = {"kind": "auth_fail", "stage": "imap_login", "match": "app@sim.test", "rate": 1}
        now(self.fork.faults.put([rule]))
        hit = self.fork.faults.judge(FaultEvent("imap_login", login="app@sim.test%a-fork"))
        self.assertIsNotNone(hit)
        self.assertIs(self.server.roster.default_universe("app@sim.test%a-fork"), self.fork)
        self.assertIs(self.server.roster.default_universe("app@sim.test"), self.universe)
