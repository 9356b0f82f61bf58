"""Tests of the gate: what gets out, where to, and in what words the rest is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.net.egress import NOWHERE
from simmail.outbound.connection import HEAD
from simmail.outbound.http_client import (
    AT_ONCE, BEAT, Gate, HttpAnswer, MOST, PATIENCE, PIECE, QUIET, Request, Unreachable, _Body,
)
from tests.outbound.notations import HOSTS, NAMES, URLS, urls

PUBLIC = "93.184.215.14"

#: What is said of an address that is not properly written; it depends on nothing but how it is written.
IMPROPER = ("not a proper", "only http and https", "a control character", "a name or password", "a backslash")


class GateTestCase(SynchronousTestCase):
    """A gate on a reactor in memory."""

    def setUp(self) -> None:
        """Nobody has asked for anything."""
        self.reactor = MemoryReactorClock()
        self.reactor.rightNow = 1000.0
        self.names: dict[str, list[str]] = {**NAMES, "site.com.": [PUBLIC], "two.com.": [PUBLIC, "2606:4700::1"]}
        self.asked: list[str] = []
        self.gate = Gate(self.reactor, self.addresses, lambda address: address == "93.184.215.99")
        self.transports: list[Any] = []

    def addresses(self, host: str) -> Deferred[list[str]]:
        """The name system."""
        self.asked.append(host)
        found = self.names.get(host)
        return fail(OSError("no such name")) if found is None else succeed(found)

    def fetch(self, url: str, **more: Any) -> list[Any]:
        """Ask; what comes of it is put into the list."""
        result: list[Any] = []
        self.gate.fetch(Request(url, **more)).addBoth(result.append)
        return result

    def connected(self, nth: int = -1) -> Any:
        """Let an attempt to connect succeed; answers the protocol, which has a transport."""
        factory = self.reactor.tcpClients[nth][2]
        protocol = factory.buildProtocol(None)
        transport = StringTransport()
        self.transports.append(transport)
        protocol.makeConnection(transport)
        return protocol

    def answer(self, octets: bytes, nth: int = -1) -> Any:
        """Let a server answer."""
        protocol = self.connected(nth)
        protocol.dataReceived(octets)
        return protocol

    def refusal(self, result: list[Any]) -> str:
        """The words of a refusal."""
        self.assertEqual(len(result), 1)
        self.assertIsInstance(result[0], Failure)
        result[0].trap(Unreachable)
        return str(result[0].value)

    def places(self) -> list[tuple[str, int]]:
        """Where connections went."""
        return [(one[0], one[1]) for one in self.reactor.tcpClients]


def page(status: bytes = b"200 OK", body: bytes = b"<title>Hi</title>", *fields: bytes) -> bytes:
    """An answer."""
    head = [b"HTTP/1.1 " + status, b"Content-Type: text/html", b"Content-Length: %d" % len(body), *fields]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


class RefusalTests(GateTestCase):
    """What must not be reached is not."""

    def test_enough(self) -> None:
        """The table is long, and holds nothing twice."""
        everything = urls(8080)
        self.assertEqual(len(everything), len(set(everything)))
        self.assertGreaterEqual(len(everything), 86)

    def test_notations(self) -> None:
        """No notation of a place that is not public leads to a connection; the words tell nothing about the place."""
        for url in (*urls(8080), *urls(80)):
            result = self.fetch(url)
            self.reactor.advance(BEAT)
            told = self.refusal(result)
            self.assertTrue(told == NOWHERE or told.startswith(IMPROPER), f"{url!r}: {told}")
            self.assertEqual(self.places(), [], url)

    def test_redirected_there(self) -> None:
        """Nor does a redirect from a public site, to any of them."""
        for url in urls(8080):
            if any(one < " " for one in url) or not url:
                continue
            before = len(self.places())
            result = self.fetch("http://site.com/go")
            self.answer(page(b"302 Found", b"", b"Location: " + url.encode("utf-8")))
            self.reactor.advance(BEAT)
            if len(self.places()) == before + 2:
                # Read as a path of the site that redirects: a place that was checked like any other.
                self.assertEqual(self.places()[-1], (PUBLIC, 80), url)
                self.assertFalse(url.startswith(("http://", "//")), url)
                self.answer(page())
            else:
                self.assertEqual(len(self.places()), before + 1, url)
                self.refusal(result)
        self.assertEqual(set(self.places()), {(PUBLIC, 80)})

    def test_same_words_and_time(self) -> None:
        """A name that leads to a private place and one that does not exist are refused alike, at the same time."""
        told = set()
        for url in ("http://rebound.site.com/", "http://nobody.site.com/", "http://mixed.site.com:8080/"):
            result = self.fetch(url)
            self.reactor.advance(BEAT - 0.01)
            self.assertEqual(result, [])
            self.reactor.advance(0.01)
            told.add(self.refusal(result))
        self.assertEqual(told, {NOWHERE})

    def test_own_address(self) -> None:
        """A public address of this very machine is not reached, by number or name."""
        self.names["me.com."] = ["93.184.215.99"]
        for url in ("http://93.184.215.99/", "http://me.com/"):
            result = self.fetch(url)
            self.reactor.advance(BEAT)
            self.assertEqual(self.refusal(result), NOWHERE)
        self.assertEqual(self.places(), [])

    def test_rebinding(self) -> None:
        """A name is asked for once; the connection goes to what was checked, whatever the name says then."""
        answers = [[PUBLIC], ["127.0.0.1"]]
        gate = Gate(self.reactor, lambda host: succeed(answers.pop(0)), lambda address: False)
        result: list[Any] = []
        gate.fetch(Request("http://rebinding.com/")).addBoth(result.append)
        self.assertEqual(len(answers), 1)
        self.assertEqual(self.places(), [(PUBLIC, 80)])
        self.answer(page(b"302 Found", b"", b"Location: /again"))
        self.assertEqual(self.places(), [(PUBLIC, 80)])
        self.reactor.advance(BEAT)
        self.assertEqual(self.refusal(result), NOWHERE)

    def test_names_are_asked_for_whole(self) -> None:
        """Names are looked up as they are, never below the domains of this machine."""
        self.fetch("http://Site.com/")
        self.assertEqual(self.asked, ["site.com."])

    def test_reserved_names_are_not_asked_for(self) -> None:
        """What cannot be in the public name system is not looked up there."""
        for host in ("x.test", "nas.local", "printer", "metadata.google.internal", "a.invalid"):
            self.refusal(self.fetch(f"http://{host}/"))
        self.assertEqual(self.asked, [])

    def test_not_permitted(self) -> None:
        """A host the caller does not permit is not visited, by redirect neither."""
        result = self.fetch("http://site.com/", permit=lambda host: host != "two.com")
        self.answer(page(b"301 Moved", b"", b"Location: http://two.com/"))
        self.assertIn("policy", self.refusal(result))
        self.assertEqual(self.asked, ["site.com."])


class LabTests(GateTestCase):
    """Places the operator listed."""

    def test_listed(self) -> None:
        """Exactly what is listed is reached: host and port."""
        lab = frozenset(("127.0.0.1:3000", "localhost:3001", "[::1]:3002", "app.test:80", "127.0.0.1:25"))
        self.names["app.test"] = ["10.0.0.7"]
        for url, place in (
            ("http://127.0.0.1:3000/x", ("127.0.0.1", 3000)), ("http://LOCALHOST:3001/", ("127.0.0.1", 3001)),
            ("http://[::1]:3002/", ("::1", 3002)), ("http://app.test/", ("10.0.0.7", 80)),
            ("http://127.0.0.1:3001/", None), ("http://localhost:3000/", None), ("http://[::1]/", None),
            ("http://127.1:3000/", None), ("http://app.test:81/", None), ("http://127.0.0.1:25/", None),
        ):
            self.reactor.tcpClients.clear()
            result = self.fetch(url, lab=lab)
            self.assertEqual(self.places(), [place] if place else [], url)
            if place is None:
                self.refusal(result)

    def test_leads_nowhere_else(self) -> None:
        """A listed place opens no way to its neighbours."""
        result = self.fetch("http://127.0.0.1:3000/", lab=("127.0.0.1:3000",))
        self.answer(page(b"302 Found", b"", b"Location: http://127.0.0.1:3001/"))
        self.assertEqual(self.refusal(result), NOWHERE)
        self.assertEqual(len(self.places()), 1)


class AnswerTests(GateTestCase):
    """What is sent, and what comes back."""

    def test_request(self) -> None:
        """A plain request to the checked address with the host's own name, and the answer."""
        result = self.fetch("http://Site.com:8080/a b?q=ü#top", headers=(("User-Agent", "Reader"),))
        self.assertEqual(self.places(), [(PUBLIC, 8080)])
        self.answer(page())
        sent = self.transports[0].value().decode()
        self.assertTrue(sent.startswith("GET /a%20b?q=%C3%BC HTTP/1.1\r\n"), sent)
        fields = sorted(line.lower() for line in sent.split("\r\n")[1:] if line)
        self.assertEqual(fields, ["accept-encoding: identity", "connection: close", "host: site.com:8080",
                                  "user-agent: reader"])
        self.assertEqual(result, [
            HttpAnswer(200, "http://site.com:8080/a%20b?q=%C3%BC", "text/html", b"<title>Hi</title>")])
        self.assertTrue(self.transports[0].disconnecting or self.transports[0].disconnected)

    def test_large_body(self) -> None:
        """A body of many pieces is sent whole."""
        octets = bytes(range(256)) * (3 * PIECE // 256) + b"end"
        result = self.fetch("http://site.com/u", method="PUT", body=octets)
        self.answer(page())
        self.assertEqual(self.transports[0].value().partition(b"\r\n\r\n")[2], octets)
        self.assertEqual(result[0].status, 200)

    def test_pieces(self) -> None:
        """Nothing is sent while nothing is taken; who takes no more gets no more."""
        taken: list[bytes] = []
        octets = b"x" * (2 * PIECE + 1)
        body = _Body(octets)

        def write(piece: bytes) -> None:
            taken.append(piece)
            body.pauseProducing()

        done = body.startProducing(SimpleNamespace(write=write))
        self.assertEqual([len(one) for one in taken], [PIECE])
        body.resumeProducing()
        self.assertNoResult(done)
        body.resumeProducing()
        self.successResultOf(done)
        self.assertEqual(b"".join(taken), octets)
        taken.clear()
        body = _Body(octets)
        body.startProducing(SimpleNamespace(write=write))
        body.stopProducing()
        self.assertEqual(len(taken), 1)

    def test_redirects(self) -> None:
        """Five are followed, each a connection of its own, without cookies; a sixth is one too many."""
        result = self.fetch("http://site.com/0")
        for n in range(5):
            self.answer(page(b"302 Found", b"", b"Location: /%d" % (n + 1), b"Set-Cookie: a=b"))
        self.answer(page())
        self.assertEqual(result[0].url, "http://site.com/5")
        self.assertNotIn(b"ookie", b"".join(one.value() for one in self.transports))
        result = self.fetch("http://site.com/0")
        for n in range(6):
            self.answer(page(b"302 Found", b"", b"Location: /0"))
        self.assertEqual(self.refusal(result), "more than 5 redirects")
        self.assertEqual(len(self.places()), 12)

    def test_posted(self) -> None:
        """A body is sent; a redirect is an answer where none is followed."""
        result = self.fetch("http://site.com/u", method="POST", body=b"a=b", redirects=0)
        self.answer(page(b"303 See Other", b"", b"Location: /elsewhere"))
        self.assertEqual(result[0].status, 303)
        self.assertTrue(self.transports[0].value().endswith(b"\r\n\r\na=b"))

    def test_next_address(self) -> None:
        """When one address takes no connection the next is tried."""
        result = self.fetch("http://two.com/")
        self.reactor.tcpClients[0][2].clientConnectionFailed(None, Failure(ConnectionRefusedError()))
        self.assertEqual(self.places(), [(PUBLIC, 80), ("2606:4700::1", 80)])
        self.reactor.tcpClients[1][2].clientConnectionFailed(None, Failure(ConnectionRefusedError()))
        self.assertEqual(self.refusal(result), "the connection was refused")

    def test_much(self) -> None:
        """Of a long answer the first mebibyte is taken, then the line is cut."""
        result = self.fetch("http://site.com/")
        protocol = self.answer(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        for _ in range(MOST // 65536 + 2):
            protocol.dataReceived(b"x" * 65536)
        self.assertEqual(len(result[0].body), MOST)
        self.assertTrue(self.transports[0].disconnected or self.transports[0].aborting)

    def test_endless_head(self) -> None:
        """A head that does not end is cut off."""
        result = self.fetch("http://site.com/")
        protocol = self.answer(b"HTTP/1.1 200 OK\r\n")
        for n in range(HEAD // 1000 + 1):
            protocol.dataReceived(b"X-%d: " % n + b"y" * 1000 + b"\r\n")
        self.assertTrue(self.transports[0].disconnected or self.transports[0].aborting)
        protocol.connectionLost(Failure(ConnectionRefusedError()))
        self.assertEqual(self.refusal(result), "the head of the answer has no end")

    def test_nonsense(self) -> None:
        """What is no HTTP is no answer."""
        for octets in (b"220 mail.site.com ESMTP\r\n", b"\x00" * 100 + b"\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"):
            result = self.fetch("http://site.com/")
            protocol = self.answer(octets)
            protocol.connectionLost(Failure(ConnectionRefusedError()))
            self.assertIn("no answer in HTTP", self.refusal(result))

    def test_late(self) -> None:
        """After ten seconds in all there is no answer, wherever the time went."""
        steps: tuple[Callable[[], Any], ...] = (
            lambda: None, self.connected, lambda: self.answer(b"HTTP/1.1 200 OK\r\n"),
            lambda: self.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nslow"),
        )
        for n, step in enumerate(steps):
            self.names[f"slow{n}.com."] = [PUBLIC]
            result = self.fetch(f"http://slow{n}.com/")
            step()
            self.reactor.advance(PATIENCE - 0.1)
            self.assertEqual(result, [], n)
            self.reactor.advance(0.2)
            self.assertEqual(self.refusal(result), "no answer within 10 s")
        self.assertEqual(self.reactor.getDelayedCalls(), [])

    def test_quiet_for_a_while(self) -> None:
        """A host that did not answer is not asked again at once, but later."""
        self.fetch("http://site.com/")
        self.reactor.advance(PATIENCE + 0.1)
        self.assertIn("a moment ago", self.refusal(self.fetch("http://site.com/x")))
        self.assertEqual(self.fetch("http://site.com:8080/"), [])
        self.reactor.advance(QUIET)
        self.assertEqual(self.fetch("http://site.com/"), [])
        self.assertEqual(len(self.places()), 3)

    def test_at_once(self) -> None:
        """So many requests at once and no more; the others wait their turn."""
        results = [self.fetch("http://site.com/") for _ in range(AT_ONCE + 3)]
        self.assertEqual(len(self.places()), AT_ONCE)
        self.answer(page(), 0)
        self.assertEqual(results[0][0].status, 200)
        self.reactor.advance(0)
        self.assertEqual(len(self.places()), AT_ONCE + 1)

    def test_closed(self) -> None:
        """Closing breaks everything off and takes nothing more."""
        results = [self.fetch("http://site.com/") for _ in range(AT_ONCE + 3)]
        self.connected(0)
        self.gate.close()
        results.append(self.fetch("http://site.com/"))
        for result in results:
            self.assertEqual(len(result), 1)
            result[0].trap(CancelledError)
        self.reactor.advance(0)
        self.assertEqual(len(self.places()), AT_ONCE)
        self.assertEqual(self.reactor.getDelayedCalls(), [])
        self.flushLoggedErrors()


class TableTests(SynchronousTestCase):
    """The table itself."""

    def test_sorts(self) -> None:
        """It has hosts of every sort."""
        self.assertGreater(len(HOSTS), 100)
        self.assertGreater(len(URLS), 40)
