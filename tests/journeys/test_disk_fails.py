"""The file system stops dead under the service: what was acknowledged is there when it was repaired."""

from __future__ import annotations

from contextlib import ExitStack

from twisted.trial.unittest import SkipTest

from tests.journeys.disk import Unmountable
from tests.journeys.failing import fail, failing_disk
from tests.journeys.running import JourneyCase, Service, end_redis


class FailingTests(JourneyCase):
    """Promises, R1f: R1 and R2, without a reboot; scaled down."""

    MESSAGES, SESSIONS = 600, 16

    def test_stops_dead(self) -> None:
        """Only 4xx while it is away; nothing acknowledged is lost, short or twice; UIDs are as they were told."""
        service = self.service()
        stack = ExitStack()
        try:
            disk = stack.enter_context(failing_disk(service.state))
        except Unmountable as error:
            raise SkipTest(str(error)) from None
        self.addCleanup(stack.close)
        self.addCleanup(self._end, service)
        service.start()
        seen = fail(self, service, disk, self.MESSAGES, self.SESSIONS, 120)
        self.assertEqual(seen.changed, 0, seen)
        self.assertTrue(seen.ready.startswith("503"), seen)
        self.assertTrue(seen.replies and all(400 <= code < 500 for code in seen.replies), seen)
        # It would prove nothing otherwise.
        self.assertIn("written again", seen.lost)

    def _end(self, service: Service) -> None:
        if service.process is not None and service.process.poll() is None:
            service.stop()
        end_redis(service.state)
