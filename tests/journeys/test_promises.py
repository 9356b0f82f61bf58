"""What the whole service promises against ill will (promises, R8 to R12, S3, S4, S8, S9), scaled down."""

from __future__ import annotations

from typing import Any

from tests.journeys import attacks, escaping, heavy, idling, malformed
from tests.journeys.running import LOGIN, JourneyCase, Service, until

#: Real seconds that another client may wait: the hard limit, as the machine may be busy with other tests.
LONGEST = 2.0


class PromiseTests(JourneyCase):
    """Each against a running daemon; scripts/bench/promises has the full figures."""

    def started(self, config: dict[str, Any] | None = None) -> Service:
        """A running service without the demo."""
        service = self.service(config)
        service.start()
        return service

    def test_malformed(self) -> None:
        """R8: malformed IMAP dialogs and MIME messages get answers, and all can be read afterwards."""
        service = self.started()
        service.good("POST", "/api/personas", {
            "addresses": [malformed.READER], "temperament": "responsive", "style": {"filter": "none"}})
        self.assertEqual(malformed.mime(service, 150, seed=3), [])
        self.assertEqual(malformed.imap(service, 150, seed=3), [])
        until(lambda: service.undecided() == 0)
        total, wrong = malformed.read_back(service)
        self.assertEqual(wrong, [])
        self.assertGreater(total, 100)

    def test_heavy(self) -> None:
        """R9: dear IMAP commands and HTTP requests do not keep others waiting."""
        service = self.started()
        malformed.mime(service, 50, seed=4)
        for seen in (heavy.ask_heavy(service), heavy.request_heavy(service)):
            for name, (answer, waited) in seen.items():
                self.assertLess(waited, LONGEST, name)
                self.assertNotEqual(answer, b"no answer", name)
                self.assertFalse(answer.startswith(b"5") or b"SERVERBUG" in answer, (name, answer))

    def test_idle(self) -> None:
        """R10: an idle connection costs little."""
        service = self.started()
        for tls, most in ((False, 25_000), (True, 120_000)):
            seen = idling.idle(service, 150, 20, tls)
            self.assertLess(seen.each, most)
            self.assertEqual(seen.dead, 0)
            self.assertLess(seen.login, LONGEST)

    def test_silence(self) -> None:
        """R11: who says nothing after signing in, or never ends a request, is cut off."""
        service = self.started({"imap": {"timeout": "2s"}, "http": {"timeout": "2s"}})
        login = f"a LOGIN {LOGIN} {service.password}\r\n".encode()
        for said in (login, login + b"b SELECT INBOX\r\nc IDLE\r\n"):
            took, last = attacks.silence(service, "imap", said)
            self.assertTrue(1.5 < took < 10 and last.startswith(b"* BYE"), (took, last))
        took, last = attacks.silence(service, "http", b"POST /api/send HTTP/1.1\r\nHost: x\r\nConte")
        self.assertTrue(1.5 < took < 10, (took, last))

    def test_http_crowd(self) -> None:
        """R12: HTTP connections over the limit get 503 at once."""
        service = self.started({"http": {"rate": 0, "connections": 20}})
        refused, slowest = attacks.http_crowd(service, 20)
        self.assertEqual(refused, 100)
        self.assertLess(slowest, LONGEST)
        self.assertEqual(service.get("/livez").status, 200)

    def test_guessing_at_once(self) -> None:
        """S3: forty connections at once try no more passwords than one could."""
        service = self.started()
        for port in ("smtp", "imap"):
            self.assertLessEqual(attacks.guess_at_once(service, port), 10)

    def test_unfinished(self) -> None:
        """S4: who never signs in holds little memory."""
        service = self.started()
        for name in ("IMAP many literals", "SMTP line without end"):
            self.assertLess(idling.unfinished(service, name, 60), 16 * 1024, name)

    def test_injections(self) -> None:
        """S8: no text becomes a header or a line of its own."""
        service = self.started()
        tried, found = escaping.injections(service)
        self.assertEqual(found, [])
        self.assertGreater(tried, 300)

    def test_escapes(self) -> None:
        """S9: no name leads out of the state folder or of a mailbox."""
        folder = self.folder()
        deep = folder.joinpath(*"abcdefghij")
        deep.mkdir(parents=True)
        service = Service(deep)
        self.addCleanup(self._finish, service)
        service.start()
        self.assertGreater(escaping.escape(service, escaping.NAMES[:9]), 500)
        escaping.settled(service)
        self.assertEqual(escaping.astray(service.state, folder), [])
