"""
The IMAP server: framing, order and limits of one connection.

C{IMAP4Server} cuts lines and keeps the states and time-outs.  A command is
gathered whole, literals included, before anything looks at it; while it is
being done no further octet is read, so what a client sends ahead waits in
its own socket.  What commands do is told in L{simmail.imap.commands}.
Source: RFC 3501 sections 2.2 and 7, RFC 7888; reliability R9 to R12, S2, S4.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime, ISSLTransport
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.logger import Logger
from twisted.mail.imap4 import IMAP4Server
from twisted.python.failure import Failure

from simmail.config import Config
from simmail.core.times import parse_duration
from simmail.errors import Refusal
from simmail.imap.appending import awaits_message
from simmail.imap.capability import capabilities
from simmail.imap.commands import COMMANDS, Verb
from simmail.imap.idle import Pushing
from simmail.imap.outflow import PIECE, Outflow
from simmail.imap.replies import Bad, Gone, No, refusal, shown
from simmail.imap.session import Selected, SharedLists
from simmail.imap.tokens import Arguments

#: Real seconds of work between two turns of the reactor.
SLICE = 0.01
#: Bad commands before login after which a client is not worth more.
MOST_BAD = 10
#: Real seconds a client gets to take the last words.
FAREWELL = 10.0
#: Octets a second below which a literal does not keep a connection alive (reliability R11).
SLOWEST = 500
#: A literal nobody asked to be sent is swallowed up to this many times the message limit.
SWALLOW = 4

_COMMAND = re.compile(rb'([^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+) ([A-Za-z0-9]{1,32}+)(?= |$)')
_TAG = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+(?= |$)')
_LITERAL = re.compile(rb"\{(\d{1,12})(\+?)\}\Z")


class ImapServer(IMAP4Server):
    """
    One connection.

    @ivar login: who has signed in (C{universe.roster.Login}), None before.
    @ivar selected: the selected folder, None outside the selected state.
    @ivar enabled: extensions the client has switched on.
    @ivar tag: of the command that is being done.
    @ivar message: the octets of an APPEND.
    @ivar number: names the connection where fault rules count.
    """

    log = Logger()
    delimiter = b"\n"
    factory: ImapFactory
    transport: Any

    def __init__(self, factory: ImapFactory, tls: bool) -> None:
        super().__init__(contextFactory=factory.tls_context)
        self.factory = factory
        self.reactor = factory.reactor
        self.config = factory.config
        self.tls = tls
        self.login: Any = None
        self.selected: Selected | None = None
        self.enabled: set[bytes] = set()
        self.tag = b""
        self.message = b""
        self.number = f"imap-{next(factory.numbers)}"
        self.logging_out = False
        self.failures = 0
        self.MAX_LENGTH = factory.config.limits.command
        self._gathered = bytearray()
        self._text = self._literals = self._count = self._left = self._size = 0
        self._since = 0.0
        self._chunks: list[bytes] | None = None
        self._refused: Exception | None = None
        self._swallowing = False
        self._leftover: bytes | None = None
        self._asked: Deferred[bytes] | None = None
        self._running = self._answered = False
        self._bad = 0
        self._began = 0.0
        self._waits: set[Deferred[None]] = set()
        self._deadline: Any = None
        self._abort: Any = None
        self._closing = False
        self.idling: Pushing | None = None

    # The connection

    def callLater(self, period: float, func: Callable[..., Any], *args: Any) -> IDelayedCall:
        """Real time, for our time-outs and for those of C{TimeoutMixin}."""
        return self.reactor.callLater(period, func, *args)

    def connectionMade(self) -> None:
        """Greet; the client has until the login time-out to sign in."""
        self.remote = getattr(self.transport.getPeer(), "host", "")
        self.tls = self.tls or ISSLTransport(self.transport, None) is not None
        self.outflow = Outflow(self.transport)
        self.setTimeout(self.factory.login_timeout)
        self._deadline = self.callLater(self.factory.login_timeout, self.timeoutConnection)
        self.write(b"* OK [CAPABILITY %b] %b simmail ready\r\n" % (
            b" ".join(capabilities(self)), shown(self.config.server.domain)))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The client has left: whatever waits for it stops waiting."""
        self.setTimeout(None)
        self._closing = True
        for call in (self._deadline, self._abort):
            if call is not None and call.active():
                call.cancel()
        self.outflow.stopProducing()
        self.deselect()
        waits, self._waits = self._waits, set()
        for waiting in waits:
            waiting.errback(Gone())
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.errback(Gone())
        self.factory.left(self)

    def timeoutConnection(self) -> None:
        """Nothing was heard for too long, or nobody has signed in."""
        self.hang_up("Autologout; idle for too long" if self.login is not None else "Too slow to sign in")

    def hang_up(self, why: str) -> None:
        """Say goodbye and close."""
        if self._closing:
            return
        self._closing = True
        try:
            self.outflow.write(b"* BYE %b\r\n" % shown(why))
        except Gone:
            return
        self._close()

    def drop(self) -> None:
        """Hang up without a word."""
        self._closing = True
        self.deselect()
        self.transport.abortConnection()

    def _close(self) -> None:
        self._closing = True
        self.setTimeout(None)
        self.deselect()
        self.state = "logout"
        stuck = self.outflow.paused
        self.outflow.finish()
        if stuck:
            # Nobody is reading: the last words would never leave.
            self.transport.abortConnection()
            return
        self.transport.loseConnection()
        self._abort = self.callLater(FAREWELL, self.transport.abortConnection)

    @property
    def utf8(self) -> bool:
        """Whether mailbox names go over the wire in UTF-8."""
        return b"UTF8=ACCEPT" in self.enabled or b"IMAP4REV2" in self.enabled

    def sign_in(self, login: Any) -> None:
        """The client is who it says it is."""
        self.login = login
        self.state = "auth"
        self.MAX_LENGTH = self.config.limits.command_after_login
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self.setTimeout(self.factory.timeout)

    def select(self, selected: Selected) -> None:
        """A folder is selected."""
        self.selected = selected
        self.state = "select"
        selected.changed = self._noticed

    def _noticed(self) -> None:
        if self.idling is not None:
            self.idling.wake()
        elif self.selected is not None and self.selected.reset and not self._running:
            self.hang_up("The mailbox is not what it was")

    def deselect(self) -> None:
        """No folder is selected any more."""
        if self.selected is not None:
            self.selected.close()
            self.selected = None
        if self.state == "select":
            self.state = "auth"

    # Lines and literals

    def dataReceived(self, data: bytes) -> None:
        """Octets came in; what an overlong line left over comes in as well."""
        super().dataReceived(data)
        while self._leftover is not None:
            data, self._leftover = self._leftover, None
            super().dataReceived(data)

    def lineReceived(self, line: bytes) -> None:
        """One line, or the piece of a command between two literals."""
        if self._closing:
            return
        if line.endswith(b"\r"):
            line = line[:-1]
        self.resetTimeout()
        if self._asked is not None:
            asked, self._asked = self._asked, None
            self._pace()
            asked.callback(line)
            return
        self._text += len(line)
        if self._text > self.MAX_LENGTH:
            self._overlong(line)
            return
        self._gathered += line
        match = _LITERAL.search(line) if line.endswith(b"}") else None
        if match is None:
            self._complete()
        else:
            self._literal(int(match[1]), bool(match[2]), len(match[0]))

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line over the limit: refused before its end is seen, then swallowed up to there."""
        self._overlong(line)
        if self._closing:
            return
        _, found, rest = line.partition(b"\n")
        if found:
            self._leftover = rest
        else:
            self._swallowing = True
            self.setRawMode()

    def _overlong(self, line: bytes) -> None:
        tag = _TAG.match(bytes(self._gathered[:300]) + line[:300])
        self._forget()
        if self.state == "unauth":
            self.hang_up("Line too long")
            return
        self.write(b"%b BAD Command line too long\r\n" % (tag[0] if tag else b"*"))

    def rawDataReceived(self, data: bytes) -> None:
        """Octets of a literal, or of a line that is being swallowed."""
        if self._swallowing:
            _, found, rest = data.partition(b"\n")
            if found:
                self._swallowing = False
                self.setLineMode(rest)
            return
        piece = data[:self._left]
        self._left -= len(piece)
        if self._refused is None:
            if self._chunks is not None:
                self._chunks.append(piece)
            else:
                self._gathered += piece
        if self._size - self._left >= SLOWEST * (self.reactor.seconds() - self._since):
            self.resetTimeout()
        if not self._left:
            self.setLineMode(data[len(piece):])

    def _literal(self, size: int, plus: bool, marker: int) -> None:
        """A literal is announced at the end of what is gathered."""
        limits = self.config.limits
        is_message = False
        if self.state == "unauth":
            most = limits.command - self._literals
        elif self._count <= 1 and awaits_message(bytes(self._gathered[:-marker]), self.utf8):
            is_message, most = True, limits.message
        else:
            most = min(limits.literal, limits.literals - self._literals)
        if size > most:
            self._refuse(size, plus, most)
            return
        self._gathered += b"\r\n"
        if is_message:
            self._chunks = []
        else:
            self._literals += size
        if not plus:
            self.write(b"+ OK\r\n")
        self._expect(size)

    def _refuse(self, size: int, plus: bool, most: int) -> None:
        error = No(f"Literal over {most} octets", "TOOBIG")
        if not plus:
            tag = _TAG.match(bytes(self._gathered[:300]))
            self._forget()
            self.write(b"%b %b\r\n" % (tag[0] if tag else b"*", error.line))
        elif self.state == "unauth" or size > SWALLOW * self.config.limits.message:
            self.hang_up("Literal too long")
        else:
            # It is on its way whatever we say (RFC 7888 section 4): let it pass, answer at the end.
            self._refused = self._refused or error
            self._gathered += b"\r\n"
            self._expect(size)

    def _expect(self, size: int) -> None:
        self._count += 1
        self._left = self._size = size
        self._since = self.reactor.seconds()
        if size:
            self.setRawMode()

    def _forget(self) -> None:
        """The next line begins a command."""
        self._gathered = bytearray()
        self._text = self._literals = self._count = 0
        self._chunks = self._refused = None

    # Commands

    def _complete(self) -> None:
        octets, refused = bytes(self._gathered), self._refused
        self.message = b"".join(self._chunks) if self._chunks is not None else b""
        self._forget()
        match = _COMMAND.match(octets)
        if match is None:
            only = _TAG.match(octets)
            self._is_bad(b"%b BAD Expected a tag and a command\r\n" % (only[0] if only else b"*"))
            return
        tag, name = match[1], match[2].upper()
        if refused is not None:
            assert isinstance(refused, No)
            self.write(b"%b %b\r\n" % (tag, refused.line))
            return
        verb = COMMANDS.get(name)
        if verb is None:
            self._is_bad(b"%b BAD Unknown command %b\r\n" % (tag, name))
            return
        if self.state not in verb.states:
            self._is_bad(b"%b BAD %b is not allowed %b\r\n" % (tag, name, _STATES[self.state]))
            return
        arguments = Arguments(octets, self.utf8)
        arguments.at = match.end()
        self.tag = tag
        self._began = self.reactor.seconds()
        self._running, self._answered = True, False
        Deferred.fromCoroutine(self._do(name, verb, arguments)).addBoth(self._done)
        self._pace()

    def _is_bad(self, line: bytes) -> None:
        self.write(line)
        self._count_bad()

    def _count_bad(self) -> None:
        if self.state == "unauth":
            self._bad += 1
            if self._bad >= MOST_BAD:
                self.hang_up("Too many bad commands")

    async def _do(self, name: bytes, verb: Verb, arguments: Arguments) -> None:
        """Do a command, tell what is pending, answer."""
        bad = False
        try:
            text = await verb.run(self, arguments)
            answer = b"OK " + (text or name + b" completed")
        except (Bad, No) as error:
            answer, bad = error.line, isinstance(error, Bad)
        except Refusal as error:
            answer = refusal(error).line
        except Gone:
            return
        except Exception:
            # The client gets a name to ask after, not our insides.
            mark = next(self.factory.marks)
            self.log.failure("IMAP {name} failed ({mark})", name=name.decode("ascii"), mark=mark)
            answer = b"NO [SERVERBUG] Internal error %d" % mark
        if self._closing or self._answered:
            return
        if self.selected is not None and not self.logging_out:
            await self.tell(verb.expunges)
            if self.selected is None or self._closing:
                return
        self.answer(answer)
        if bad:
            self._count_bad()
        if self.logging_out:
            self._close()

    def _done(self, result: Any) -> None:
        self._running = False
        if isinstance(result, Failure) and not result.check(Gone):
            self.log.failure("IMAP connection failed", result)
            if not self._closing:
                self.hang_up("Internal error")
        if not self._closing:
            self.resetTimeout()
            self._pace()

    def _pace(self) -> None:
        """Read while no command is being done, or while one asks the client for a line."""
        wanted = self._running and self._asked is None
        if self._closing or wanted is self.paused:
            return
        if wanted:
            self.pauseProducing()
        else:
            self.resumeProducing()

    # What commands use

    def answer(self, line: bytes) -> None:
        """The tagged answer; there is one for each command."""
        self._answered = True
        self.write(b"%b %b\r\n" % (self.tag, line))

    def write(self, octets: bytes) -> None:
        """Send a short answer.  @raise Gone: the client has left."""
        self.outflow.write(octets)

    async def send(self, octets: bytes) -> None:
        """Send part of a long answer: waits while the client does not read, and lets others have a turn."""
        for at in range(0, len(octets), PIECE):
            self.write(octets if len(octets) <= PIECE else octets[at:at + PIECE])
            if self.outflow.paused:
                await self.outflow.ready()
                self.resetTimeout()
        await self.breathe()

    async def breathe(self) -> None:
        """Let the reactor turn if this command has had its slice."""
        if self.reactor.seconds() - self._began >= SLICE:
            await self.sleep(0)
            self._began = self.reactor.seconds()

    async def sleep(self, seconds: float) -> None:
        """Wait real seconds.  @raise Gone: the client leaves meanwhile."""
        if self._closing:
            raise Gone
        waiting: Deferred[None] = Deferred()
        self._waits.add(waiting)
        call = self.callLater(seconds, waiting.callback, None)
        try:
            await waiting
        finally:
            self._waits.discard(waiting)
            if call.active():
                call.cancel()

    async def ask(self, prompt: bytes) -> bytes:
        """Send a continuation request and wait for one line.  @raise Gone: the client leaves instead."""
        self.write(b"+ %b\r\n" % prompt)
        return await self.listen()

    def listen(self) -> Deferred[bytes]:
        """The next line the client sends, outside of any command."""
        asked: Deferred[bytes] = Deferred()
        self._asked = asked
        self._pace()
        return asked

    async def tell(self, expunges: bool) -> None:
        """Tell what is pending of the selected folder."""
        selected = self.selected
        if selected is None or not selected.pending:
            return
        if selected.reset:
            self.hang_up("The mailbox is not what it was")
            return
        if selected.has_new and not selected.read_only:
            await selected.take_recent()
        for octets in selected.updates(expunges):
            await self.send(octets)


_STATES = {
    "unauth": b"before login", "auth": b"while no mailbox is selected", "select": b"now", "logout": b"after logout"}


class _TurnedAway(Protocol):
    """A connection over the limit: told so and closed."""

    transport: Any

    def connectionMade(self) -> None:
        self.transport.write(b"* BYE Too many connections; try again later\r\n")
        self.transport.loseConnection()


class ImapFactory(ServerFactory):
    """
    All connections of one listener.

    @param sign_in: C{await sign_in(username, password, "imap", remote)} gives a C{Login} or raises a Refusal.
    @param tls_context: for STARTTLS, None to offer none.
    @param implicit_tls: the listener speaks TLS from the start (IMAPS).
    @param loopback_only: every listener is on a loopback address, so that passwords may be sent in clear text
        unless the configuration says otherwise.
    @param in_thread: C{in_thread(call, *args)} gives a Deferred of its result, worked out in a thread.
    @param home: the universe whose fault rules a name meets that signs in, None for none.
    """

    noisy = False

    def __init__(
        self, config: Config, sign_in: Callable[[str, str, str, str], Awaitable[Any]], reactor: IReactorTime,
        tls_context: Any = None, implicit_tls: bool = False, loopback_only: bool = False,
        in_thread: Callable[..., Deferred[Any]] = maybeDeferred, home: Callable[[str], Any] = lambda username: None,
    ) -> None:
        self.config = config
        self.sign_in = sign_in
        self.reactor = reactor
        self._in_thread = in_thread
        self.tls_context = None if implicit_tls else tls_context
        self.implicit_tls = implicit_tls
        allowed = config.imap.plain_auth_allowed
        self.plain_auth_allowed = loopback_only if allowed is None else allowed
        self.timeout = parse_duration(config.imap.timeout).total_seconds()
        self.login_timeout = parse_duration(config.imap.login_timeout).total_seconds()
        self.connections: set[ImapServer] = set()
        self.shared = SharedLists()
        self.marks = count(1)
        self.home = home
        # No number comes again after a restart: what rules counted for a connection outlives the process.
        self.numbers = count(int(reactor.seconds() * 1000))
        self._places: dict[ImapServer, str] = {}
        self._at: dict[str, int] = {}

    async def in_thread_if(self, worth: bool, call: Callable[[], Any]) -> None:
        """Make a call, in a thread if it may take long."""
        if worth:
            await self._in_thread(call)
        else:
            call()

    def buildProtocol(self, addr: Any) -> Protocol:
        """One more connection, or one too many."""
        host = getattr(addr, "host", "")
        limits = self.config.imap
        if len(self._places) >= limits.connections or self._at.get(host, 0) >= limits.connections_per_address:
            return _TurnedAway()
        server = ImapServer(self, self.implicit_tls)
        self._places[server] = host
        self._at[host] = self._at.get(host, 0) + 1
        self.connections.add(server)
        return server

    def left(self, server: ImapServer) -> None:
        """A connection is gone."""
        host = self._places.pop(server, None)
        self.connections.discard(server)
        if host is not None:
            self._at[host] -= 1
            if not self._at[host]:
                del self._at[host]

    def close(self) -> None:
        """Say goodbye to everybody."""
        for server in list(self.connections):
            server.hang_up("Server is going down")
