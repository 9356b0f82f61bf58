"""The disk under the log hangs: nobody but the log notices."""

from __future__ import annotations

import os
import stat
import time

from tests.journeys.running import LOGIN, JourneyCase, message
from tests.stopwatch import Stopwatch


class HangingLogTests(JourneyCase):
    """The log is a pipe that nobody reads."""

    def test_hangs(self) -> None:
        """It starts, takes mail and answers as always, and stops in order within its time."""
        service = self.service()
        pipe = service.log
        os.mkfifo(pipe)
        # What is looked at for tracebacks at the end.
        service.start()
        service.log = service.state / "nothing"
        watch = Stopwatch()
        with service.smtp() as session:
            for n in range(300):
                session.sendmail("x@sim.test", [LOGIN], message("x@sim.test", LOGIN, f"n {n}", "Hello"))
        self.assertEqual(service.get("/readyz").status, 200)
        self.assertLess(watch.seconds(), 20.0)
        watch = Stopwatch()
        self.assertEqual(service.stop(), 0)
        self.assertLess(watch.seconds(), 9.0)

    def test_whole(self) -> None:
        """Nothing is missing of a log that can be written, the last line included; its owner and group may read it."""
        service = self.service()
        old = os.umask(0o077)
        try:
            service.start()
        finally:
            os.umask(old)
        with service.smtp() as session:
            for n in range(200):
                session.sendmail("x@sim.test", [LOGIN], message("x@sim.test", LOGIN, f"n {n}", "Hello"))
        time.sleep(0.1)
        self.assertEqual(service.stop(), 0)
        log = service.logged()
        self.assertEqual(log.count(" from x@sim.test for "), 200)
        self.assertTrue(log.endswith("Server Shut Down.\n"), log[-300:])
        self.assertNotIn("missing", log)
        self.assertEqual(stat.S_IMODE(service.log.stat().st_mode), 0o640)
