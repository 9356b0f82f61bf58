"""kill -9 in the middle of mail: what was acknowledged is there once, with all that follows from it, once."""

from __future__ import annotations

import random
import time

from tests.journeys.crashing import Rounds
from tests.journeys.losing import WRITERS
from tests.journeys.running import DEMO, JourneyCase


class CrashTests(JourneyCase):
    """Promises, R1 to R4, scaled down; at full figure: scripts/bench/crash."""

    def test_killed_in_mid_load(self) -> None:
        """
        Sixteen sessions send, others change folders and settings; what writes mail is killed, the daemon, its restart
        too, the daemon with Redis, and Redis.
        """
        rounds = Rounds(self, self.service({**DEMO, **WRITERS}), 16, 0.9, random.Random(time.time_ns()))
        for victim, twice in (("writer", False), ("simmail", True), ("both", False), ("redis", False)):
            rounds.play(victim, twice)
        rounds.finish()
