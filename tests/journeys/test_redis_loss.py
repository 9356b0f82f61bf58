"""Redis loses the last second of its log: nobody is forgotten, nothing is done twice, no number is used twice."""

from __future__ import annotations

import os
import signal
import time

from tests.journeys.load import Load
from tests.journeys.losing import WRITERS, Forgetful, Memory, check_all, hurry, writing
from tests.journeys.running import JourneyCase, Service, redis_pid, until


class LossTests(JourneyCase):
    """Promises, R6, scaled down."""

    def begun(self, service: Service) -> Load:
        """People write while mail comes in."""
        service.start()
        hurry(service)
        return Load(service, senders=200)

    def wrote(self, service: Service) -> bool:
        """Whether anybody has answered."""
        return bool(service.good("GET", "/api/events?type=persona.sent&limit=1"))

    def test_while_it_runs_and_across_a_restart(self) -> None:
        """An operator's Redis: three times while the service runs on, and with both killed, in turn."""
        redis = Forgetful(self.folder())
        self.addCleanup(redis.close)
        redis.start()
        service = self.service({"redis": {"url": redis.url}, **WRITERS})
        load = self.begun(service)
        memory = Memory(service)
        self.addCleanup(memory.close)
        for n in range(4):
            load.begin(8, again=True)
            time.sleep(2.0)
            if n % 2:
                # So that people have time to write in the second that is lost.
                load.end()
                writing(service)
                service.kill()
            self.assertGreater(redis.lose(1.0), 1000)
            if n % 2:
                redis.start()
                service.start()
            else:
                time.sleep(0.2)
                redis.start()
                until(lambda: service.get("/readyz").status == 200)
                load.end()
        until(lambda: self.wrote(service))
        memory.close()
        self.assertEqual(load.permanent, [])
        service.good("PUT", "/api/clock", {"frozen": True})
        check_all(self, load, memory)

    def test_private_redis_with_a_cut_log(self) -> None:
        """Both are killed, and somebody restores a log that is half a second old."""
        service = self.service(WRITERS)
        load = self.begun(service)
        memory = Memory(service)
        self.addCleanup(memory.close)
        load.begin(8)
        time.sleep(1.5)
        log = max((service.state / "redis" / "appendonlydir").glob("*.incr.aof"))
        keep = log.stat().st_size
        time.sleep(0.7)
        service.kill()
        pid = redis_pid(service.state)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(lambda: redis_pid(service.state) is None)
        load.end()
        self.assertGreater(log.stat().st_size, keep + 1000)
        os.truncate(log, keep)
        service.start()
        until(lambda: self.wrote(service))
        memory.close()
        service.good("PUT", "/api/clock", {"frozen": True})
        check_all(self, load, memory)
