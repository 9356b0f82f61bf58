"""The disk is full: mail is put off, never lost, reading goes on, and all is well once there is space."""

from __future__ import annotations

from contextlib import ExitStack

from twisted.trial.unittest import SkipTest

from tests.journeys.disk import Unmountable, fill, small_disk
from tests.journeys.running import JourneyCase


class DiskTests(JourneyCase):
    """R7 of the promises."""

    def test_full(self) -> None:
        """Only 4xx while it is full, nothing acknowledged is lost, nothing half is seen, 250 within 5 s of space."""
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
        seen = fill(service, disk)
        self.assertEqual((seen.permanent, seen.lost, seen.broken), ([], set(), []), seen)
        self.assertTrue(seen.reading, seen)
        self.assertTrue(0 <= seen.back < 5.0, seen)
        self.assertGreater(sum(count for code, count in seen.replies.items() if 400 <= code < 500), 0, seen)

    def _end(self, service) -> None:  # type: ignore[no-untyped-def]
        if service.process is not None and service.process.poll() is None:
            service.stop()
