"""Tests for C{simmail.server.accounts} and C{passwords}."""

from __future__ import annotations

from collections import Counter
from typing import Any

from twisted.internet.defer import Deferred

from simmail.core.rules.faults import FaultEvent
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.errors import Forbidden, Invalid, NotFound, OverAllowance, TooMany, Unauthenticated
from simmail.server.accounts import TrialResult, Tried
from simmail.server.signin import Login
from simmail.testing.universe import now
from tests.shallow import shallow
from tests.universe.test_road import RoadTestCase


class AccountTests(RoadTestCase):
    """Logins."""

    def setUp(self) -> None:
        """The logins of one universe."""
        super().setUp()
        self.roster = self.server.roster
        self.accounts = self.roster.accounts(self.universe)

    def sign_in(self, name: str, password: str, proto: Any = "imap", remote: str = "10.0.0.1") -> Any:
        """Sign in as a mail program would."""
        return now(self.roster.sign_in(name, password, proto, remote))

    def test_sign_in(self) -> None:
        """Address or username and password open the mailbox; both are recorded."""
        now(self.accounts.create({"address": "A@sim.test", "password": "s3cret", "username": "alice"}))
        self.assertEqual(self.sign_in("a@sim.test", "s3cret").address, "a@sim.test")
        self.assertEqual(self.sign_in("ALICE", "s3cret", "smtp").address, "a@sim.test")
        self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "wrong")
        self.assertRaises(Unauthenticated, self.sign_in, "nobody@sim.test", "s3cret")
        kinds = [(event["type"], event["data"]["proto"]) for event in self.events("auth.*")]
        self.assertEqual(
            kinds, [("auth.ok", "imap"), ("auth.ok", "smtp"), ("auth.failed", "imap"), ("auth.failed", "imap")])
        wrong, unknown = (event["data"] for event in self.events("auth.failed"))
        self.assertEqual(set(wrong), {"proto", "username", "address", "remote", "why"})
        self.assertEqual((wrong["address"], wrong["why"]), ("a@sim.test", "wrong name or password"))
        # A name that nobody has is told to the universe for mail of nobody's.
        self.assertEqual((unknown["username"], unknown["address"], unknown["why"]),
                         ("nobody@sim.test", "", "no such login"))

    def test_international_name(self) -> None:
        """A login at an international domain may write it in A-labels."""
        now(self.accounts.create({"address": "a@m\u00fcnchen.test", "password": "s3cret"}))
        for name in ("a@m\u00fcnchen.test", "A@xn--mnchen-3ya.test"):
            self.assertEqual(self.sign_in(name, "s3cret").address, "a@m\u00fcnchen.test")

    def test_aliases(self) -> None:
        """Aliases are addresses, kept as addresses are; what is none is refused by its place."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "aliases": ["Sales@Sim.test"]}))
        self.assertEqual(self.accounts.get("a@sim.test").aliases, ("sales@sim.test",))
        error = self.assertRaises(Invalid, now, self.accounts.change("a@sim.test", {"aliases": ["b@sim.test", "x"]}))
        self.assertEqual(error.field, "aliases.1")
        self.assertEqual(now(self.accounts.change("a@sim.test", {"aliases": []})).aliases, ())

    def test_signature_of_a_deleted_login(self) -> None:
        """A signature does not bring a login back."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        now(self.accounts.delete("a@sim.test"))
        now(self.accounts.set_signature("a@sim.test", "Anna"))
        self.assertEqual(self.accounts.list(), [])

    def test_protocols_and_disabled(self) -> None:
        """A login works for the protocols it may use, and not at all when disabled or without password."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "allow_imap": False}))
        self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "x")
        self.assertTrue(self.sign_in("a@sim.test", "x", "smtp"))
        now(self.accounts.change("a@sim.test", {"disabled": True}))
        self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "x", "smtp")
        now(self.accounts.change("a@sim.test", {"disabled": False, "clear_password": True}))
        self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "x", "smtp")

    def test_change_keeps_what_is_omitted(self) -> None:
        """Omitted fields and an empty password stay."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "note": "n"}))
        changed = now(self.accounts.change("a@sim.test", {"display_name": "A", "password": ""}))
        self.assertEqual((changed.note, changed.display_name), ("n", "A"))
        self.assertTrue(self.sign_in("a@sim.test", "x"))

    def test_delete_and_bring_back(self) -> None:
        """A deleted login is off the list and closed; the mailbox stays; creating brings it back."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        now(self.accounts.delete("a@sim.test"))
        self.assertEqual(self.accounts.list(), [])
        self.assertRaises(NotFound, self.accounts.get, "a@sim.test")
        self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "x")
        self.assertTrue(self.universe.store.exists("a@sim.test"))
        now(self.accounts.create({"address": "a@sim.test", "password": "y"}))
        self.assertTrue(self.sign_in("a@sim.test", "y"))

    def test_creation_errors(self) -> None:
        """Each refusal of the contract names its field."""
        other = self.server.universe("other")
        now(self.roster.create_org("else"))
        far = self.server.universe("far", org="else")
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "username": "alice"}))
        now(self.roster.accounts(other).create({"address": "b@sim.test", "password": "x"}))
        now(self.roster.accounts(far).create({"address": "c@sim.test", "password": "same"}))
        for fields, field in (
            ({"address": "no address"}, "address"),
            ({"address": "d@sim.test", "username": "alice"}, "username"),
            ({"address": "b@sim.test"}, "address"),
            ({"address": "d@sim.test", "username": "b@sim.test"}, "username"),
            ({"address": "c@sim.test", "password": "same"}, "password"),
            ({"address": "e@sim.test", "password": "p", "clear_password": True}, "clear_password"),
        ):
            error = self.assertRaises(Invalid, now, self.accounts.create(fields))
            self.assertEqual(error.field, field, fields)
        self.assertEqual([account.address for account in self.accounts.list()], ["a@sim.test"])

    def test_plan_limits_logins(self) -> None:
        """Over the plan's logins the refusal names plan and allowance."""
        self.server.plans["tiny"] = Plan("tiny", limits=Allowances(logins=1))
        now(self.roster.change_org("default", plan="tiny"))
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        error = self.assertRaises(OverAllowance, now, self.accounts.create({"address": "b@sim.test", "password": "x"}))
        self.assertIn("tiny", str(error))
        self.assertIn("logins", str(error))

    def test_two_protocol_test(self) -> None:
        """The password test answers both protocols; one not asked about is not ok."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "allow_smtp": False}))
        both = now(self.accounts.test("a@sim.test", "x"))
        self.assertEqual(both, Tried(TrialResult(False, ""), TrialResult(True, "a@sim.test")))
        self.assertEqual(now(self.accounts.test("a@sim.test", "x", proto="smtp")).imap, TrialResult(False, ""))
        self.assertEqual(now(self.accounts.test("a@sim.test", "y")).imap, TrialResult(False, ""))

    def test_guessing_is_slowed(self) -> None:
        """After ten failures a place has to wait with that login, another place does not."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        now(self.accounts.create({"address": "b@sim.test", "password": "y"}))
        for _ in range(10):
            self.assertRaises(Unauthenticated, self.sign_in, "a@sim.test", "wrong")
        self.assertRaises(TooMany, self.sign_in, "a@sim.test", "x")
        self.assertTrue(self.sign_in("b@sim.test", "y"))
        self.assertTrue(self.sign_in("a@sim.test", "x", remote="10.0.0.2"))
        self.server.reactor.advance(61)
        self.assertTrue(self.sign_in("a@sim.test", "x"))

    def test_one_count_for_all_doors(self) -> None:
        """SMTP, IMAP and a member's test of a password count together."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        for n in range(10):
            if n % 2:
                self.assertRaises(Unauthenticated, self.sign_in, "A@sim.test", "wrong", "smtp")
            else:
                now(self.accounts.test("a@sim.test", "wrong", remote="10.0.0.1"))
        self.assertRaises(TooMany, self.sign_in, "a@sim.test", "x", "imap")
        self.assertRaises(TooMany, now, self.accounts.test("a@sim.test", "x", remote="10.0.0.1"))
        self.assertTrue(now(self.accounts.test("a@sim.test", "x", remote="10.0.0.2")).imap.ok)

    def test_guessing_at_once(self) -> None:
        """Tries made at once count as those made one after another, and those with the right password get in."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        slow: list[Deferred[None]] = []
        looked: list[str] = []
        real = self.roster._passwords.verify

        async def verify(stored: str, password: str, remote: str) -> bool:
            looked.append(password)
            slow.append(Deferred())
            await slow[-1]
            return await real(stored, password, remote)

        self.patch(self.roster._passwords, "verify", verify)
        told: list[Any] = []
        for n in range(40):
            Deferred.fromCoroutine(self.roster.sign_in(
                "a@sim.test", "x" if n % 20 == 0 else f"wrong {n}", "imap", "10.0.0.1")).addBoth(told.append)
        while slow:
            slow.pop(0).callback(None)
            self.server.reactor.advance(0)
        wrong = [one for one in looked if one != "x"]
        self.assertEqual(len(wrong), 10)
        self.assertEqual(len(told), 40)
        self.assertEqual(sum(isinstance(one, Login) for one in told), 1)
        self.assertEqual(sum(isinstance(getattr(one, "value", None), TooMany) for one in told), 29)

    def test_two_thousand_at_once(self) -> None:
        """However many sign in at once, with right or wrong passwords: each is answered, at a shallow stack."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        hashing: list[Deferred[bool]] = []

        def in_thread(work: Any, *arguments: Any) -> Deferred[bool]:
            hashing.append(Deferred().addCallback(lambda _: arguments[-1] == "x"))
            return hashing[-1]

        self.server.in_thread = in_thread
        for remote in ("10.0.0.1", "127.0.0.1"):
            told: list[Any] = []
            for n in range(2000):
                Deferred.fromCoroutine(self.roster.sign_in(
                    "a@sim.test", f"wrong {n}" if n < 100 else "x", "imap", remote)).addBoth(told.append)
            with shallow():
                while hashing:
                    hashing.pop(0).callback(None)
                    self.server.reactor.advance(0)
            self.assertEqual(len(told), 2000)
            kinds = Counter(type(getattr(one, "value", one)) for one in told)
            self.assertEqual(kinds[Unauthenticated], 10, kinds)
            # From this machine the right password gets in, whatever was tried before.
            self.assertEqual(kinds[Login], 1900 if remote == "127.0.0.1" else 0, kinds)

    def test_fault(self) -> None:
        """A login that a fault rule refuses is a failed login too."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x", "username": "alice"}))
        now(self.universe.faults.put([{"name": "locked", "kind": "auth_fail", "stage": "auth"}]))
        self.universe.faults.judge(FaultEvent("auth", "10.0.0.1", login="Alice"))
        hit, failed = self.events("fault.hit", "auth.failed")
        self.assertEqual((hit["type"], failed["type"]), ("fault.hit", "auth.failed"))
        self.assertEqual(failed["data"], {"proto": "smtp", "username": "Alice", "address": "a@sim.test",
                                          "remote": "10.0.0.1", "why": "fault rule locked"})

    def test_suspended(self) -> None:
        """A suspended organisation's logins are refused as such."""
        now(self.accounts.create({"address": "a@sim.test", "password": "x"}))
        now(self.roster.change_org("default", suspended=True))
        self.assertRaises(Forbidden, self.sign_in, "a@sim.test", "x")
