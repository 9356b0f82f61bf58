"""Tests for C{simmail.server.users}."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, Committed
from simmail.errors import Conflict, Forbidden, Invalid, NotFound, TooMany, Unauthenticated, Unavailable
from simmail.server.users import PASS, SESSION
from simmail.testing.universe import MemoryServer, now
from tests.shallow import shallow


class UserTests(SynchronousTestCase):
    """People who sign in."""

    def setUp(self) -> None:
        """One member of one organisation."""
        self.server = MemoryServer()
        self.server.universe()
        self.users = self.server.roster.users
        now(self.users.create("Ann@x.test", "long enough", {"default": "member"}))

    def test_session(self) -> None:
        """A session holds until it ends, and survives a restart as a digest."""
        token = now(self.users.sign_in("ann@x.test", "long enough", "::1"))
        user, ticket = self.users.holder(token)
        self.assertEqual((user.email, ticket.universe), ("ann@x.test", ""))
        stored = now(self.server.database.table("", "tickets"))
        self.assertNotIn(token, str(stored))
        self.server.reactor.advance(SESSION + 1)
        self.assertRaises(Unauthenticated, self.users.holder, token)

    def test_sign_out(self) -> None:
        """After signing out the token is nobody's."""
        token = now(self.users.sign_in("ann@x.test", "long enough", "::1"))
        now(self.users.sign_out(token))
        self.assertRaises(Unauthenticated, self.users.holder, token)

    def test_sign_out_later(self) -> None:
        """While Redis is away a session goes on, and can be ended afterwards for good."""
        token = now(self.users.sign_in("ann@x.test", "long enough", "::1"))
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.users.sign_out(token))
        self.assertEqual(self.users.holder(token)[0].email, "ann@x.test")
        self.server.database.set_healthy(True)
        now(self.users.sign_out(token))
        self.assertRaises(Unauthenticated, self.users.holder, token)
        self.assertEqual(now(self.server.database.table("", "tickets")), {})

    def test_at_once(self) -> None:
        """Two who do the same while its commit is under way are both answered, in any order."""
        users, database = self.users, self.server.database
        commit, held = database.commit, []

        def later(universe: str, one: Commit, patient: bool = False) -> Deferred[Committed]:
            done: Deferred[Committed] = Deferred()
            held.append(lambda: commit(universe, one).chainDeferred(done))
            return done

        def at_once(*calls: Callable[[], Coroutine[Any, Any, Any]]) -> None:
            self.patch(database, "commit", later)
            asked = [Deferred.fromCoroutine(call()) for call in calls]
            while held:
                held.pop()()
            self.patch(database, "commit", commit)
            for one in asked:
                self.successResultOf(one)

        token = now(users.sign_in("ann@x.test", "long enough", "::1"))
        at_once(lambda: users.sign_out(token), lambda: users.sign_out(token))
        user = users.get("ann@x.test")
        session = now(users.sign_in("ann@x.test", "long enough", "::1"))
        now(users.create_pass(user, "main", session))
        self.server.reactor.advance(PASS + 1)
        at_once(lambda: users.create_pass(user, "main", session), lambda: users.create_pass(user, "main", session))
        at_once(lambda: users.delete("ann@x.test"), lambda: users.delete("ann@x.test"),
                lambda: users.sign_out(session))
        self.assertRaises(NotFound, users.get, "ann@x.test")
        self.assertEqual((users._tickets, now(database.table("", "tickets"))), ({}, {}))

    def test_pass(self) -> None:
        """A pass is for one universe, at most a member, and short."""
        now(self.users.change("ann@x.test", orgs={"default": "admin"}))
        session = now(self.users.sign_in("ann@x.test", "long enough", "::1"))
        token = now(self.users.create_pass(self.users.get("ann@x.test"), "main", session))
        self.assertEqual(self.users.holder(token)[1].role, "member")
        self.server.reactor.advance(PASS + 1)
        self.assertRaises(Unauthenticated, self.users.holder, token)

    def test_roles(self) -> None:
        """Who is in no organisation opens nothing; an administrator opens all."""
        now(self.users.create("bob@x.test", "long enough"))
        self.assertRaises(Forbidden, self.users.role, self.users.get("bob@x.test"), "main")
        self.assertEqual(self.users.universes(self.users.get("bob@x.test")), [])
        now(self.users.change("bob@x.test", administrator=True))
        self.assertEqual(self.users.role(self.users.get("bob@x.test"), "main"), "admin")

    def test_guessing(self) -> None:
        """Ten failures from one place in a minute make it wait; others do not, and on this machine the right one."""
        for remote in ("2001:db8::1", "::1"):
            for _ in range(10):
                self.assertRaises(Unauthenticated, now, self.users.sign_in("ann@x.test", "wrong", remote))
            self.assertRaises(TooMany, now, self.users.sign_in("ann@x.test", "wrong", remote))
        self.assertRaises(TooMany, now, self.users.sign_in("ann@x.test", "long enough", "2001:db8::1"))
        self.assertTrue(now(self.users.sign_in("ann@x.test", "long enough", "2001:db8::2")))
        self.assertTrue(now(self.users.sign_in("ann@x.test", "long enough", "::1")))

    def test_guessing_at_once(self) -> None:
        """Of four hundred tried at once ten are looked at; the right one is not let in for being among them."""
        hashing: list[Deferred[None]] = []

        def in_thread(work: Any, *arguments: Any) -> Deferred[bool]:
            hashing.append(Deferred())
            return hashing[-1].addCallback(lambda _: arguments[-1] == "long enough")

        self.server.in_thread = in_thread
        looked, told = 0, list[Any]()
        for n in range(400):
            Deferred.fromCoroutine(self.users.sign_in(
                "ann@x.test", "long enough" if n == 20 else f"wrong {n}", "2001:db8::1")).addBoth(told.append)
        with shallow():
            while hashing:
                looked += 1
                hashing.pop(0).callback(None)
                self.server.reactor.advance(0)
        self.assertEqual((looked, len(told)), (10, 400))
        self.assertEqual(Counter(one.type for one in told), {Unauthenticated: 10, TooMany: 390})

    def test_refusals(self) -> None:
        """Bad fields are named; nobody is made twice."""
        for arguments, field in ((("x", "long enough"), "email"), (("c@x.test", "short"), "password"),
                                 (("c@x.test", "long enough", {"nowhere": "viewer"}), "orgs")):
            self.assertEqual(self.assertRaises(Invalid, now, self.users.create(*arguments)).field, field)
        self.assertRaises(Conflict, now, self.users.create("ann@x.test", "long enough"))
        now(self.users.delete("ann@x.test"))
        self.assertRaises(NotFound, self.users.get, "ann@x.test")
