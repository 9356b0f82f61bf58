"""
Ninety days of two hundred people: what must hold however long it goes on.

One season is run; the promises, threads and hours of it are then
looked at in the event log, as an application would see them.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.delay import absence
from simmail.core.message.conversations import thread_key
from simmail.core.message.parse import read_headers
from simmail.core.records.commit import EventQuery, JobQuery
from simmail.core.records.persona import Behaviors, Hours
from simmail.core.time.instant import parse_instant
from simmail.core.time.working_hours import is_open
from simmail.testing.season import Season
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.universe import Universe

#: Kinds of mail that machines send at any hour.
AT_ANY_HOUR = frozenset(("ooo",))


def events(universe: Universe, *types: str) -> list[dict[str, Any]]:
    """Recorded events of some types, oldest first."""
    rows: list[dict[str, Any]] = []
    while True:
        page = now(universe.log.query(EventQuery(after=rows[-1]["id"] if rows else 0, types=types, limit=1000)))
        if not page:
            return rows
        rows += [msgspec.json.decode(row) for row in page]


def season(seed: str, people: int, cases: int, mails: int, days: int) -> Season:
    """A season that has gone by, and all that was planned in it."""
    one = Season(MemoryServer().universe(seed=seed), people, cases)
    now(one.populate())
    turned(one.universe, one.run(START + timedelta(days=days), mails))
    turned(one.universe, one.universe.scheduler.advance(until="idle"))
    return one


class RepeatableTests(SynchronousTestCase):
    """The same seed and the same mail."""

    def test_same_seed_same_fingerprint(self) -> None:
        """Two seasons of one seed have one fingerprint, and of another seed another."""
        prints = [now(fingerprint(season(seed, 30, 4, 200, 20).universe)) for seed in ("a", "a", "b")]
        self.assertEqual(prints[0], prints[1])
        self.assertNotEqual(prints[0].fingerprint, prints[2].fingerprint)
        self.assertGreater(prints[0].counts["mail"], 200)


class NinetyDaysTests(SynchronousTestCase):
    """Two hundred people, twenty cases, three thousand mails of the application, ninety days."""

    def test_season(self) -> None:
        """What must hold does: one test, as each may be run by another process, which would run a season of its own."""
        self.season = season("ninety", 200, 20, 3000, 90)
        self.universe = self.season.universe
        for holds in (
            self._enough_went_on, self._every_promise_has_a_fate, self._no_promise_is_left_with_a_job,
            self._no_thread_runs_away, self._at_most_one_reply_a_message, self._working_hours,
            self._notices_once_a_period, self._jobs_ran_when_due, self._secrets_stay_secret,
        ):
            holds()

    def _enough_went_on(self) -> None:
        """Every kind of mail and every kind of decision was there."""
        self.assertGreaterEqual(len(self.season.sent), 3000)
        self.assertGreaterEqual(self.universe.clock.now(), START + timedelta(days=90))
        kinds = Counter(event["data"]["kind"] for event in events(self.universe, "persona.sent"))
        self.assertEqual(set(kinds), {
            "reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge"})
        told = Counter(event["type"] for event in events(self.universe, "persona.*"))
        for type in ("received", "junked", "ignored", "batched", "sent", "bounced", "promised", "waiting"):
            self.assertGreater(told[f"persona.{type}"], 0, type)
        self.assertEqual(events(self.universe, "job.failed"), [])

    def _every_promise_has_a_fate(self) -> None:
        """Each promise made or received is kept, late, nudged or forgotten; none is still open with a job."""
        fates: Counter[str] = Counter()
        done = {event["data"]["id"]: parse_instant(event["at"]) for event in events(self.universe, "job.done")}
        skipped = {event["data"]["id"] for event in events(self.universe, "job.updated")
                   if event["data"]["state"] == "skipped"}
        for event in events(self.universe, "persona.promised", "persona.waiting"):
            data = event["data"]
            job, due = data["job_id"], parse_instant(data["due"])
            if event["type"] == "persona.waiting":
                # What arrived takes the nudge back, as does another promise of it; what does not come is asked for.
                fate = "kept" if job in skipped else "nudged" if job in done else ""
            elif job is None:
                fate = "forgotten"
            elif job in skipped:
                fate = "kept"
            else:
                fate = "" if job not in done else "kept" if done[job] <= due else "late"
                if data["will_keep"]:
                    self.assertEqual(fate, "kept", data)
            self.assertTrue(fate, data)
            fates[fate] += 1
        self.assertEqual(set(fates), {"kept", "late", "nudged", "forgotten"})
        self.assertEqual(self.universe.pending.by_id, {})

    def _no_promise_is_left_with_a_job(self) -> None:
        """What is still open in a dossier waits for nothing but to be asked for."""
        for persona in self.universe.people.everyone():
            for dossier in now(self.universe.memories.dossiers(persona.id)).values():
                for promise in dossier.promises:
                    self.assertEqual((promise.by, promise.job_id, promise.fate), ("persona", "", "forgotten"))

    def _no_thread_runs_away(self) -> None:
        """No thread has more than twenty messages within an hour, or a long run among personas."""
        threads: dict[tuple[str, str], list[datetime]] = {}
        for address in self.universe.store.mailboxes():
            for name in ("INBOX", "Sent"):
                folder = now(self.universe.store.folder(address, name))
                for uid in folder.uids:
                    mail = read_headers(now(folder.read(uid)))
                    threads.setdefault((address, thread_key(mail)), []).append(folder.entry(uid).date)
        limit = self.universe.config.people.thread_messages_per_hour
        longest = 0
        for times in threads.values():
            times.sort()
            longest = max(longest, len(times))
            for first, later in zip(times, times[limit + 1:]):
                self.assertGreater(later - first, timedelta(hours=1))
        self.assertLess(longest, 60)

    def _at_most_one_reply_a_message(self) -> None:
        """No mail is answered twice by the same person, but for second thoughts."""
        answered: Counter[tuple[str, str]] = Counter()
        for event in events(self.universe, "persona.sent"):
            if event["data"]["kind"] == "reply":
                answered.update((event["data"]["persona_id"], one) for one in event["data"]["answers"])
        self.assertEqual([pair for pair, count in answered.items() if count > 1], [])

    def _working_hours(self) -> None:
        """Nothing but notices leaves outside working hours or in an absence."""
        seen = 0
        for event in events(self.universe, "persona.sent"):
            persona = self.universe.people.known(event["data"]["persona_id"])
            assert persona is not None
            at = parse_instant(event["at"])
            if event["data"]["kind"] in AT_ANY_HOUR:
                continue
            hours = persona.timing.hours if persona.timing else None
            if isinstance(hours, Hours):
                seen += 1
                self.assertTrue(is_open(hours, at), event)
            if not self._forwards_by_rule(event):
                self.assertIsNone(absence(persona, at), event)
        self.assertGreater(seen, 500)

    def _forwards_by_rule(self, event: dict[str, Any]) -> bool:
        """Whether a mail was passed on by a rule while its reader was away."""
        persona = self.universe.people.known(event["data"]["persona_id"])
        behaviors = persona.behaviors if persona is not None else None
        return isinstance(behaviors, Behaviors) and bool(
            behaviors.forward_to) and event["data"]["kind"] == "initiate"

    def _notices_once_a_period(self) -> None:
        """Nobody is told twice of the same absence."""
        told = Counter((event["data"]["persona_id"], event["data"]["to"][0])
                       for event in events(self.universe, "persona.sent") if event["data"]["kind"] == "ooo")
        self.assertEqual([pair for pair, count in told.items() if count > 1], [])

    def _jobs_ran_when_due(self) -> None:
        """Every job that was done was done at its due time."""
        dues: dict[str, Any] = {}
        after: str | None = None
        while page := now(self.universe.database.jobs(self.universe.id, JobQuery(after=after, limit=1000))):
            dues.update((job.id, job.due) for job in page)
            after = page[-1].id
        for event in events(self.universe, "job.done"):
            self.assertEqual(parse_instant(event["at"]), dues[event["data"]["id"]])

    def _secrets_stay_secret(self) -> None:
        """No mail says what only the case knows."""
        secrets = [value for case in self.universe.cases.all() for value in (case.secrets or {}).values()]
        self.assertEqual(len(secrets), 20)
        for event in events(self.universe, "persona.sent"):
            for secret in secrets:
                self.assertNotIn(secret, event["data"]["text"])
