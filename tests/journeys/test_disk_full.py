"""The disk is full: mail is put off, never lost, reading goes on, and all is well once there is space."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

from twisted.trial.unittest import SkipTest

from tests.journeys.disk import Unmountable, fill, send_one, small_disk, subjects
from tests.journeys.running import LOGIN, JourneyCase, Service, until
from tests.stopwatch import Stopwatch


class DiskTests(JourneyCase):
    """Promises, R7."""

    def test_full(self) -> None:
        """Only 4xx while it is full, nothing acknowledged is lost, nothing half is seen, 250 within 5 s of space."""
        service, disk = self._on_small_disk()
        seen = fill(service, disk)
        self.assertEqual((seen.permanent, seen.lost, seen.broken), ([], set(), []), seen)
        self.assertTrue(seen.reading, seen)
        self.assertTrue(0 <= seen.back < 5.0, seen)
        self.assertGreater(sum(count for code, count in seen.replies.items() if 400 <= code < 500), 0, seen)

    def test_start(self) -> None:
        """Started on a full disk, in order or after a kill: it can be read, puts mail off, and goes on by itself."""
        service, disk = self._on_small_disk()
        self.assertEqual(send_one(service, "disk-0"), 250)
        for end in (service.stop, service.kill):
            end()
            service.out.write_text("")
            with open(disk / "ballast", "wb", buffering=0) as file:
                for size in (65536, 512):
                    try:
                        while True:
                            file.write(bytes(size))
                    except OSError:
                        pass
            service.begin()
            # Where to connect is on standard output: there is no room for endpoints.json.
            found = until(lambda: dict(
                line.split()[:2] for line in service.out.read_text().split("\n") if re.match(r"[A-Z]+ \S+:\d+$", line)))
            self.assertFalse((service.state / "endpoints.json").exists())
            service.endpoints = {
                name.lower(): {"host": "127.0.0.1", "port": int(place.rpartition(":")[2])}
                for name, place in found.items()}
            self.assertIn(("disk-0", True), subjects(service) or [])
            # Redis ends when its log cannot be written, and is back in a moment.
            until(lambda: service.get("/api/me").status == 200, within=5)
            for n in range(5):
                self.assertIn(send_one(service, f"full-{n}"), range(400, 500))
                answer = service.call("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"})
                self.assertEqual((answer.status, list(answer.json())), (503, ["error"]))
            (disk / "ballast").unlink()
            watch = Stopwatch()
            until(lambda: send_one(service, "back") == 250, every=0.1)
            self.assertLess(watch.seconds(), 5.0)
            until(lambda: (service.state / "endpoints.json").exists())
            service.good("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"})

    def _on_small_disk(self) -> tuple[Service, Path]:
        """A service that was started, and the small disk its state is on."""
        service = self.service()
        stack = ExitStack()
        try:
            disk = stack.enter_context(small_disk(service.state))
        except Unmountable as error:
            raise SkipTest(str(error)) from None
        self.addCleanup(stack.close)
        # Cleanups run backwards: the service has to end before its disk goes.
        self.addCleanup(self._end, service)
        service.start()
        return service, disk

    def _end(self, service) -> None:  # type: ignore[no-untyped-def]
        if service.process is not None and service.process.poll() is None:
            service.stop()
