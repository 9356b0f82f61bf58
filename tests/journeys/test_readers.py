"""What clients cost that do not read, or send what nobody asked them for."""

from __future__ import annotations

import base64
import os
import socket
import time
from pathlib import Path
from typing import Any

from tests.journeys.attacks import rss
from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, until

READERS, MIB = 40, 1 << 20

#: 40 clients that do not read cost a MiB each and the message once.
MOST = READERS * MIB + 20 * MIB


def a_large_message() -> tuple[bytes, bytes]:
    """A message of 20 MiB with one attachment, and that."""
    saved = os.urandom(15 * MIB)
    return (b"From: a@b.test\r\nTo: app@sim.test\r\nSubject: large\r\nMIME-Version: 1.0\r\n"
            b"Content-Type: multipart/mixed; boundary=bo\r\n\r\n--bo\r\nContent-Type: text/plain\r\n\r\nhello\r\n"
            b"--bo\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n"
            b"Content-Transfer-Encoding: base64\r\n\r\n%b--bo--\r\n"
            % base64.encodebytes(saved).replace(b"\n", b"\r\n")), saved


def imap(service: Service) -> socket.socket:
    """A session with the INBOX selected."""
    one = socket.create_connection(("127.0.0.1", service.port("imap")), SOON)
    one.sendall(f"a LOGIN {LOGIN} {service.password}\r\nb EXAMINE INBOX\r\n".encode())
    heard = b""
    while b"\r\nb OK" not in heard:
        heard += one.recv(4096)
    return one


class ReaderTests(JourneyCase):
    """Forty readers of one message of 20 MiB."""

    def setUp(self) -> None:
        """The message is there."""
        self.started = self.service({"http": {"rate": 0}})
        self.started.start()
        self.message, self.saved = a_large_message()
        with self.started.smtp() as sender:
            sender.sendmail("a@b.test", [LOGIN], self.message)
        self.place = f"/api/mailboxes/{LOGIN}/messages/INBOX/1"
        until(lambda: self.started.get(self.place + "/attachments/0").status == 200)
        # Nothing is still being read of it: what that takes is none of the readers' doing.
        until(lambda: self.started.good("GET", "/api/search?q=hello"))

    def test_not_read(self) -> None:
        """Whoever asks and does not read costs little, and nothing when gone; others are served meanwhile."""
        service = self.started
        key = f"Host: x\r\nAuthorization: Bearer {service.key}\r\n"
        for request, connect in (
            (b"c FETCH 1 BODY.PEEK[]\r\n", imap), (b"c FETCH 1 BODY.PEEK[2]\r\n", imap),
            (b"c FETCH 1 BINARY.PEEK[2]\r\n", imap),
            (f"GET {self.place}/raw HTTP/1.1\r\n{key}\r\n".encode(), self.http),
            (f"GET {self.place}/attachments/0 HTTP/1.1\r\n{key}\r\n".encode(), self.http),
        ):
            readers = [connect(service) for _ in range(READERS)]
            before = rss(service)
            try:
                for one in readers:
                    one.sendall(request)
                until(lambda: all(self.waits(one) for one in readers))
                time.sleep(0.5)
                self.assertLess(rss(service) - before, MOST, request)
                self.assertTrue(service.get(self.place + "/raw").body.endswith(self.message[-1000:]))
                self.assertTrue(service.get(self.place + "/attachments/0").body == self.saved)
            finally:
                for one in readers:
                    one.close()
            until(lambda: rss(service) - before < 25 * MIB)

    def http(self, service: Service) -> socket.socket:
        return socket.create_connection(("127.0.0.1", service.port("http")), SOON)

    def waits(self, one: socket.socket) -> bool:
        """Whether the first octets of an answer are there to be read."""
        one.setblocking(False)
        try:
            return bool(one.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False
        finally:
            one.setblocking(True)

    def test_not_asked(self) -> None:
        """Forty without a key that send 20 MiB each are told so; nothing of it is kept, in memory or on disk."""
        service = self.started
        before = rss(service)
        answers = []
        for path, headers in (("/api/send", ""), ("/api/inject", "Authorization: Bearer sm_x\r\n")):
            for framing in (f"Content-Length: {20 * MIB}\r\n", "Transfer-Encoding: chunked\r\n"):
                senders = [self.http(service) for _ in range(READERS // 4)]
                for one in senders:
                    one.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n{headers}{framing}\r\n".encode())
                for one in senders:
                    # The answer is there before the first octet of the body is sent.
                    answers.append(one.recv(65536)[:12])
                    size = b"%x\r\n" % (4 * MIB) if "chunked" in framing else b""
                    one.sendall(size + b"x" * (4 * MIB))
                self.assertEqual(self.spooled(), [])
                # All are still there, and so is what was kept of them.
                until(lambda: rss(service) - before < 20 * MIB)
                for one in senders:
                    one.close()
        self.assertEqual(answers, [b"HTTP/1.1 401"] * READERS)

    def spooled(self) -> list[Any]:
        """Files without a name that the service has open."""
        assert self.started.process is not None
        found = []
        for one in Path(f"/proc/{self.started.process.pid}/fd").iterdir():
            try:
                found.append(os.readlink(one))
            except FileNotFoundError:
                continue
        return [one for one in found if one.endswith("(deleted)")]
