"""Tests of L{simmail.client.transport}."""

from __future__ import annotations

import socket
from contextlib import closing
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from simmail.client.transport import ApiError, Transport, path, question


def answer(text: bytes, status: bytes = b"200 OK", more: bytes = b"") -> bytes:
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, more, len(text), text)


class TransportTests(SynchronousTestCase):
    """Calls over a real socket, to somebody who answers as told."""

    def served(self, *connections: tuple[bytes, ...]) -> Transport:
        """Each connection has its answers, and is closed then."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)

        def serve() -> None:
            for answers in connections:
                with closing(listening.accept()[0]) as one:
                    for each in answers:
                        one.recv(65536)
                        one.sendall(each)

        thread = Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        made = Transport(f"http://127.0.0.1:{listening.getsockname()[1]}/", "sm_key")
        self.addCleanup(made.close)
        return made

    def test_kept(self) -> None:
        """A connection is used again, and another made where the service has closed it."""
        transport = self.served((answer(b"1"), answer(b"2")), (answer(b"3"),))
        self.assertEqual([transport.call(int, "GET", "/api/x") for _ in range(2)], [1, 2])
        # What closes it comes over the same road as an answer.
        transport._idle[0].sock.recv(1, socket.MSG_PEEK)
        self.assertEqual(transport.call(int, "GET", "/api/x"), 3)

    def test_refused(self) -> None:
        """What the service says is wrong is said, whatever form it has."""
        transport = self.served((answer(b'{"error": "no persona"}', b"404 Not Found"),
                                 answer(b"<html>", b"502 Bad Gateway"), answer(b'"text"')))
        error = self.assertRaises(ApiError, transport.call, object, "GET", "/api/x")
        self.assertEqual((error.status, error.text, str(error)), (404, "no persona", "GET /api/x: 404 no persona"))
        self.assertEqual(self.assertRaises(ApiError, transport.call, object, "GET", "/api/x").text, "<html>")
        self.assertEqual(self.assertRaises(ApiError, transport.call, int, "GET", "/api/x").status, 0)

    def test_too_soon(self) -> None:
        """A call that came too soon is made again when the service says."""
        slow = answer(b'{"error": "too many"}', b"429 Too Many", b"Retry-After: 0\r\n")
        self.assertEqual(self.served((slow, slow, answer(b"1"))).call(int, "GET", "/api/x"), 1)
        self.assertEqual(self.assertRaises(ApiError, self.served((slow,) * 5).call, int, "GET", "/api/x").status, 429)

    def test_places(self) -> None:
        """Parts of paths and queries are escaped; what is not given is left out."""
        self.assertEqual(path("mailboxes", "a/b?@sim.test", 7), "/api/mailboxes/a%2Fb%3F@sim.test/7")
        self.assertEqual(question({"from_": "a b", "advance": True, "header": ["A:1", "B:2"], "since": None}),
                         "?from=a+b&advance=1&header=A%3A1&header=B%3A2")
        self.assertEqual(question({"since": None}), "")
