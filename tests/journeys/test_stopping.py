"""SIGTERM: everybody is told, what is on its way in arrives, and the status is 0."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, message, until


class StoppingTests(JourneyCase):
    """An orderly stop takes less than 10 s, whatever clients do."""

    def dialogue(self, service: Service, name: str, *lines: bytes) -> tuple[socket.socket, bytes]:
        """A connection after some commands, and all it has said so far."""
        client = socket.create_connection(("127.0.0.1", service.port(name)), SOON)
        self.addCleanup(client.close)
        said = client.recv(4096)
        for line in lines:
            client.sendall(line + b"\r\n")
            said += client.recv(4096)
        return client, said

    def rest(self, client: socket.socket) -> bytes:
        """What it says until it hangs up."""
        said = b""
        while True:
            try:
                more = client.recv(4096)
            except ConnectionResetError:
                return said
            if not more:
                return said
            said += more

    def test_stop(self) -> None:
        """Idle sessions get 421 and BYE; a message that is being sent arrives; one that never ends is cut."""
        service = self.service()
        service.start()
        idle, _ = self.dialogue(service, "smtp", b"EHLO here")
        imap, _ = self.dialogue(service, "imap")
        sending, said = self.dialogue(
            service, "smtp", b"EHLO here", b"MAIL FROM:<app@sim.test>", b"RCPT TO:<app@sim.test>", b"DATA")
        self.assertIn(b"354", said)
        stuck, said = self.dialogue(
            service, "smtp", b"EHLO here", b"MAIL FROM:<app@sim.test>", b"RCPT TO:<app@sim.test>", b"DATA")
        octets = message(LOGIN, LOGIN, "Late", "But in time.", Message_ID="<late@sim.test>")
        sending.sendall(octets[:30])
        stuck.sendall(octets[:30])

        begin = time.monotonic()
        statuses: list[int] = []
        stopping = threading.Thread(target=lambda: statuses.append(service.stop()))
        stopping.start()
        self.assertIn(b"421 4.3.2", self.rest(idle))
        self.assertIn(b"* BYE", self.rest(imap))
        sending.sendall(octets[30:] + b"\r\n.\r\n")
        self.assertRegex(self.rest(sending), rb"\A250 .*\r\n421 ")
        self.rest(stuck)
        stopping.join(SOON)
        self.assertEqual(statuses, [0])
        self.assertLess(time.monotonic() - begin, 10.0)

        service.start()
        with service.imap() as session:
            self.assertEqual(session.search(None, "HEADER", "Message-ID", "<late@sim.test>"), ("OK", [b"1"]))
            self.assertEqual(session.search(None, "ALL"), ("OK", [b"1"]))

    def test_while_waiting(self) -> None:
        """A wait, a stream and an advance that are under way do not hold it up."""
        service = self.service()
        service.start()
        answers = [
            threading.Thread(target=self.ask, args=(service, path)) for path in (
                "/api/wait?to=app@sim.test&timeout=5m", "/api/events/stream")]
        for one in answers:
            one.start()
        time.sleep(0.3)
        begin = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - begin, 5.0)
        for one in answers:
            one.join(SOON)
            self.assertFalse(one.is_alive())

    def test_while_advancing(self) -> None:
        """Whoever moves the clock, or waits for the turn to, is answered what was done; nothing runs twice or not."""
        service = self.service()
        service.start()
        service.good("PUT", "/api/clock", {"frozen": True})
        people = [f"p{number}@many.test" for number in range(40)]
        for person in people:
            service.good("POST", "/api/personas", {
                "addresses": [person], "temperament": "responsive", "style": {"filter": "none"},
                "timing": {"reply_rate": 1, "delay": {"median": "1h", "spread": 3}}})
        for number in range(10):
            service.good("POST", "/api/send", {
                "from": LOGIN, "to": people, "subject": f"Question {number}", "text": "Could you send me the figures?"})
        answers: list[tuple[int, dict[str, Any]]] = []

        def advance(**body: Any) -> None:
            answer = service.call("POST", "/api/clock/advance", body)
            answers.append((answer.status, answer.json()))

        asking = [threading.Thread(target=advance, kwargs=body) for body in (
            {"by": "300d", "settle": "5s"}, {"by": "1d"})]
        asking[0].start()
        until(lambda: service.events("persona.sent"))
        asking[1].start()
        time.sleep(0.5)
        begin = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - begin, 10.0)
        for one in asking:
            one.join(SOON)
        self.assertEqual([status for status, _ in answers], [200, 200])
        first, second = sorted((answer for _, answer in answers), key=lambda answer: -answer["jobs_run"])
        self.assertEqual((first["stopped_by"], second["stopped_by"], second["jobs_run"]), ("stop", "stop", 0))
        self.assertGreaterEqual(first["jobs_run"], 1)
        self.assertEqual(first["to"], second["from"])
        service.start()
        clock = service.good("GET", "/api/clock")
        self.assertEqual((clock["now"], clock["frozen"]), (second["to"], True))
        done = [event["data"]["id"] for event in service.events("job.done")]
        self.assertEqual(len(done), first["jobs_run"])
        answer = service.good("POST", "/api/clock/advance", {"until": "idle"})
        self.assertEqual(answer["stopped_by"], "idle")
        done = [event["data"]["id"] for event in service.events("job.done")]
        self.assertEqual(len(done), len(set(done)))

    def ask(self, service: Service, path: str) -> None:
        """A request whose answer may be cut off."""
        try:
            service.get(path)
        except OSError:
            pass
        except Exception as error:
            self.assertIn("IncompleteRead", repr(error))
