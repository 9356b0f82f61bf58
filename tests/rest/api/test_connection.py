"""Connection details, identity and status."""

from __future__ import annotations

from typing import NamedTuple

from simmail.rest.site import api_site
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
