"""An HTTP client without a network: octets in, octets out, through the real site."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure


class Answer(NamedTuple):
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The text of a refusal."""
        value = self.json()
        assert list(value) == ["error"], value
        text: str = value["error"]
        return text


class Transport(StringTransport):
    """A transport that can be aborted and that knows TCP's knobs."""

    aborted = False
    disconnecting = False

    def setTcpNoDelay(self, on: bool) -> None:
        """Nothing to set."""

    def setTcpKeepAlive(self, on: bool) -> None:
        """Nothing to set."""

    def abortConnection(self) -> None:
        """Cut."""
        self.aborted = True
        self.connected = False


class Connection:
    """One connection to a site."""

    def __init__(self, site: Any, peer: str = "127.0.0.1") -> None:
        self.site = site
        self.protocol = site.buildProtocol(IPv4Address("TCP", peer, 5000))
        self.transport = Transport(peerAddress=IPv4Address("TCP", peer, 5000))
        self.protocol.makeConnection(self.transport)
        self.read = 0

    def send(self, octets: bytes) -> None:
        """Octets to the server."""
        self.protocol.dataReceived(octets)

    def received(self) -> bytes:
        """What came since the last look."""
        value = self.transport.value()
        new: bytes = value[self.read:]
        self.read = len(value)
        return new

    def close(self) -> None:
        """The client leaves."""
        self.protocol.connectionLost(Failure(ConnectionDone()))

    def answer(self, head: bool = False) -> Answer:
        """The next answer, which must be whole."""
        octets = self.received()
        if not octets:
            # What waits for its turn has it now.
            self.site.reactor.advance(0)
            octets = self.received()
        assert octets, "no answer yet"
        answer, rest = parse(octets, head)
        self.read -= len(rest)
        return answer


def parse(octets: bytes, head: bool = False) -> tuple[Answer, bytes]:
    """The first answer in some octets, and what follows it."""
    header, _, body = octets.partition(b"\r\n\r\n")
    lines = header.decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    if fields.get("transfer-encoding") == "chunked":
        whole = b""
        while True:
            size, _, body = body.partition(b"\r\n")
            if not size:
                break
            length = int(size, 16)
            whole, body = whole + body[:length], body[length + 2:]
            if not length:
                break
        return Answer(int(lines[0].split()[1]), fields, whole), body
    length = 0 if head else int(fields.get("content-length", len(body)))
    return Answer(int(lines[0].split()[1]), fields, body[:length]), body[length:]


def request(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> bytes:
    """The octets of a request; C{body} is octets or encoded as JSON."""
    octets = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"Host": "localhost", **(headers or {})}
    if body is not None:
        fields.setdefault("Content-Length", str(len(octets)))
        fields.setdefault("Content-Type", "application/json")
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + octets


def ask(
    site: Any, method: str, path: str, body: Any = None, key: str | None = "", headers: dict[str, str] | None = None,
) -> Answer:
    """One request on a connection of its own; C{key} as a bearer token."""
    connection = Connection(site)
    fields = dict(headers or {})
    if key:
        fields["Authorization"] = f"Bearer {key}"
    connection.send(request(method, path, body, fields))
    answer = connection.answer(method == "HEAD")
    connection.close()
    return answer
