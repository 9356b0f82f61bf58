"""Tests for C{simmail.universe.policy}: verdicts without waiting, and who has which name."""

from __future__ import annotations

from simmail.core.rules.recipients import RecipientRules
from simmail.errors import Invalid
from simmail.testing.universe import now
from simmail.universe.policy import Account, Policy
from tests.universe.test_road import RoadTestCase


class AccountTests(RoadTestCase):
    """Logins on file."""

    def test_can_login(self) -> None:
        """It takes a password, a protocol, and nobody who switched it off."""
        good = Account("a@x.test", "hash")
        self.assertTrue(good.can_login)
        for bad in (Account("a@x.test"), Account("a@x.test", "hash", disabled=True),
                    Account("a@x.test", "hash", deleted=True),
                    Account("a@x.test", "hash", allow_smtp=False, allow_imap=False)):
            self.assertFalse(bad.can_login, bad)

    def test_names(self) -> None:
        """A login is found by its address and its separate name, in A-labels too, until it has another or is gone."""
        policy = self.universe.policy
        policy.took(Account("b@x.test", "h"))
        policy.took(Account("a@bücher.test", "h", username="Ann"))
        self.assertEqual([one.address for one in policy.accounts()], ["a@bücher.test", "b@x.test"])
        for name in ("a@bücher.test", "ann", "a@xn--bcher-kva.test"):
            found = policy.login(name)
            self.assertEqual(found and found.address, "a@bücher.test", name)
        policy.took(Account("a@bücher.test", "h", username="anna"))
        self.assertEqual((policy.login("ann"), policy.login("anna") is None), (None, False))
        policy.took(Account("a@bücher.test", deleted=True))
        self.assertIsNone(policy.login("a@bücher.test"))
        self.assertIsNotNone(policy.account("a@bücher.test"))

    def test_name_of_another(self) -> None:
        """A name that was given up and taken by another stays the other's when the first changes again."""
        policy = self.universe.policy
        policy.took(Account("a@x.test", "h", username="shared"))
        policy.took(Account("a@x.test", deleted=True, username="shared"))
        policy.took(Account("b@x.test", "h", username="shared"))
        policy.took(Account("a@x.test", "h", username="mine"))
        found = policy.login("shared")
        self.assertEqual(found and found.address, "b@x.test")


class RulesTests(RoadTestCase):
    """Recipient rules in force."""

    def again(self) -> Policy:
        """The same at the next start."""
        one = self.universe
        policy = Policy("main", self.server.database, one.store, one.settings, one.seed, self.server.reactor)
        now(policy.start())
        return policy

    def test_kept(self) -> None:
        """Rules and logins are the same at the next start; bad rules change nothing."""
        now(self.universe.policy.put_rules({"default": {"create": False}}))
        now(self.server.roster.accounts(self.universe).put("a@x.test", "secret word"))
        self.assertRaises(Invalid, now, self.universe.policy.put_rules({"default": {"bad_rate": 2}}))
        policy = self.again()
        self.assertEqual(policy.rules, self.universe.policy.rules)
        self.assertEqual([one.address for one in policy.accounts()], ["a@x.test"])
        self.assertEqual(policy.recipient("new@x.test", "").kind, "refuse")
        self.assertEqual(policy.recipient("a@x.test", "").kind, "deliver")

    def test_status(self) -> None:
        """A forced status is one map with the rules', and C{ok} lifts it."""
        policy = self.universe.policy
        now(policy.put_rules({"status": {"a@x.test": "full"}}))
        now(policy.set_status("b@x.test", "disabled"))
        self.assertEqual([policy.status(one) for one in ("a@x.test", "b@x.test", "c@x.test")],
                         ["full", "disabled", "ok"])
        self.assertEqual(policy.recipient("b@x.test", "").bad, "disabled")
        for address in ("a@x.test", "b@x.test"):
            now(policy.set_status(address, "ok"))
        self.assertEqual(self.again().rules, RecipientRules())

    def test_unseen(self) -> None:
        """What happened to an address when it was new does not change when its mailbox is there."""
        before = self.universe.policy.recipient("new@x.test", "")
        now(self.universe.store.create("new@x.test"))
        self.assertEqual(self.universe.policy.recipient("new@x.test", "").kind, "deliver")
        self.assertEqual(self.universe.policy.unseen("new@x.test"), before)
