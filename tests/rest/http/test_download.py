"""Large answers at the pace of their readers."""

from __future__ import annotations

import base64
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed

from simmail.errors import Unavailable
from simmail.testing.universe import now
from tests.rest.client import Connection, request
from tests.rest.served import ServedTestCase

PATH = "/api/mailboxes/app@sim.test/messages/INBOX/1"
SAVED = bytes(range(256)) * 4000
TEXT = "Gr\u00fc\u00dfe, \"quoted\"\n" * 30_000
RAW = ("From: a@b.test\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=bo\r\n\r\n"
       "--bo\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
       + TEXT.replace("\n", "\r\n")
       + "\r\n--bo\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n"
         "Content-Transfer-Encoding: base64\r\n\r\n"
       + base64.encodebytes(SAVED).decode().replace("\n", "\r\n") + "--bo--\r\n")


class Opened:
    """Counts who closes a message, and fails from some octet on."""

    def __init__(self, opened: Any, last: int = 1 << 30) -> None:
        self.opened, self.size, self.last, self.closed = opened, opened.size, last, 0
        self.derive = opened.derive

    def read(self, start: int, count: int) -> Deferred[bytes]:
        if start >= self.last:
            return fail(Unavailable("it has become shorter"))
        answer: Deferred[bytes] = self.opened.read(start, count)
        return answer

    def close(self) -> None:
        self.closed += 1


class DownloadTests(ServedTestCase):
    """A large message: its source, its attachment, and how it is shown."""

    def setUp(self) -> None:
        """It is in the INBOX."""
        super().setUp()
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": RAW})
        self.folder = now(self.universe.mailboxes.folder("app@sim.test", "INBOX"))
        self.octets: bytes = now(self.folder.read(1))
        self.opened: list[Opened] = []
        self.last = 1 << 30
        usual = self.folder.open

        def opening(uid: int) -> Deferred[Any]:
            self.opened.append(Opened(usual(uid).result, self.last))
            return succeed(self.opened[-1])

        self.patch(self.folder, "open", opening)

    def contents(self) -> dict[str, bytes]:
        """What is answered, by path; how it is shown as it is for a small message."""
        self.patch(self.folder, "open", lambda uid: succeed(None))
        shown = self.ask("GET", PATH).body
        return {"/raw": self.octets, "/attachments/0": SAVED, "": shown}

    def begin_slowly(self, path: str) -> Connection:
        """A client that asks, and reads nothing by itself."""
        connection = Connection(self.site)
        write = connection.transport.write

        def writing(octets: bytes) -> None:
            write(octets)
            if len(octets) > 60_000:
                connection.protocol.pauseProducing()

        self.patch(connection.transport, "write", writing)
        connection.send(request("GET", PATH + path, headers={"Authorization": f"Bearer {self.keys['viewer']}"}))
        return connection

    def test_same(self) -> None:
        """Octets, length, type and the other headers are what they would be at once; HEAD has no octets."""
        expected = {}
        opening = self.folder.open
        for path, octets in self.contents().items():
            expected[path] = self.ask("GET", PATH + path)
            self.assertTrue(expected[path].body == octets)
        self.patch(self.folder, "open", opening)
        for path, usual in expected.items():
            for method in ("GET", "HEAD"):
                answer = self.ask(method, PATH + path)
                names = {name for name in usual.headers if name not in ("date", "x-request-id")}
                self.assertEqual({name: answer.headers.get(name) for name in names},
                                 {name: usual.headers[name] for name in names})
                self.assertTrue(answer.body == (usual.body if method == "GET" else b""), (method, path))
        self.assertEqual([one.closed for one in self.opened], [1] * 6)

    def test_pace(self) -> None:
        """A reader that takes its time has little on its way, gets all of it, and may ask again."""
        for path, octets in list(self.contents().items()):
            self.setUp()
            connection = self.begin_slowly(path)
            taken = b""
            self.assertEqual(self.opened[-1].closed, 0)
            while piece := connection.received():
                self.assertLess(len(piece), 200_000)
                taken += piece
                connection.protocol.resumeProducing()
            self.assertTrue(taken.endswith(octets))
            self.assertEqual(self.opened[-1].closed, 1)
            connection.send(request("GET", "/livez"))
            self.assertEqual(connection.answer().status, 200)

    def test_behind_another(self) -> None:
        """Two asked for at once: the second waits until there is room again."""
        connection = self.begin_slowly("/raw")
        connection.send(request("GET", PATH + "/raw", headers={"Authorization": f"Bearer {self.keys['viewer']}"}))
        most = 0
        taken = b""
        while taken.count(b"--bo--") < 2:
            piece = connection.received()
            most = max(most, len(piece))
            taken += piece
            connection.protocol.resumeProducing()
        self.assertLess(most, 200_000)
        self.assertEqual(taken.count(self.octets), 2)

    def test_leaves(self) -> None:
        """One that leaves meanwhile leaves nothing open."""
        connection = self.begin_slowly("/raw")
        connection.close()
        self.assertEqual(self.opened[0].closed, 1)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_cut(self) -> None:
        """One that takes nothing for a minute is cut; one that takes a little now and then is not."""
        connection = self.begin_slowly("/raw")
        for _ in range(3):
            self.server.reactor.advance(59)
            self.assertFalse(connection.transport.aborted)
            connection.protocol.resumeProducing()
        self.server.reactor.advance(61)
        self.assertTrue(connection.transport.aborted)
        connection.close()
        self.assertEqual(self.opened[0].closed, 1)

    def test_cut_short(self) -> None:
        """What cannot be read to its end is cut, as so many octets were promised."""
        self.last = 400_000
        connection = Connection(self.site)
        connection.send(request("GET", PATH + "/raw", headers={"Authorization": f"Bearer {self.keys['viewer']}"}))
        self.assertTrue(connection.transport.aborted)
        connection.close()
        self.assertEqual(self.opened[0].closed, 1)

    def test_no_such_attachment(self) -> None:
        """404 as for a small message, and nothing stays open."""
        self.assertEqual(self.bad(404, "GET", PATH + "/attachments/1"),
                         "the message has 1 attachments; they count from 0")
        self.assertEqual(self.opened[0].closed, 1)
