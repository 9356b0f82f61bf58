"""kill -9 in the middle of mail: what was acknowledged is there once, with all that follows from it, once."""

from __future__ import annotations

import random
import time

from tests.journeys.load import Load
from tests.journeys.running import DEMO, JourneyCase, until
from tests.stopwatch import Stopwatch


class CrashTests(JourneyCase):
    """Promises, R1 to R4, scaled down."""

    ROUNDS, SESSIONS = 5, 20

    def test_killed_in_mid_load(self) -> None:
        """Twenty sessions send, five times the daemon is killed; a kill of its restart loses nothing either."""
        dice = random.Random(time.time_ns())
        service = self.service(DEMO)
        service.start()
        load = Load(service)
        load.create_people()
        uids: dict[str, int] = {}
        for n in range(self.ROUNDS):
            service.good("PUT", "/api/pace", {"factor": n + 2})
            before = len(load.acknowledged)
            load.begin(self.SESSIONS)
            until(lambda before=before: len(load.acknowledged) > before)
            time.sleep(dice.uniform(0.0, 0.9))
            service.kill()
            load.end()
            if n == 1:
                service.begin()
                time.sleep(dice.uniform(0.2, 0.9))
                service.kill()
            watch = Stopwatch()
            service.start()
            # 5 s is the promise; the machine may be busy with other tests.
            self.assertLess(watch.seconds(), 10.0)
            self.assertEqual(service.good("GET", "/api/pace")["factor"], n + 2)
            now = load.uids()
            self.assertEqual({name: uid for name, uid in now.items() if name in uids}, uids)
            self.assertEqual(len(set(now.values())), len(now))
            uids = now
        self.assertEqual(load.permanent, [])
        load.check(self)
