"""
Fault rules: what fires, when, for whom.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rng import Dice
from simmail.core.rules.fault_rule import PAIRS, rules_of
from simmail.core.rules.faults import FaultCount, FaultEvent, FaultVerdict, hits, is_fleeting, is_lasting, judge

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
RCPT = FaultEvent("rcpt", "192.0.2.1", "app@sim.test", "maria@acme.test", connection="1")


class Trial:
    """Rules and what they have counted."""

    def __init__(self, *rules: dict[str, Any], seed: str = "s") -> None:
        self.rules = rules_of([{"name": f"rule {n}", **rule} for n, rule in enumerate(rules)])
        self.marks: dict[str, FaultCount] = {}
        self.now = NOW
        self.dice = Dice(seed)

    def ask(self, passing: FaultEvent = RCPT, **fields: str) -> FaultVerdict | None:
        """What happens at a stage."""
        judged = judge(self.rules, passing._replace(**fields), self.marks, self.now, self.dice)
        self.marks.update(judged.marks)
        return judged.verdict

    def fires(self, count: int, **fields: str) -> str:
        """So many times the same: C{x} where it fires."""
        return "".join("x" if self.ask(**fields) else "." for _ in range(count))


REJECT = {"kind": "reject", "stage": "rcpt"}


class MatchTests(SynchronousTestCase):
    """Which rule a passing meets."""

    def test_order(self) -> None:
        """The first rule that fires wins; disabled ones and those of other stages are passed over."""
        trial = Trial({**REJECT, "enabled": False}, {"kind": "defer", "stage": "mail"},
                      {**REJECT, "match": "@beta.test"}, {**REJECT, "message": "no", "code": 551}, REJECT)
        verdict = trial.ask()
        self.assertEqual(verdict, FaultVerdict(
            3, "rule 3", "reject", "rcpt", "maria@acme.test", 551, "5.7.1", "no"))
        self.assertEqual([hits(rule, trial.marks) for rule in trial.rules], [0, 0, 0, 1, 0])

    def test_match(self) -> None:
        """A case-insensitive suffix of the address that the stage is about."""
        def fires(stage: str, match: str) -> bool:
            many = ("otto@beta.org", "Maria@acme.test")
            passing = FaultEvent(stage, "192.0.2.1", "app@sim.test", "maria@acme.test", "shop", "1", many)
            kind = "delay" if stage.startswith("imap") else "reject"
            return Trial({"kind": kind, "stage": stage, "match": match, "delay_ms": 1}).ask(passing) is not None

        for stage, match in (
            ("rcpt", "@ACME.test"), ("data", "acme.test"), ("body", "maria@acme.test"), ("deliver", "test"),
            ("mail", "@sim.test"), ("connect", "2.1"), ("helo", "192.0.2.1"), ("starttls", ".1"),
            ("auth", "shop"), ("imap_login", "shop"), ("imap_fetch", "SHOP"),
        ):
            self.assertTrue(fires(stage, match), stage)
            self.assertTrue(fires(stage, ""), stage)
            self.assertFalse(fires(stage, "x" + match), stage)

    def test_many_recipients(self) -> None:
        """At data and body any recipient will do; the verdict names the one that matched."""
        passing = FaultEvent("body", recipients=("a@b.test", "c@d.test"))
        verdict = Trial({"kind": "reject", "stage": "body", "match": "@D.test", "message": "{recipient}"}).ask(passing)
        assert verdict is not None
        self.assertEqual((verdict.address, verdict.message), ("c@d.test", "c@d.test"))

    def test_tls_at_connect(self) -> None:
        """A broken TLS is no fault of a connection without."""
        trial = Trial({"kind": "tls_fail", "stage": "connect"}, {"kind": "drop", "stage": "connect"})
        kinds = [trial.ask(FaultEvent("connect", "192.0.2.1", tls=tls)) for tls in (False, True)]
        self.assertEqual([one.kind for one in kinds if one is not None], ["drop", "tls_fail"])

    def test_window(self) -> None:
        """A window is read in its zone, on the simulated clock."""
        trial = Trial({**REJECT, "window": {"days": "mon-fri", "from": "22:00", "to": "06:00", "tz": "Europe/Berlin"}})
        self.assertIsNone(trial.ask())
        trial.now = datetime(2026, 3, 2, 21, 30, tzinfo=UTC)
        self.assertIsNotNone(trial.ask())
        trial.now = datetime(2026, 3, 3, 4, 59, tzinfo=UTC)
        self.assertIsNotNone(trial.ask())
        trial.now = datetime(2026, 3, 3, 5, 0, tzinfo=UTC)
        self.assertIsNone(trial.ask())
        self.assertEqual(hits(trial.rules[0], trial.marks), 2)

    def test_message(self) -> None:
        """A message names whom it means; braces of others stay."""
        trial = Trial({**REJECT, "message": "{recipient} from {sender} of {domain} at [{ip}] {x} {}"})
        verdict = trial.ask()
        assert verdict is not None
        self.assertEqual(verdict.message, "maria@acme.test from app@sim.test of sim.test at [192.0.2.1] {x} {}")

    def test_default_replies(self) -> None:
        """Every kind that answers has a reply of its own class at every stage it may stand at."""
        for kind, stages in PAIRS.items():
            for stage in stages:
                extra = {"delay_ms": 1, "bytes_per_second": 1, "interval": "1m", "rate": 1}
                verdict = Trial({"kind": kind, "stage": stage, **extra}).ask(
                    RCPT._replace(stage=stage, recipients=("maria@acme.test",), tls=True))
                assert verdict is not None
                if stage.startswith("imap"):
                    self.assertEqual(verdict.code, 0)
                elif kind in ("reject", "defer", "greylist", "rate_limit", "tls_fail", "auth_fail", "bounce"):
                    wanted = 5 if kind in ("reject", "auth_fail", "bounce") else 4
                    self.assertEqual((verdict.code // 100, verdict.enhanced[:2]), (wanted, f"{wanted}."))
                    self.assertTrue(verdict.message)

    def test_code_without_enhanced(self) -> None:
        """A code of another class than the default brings its own enhanced class."""
        verdict = Trial({"kind": "auth_fail", "stage": "auth", "code": 454}).ask(RCPT._replace(stage="auth"))
        assert verdict is not None
        self.assertEqual((verdict.code, verdict.enhanced), (454, "4.0.0"))


class CountTests(SynchronousTestCase):
    """first, every, times, per, greylist, rate_limit, rate."""

    def test_counters(self) -> None:
        """Only the first n, each n-th, at most n; and together."""
        self.assertEqual(Trial({**REJECT, "first": 2}).fires(5), "xx...")
        self.assertEqual(Trial({**REJECT, "every": 3}).fires(7), "..x..x.")
        self.assertEqual(Trial({**REJECT, "times": 2}).fires(5), "xx...")
        self.assertEqual(Trial({**REJECT, "every": 2, "times": 2}).fires(9), ".x.x.....")
        self.assertEqual(Trial({**REJECT, "every": 2, "first": 4}).fires(9), ".x.x.....")

    def test_per(self) -> None:
        """Counts are kept for each of what C{per} names."""
        for per in ("recipient", "sender", "ip", "connection"):
            trial = Trial({**REJECT, "first": 1, "per": per})
            self.assertEqual([trial.fires(2, **{per: one}) for one in ("a", "b", "a")], ["x.", "x.", ".."])
            self.assertEqual(hits(trial.rules[0], trial.marks), 2)
        self.assertEqual([Trial({**REJECT, "first": 1}).fires(2, recipient=one) for one in ("a", "b")], ["x.", "x."])

    def test_twins(self) -> None:
        """Rules that nothing tells apart but their place count and draw each for itself."""
        twin = {**REJECT, "name": ""}
        trial = Trial({**twin, "times": 1, "code": 551}, {**twin, "times": 2, "code": 552})
        said = [trial.ask() for _ in range(4)]
        self.assertEqual([one.code if one else 0 for one in said], [551, 552, 552, 0])
        self.assertEqual([hits(rule, trial.marks) for rule in trial.rules], [1, 2])
        trial = Trial({**twin, "rate": 0.5, "code": 551}, {**twin, "rate": 0.5, "code": 552})
        codes = Counter(one.code if one else 0 for one in (trial.ask(recipient=f"u{n}@b.test") for n in range(400)))
        for code, wanted in ((551, 200), (552, 100), (0, 100)):
            self.assertLess(abs(codes[code] - wanted), 40, codes)

    def test_which_marks_last(self) -> None:
        """Marks of a connection need not outlive it, those of the universe are never forgotten."""
        trial = Trial({**REJECT, "per": "connection", "match": "@b.test"}, {**REJECT, "rate": 0.5})
        trial.ask(recipient="a@b.test")
        trial.ask(recipient="a@x.test")
        trial.ask(recipient="b@x.test")
        kinds = {tuple(key.split("\0")[4:6]): (is_fleeting(key), is_lasting(key)) for key in trial.marks}
        self.assertEqual(kinds, {
            ("connection", "1"): (True, False), ("hits",): (False, True), ("per", ""): (False, True),
            ("pair", "app@sim.test"): (False, False)})

    def test_greylist(self) -> None:
        """A new triplet is deferred until the delay has passed on the simulated clock, and let in ever after."""
        trial = Trial({"kind": "greylist", "stage": "rcpt", "delay_ms": 60_000})
        self.assertEqual(trial.fires(3), "xxx")
        trial.now += timedelta(seconds=59)
        self.assertEqual(trial.fires(1), "x")
        trial.now += timedelta(seconds=1)
        self.assertEqual(trial.fires(2), "..")
        self.assertEqual(trial.fires(1, recipient="other@acme.test"), "x")
        self.assertEqual(trial.fires(1, ip="192.0.2.2"), "x")
        trial.now += timedelta(days=300)
        self.assertEqual(trial.fires(1), ".")

    def test_rate_limit(self) -> None:
        """More than C{limit} an interval are deferred; the next interval begins with the next match."""
        trial = Trial({"kind": "rate_limit", "stage": "rcpt", "limit": 2, "interval": "1m", "per": "recipient"})
        self.assertEqual(trial.fires(4), "..xx")
        self.assertEqual(trial.fires(1, recipient="other@acme.test"), ".")
        trial.now += timedelta(seconds=60)
        self.assertEqual(trial.fires(3), "..x")

    def test_rate(self) -> None:
        """A rate is a share of passings, drawn for the n-th of each pair: the order of pairs changes nothing."""
        trial = Trial({**REJECT, "rate": 0.3})
        fired = sum(trial.ask(recipient=f"u{n}@acme.test") is not None for n in range(5_000))
        self.assertLess(abs(fired / 5_000 - 0.3), 0.02)
        one, other = Trial({**REJECT, "rate": 0.5}), Trial({**REJECT, "rate": 0.5})
        pairs = [f"u{n}@acme.test" for n in range(20)]
        forth = {(one_, k): one.ask(recipient=one_) is not None for k in range(3) for one_ in pairs}
        back = {(one_, k): other.ask(recipient=one_) is not None for one_ in reversed(pairs) for k in range(3)}
        self.assertEqual(forth, back)
        self.assertNotEqual(forth, {(one_, k): Trial({**REJECT, "rate": 0.5}, seed="t").ask(recipient=one_) is not None
                                    for k in range(3) for one_ in pairs})

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.sampled_from(["a@b.test", "c@d.test"]), max_size=20), st.integers(0, 3), st.integers(0, 3),
           st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]))
    def test_pure(self, recipients: list[str], first: int, every: int, times: int, rate: float) -> None:
        """The same passings get the same verdicts again, and the marks given in are left as they were."""
        rule = {**REJECT, "first": first, "every": every, "times": times, "rate": rate}
        one, other = Trial(rule), Trial(rule)
        verdicts = [one.ask(recipient=recipient) for recipient in recipients]
        before = dict(one.marks)
        judge(one.rules, RCPT, one.marks, NOW, one.dice)
        self.assertEqual(one.marks, before)
        self.assertEqual([other.ask(recipient=recipient) for recipient in recipients], verdicts)
        self.assertEqual(hits(one.rules[0], one.marks), sum(verdict is not None for verdict in verdicts))
