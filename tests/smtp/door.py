"""
An SMTP server in memory, and connections to it.
"""

from __future__ import annotations

import codecs
import errno
import re
from typing import Any

import msgspec
from twisted.internet.address import IPv4Address
from twisted.internet.defer import fail
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import ITLSTransport
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.config import Config, from_value
from simmail.core.time.instant import parse_duration
from simmail.errors import OverMailLimit
from simmail.smtp.factory import SmtpFactory
from simmail.testing.universe import MemoryServer, now
from simmail.universe.universe import Universe


@implementer(ITLSTransport)
class Wire(StringTransport):
    """
    A connection as the server sees it; TLS changes nothing but C{tls}.

    @ivar aborted: whether the server dropped it.
    """

    def __init__(self, factory: SmtpFactory, host: str = "127.0.0.1") -> None:
        super().__init__(hostAddress=IPv4Address("TCP", "127.0.0.1", 25),
                         peerAddress=IPv4Address("TCP", host, 40000))
        self.tls: Any = None
        self.aborted = False
        self.protocol: Any = factory.buildProtocol(self.getPeer())
        self.protocol.makeConnection(self)

    def startTLS(self, contextFactory: Any, normal: bool = True) -> bool:
        """Note what TLS was begun with."""
        self.tls = contextFactory
        return True

    def setTcpNoDelay(self, on: bool) -> None:
        """As a real one."""

    def loseConnection(self) -> None:
        """The server hangs up."""
        super().loseConnection()
        self.end()

    def abortConnection(self) -> None:
        """The server drops the connection."""
        self.aborted = True
        super().abortConnection()
        self.end()

    def end(self) -> None:
        """The connection is over."""
        protocol, self.protocol = self.protocol, None
        if protocol is not None:
            protocol.connectionLost(Failure(ConnectionDone()))

    def send(self, octets: bytes) -> None:
        """Give octets to the server."""
        if self.protocol is not None:
            self.protocol.dataReceived(octets)

    def taken(self) -> bytes:
        """What the server has sent since the last call."""
        octets = self.value()
        self.clear()
        return octets

    def ask(self, *lines: str) -> str:
        """Send lines in one packet; answers what the server said."""
        self.send("".join(line + "\r\n" for line in lines).encode())
        return self.taken().decode()

    def closed(self) -> bool:
        """Whether the server has hung up."""
        return self.protocol is None


class Door:
    """
    An in-memory server with the universe C{main} and its SMTP door.

    The actions of dialog files are the methods that begin with C{do_}.
    """

    def __init__(self, config: dict[str, Any] | Config | None = None, **options: Any) -> None:
        config = config if isinstance(config, Config) else from_value(config or {})
        self.server = MemoryServer(config)
        self.universe: Universe = self.server.universe()
        self.options: dict[str, Any] = {"tls_context": object(), **options}
        self.factory = self._factory()
        self.wire: Wire | None = None

    def _factory(self) -> SmtpFactory:
        return SmtpFactory(self.server.config, self.server.roster, self.server.reactor, **self.options)

    def connect(self, host: str = "127.0.0.1") -> Wire:
        """One more connection, its greeting still to be read."""
        self.wire = Wire(self.factory, host)
        return self.wire

    def hello(self, host: str = "127.0.0.1") -> Wire:
        """A connection that has said EHLO."""
        wire = self.connect(host)
        wire.send(b"EHLO client.test\r\n")
        wire.taken()
        return wire

    def transaction(self, recipient: str = "maria@acme.test", *lines: str) -> Wire:
        """A connection in DATA."""
        wire = self.hello()
        wire.ask("MAIL FROM:<app@sim.test>", f"RCPT TO:<{recipient}>", "DATA", *lines)
        return wire

    def login(self, address: str, password: str, **fields: Any) -> None:
        """A login that works."""
        now(self.server.roster.accounts(self.universe).put(address, password, **fields))

    def mail(self, address: str, folder: str = "INBOX") -> list[bytes]:
        """The messages of a folder, oldest first; none where there is no mailbox."""
        if not self.universe.store.exists(address):
            return []
        found = now(self.universe.mailboxes.messages(address, folder, 1000, None))
        return [now(self.universe.mailboxes.read(address, folder, one.entry.uid))[1] for one in reversed(found)]

    def pass_time(self, seconds: float, step: float = 0.5) -> None:
        """Let real time pass."""
        while seconds > 0:
            self.server.reactor.advance(min(step, seconds))
            seconds -= step

    # What dialog files may do

    def do_config(self, *value: str) -> None:
        """C{X: config {"smtp": {"auth_required": true}}}"""
        self.__init__(msgspec.json.decode(" ".join(value)), **self.options)  # type: ignore[misc]

    def do_loopback(self, value: str) -> None:
        """C{X: loopback no}: the listeners are open to the world."""
        self.options["loopback_only"] = value == "yes"
        self.factory = self._factory()

    def do_tls(self, value: str) -> None:
        """C{X: tls no|implicit}: no certificate, or TLS from the first octet."""
        self.options.update({"tls_context": None} if value == "no" else {"implicit_tls": True})
        self.factory = self._factory()

    def do_login(self, address: str, password: str, *fields: str) -> None:
        """C{X: login app@sim.test secret {"username": "app"}}"""
        self.login(address, password, **msgspec.json.decode(" ".join(fields) or "{}"))

    def do_mailbox(self, address: str) -> None:
        """C{X: mailbox maria@acme.test}"""
        now(self.universe.store.create(address))

    def do_rules(self, *value: str) -> None:
        """C{X: rules {"default": {"create": false}}}"""
        now(self.universe.settings.put("recipients", msgspec.json.decode(" ".join(value))))
        self.universe.policy.refresh()

    def do_faults(self, *value: str) -> None:
        """C{X: faults [{"kind": "reject", "stage": "rcpt"}]}"""
        now(self.universe.faults.put(msgspec.json.decode(" ".join(value))))

    def do_clock(self, value: str) -> None:
        """C{X: clock 5m}: simulated time."""
        timeline = self.universe.clock.timeline
        self.universe.clock.resume(msgspec.structs.replace(timeline, sim=timeline.sim + parse_duration(value)))

    def do_redis(self, value: str) -> None:
        """C{X: redis away|back}"""
        self.server.database.set_healthy(value == "back")

    def do_moved(self) -> None:
        """C{X: moved}: another server has taken the universe."""
        self.server.roster._lost(self.universe.id)

    def do_pass(self, value: str) -> None:
        """C{X: pass 5m}: real time."""
        self.pass_time(parse_duration(value).total_seconds())

    def do_send(self, *words: str) -> None:
        """C{X: send a\\r.\\n}: octets as they are, with Python's escapes; C{{n*x}} is x n times."""
        text, again = " ".join(words), 1
        while again:
            text, again = re.subn(r"\{(\d+)\*([^{}]*)\}", lambda found: found[2] * int(found[1]), text)
        assert self.wire is not None
        self.wire.send(codecs.decode(text.encode(), "unicode_escape").encode("latin-1"))

    def do_filed(self, address: str, count: str) -> None:
        """C{X: filed maria@acme.test 1}: so many messages are in the INBOX."""
        found = len(self.mail(address))
        assert found == int(count), f"{found} messages in the INBOX of {address}"

    def do_suspend(self) -> None:
        """C{X: suspend}: the organisation is."""
        orgs = self.server.roster._orgs._orgs
        orgs["default"] = msgspec.structs.replace(orgs["default"], suspended=True)

    def do_store(self, *value: str) -> None:
        """C{X: store full}: filing fails for want of space; C{over}: the month's mail is used up."""
        error: Exception = OSError(errno.ENOSPC, "No space left on device")
        if value == ("over",):
            error = OverMailLimit("the plan's mail for this month is used up")
        self.universe.store.accept = lambda delivery, durable=None: fail(error)

    def do_space(self, octets: str) -> None:
        """C{X: space 0}: so many octets are free on the disk."""
        self.universe.store.space = lambda: (int(octets), 1 << 40)

    def do_drain(self) -> None:
        """C{X: drain}: the server shuts down."""
        self.factory.drain()

    def do_encrypted(self) -> None:
        """C{X: encrypted}: TLS was begun."""
        assert self.wire is not None and self.wire.tls is not None, "TLS was not begun"

    def do_connect(self) -> Wire:
        """C{X: connect}: one more connection."""
        return self.connect()

    def actions(self) -> dict[str, Any]:
        """What C{X:} lines name."""
        return {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("do_")}
