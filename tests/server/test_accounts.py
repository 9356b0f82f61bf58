"""Tests for C{simmail.server.accounts}, C{passwords}, C{retention} and the roster's doors."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred

from simmail.config import from_value
from simmail.core.records.commit import Commit
from simmail.core.rules.faults import FaultEvent
from simmail.core.rules.quota_plan import Allowances, Plan, plans_of
from simmail.core.rules.recipients import rules_of
from simmail.errors import (
    Conflict, Forbidden, Invalid, NotFound, OverAllowance, OverMailLimit, TooMany, Unauthenticated, Unavailable,
)
from simmail.server.server import MailServer
from simmail.server.signin import Login
from simmail.testing.universe import MemoryServer, now, turned
from simmail.universe.universe import Universe
from simmail.universe.usage import LEARNED
from simmail.universe.usage import MAIL as MAIL_PER_MONTH
from tests.shallow import shallow
from tests.universe.test_road import MAIL, RoadTestCase, persona


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
        self.assertEqual((both["smtp"], both["imap"]), ((False, ""), (True, "a@sim.test")))
        self.assertEqual(now(self.accounts.test("a@sim.test", "x", proto="smtp"))["imap"], (False, ""))
        self.assertEqual(now(self.accounts.test("a@sim.test", "y"))["imap"], (False, ""))

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
        self.assertTrue(now(self.accounts.test("a@sim.test", "x", remote="10.0.0.2"))["imap"].ok)

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


class RosterTests(RoadTestCase):
    """Keys and universes."""

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

    def test_bad_ids(self) -> None:
        """Ids that could not stand in keys and paths are refused."""
        for bad in ("", "A", "a b", "../x", "a" * 64, "-a", "a:b", "a\n"):
            self.assertRaises(Invalid, now, self.server.roster.create_universe(bad))
        self.assertRaises(Conflict, now, self.server.roster.create_universe("main"))

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

    def test_deleted(self) -> None:
        """A deleted universe is gone with its keys."""
        roster = self.server.roster
        self.server.universe("other")
        token = now(roster.create_key("other", "admin", ""))
        now(roster.delete_universe("other"))
        self.assertRaises(NotFound, roster.universe, "other")
        self.assertRaises(Unauthenticated, now, roster.identify(token))

    def test_deleted_with_its_mail(self) -> None:
        """Mail, people and what is owed go too; a new one of that id begins with nothing."""
        roster = self.server.roster
        other = self.server.universe("other")
        now(other.people.create(persona()))
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        now(roster.delete_universe("other"))
        self.assertRaises(Unavailable, self.server.send, other, "app@sim.test", "maria@acme.test", MAIL)
        again = self.server.universe("other")
        self.assertEqual((again.store.mailboxes(), len(again.people), now(again.store.uncommitted())), ([], 0, []))
        # Event numbers go on: a listener that knows the old ones sees no new one as old.
        self.assertGreater(again.log.last, 0)

    def test_deleted_in_the_midst(self) -> None:
        """What was just being decided when it was deleted leaves nothing behind, and nobody goes on trying."""
        other = self.server.universe("other")
        now(other.people.create(persona()))
        reading: list[Deferred[None]] = []
        decide = other.decisions.decide

        async def slow(arrival: Any, octets: Any) -> Any:
            reading.append(Deferred())
            await reading[-1]
            return await decide(arrival, octets)

        self.patch(other.decisions, "decide", slow)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        deleted = Deferred.fromCoroutine(self.server.roster.delete_universe("other"))
        self.assertRaises(NotFound, self.server.roster.universe, "other")
        self.assertRaises(Conflict, now, self.server.roster.create_universe("other"))
        reading.pop(0).callback(None)
        turned(other, deleted)
        self.server.reactor.pump([1.0] * 5)
        self.assertEqual(reading, [])
        self.assertRaises(Unavailable, now, other.committer.commit(Commit()))
        again = self.server.universe("other")
        self.assertEqual((len(again.people), len(again.pending.by_id), now(again.database.arrivals("other"))),
                         (0, 0, []))

    def test_deleted_half(self) -> None:
        """A crash while it is deleted: the rest goes at the next start, and it is not there again."""
        roster, database = self.server.roster, self.server.database
        other = self.server.universe("other")
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        token = now(roster.create_key("other", "admin", ""))

        def away() -> Any:
            raise Unavailable("killed")

        self.patch(other.store, "erase", away)
        self.assertRaises(Unavailable, now, roster.delete_universe("other"))
        self.assertNotEqual(other.store.mailboxes(), [])
        del other.store.erase
        again = MailServer(self.server.config, database, self.server._store, self.server.reactor, maybeDeferred,
                           self.server.unique, self.server.web)
        now(again.start())
        again.begin()
        self.assertRaises(NotFound, again.universe, "other")
        self.assertRaises(Unauthenticated, now, again.identify(token))
        self.assertEqual(other.store.mailboxes(), [])
        self.assertEqual(now(database.table("", "going")), {})

    def test_not_deleted(self) -> None:
        """While Redis is away nothing is deleted."""
        other = self.server.universe("other")
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.server.roster.delete_universe("other"))
        self.assertIs(self.server.roster.universe("other"), other)
        self.server.database.set_healthy(True)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        now(self.server.roster.delete_universe("other"))

    def test_usage(self) -> None:
        """Mail is counted in its own commit: a crash neither forgets it nor counts it twice; months begin anew."""
        self.server.send(self.universe, "app@sim.test", "x@sim.test", MAIL)
        self.server.send(self.universe, "app@sim.test", "y@sim.test", MAIL)
        self.universe.committer.keep(self.universe.usage.count(LEARNED))
        again = Universe(self.universe.record, self.server.config, self.universe.store, self.server.database,
                         self.server.reactor, self.server.unique, self.server.web,
                         lambda: self.server.plans["self-hosted"])
        now(again.start())
        again.begin()
        for one in (self.universe, again):
            self.assertEqual((one.usage.used(MAIL_PER_MONTH), one.usage.used(LEARNED)), (2, 1))
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(mail_per_month=2))
        self.assertRaises(OverMailLimit, self.server.send, again, "app@sim.test", "z@sim.test", MAIL)
        self.server.reactor.advance(31 * 86400)
        self.assertEqual(again.usage.used(MAIL_PER_MONTH), 0)
        self.server.send(again, "app@sim.test", "z@sim.test", MAIL)
        now(self.universe.usage.start())
        table = now(self.server.database.table("main", "usage"))
        self.assertEqual(list(table.values()), [b"1"])

    def test_plans(self) -> None:
        """Plans are read with their features and limits; a bad one is named."""
        plans = plans_of({"free": {"features": [], "limits": {"people": 25}}})
        self.assertEqual(plans["free"].limits.people, 25)
        self.assertIn("self-hosted", plans)
        self.assertEqual(self.assertRaises(Invalid, plans_of, {"x": {"features": ["magic"]}}).field, "plans.x")


class RetentionTests(RoadTestCase):
    """Old mail and events."""

    def test_pruned(self) -> None:
        """Mail and events past their days go, and the counts are told."""
        self.server.send(self.universe, "app@sim.test", "x@sim.test", MAIL)
        now(self.universe.pruning.set(mail_days=10, event_days=20))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=15)))
        self.assertEqual(self.inbox("x@sim.test"), [])
        (pruned,) = self.events("retention.pruned")
        self.assertEqual(pruned["data"], {"messages": 2, "events": 0, "jobs": 0})
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=15)))
        self.assertEqual(self.events("mail.delivered"), [])

    def test_cap(self) -> None:
        """The plan's cap is in force where the setting is more or for ever; the setting is kept."""
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(retention_days=30))
        self.assertEqual(now(self.universe.pruning.set(mail_days=100)).mail_days, 30)
        self.assertEqual(self.universe.pruning.setting.event_days, 30)
        self.assertEqual(self.universe.settings.get("retention")["mail_days"], 100)

    def test_bad_days(self) -> None:
        """Days out of range are refused by name."""
        self.assertEqual(self.assertRaises(Invalid, now, self.universe.pruning.set(mail_days=-1)).field, "mail_days")
