"""A month of the world: so much mail comes, when it should, and the same again."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import EventQuery
from simmail.core.world.kinds import KINDS
from simmail.testing.universe import MemoryServer, START, now
from simmail.universe.fingerprint import fingerprint
from simmail.universe.universe import Universe

STREAMS = 12
DAYS, PER_DAY = 30, 40.0


def run(days: int, seed: str = "") -> Universe:
    """A universe after some days with twelve streams that have forty mails a day together."""
    server = MemoryServer()
    universe = server.universe()
    now(universe.streams.put({
        "enabled": True, "seed": seed, "company": {"name": "Acme", "inboxes": ["hello@acme.test"]},
        "streams": [{"id": kind, "kind": kind, "per_day": PER_DAY / STREAMS} for kind in list(KINDS)[:STREAMS]]}))
    waited(server, Deferred.fromCoroutine(universe.scheduler.advance(by=timedelta(days=days))))
    return universe


def waited(server: MemoryServer, done: Deferred[Any]) -> None:
    """Give the reactor its turns until a Deferred has fired."""
    for _ in range(1_000_000):
        if done.called:
            break
        server.reactor.advance(0)
    now(done)


def told(universe: Universe) -> list[dict[str, Any]]:
    """What the world says it sent."""
    found: list[dict[str, Any]] = []
    while True:
        page = now(universe.log.query(EventQuery(
            after=found[-1]["id"] if found else 0, types=("world.mail",), limit=1000)))
        if not page:
            return found
        found += [msgspec.json.decode(row) for row in page]


class MonthTests(SynchronousTestCase):
    """A month."""

    def test_month(self) -> None:
        """Each stream has its share within the error of a Poisson number, and keeps office hours."""
        universe = run(DAYS)
        found = told(universe)
        counts = Counter(one["data"]["stream"] for one in found)
        # A month from a Monday at nine has 22 working days of the 21.4 that four weeks and two days have on average.
        wanted = DAYS * PER_DAY / STREAMS
        self.assertEqual(len(counts), STREAMS)
        for stream, count in counts.items():
            self.assertLess(abs(count - wanted), 4 * math.sqrt(wanted), stream)
        self.assertLess(abs(len(found) - DAYS * PER_DAY), 4 * math.sqrt(DAYS * PER_DAY))
        at = [datetime.fromisoformat(one["at"]) for one in found]
        self.assertGreater(sum(one.weekday() < 5 and 7 <= one.hour < 19 for one in at) / len(at), 0.9)
        self.assertLess(sum(one.weekday() >= 5 for one in at) / len(at), 0.06)
        self.assertEqual(at, sorted(at))
        # All of it lies in the inbox, from people most of whom are new.
        inbox = now(universe.store.folder("hello@acme.test", "INBOX"))
        self.assertEqual(len(inbox.uids), len(found))
        mixes = Counter(one["data"]["mix"] for one in found if "persona_id" in one["data"])
        self.assertGreater(mixes["new"] / mixes.total(), 0.5)
        self.assertGreater(min(mixes["known"], mixes["follow_up"]) / mixes.total(), 0.08)

    def test_repeated(self) -> None:
        """The same seed has the same world, another seed another."""
        found = [run(4), run(4), run(4, "other")]
        one, same, other = [now(fingerprint(universe)) for universe in found]
        self.assertEqual(one.fingerprint, same.fingerprint)
        self.assertNotEqual(one.fingerprint, other.fingerprint)
        self.assertGreater(one.counts["mail"], 100)
        self.assertEqual(told(found[0])[0]["at"][:10], f"{START:%Y-%m-%d}")
