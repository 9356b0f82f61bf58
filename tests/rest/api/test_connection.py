"""Connection details, identity, status, administration and health."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from twisted.logger import formatEvent

from simmail.core.records.delivery import Arrival, Copy
from simmail.rest.site import api_site
from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase


class Facts(NamedTuple):
    """A certificate."""

    self_signed: bool = True
    sha256: str = "5e" * 32
    subject: str = "CN=localhost"
    pem: bytes = b"-----BEGIN CERTIFICATE-----\n"


class Tls:
    """What mail programs are shown."""

    facts = Facts()


class ConnectionTests(ServedTestCase):
    """How mail programs connect, and who calls."""

    def setUp(self) -> None:
        """Listeners and a certificate."""
        super().setUp()
        bound = {name: {"host": "127.0.0.1", "port": port} for name, port in (
            ("smtp", 2525), ("submission", 2587), ("smtps", 2465), ("imap", 2143), ("imaps", 2993), ("http", 8025))}
        self.site = api_site(self.config, self.server.roster, self.server.reactor, Tls(), bound)

    def test_connection(self) -> None:
        """Domain, services with their security, mechanisms, and the certificate."""
        found = self.good("GET", "/api/connection", role="viewer")
        self.assertEqual(found["domain"], "sim.test")
        self.assertEqual([(one["name"], one["address"], one["port"], one["security"]) for one in found["services"]], [
            ("SMTP", "127.0.0.1", 2525, "starttls"), ("SUBMISSION", "127.0.0.1", 2587, "starttls"),
            ("SMTPS", "127.0.0.1", 2465, "tls"), ("IMAP", "127.0.0.1", 2143, "starttls"),
            ("IMAPS", "127.0.0.1", 2993, "tls")])
        self.assertEqual((found["auth_mechanisms"], found["plain_auth_allowed"], found["smtp_auth_required"]),
                         (["PLAIN", "LOGIN"], True, False))
        self.assertEqual(found["certificate"],
                         {"self_signed": True, "sha256": "5e" * 32, "subject": "CN=localhost"})

    def test_certificate(self) -> None:
        """The certificate as a PEM file."""
        answer = self.ask("GET", "/api/connection/cert", role="viewer")
        self.assertEqual((answer.body, answer.headers["content-disposition"]),
                         (Facts().pem, 'attachment; filename="sim.test.pem"'))
        self.site = api_site(self.config, self.server.roster, self.server.reactor)
        self.bad(404, "GET", "/api/connection/cert")
        self.assertIsNone(self.good("GET", "/api/connection")["certificate"])

    def test_me(self) -> None:
        """The key without its secret, and its universe with the role."""
        me = self.good("GET", "/api/me", role="viewer")
        self.assertEqual((me["kind"], me["key"]["name"], me["key"]["role"], me["key"]["universe"]),
                         ("key", "viewer", "viewer", "main"))
        self.assertEqual(self.keys["viewer"].split("_")[1], me["key"]["prefix"])
        self.assertNotIn(self.keys["viewer"].split("_", 2)[2], str(me))
        (one,) = me["universes"]
        self.assertEqual((one["id"], one["org"], one["role"]), ("main", "default", "viewer"))
        self.assertEqual(self.good("GET", "/api/universes", role="viewer"), me["universes"])

    def test_status(self) -> None:
        """Counts, the clock, the writer."""
        self.persona()
        self.write()
        status = self.good("GET", "/api/status", role="viewer")
        self.assertEqual((status["mailboxes"], status["personas"], status["cases"], status["writer"]),
                         (2, 1, 0, "templates"))
        self.assertEqual(status["clock"], self.good("GET", "/api/clock"))
        self.assertEqual(status["pending_jobs"], status["clock"]["pending"])
        self.good("POST", "/api/inject", {"to": "a@sim.test", "from": "x@y.test", "folder": "Junk"})
        status, mailboxes = self.good("GET", "/api/status"), self.good("GET", "/api/mailboxes")
        self.assertEqual(status["messages"], sum(one["total"] for one in mailboxes))
        self.assertEqual(status["messages"], self.good("GET", "/api/fingerprint")["counts"]["mail"])
        self.assertEqual((status["folders"]["Junk"], sum(status["folders"].values())), (1, status["messages"]))

    def test_fingerprint(self) -> None:
        """Equal where nothing happened, different where something did."""
        first = self.good("GET", "/api/fingerprint", role="viewer")
        self.assertEqual(self.good("GET", "/api/fingerprint"), first)
        self.persona()
        second = self.good("GET", "/api/fingerprint")
        self.assertNotEqual(second["fingerprint"], first["fingerprint"])
        self.assertEqual(second["counts"]["personas"], 1)


class AdminTests(ServedTestCase):
    """Universes and keys."""

    def setUp(self) -> None:
        """An administrator's key."""
        super().setUp()
        self.keys["root"] = now(self.server.roster.create_key("main", "admin", "root", administrator=True))

    def test_reserved(self) -> None:
        """Only administrators may; an admin key of a universe may not."""
        for method, path, body in (
            ("GET", "/api/admin/universes", None), ("POST", "/api/admin/universes", {"odd": 1}),
            ("DELETE", "/api/admin/universes/nope", None), ("GET", "/api/admin/keys", None),
            ("POST", "/api/admin/keys", {"odd": 1}), ("DELETE", "/api/admin/keys/nope", None),
        ):
            self.assertIn("admin", self.bad(403, method, path, body))
        self.assertTrue(self.good("GET", "/api/me", role="root")["administrator"])

    def test_universe(self) -> None:
        """A universe with a clock starts frozen there; it can be deleted with its keys."""
        made = self.good("POST", "/api/admin/universes", {"id": "shop", "clock": "2026-05-01T08:00:00Z"}, "root")
        self.assertEqual((made["id"], made["name"], made["seed"]), ("shop", "shop", "shop"))
        key = self.good("POST", "/api/admin/keys", {"universe": "shop", "role": "member", "name": "ci"}, "root")
        clock = ask(self.site, "GET", "/api/clock", key=key["key"]).json()
        self.assertEqual((clock["now"], clock["frozen"]), ("2026-05-01T08:00:00Z", True))
        self.good("POST", "/api/admin/universes", {
            "id": "fast", "seed": "s", "clock": {"now": "2026-05-01T08:00:00Z", "speed": 60, "frozen": False}}, "root")
        self.assertEqual([one["id"] for one in self.good("GET", "/api/admin/universes", role="root")],
                         ["fast", "main", "shop"])
        self.assertEqual(self.good("DELETE", "/api/admin/universes/shop", role="root"), {"status": "deleted"})
        self.assertEqual(ask(self.site, "GET", "/api/clock", key=key["key"]).status, 401)
        self.bad(404, "DELETE", "/api/admin/universes/shop", role="root")
        self.bad(400, "DELETE", "/api/admin/universes/main", role="root")

    def test_universe_refused(self) -> None:
        """Bad ids, clocks and organisations are refused by name; one that exists is 409."""
        for body, status, text in (
            ({}, 400, "id: is required"), ({"id": "A b"}, 400, "id"), ({"id": "../x"}, 400, "id"),
            ({"id": "x", "clock": "noon"}, 400, "clock"), ({"id": "x", "clock": {"now": 5}}, 400, "clock.now"),
            ({"id": "x", "org": "nope"}, 404, "nope"), ({"id": "main"}, 409, "main"),
            ({"id": "x", "plan": 1}, 400, "plan"),
            ({"id": "x", "clock": {"now": "2026-03-01T09:00:00Z", "speed": 0}}, 400, "clock.speed: must be from"),
        ):
            self.assertIn(text, self.bad(status, "POST", "/api/admin/universes", body, "root"))

    def test_keys(self) -> None:
        """A key's secret is answered once; it works until it is revoked."""
        made = self.good("POST", "/api/admin/keys", {"universe": "main", "role": "viewer", "name": "x"}, "root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).json()["key"]["prefix"], made["prefix"])
        listed = self.good("GET", "/api/admin/keys", role="root")
        self.assertIn(made["prefix"], [one["prefix"] for one in listed])
        self.assertNotIn(made["key"].split("_", 2)[2], str(listed))
        self.good("DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).status, 401)
        self.bad(404, "DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.bad(404, "POST", "/api/admin/keys", {"universe": "nope", "role": "viewer"}, "root")
        self.assertIn("role: must be one of", self.bad(
            400, "POST", "/api/admin/keys", {"universe": "main", "role": "god"}, "root"))


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
        self.universe.correspondents._queue.append((arrival, None, self.server.reactor.seconds()))
        self.server.reactor.advance(86400 * 4)
        figures = dict(line.rsplit(" ", 1) for line in self.get("/metrics").body.decode().splitlines())
        self.assertEqual((figures["simmail_undecided_arrivals"], figures["simmail_overdue_jobs"]),
                         ("1", str(len(jobs))))
        self.assertEqual(float(figures["simmail_decision_lag_seconds"]), 86400 * 4)
        due = datetime.fromisoformat(min(one["due"] for one in jobs).replace("Z", "+00:00"))
        late = (self.universe.clock.line() - due).total_seconds()
        self.assertAlmostEqual(float(figures["simmail_job_lag_seconds"]), late, places=2)
        self.universe.correspondents._queue.clear()

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
