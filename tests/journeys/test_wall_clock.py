"""The wall clock is set while the service runs: nothing stops and nothing leaps."""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.journeys import running
from tests.journeys.running import JourneyCase, Service, message, until

#: Read by every interpreter when it starts: its wall clock is that of the machine, and as much more as a file says.
_SITE = """
import os, time
_real, _path = time.time, os.environ["WALL_CLOCK"]
def _time():
    try:
        with open(_path) as file:
            return _real() + float(file.read() or 0)
    except OSError:
        return _real()
time.time = _time
"""


class WallClockTests(JourneyCase):
    """A service whose wall clock can be set."""

    def setUp(self) -> None:
        site = self.folder()
        (site / "sitecustomize.py").write_text(_SITE, encoding="utf-8")
        self.offset = site / "offset"
        theirs = running.environment()
        theirs.update(WALL_CLOCK=str(self.offset), PYTHONPATH=os.pathsep.join([str(site), theirs["PYTHONPATH"]]))
        self.patch(running, "environment", lambda: theirs)

    def set(self, seconds: float) -> None:
        """The wall clock is ahead of the machine's by so much."""
        beside = Path(f"{self.offset}.new")
        beside.write_text(str(seconds), encoding="utf-8")
        beside.rename(self.offset)

    def now(self, service: Service) -> tuple[float, dict[str, Any]]:
        """By how much the universe's clock is ahead of the machine's, and what the API says of it."""
        clock = service.good("GET", "/api/clock")
        return datetime.fromisoformat(clock["now"]).timestamp() - time.time(), clock

    def test_jumps(self) -> None:
        """Back by a day, forth by two: told, not followed; timers and jobs go on; a restart follows."""
        service = self.service()
        service.start()
        service.good("POST", "/api/personas", {
            "addresses": ["nora@acme.test"], "temperament": "responsive",
            "timing": {"reply_rate": 1, "delay": {"median": "4s", "spread": 1}}, "style": {"filter": "none"}})
        ahead, clock = self.now(service)
        self.assertLess(abs(ahead), 2.0)
        self.assertNotIn("wall_clock", clock)
        for number, offset in enumerate((-86_400.0, 86_400.0), 1):
            with service.smtp() as smtp:
                smtp.sendmail(running.LOGIN, ["nora@acme.test"], message(
                    running.LOGIN, "nora@acme.test", f"Question {number}", "Could you send me the figures?"))
            self.set(offset)
            told = until(lambda: (found := self.now(service)[1].get("wall_clock"))
                         and found["jumps"] == number and found)
            # Not assertAlmostEqual: trial's takes a delta and does not look at it.
            self.assertLess(abs(told["offset"] - offset), 0.5)
            self.assertLess(abs(self.now(service)[0]), 2.0)
            # A timer that goes by the wall clock would wait for a day, or be done at once.
            begin = time.monotonic()
            self.assertEqual(service.get("/api/wait?to=nobody@acme.test&timeout=1s").status, 408)
            self.assertLess(abs(time.monotonic() - begin - 1.0), 0.9)
            until(lambda: len(service.events("persona.sent")) == number)
        self.assertEqual(service.logged().count("the wall clock jumped by"), 2)
        self.assertEqual(service.stop(), 0)
        service.start()
        ahead, clock = self.now(service)
        self.assertLess(abs(ahead - 86_400), 3.0)
        self.assertNotIn("wall_clock", clock)
        # Set back while it is down: nothing is taken back, and it does not stand.
        with service.smtp() as smtp:
            smtp.sendmail(running.LOGIN, ["nora@acme.test"], message(
                running.LOGIN, "nora@acme.test", "More", "And these?"))
        service.kill()
        self.set(0.0)
        service.start()
        first = self.now(service)[0]
        self.assertGreater(first, 86_300)
        until(lambda: len(service.events("persona.sent")) == 3)
        at = [datetime.fromisoformat(event["at"]) for event in service.events("*")]
        self.assertEqual(at, sorted(at))
