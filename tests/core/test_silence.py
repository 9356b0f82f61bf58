"""Twenty silences, each with the number that decided."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decide import react
from simmail.core.decide.decision import (
    Batch, Bounce, DecisionInput, Ignore, Junk, LoopLimits, PlannedJob, PlannedReply, Reactions, SpamVerdict,
)
from simmail.core.mime.address import Address
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.rules.spam import THRESHOLDS, score
from tests.core.scenes import APP, MARIA, NOW, after, attached, mail, person, plans, situation


def quiet(given: Any, persona: Any, **fields: Any) -> DecisionInput:
    """The situation under the first seed whose reply draw is a no."""
    for n in range(1000):
        one = situation(given, persona, seed=Dice(f"quiet {n}"), **fields)
        if any(isinstance(reaction, Ignore) for reaction in react(one)):
            return one
    raise AssertionError("never silent")


def scored(text: str, level: str, **fields: Any) -> DecisionInput:
    """A mail with the score it really has against a filter."""
    one = mail(text, **fields)
    found = score(one, APP, MARIA)
    return situation(one, person(style={"filter": level}), spam=SpamVerdict(found.score, THRESHOLDS[level], found.why))


def outcome(reactions: Reactions) -> Any:
    """What silenced the persona."""
    found: list[Any] = [one for one in reactions if isinstance(one, (Ignore, Junk, Bounce, Batch))]
    if not found:
        found = [one for one in reactions if isinstance(one, PlannedJob) and one.kind in ("forward", "reply")]
    return found[0]


BUSY = tuple(int(after(minutes=-n).timestamp()) for n in range(20, 0, -1))
TODAY = tuple(int(after(minutes=-n).timestamp()) for n in range(100, 0, -1))
SPAM = "You have won the lottery! Claim your prize, act now!!!"
AWAY = {"ooo": [{"from": "2026-03-01", "to": "2026-03-09", "message": "Away"}]}

#: name: (situation, what it must be, words that must be in the whole explanation)
CASES: dict[str, tuple[DecisionInput, type[Any], tuple[str, ...]]] = {
    "a ghost": (quiet(mail(), person(temperament="ghost")), Ignore, ("over reply rate 0.05", "ghost 0.05")),
    "a busy one": (quiet(mail(), person(temperament="busy")), Ignore, ("over reply rate 0.75", "busy 0.75")),
    "its own rate": (
        quiet(mail(), person(timing={"reply_rate": 0.4})), Ignore, ("over reply rate 0.40", "its own 0.40")),
    "a rate of nothing": (situation(mail("Why?"), person(timing={"reply_rate": 0})), Ignore, ("over reply rate 0.00",)),
    "even a question": (quiet(mail("When?"), person(temperament="flaky")), Ignore, ("+0.10 direct question",)),
    "only a copy": (
        quiet(mail(to=(Address("", "b@x.test"),), cc=(Address("", MARIA),)), person(temperament="busy")),
        Ignore, ("cc only", "-0.7")),
    "bulk mail": (
        quiet(mail(headers=(("List-Unsubscribe", "<https://x.test/u>"),)), person(temperament="responsive")),
        Ignore, ("bulk mail (List-Unsubscribe header)", "responsive 0.95")),
    "nudged too often": (
        quiet(mail("Any update?"), person(temperament="flaky"), dossier=Dossier(APP, received=4, unanswered=3)),
        Ignore, ("3 unanswered before",)),
    "out of patience": (
        quiet(mail(), person(temperament="difficult"), dossier=Dossier(
            APP, received=9, warmth=0.2, trust=0.3, patience=0.1, last_contact=NOW)),
        Ignore, ("out of patience", "difficult 0.80")),
    "a farewell": (
        quiet(mail("Perfect, thank you. See you then!", in_reply_to="<r@acme.test>"), person(temperament="responsive"),
              thread=ThreadState("<1@app.test>", wrote="<r@acme.test>")),
        Ignore, ("nothing left to answer", "responsive 0.95")),
    "paused": (situation(mail(), person(paused=True)), Ignore, ("paused",)),
    "an auto-reply": (
        situation(mail(headers=(("Auto-Submitted", "auto-replied"),))), Ignore, ("loop", "auto-replied")),
    "a mailing list": (situation(mail(headers=(("List-Id", "<l.x.test>"),))), Ignore, ("loop", "List-Id")),
    "a bounce": (situation(mail(), envelope_sender=""), Ignore, ("loop", "null sender")),
    "a loop": (
        situation(thread=ThreadState("<1@app.test>", recent=BUSY)), Ignore, ("loop", "21 messages", "limit is 20")),
    "a faster loop": (
        situation(thread=ThreadState("<1@app.test>", recent=BUSY), limits=LoopLimits(thread_messages_per_hour=5),
                  pace=Pace(0.2)), Ignore, ("loop", "pace 0.2", "limit is 5")),
    "the cap of the day": (
        situation(dossier=Dossier(APP, received=100, replies=TODAY)), Ignore, ("100 replies", "cap is 100")),
    "junk by the normal filter": (scored(SPAM, "normal"), Junk, ("reaches 5.0", "LOTTERY")),
    "junk by the strict filter": (
        scored("See this.", "strict", attachments=(attached("invoice.exe"),)), Junk, ("reaches 3.0", "ATTACHED")),
    "a full mailbox": (situation(status="full"), Bounce, ("mailbox status full",)),
    "bouncing now and then": (situation(persona=person(behaviors={"bounce": 1})), Bounce, ("under 1.00",)),
    "batched": (
        situation(persona=person(timing={"reply_rate": 1}), planned=PlannedReply("j_1", after(hours=1))), Batch,
        ("2026-03-02T11:00:00Z", "under reply rate 1.00")),
    "forwarded": (situation(persona=person(behaviors={"forward_to": "b@x.test"})), PlannedJob, ("b@x.test",)),
    "away": (situation(persona=person(timing={"reply_rate": 1, **AWAY})), PlannedJob, ("return on 2026-03-10",)),
    "away and not inclined": (
        quiet(mail(), person(temperament="flaky", timing=AWAY)), Ignore, ("over reply rate 0.50", "away until")),
}


class SilenceTests(SynchronousTestCase):
    """Why nothing came."""

    def test_each_names_what_decided(self) -> None:
        """The outcome is the one expected and its explanation names the number (or the sign) that decided."""
        self.assertGreaterEqual(len(CASES), 20)
        for name, (given, kind, words) in CASES.items():
            found = outcome(react(given))
            self.assertIsInstance(found, kind, name)
            told = " | ".join((found.why, *getattr(found, "because", ())))
            for word in words:
                self.assertIn(word, told, name)

    def test_no_reply_is_planned(self) -> None:
        """None of them, the absent aside, plans a reply of its own."""
        for name, (given, kind, _) in CASES.items():
            if name != "away":
                self.assertEqual(plans("reply", react(given)), [], name)

    def test_preview_agrees(self) -> None:
        """Asking again gives the same why: the function has no memory."""
        for name, (given, _, _) in CASES.items():
            self.assertEqual(outcome(react(given)), outcome(react(given)), name)

    def test_why_is_a_line(self) -> None:
        """No explanation has a line break or is longer than an event can show."""
        for name, (given, _, _) in CASES.items():
            for one in react(given):
                self.assertNotIn("\n", one.why, name)
                self.assertTrue(0 < len(one.why) < 500, name)
