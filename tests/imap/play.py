"""What IMAP tests share: a server in memory with one mailbox, and connections to it."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import ITLSTransport
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import alsoProvides

from simmail.config import Config
from simmail.core.records.delivery import Delivery, Placement
from simmail.core.rng import Dice
from simmail.core.rules.fault_rule import FaultRule, rules_of
from simmail.core.rules.faults import FaultCount, FaultEvent, FaultVerdict, judge
from simmail.errors import Forbidden, TooMany, Unauthenticated, Unavailable
from simmail.imap.factory import ImapFactory
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.testing.dialog import Dialog

DIALOGS = Path(__file__).parent.parent / "dialogs" / "imap"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ADDRESS, PASSWORD = "app@sim.test", "secret"

MESSAGES = {
    "plain": b"From: Maria <maria@acme.test>\nTo: app@sim.test\nSubject: Hello\n"
             b"Date: Mon, 2 Mar 2026 09:00:00 +0000\nMessage-ID: <1@acme.test>\n\nHello there,\nMaria\n",
    "other": b"From: Otto <otto@beta.test>\nTo: app@sim.test\nCc: maria@acme.test\nSubject: Invoice 42\n"
             b"Date: Tue, 3 Mar 2026 23:30:00 -0500\nMessage-ID: <2@beta.test>\nIn-Reply-To: <1@acme.test>\n"
             b"X-Note: blue\n\nPlease pay.\n",
    "mixed": b"From: =?utf-8?q?J=C3=BCrgen?= <juergen@acme.test>\nTo: app@sim.test\nSubject: =?utf-8?b?R3LDvMOfZQ==?=\n"
             b"Message-ID: <3@acme.test>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=bo\n\n"
             b"--bo\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
             b"Sch=C3=B6n\n--bo\nContent-Type: message/rfc822\n\nSubject: inner\nFrom: a@b\n\ninner text\n"
             b"--bo\nContent-Type: application/octet-stream; name=a.bin\nContent-Transfer-Encoding: base64\n"
             b"Content-Disposition: attachment; filename=a.bin\n\nAAEC\n--bo--\n",
    "reply": b"From: app@sim.test\nTo: maria@acme.test\nSubject: Re: Hello\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n"
             b"Message-ID: <4@sim.test>\nIn-Reply-To: <1@acme.test>\nReferences: <1@acme.test>\n\nHi.\n",
    "reply2": b"From: Maria <maria@acme.test>\nTo: app@sim.test\nSubject: RE: Hello\n"
              b"Date: Mon, 2 Mar 2026 11:00:00 +0000\nMessage-ID: <5@acme.test>\n"
              b"References: <1@acme.test> <4@sim.test>\n\nBye.\n",
    "binary": b"Subject: bin\nContent-Type: multipart/mixed; boundary=bo\n\n--bo\n"
              b"Content-Transfer-Encoding: base64\n\nAGEBYg==\n--bo\nContent-Transfer-Encoding: quoted-printable\n\n"
              b"a=3Db\n--bo\nContent-Transfer-Encoding: x-uue\n\nzz\n--bo\nContent-Transfer-Encoding: base64\n\n"
              b"A\n--bo--\n",
    "bounce": b'From: "Mail Delivery System" <MAILER-DAEMON>\nTo: undisclosed-recipients:;\n'
              b"Cc: =?utf-8?q?Gr=C3=BCne?=: Tom <tom@acme.test>, root;\nBcc: Ann <ann@acme.test>\nSubject: Returned\n"
              b"Subject: Twice\nDate: Wed, 4 Mar 2026 00:30:00 +1400\n\nfailed\n",
    "report": b"From: MAILER-DAEMON@acme.test\nTo: app@sim.test\nSubject: Returned\nMIME-Version: 1.0\n"
              b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
              b"--b\nContent-Type: multipart/alternative; boundary=a\n\n"
              b"--a\nContent-Type: text/plain\n\nIt did not work.\n"
              b"--a\nContent-Type: text/html; charset=utf-8\n\n<p>Better <b>luck</b> n&auml;chstes Mal</p>\n--a--\n"
              b"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.acme.test\n\n"
              b"Final-Recipient: rfc822; gone@acme.test\nAction: failed\nStatus: 5.1.1\n"
              b"--b\nContent-Type: message/rfc822\n\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nThe first try.\n"
              b"--b\nContent-Type: text/csv; name=sums.csv\nContent-Disposition: attachment\n"
              b"Content-Transfer-Encoding: base64\n\nYXBwbGVzOzEyMw==\n--b--\n",
    "folded": b"Subject: folded\n\twith a tab\nX-Note: goes over\n  two lines\n\nx\n",
    "broken": b"Subject: caf\xe9\nFrom: \xff\xfe <x\nContent-Type: multipart/mixed;\n\nno parts here\n",
}


def _none(result: Any) -> None:
    """Only a connection means something to a dialog."""


class Connection:
    """One client, in memory."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.transport = StringTransport(peerAddress=IPv4Address("TCP", "127.0.0.1", 50000))
        alsoProvides(self.transport, ITLSTransport)
        self.transport.abortConnection = self.transport.loseConnection  # type: ignore[method-assign]
        self.transport.startTLS = lambda context: None  # type: ignore[attr-defined]
        self.protocol: Any = house.factory.buildProtocol(self.transport.getPeer())
        self.protocol.makeConnection(self.transport)
        self.deflate: Any = None
        self._inflate: Any = None

    def send(self, octets: bytes) -> None:
        """Give octets to the server, deflated where that was agreed."""
        if self.deflate is not None:
            octets = self.deflate.compress(octets) + self.deflate.flush(zlib.Z_SYNC_FLUSH)
        self.give(octets)

    def give(self, octets: bytes) -> None:
        """Give octets to the server as they are."""
        self.protocol.dataReceived(octets)
        self.house.turn()

    def taken(self) -> bytes:
        """What the server has sent since the last call."""
        self.house.turn()
        octets: bytes = self.transport.value()
        self.transport.clear()
        if self._inflate is not None:
            return bytes(self._inflate.decompress(octets))
        if octets.endswith(b" OK DEFLATE active\r\n"):
            self.deflate, self._inflate = zlib.compressobj(9, zlib.DEFLATED, -15), zlib.decompressobj(-15)
        return octets

    def closed(self) -> bool:
        """Whether the server has hung up."""
        return bool(self.transport.disconnecting)

    def do(self, command: str) -> list[bytes]:
        """Send one command; the lines of the answer."""
        self.send(command.encode("utf-8") + b"\r\n")
        return self.taken().split(b"\r\n")[:-1]

    def lose(self) -> None:
        """The client goes away."""
        self.protocol.connectionLost(Failure(ConnectionDone()))


def now(deferred: Any) -> Any:
    """The result of what has to be finished already; its exception is raised."""
    result: list[Any] = []
    deferred.addBoth(result.append)
    if isinstance(result[0], Failure):
        result[0].raiseException()
    return result[0]


class House:
    """
    A server with the login C{app@sim.test}.

    Whoever signs in as C{suspended}, C{away} or C{flood} is refused accordingly.
    """

    def __init__(self, config: Config | None = None, **options: Any) -> None:
        self.reactor = Clock()
        self.store = MemoryMailStore("main")
        now(self.store.create(ADDRESS))
        self.status = "ok"
        self.instant = START
        self.universe = SimpleNamespace(
            store=self.store, clock=SimpleNamespace(now=lambda: self.instant),
            policy=SimpleNamespace(status=lambda address: self.status), faults=SimpleNamespace(judge=self.fault),
            closed=False, on_close=lambda gone: lambda: None)
        self.rules: tuple[FaultRule, ...] = ()
        self.marks: dict[str, FaultCount] = {}
        options.setdefault("default_universe", lambda username: self.universe)
        options.setdefault("loopback_only", True)
        self.factory = ImapFactory(config or Config(), self.sign_in, self.reactor, **options)
        self.connections: list[Connection] = []
        self._filed = 0

    async def sign_in(self, username: str, password: str, proto: str, remote: str) -> Any:
        """As the roster does."""
        refusals: dict[str, Exception] = {
            "suspended": Forbidden("the organization is suspended"), "away": Unavailable("Redis is away"),
            "flood": TooMany("too many failed logins", 60.0)}
        if username in refusals:
            raise refusals[username]
        if (username, password, proto) not in (
            (ADDRESS, PASSWORD, "imap"), (f"{ADDRESS}*boss@sim.test", "master", "imap"),
        ):
            raise Unauthenticated("authentication failed")
        return SimpleNamespace(universe=self.universe, address=ADDRESS, username=username)

    def fault(self, passing: FaultEvent) -> FaultVerdict | None:
        """As the policy does."""
        verdict, marks = judge(self.rules, passing, self.marks, START, Dice("house"))
        self.marks.update(marks)
        return verdict

    def turn(self) -> None:
        """Let what is due run."""
        for _ in range(50):
            self.reactor.advance(0)

    def connect(self) -> Connection:
        """One more client."""
        connection = Connection(self)
        self.connections.append(connection)
        return connection

    def signed_in(self, folder: str = "") -> Connection:
        """One more client, signed in, perhaps with a folder selected."""
        connection = self.connect()
        connection.do(f"l LOGIN {ADDRESS} {PASSWORD}")
        if folder:
            connection.do(f"s SELECT {folder}")
        connection.taken()
        return connection

    def deliver(self, name: str = "plain", folder: str = "INBOX", *flags: str) -> None:
        """A message of L{MESSAGES} comes in, a minute after the last."""
        self.file(MESSAGES[name].replace(b"\n", b"\r\n"), folder, flags)

    def file(self, octets: bytes, folder: str = "INBOX", flags: tuple[str, ...] = ()) -> None:
        """A message comes in."""
        self._filed += 1
        now(self.store.accept(Delivery(
            f"test-{self._filed}", "main", (Placement(ADDRESS, folder, flags),), octets,
            START + timedelta(minutes=self._filed))))

    def folder(self, name: str = "INBOX") -> Any:
        """A folder of the mailbox."""
        return now(self.store.folder(ADDRESS, name))

    def actions(self) -> dict[str, Any]:
        """What C{X:} lines can do."""
        return {
            "deliver": self.deliver,
            "open": self.signed_in,
            "later": lambda seconds: setattr(self, "instant", self.instant + timedelta(seconds=float(seconds))),
            "advance": lambda seconds: self.reactor.advance(float(seconds)),
            "expunge": lambda uid, folder="INBOX": _none(now(self.folder(folder).expunge([int(uid)]))),
            "flag": lambda uid, *flags: _none(now(self.folder().flag([int(uid)], flags, "+", None))),
            "faults": lambda *value: setattr(self, "rules", rules_of(json.loads(" ".join(value)))),
            "status": lambda status: setattr(self, "status", status),
            "hold": lambda: setattr(self.store, "when_visible", self._hold),
            "release": self._release,
            "away": lambda: setattr(self.store, "away", True),
            "back": lambda: setattr(self.store, "away", False),
            "folder": lambda name, use="": now(self.store.create_folder(ADDRESS, name, use)),
            "rename": lambda old, new: now(self.store.rename_folder(ADDRESS, old, new)),
            "subscribe": lambda name, on="on": now(self.store.subscribe(ADDRESS, name, on == "on")),
            "remove": lambda name: now(self.store.delete_folder(ADDRESS, name)),
        }

    def _hold(self) -> Deferred[None]:
        self._held = held = Deferred[None]()
        return held

    def _release(self) -> None:
        del self.store.when_visible  # type: ignore[method-assign]
        self._held.callback(None)

    def play(self, name: str) -> None:
        """Play one dialog file."""
        Dialog(self.connect, self.actions()).play((DIALOGS / name).read_text("utf-8"), name)
