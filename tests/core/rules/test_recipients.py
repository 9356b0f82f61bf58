"""
Recipient rules.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.recipients import (
    DEFAULT_KINDS, RecipientRule, RecipientRules, RecipientVerdict, rules_of, verdict,
)
from simmail.errors import Invalid

KINDS = ("unknown", "domain", "full", "disabled", "blocked")


def judge(rules: dict[str, Any], address: str = "new@acme.test", exists: bool = False, own: bool = False,
          seed: str = "s") -> RecipientVerdict:
    """The verdict on an address under rules as the API takes them."""
    return verdict(address, rules_of(rules), exists, own, seed)


class OrderTests(SynchronousTestCase):
    """The order of precedence (decisions, section 23, "Recipients")."""

    def test_table(self) -> None:
        """Fixed status, existing mailbox, silent, create false, bad draw, create: each wins over all behind it."""
        everything: dict[str, Any] = {"silent": True, "create": False, "bad_rate": 1, "bad_kinds": ["full"],
                                      "fail_at": "rcpt", "stranger": "basic"}
        status = {"new@acme.test": "disabled"}
        rules = {"default": everything, "status": status}
        self.assertEqual(judge(rules, exists=True, own=True), RecipientVerdict("refuse", "disabled"))
        del rules["status"]
        self.assertEqual(judge(rules, exists=True), RecipientVerdict("deliver"))
        self.assertEqual(judge(rules, own=True), RecipientVerdict("deliver"))
        self.assertEqual(judge(rules), RecipientVerdict("discard"))
        everything["silent"] = False
        self.assertEqual(judge(rules), RecipientVerdict("refuse", "unknown"))
        everything["create"] = True
        self.assertEqual(judge(rules), RecipientVerdict("refuse", "full"))
        everything["bad_rate"] = 0
        self.assertEqual(judge(rules), RecipientVerdict("create", None, "basic"))

    def test_create_false_is_at_rcpt(self) -> None:
        """create: false refuses in the conversation, whatever fail_at says."""
        self.assertEqual(judge({"default": {"create": False, "fail_at": "dsn"}}), RecipientVerdict("refuse", "unknown"))

    def test_fail_at(self) -> None:
        """A bad address bounces later unless its rule says rcpt; a fixed status follows the rule of its domain."""
        self.assertEqual(
            judge({"default": {"bad_rate": 1, "bad_kinds": ["domain"]}}), RecipientVerdict("bounce", "domain"))
        self.assertEqual(judge({"status": {"new@acme.test": "full"}}), RecipientVerdict("bounce", "full"))
        self.assertEqual(
            judge({"status": {"New@ACME.test": "full"}, "domains": {"Acme.Test": {"fail_at": "rcpt"}}}),
            RecipientVerdict("refuse", "full"))

    def test_domain_wins(self) -> None:
        """The rule of a domain stands in place of the default, as a whole."""
        rules = {"default": {"silent": True, "stranger": "ai"}, "domains": {"acme.test": {"bad_rate": 0}}}
        self.assertEqual(judge(rules), RecipientVerdict("create"))
        self.assertEqual(judge(rules, "new@sub.acme.test"), RecipientVerdict("discard"))

    def test_default(self) -> None:
        """Without rules every address gets a mailbox and nobody stands behind it."""
        self.assertEqual(judge({}), RecipientVerdict("create"))
        self.assertEqual(rules_of({}), RecipientRules())


class DrawTests(SynchronousTestCase):
    """Bad addresses are a stable draw."""

    def test_rate(self) -> None:
        """bad_rate 0.2 over 10,000 addresses gives 0.2 and the default shares of kinds, within 0.02."""
        rules = rules_of({"default": {"bad_rate": 0.2}})
        kinds = Counter(verdict(f"user{n}@acme.test", rules, False, False, "seed").bad for n in range(10_000))
        bad = 10_000 - kinds.pop(None)
        self.assertLess(abs(bad / 10_000 - 0.2), 0.02)
        for kind, wanted in DEFAULT_KINDS:
            self.assertLess(abs(kinds[kind] / bad - wanted), 0.04)
        self.assertEqual(set(kinds), {kind for kind, _ in DEFAULT_KINDS})

    def test_equal_shares(self) -> None:
        """Listed kinds have equal shares."""
        rules = rules_of({"default": {"bad_rate": 1, "bad_kinds": ["full", "blocked", "full"]}})
        kinds = Counter(verdict(f"user{n}@acme.test", rules, False, False, "seed").bad for n in range(4_000))
        self.assertEqual(set(kinds), {"full", "blocked"})
        self.assertLess(abs(kinds["full"] / 4_000 - 0.5), 0.03)

    def test_seeds(self) -> None:
        """Another seed, of the rules or the universe, selects other addresses; a higher rate only adds to them."""
        def chosen(rate: float, rules_seed: str, seed: str) -> set[int]:
            rules = rules_of({"default": {"bad_rate": rate}, "seed": rules_seed})
            return {n for n in range(1_000) if verdict(f"u{n}@a.test", rules, False, False, seed).kind == "bounce"}

        self.assertNotEqual(chosen(0.2, "", "a"), chosen(0.2, "x", "a"))
        self.assertNotEqual(chosen(0.2, "", "a"), chosen(0.2, "", "b"))
        self.assertLess(chosen(0.2, "", "a"), chosen(0.3, "", "a"))

    @settings(max_examples=200, deadline=None)
    @given(st.builds(RecipientRule, create=st.booleans(), bad_rate=st.floats(0, 1), silent=st.booleans(),
                     bad_kinds=st.lists(st.sampled_from(KINDS), unique=True).map(tuple),
                     fail_at=st.sampled_from(["dsn", "rcpt"])),
           st.text(max_size=5), st.lists(st.integers(0, 99), unique=True, min_size=1))
    def test_order_changes_nothing(self, rule: RecipientRule, seed: str, numbers: list[int]) -> None:
        """The verdict on an address is the same whatever was asked before it."""
        rules = RecipientRules(default=rule, seed=seed)
        one = {n: verdict(f"u{n}@a.test", rules, False, False, "s") for n in numbers}
        other = {n: verdict(f"u{n}@a.test", rules, False, False, "s") for n in reversed(numbers)}
        self.assertEqual(one, other)

    def test_in_any_process(self) -> None:
        """These draws are for ever: a change of them is a change of every test that somebody wrote."""
        rules = rules_of({"default": {"bad_rate": 0.3}})
        self.assertEqual(
            [verdict(f"u{n}@acme.test", rules, False, False, "main").bad or "-" for n in range(12)],
            ["-", "-", "-", "-", "unknown", "-", "-", "-", "-", "-", "unknown", "-"])


class DocumentTests(SynchronousTestCase):
    """The settings document."""

    def test_refused(self) -> None:
        """What is wrong is named by its path."""
        for value, field in (
            ([], ""),
            ({"defaults": {}}, "defaults"),
            ({"default": {"bad_rate": 1.5}}, "default.bad_rate"),
            ({"default": {"bad_rate": "1"}}, "default.bad_rate"),
            ({"default": {"create": 1}}, "default.create"),
            ({"default": {"bad_kinds": ["full", "empty"]}}, "default.bad_kinds.1"),
            ({"default": {"bad_kinds": "full"}}, "default.bad_kinds"),
            ({"default": {"fail_at": "data"}}, "default.fail_at"),
            ({"default": {"kind": 1}}, "default.kind"),
            ({"domains": {"acme.test": {"stranger": "yes"}}}, "domains.acme.test.stranger"),
            ({"domains": {"a b": {}}}, "domains.a b"),
            ({"domains": {"a.test": {}, "A.test": {}}}, "domains.A.test"),
            ({"domains": []}, "domains"),
            ({"status": {"maria": "full"}}, "status.maria"),
            ({"status": {"maria@acme.test": "ok"}}, "status.maria@acme.test"),
            ({"seed": 5}, "seed"),
        ):
            with self.assertRaises(Invalid) as caught:
                rules_of(value)
            self.assertEqual(caught.exception.field, field, value)

    def test_normalised(self) -> None:
        """Domains and addresses are compared in lower case."""
        rules = rules_of({"domains": {"ACME.test": {"silent": True}}, "status": {"A@B.test": "full"}, "seed": "x"})
        self.assertEqual(rules, RecipientRules(
            domains={"acme.test": RecipientRule(silent=True)}, status={"a@b.test": "full"}, seed="x"))
