"""A server dies together with the Redis that has its universe: a real cluster with replicas, a real SeaweedFS."""

from __future__ import annotations

import os
import random

from tests import seaweed
from tests.journeys.failover import TAKEN, FailOver
from tests.journeys.running import JourneyCase


class FailOverTests(JourneyCase):
    """Two servers, three primaries, three replicas."""

    skip = seaweed.MISSING or None

    def test_both_die(self) -> None:
        """Under load another serves within ten seconds, nothing acknowledged is lost; nor where the replica lagged."""
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})
        dice = random.Random(1)
        rounds = FailOver(self, 4, 1.0, dice)
        for cut in (0.0, 0.7):
            self.assertLess(rounds.play(cut).taken, TAKEN)
        rounds.finish(60.0)
