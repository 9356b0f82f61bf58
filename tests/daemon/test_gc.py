"""How the interpreter of a serving process is set."""

from __future__ import annotations

import gc
import sys

from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.gc import expect_much, prefer_latency


class LatencyTests(SynchronousTestCase):
    """Short turns before throughput."""

    def test_set(self) -> None:
        """A busy thread gives way soon; what is there at the start is not looked through again."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        self.addCleanup(gc.set_threshold, *gc.get_threshold())
        self.addCleanup(gc.unfreeze)
        expect_much()
        self.assertGreater(gc.get_threshold()[0], 10_000)
        prefer_latency()
        self.assertLess(gc.get_threshold()[0], 10_000)
        self.assertLessEqual(sys.getswitchinterval(), 0.001)
        self.assertGreater(gc.get_freeze_count(), 1000)
        self.assertLess(len(gc.get_objects()), gc.get_freeze_count())
