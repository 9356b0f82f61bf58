"""Whether the service lives and is ready, and its figures."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from twisted.logger import formatEvent

from simmail.core.records.delivery import Arrival, Copy
from simmail.rest.api.health import labelled
from simmail.rest.site import api_site
from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase


class HealthTests(ServedTestCase):
    """For those who run the service."""

    def get(self, path: str) -> Any:
        """Without a key."""
        return ask(self.site, "GET", path)

    def test_live(self) -> None:
        """The process answers, Redis or not."""
        self.server.database.set_healthy(False)
        self.assertEqual(self.get("/livez").json(), {"status": "ok"})

    def test_ready(self) -> None:
        """503 while something is missing, told by name."""
        self.assertEqual(self.get("/readyz").json(), {
            "status": "ready", "checks": {"redis": "ok", "store": "ok"}, "warnings": []})
        self.server.database.set_healthy(False)
        answer = self.get("/readyz")
        self.assertEqual((answer.status, answer.json()["checks"]["redis"]), (503, "away"))
        self.server.database.set_healthy(True)
        missing = ["not listening"]
        self.site = api_site(self.config, self.server.roster, self.server.reactor,
                             checks=(("listeners", lambda: missing[0]),), warnings=(lambda: ["see to it"],))
        self.assertEqual(self.get("/readyz").json(), {
            "status": "not ready", "checks": {"redis": "ok", "store": "ok", "listeners": "not listening"},
            "warnings": ["see to it"]})
        missing[0] = ""
        answer = self.get("/readyz")
        self.assertEqual((answer.status, answer.json()["warnings"]), (200, ["see to it"]))

    def test_held(self) -> None:
        """A lock that nobody gives back is told of after ten seconds, in the log with its name."""
        self.assertEqual(self.get("/readyz").json()["warnings"], [])
        self.successResultOf(self.universe.clock.turn.acquire())
        waiting = [self.universe.clock.turn.acquire() for _ in range(2)]
        logged: list[Any] = []
        self.universe.logger.observer = logged.append
        self.server.reactor.pump([1.0] * 12)
        self.assertEqual(self.get("/readyz").json()["warnings"], [
            "the clock in main has been held for 12 s; 2 wait for it"])
        text = self.get("/metrics").body.decode()
        self.assertIn("\nsimmail_locks_held_long 1\n", text)
        self.assertIn("\nsimmail_lock_held_seconds 12.000\n", text)
        self.assertEqual([formatEvent(one) for one in logged], [
            "the clock in main has been held for 10 s; 2 wait for it"])
        for _ in waiting:
            self.universe.clock.turn.release()
        self.universe.clock.turn.release()
        self.server.reactor.pump([1.0] * 3)
        self.assertEqual(self.get("/readyz").json()["warnings"], [])

    def test_ready_with_warnings(self) -> None:
        """What is not as it should be is told while the service is ready; a check may say more of the store."""
        doubt = ["the disk may have lost what was written"]
        self.site = api_site(self.config, self.server.roster, self.server.reactor,
                             checks=(("store", lambda: doubt[0]),), warnings=(lambda: ["one", "two"], lambda: []))
        self.assertEqual(self.get("/readyz").status, 503)
        self.assertEqual(self.get("/readyz").json()["checks"]["store"], doubt[0])
        doubt[0] = ""
        self.assertEqual((self.get("/readyz").status, self.get("/readyz").json()), (200, {
            "status": "ready", "checks": {"redis": "ok", "store": "ok"}, "warnings": ["one", "two"]}))

    def test_lag(self) -> None:
        """How far behind decisions and jobs are, in real seconds."""
        made = self.persona()
        self.write()
        self.good("PUT", "/api/clock", {"frozen": False})
        jobs = self.good("GET", "/api/jobs?state=pending")
        scheduler, arrival = self.universe.scheduler, Arrival(
            "d.0", "maria@acme.test", made["id"], "app@sim.test", self.universe.clock.now(),
            Copy("maria@acme.test", "INBOX", 1, 1))
        now(scheduler.stop())
        self.universe.inbox._queue.append((arrival, None, self.server.reactor.seconds()))
        self.server.reactor.advance(86400 * 4)
        figures = dict(line.rsplit(" ", 1) for line in self.get("/metrics").body.decode().splitlines())
        self.assertEqual((figures["simmail_undecided_arrivals"], figures["simmail_overdue_jobs"]),
                         ("1", str(len(jobs))))
        self.assertEqual(float(figures["simmail_decision_lag_seconds"]), 86400 * 4)
        due = datetime.fromisoformat(min(one["due"] for one in jobs).replace("Z", "+00:00"))
        late = (self.universe.clock.line() - due).total_seconds()
        self.assertAlmostEqual(float(figures["simmail_job_lag_seconds"]), late, places=2)
        self.universe.inbox._queue.clear()

    def test_metrics(self) -> None:
        """Figures in Prometheus's format: requests by route, not by path; what others add comes behind."""
        self.site = api_site(self.config, self.server.roster, self.server.reactor,
                             metrics=(lambda: "simmail_mail_accepted_total 3\n",))
        self.persona()
        self.good("GET", "/api/status")
        self.bad(404, "GET", "/api/personas/p_secret")
        answer = self.get("/metrics")
        self.assertTrue(answer.headers["content-type"].startswith("text/plain; version=0.0.4"))
        lines = answer.body.decode().splitlines()
        for line in ('simmail_http_requests_total{method="GET",path="/api/status",status="200"} 1',
                     'simmail_http_requests_total{method="GET",path="/api/personas/{id}",status="404"} 1',
                     "simmail_redis_available 1", "simmail_universes 1", "simmail_personas 1",
                     "simmail_http_request_seconds_count 3", "simmail_mail_accepted_total 3"):
            self.assertIn(line, lines)
        self.assertNotIn("p_secret", answer.body.decode())
        for line in ("simmail_undecided_arrivals 0", "simmail_decision_lag_seconds 0.000", "simmail_overdue_jobs 0",
                     "simmail_job_lag_seconds 0.000"):
            self.assertIn(line, lines)
        for line in lines:
            self.assertRegex(line, r"\A(# TYPE [a-z_]+ [a-z]+|[a-z_]+(\{[^}]*\}+[^ ]*|) [0-9.+-]+)\Z|path=")

    def test_metrics_of_several(self) -> None:
        """Figures of several processes have a label, and what they are is told once."""
        self.assertEqual(labelled([(1, "# TYPE a gauge\na 2\n"), (0, (
            '# HELP a What it is.\n# TYPE a gauge\na 1\n# TYPE b counter\nb{c="d e"} 3\n'))]), (
            '# HELP a What it is.\n# TYPE a gauge\na{worker="0"} 1\na{worker="1"} 2\n'
            '# TYPE b counter\nb{c="d e",worker="0"} 3\n'))
