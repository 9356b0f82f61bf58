"""
A session of IMAP: the states of one connection, and its commands one after the other.

How commands are gathered is told in L{simmail.imap.wire.input}, what they do in
L{simmail.imap.commands}.
Source: RFC 3501 sections 3, 5 and 7; promises, R9 to R12, S2.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import datetime
from typing import Any

from twisted.internet.abstract import FileDescriptor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, ISSLTransport, ITLSTransport
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.mail.imap4 import IMAP4Server
from twisted.python.failure import Failure

from simmail.errors import of_disk, Refusal
from simmail.imap.capability import capabilities
from simmail.imap.command.replace import admit
from simmail.imap.commands import COMMANDS, Verb
from simmail.imap.connection import ListenerContext, Notifier, Waker
from simmail.imap.pending import PendingResponses
from simmail.imap.progress import Progress
from simmail.imap.relocation import resume
from simmail.imap.selected import Selected
from simmail.imap.untagged.tell import tell
from simmail.imap.wire.compress import Deflated, FREE, Inflater
from simmail.imap.wire.input import CommandReader, TAG
from simmail.imap.wire.output import LONG, Output, PIECE
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, ClientGone, No, refusal, shown
from simmail.interfaces import IMailStore, Handover
from simmail.server.sasl import CHALLENGERS
from simmail.server.signin import Login

#: Real seconds of work between two turns of the reactor; of commands sent ahead before login.
SLICE, FIRST_SLICE = 0.01, 0.001
#: Bad commands before login, and commands at all, after which a client is not worth more.
MOST_BAD, MOST_EARLY = 10, 100
#: Octets that are read at once before login: what a client sends ahead is to wait in its own system (promises, S4).
EARLY_READ = 4096
#: Real seconds a client gets to take the last words.
FAREWELL = 10.0

_COMMAND = re.compile(rb'([^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+) ([A-Za-z0-9]{1,32}+)(?= |$)')


class ImapSession(IMAP4Server):
    """
    One connection: an L{ImapConnection<simmail.imap.connection.ImapConnection>}.

    Of C{IMAP4Server} it has the states and their names, the lines and literals of C{LineReceiver} with its
    back-pressure, the time-out of C{TimeoutMixin}, C{challengers} and C{portal} by which one signs in, and C{ctx},
    C{canStartTLS} and C{startedTLS}.  What is replaced, and why:

     - C{lineReceived} and the parsing of commands (C{parse_*}, C{arg_*}): there a literal of any size is announced
       before anybody has signed in, commands of one client are done side by side, and a line that cannot be read ends
       in a server error (L{simmail.imap.wire.input}, L{simmail.imap.wire.parser}).
     - C{dispatchCommand} and the commands (C{do_*}): they are IMAP4rev1 on an C{IMailbox}, which knows neither
       mod-sequences nor what other sessions change, and holds a whole answer in memory (L{simmail.imap.commands}).
     - C{sendLine} and the answers (C{send*Response}): nothing waits for a client that does not read
       (L{simmail.imap.wire.output}).
     - C{capabilities}, the greeting and C{timeoutConnection}: what is announced and told is RFC 9051's.

    @ivar inflater: of what the client sends, None while it is not compressed.
    """

    log = Logger()
    delimiter = b"\n"
    transport: Any
    challengers: Any
    store: IMailStore
    address: str
    now: Callable[[], datetime]
    portal: Any

    def __init__(self, context: ListenerContext, tls: bool, left: Callable[[ImapSession], None]) -> None:
        super().__init__(chal=CHALLENGERS, contextFactory=context.tls_context)
        self.context = context
        self.portal = context.portal
        self.reactor = context.reactor
        self.config = context.config
        self.tls = self.implicit_tls = tls
        self.hops = 0
        self.handover: Handover | None = None
        self.login: Login | None = None
        self.selected: Selected | None = None
        self.enabled: set[bytes] = set()
        self.tag = b""
        self.number = f"imap-{next(context.numbers)}"
        self.logging_out = self.hung = self.closing = False
        self.failures = 0
        self.MAX_LENGTH = context.config.limits.command
        self.messages: list[bytes] = []
        self.input = CommandReader(self, context.reactor, context.config.limits)
        self.listen = self.input.listen
        self.idling: Waker | None = None
        self.inflater: Inflater | None = None
        self.pending = PendingResponses(self.noticed)
        self.notifier: Notifier | None = None
        self.causing = frozenset[str]()
        self.progress = Progress(context.reactor, self.write, lambda: self.working)
        self._left = left
        self._running = self._answered = self._heard = False
        self._bad = self._early = 0
        self._began = 0.0
        self._waits: set[Deferred[None]] = set()
        self._deadline: IDelayedCall | None = None
        self._abort: IDelayedCall | None = None
        self._resume: IDelayedCall | None = None
        self._turn: float | None = None
        self._unwatch: Callable[[], object] = lambda: None

    # The connection

    def callLater(self, period: float, func: Callable[..., Any], *args: Any) -> IDelayedCall:
        """Real time, for our time-outs and for those of C{TimeoutMixin}."""
        return self.reactor.callLater(period, func, *args)

    def connectionMade(self) -> None:
        """Greet; the client has until the login time-out to sign in."""
        self.remote = getattr(self.transport.getPeer(), "host", "")
        self.tls = self.tls or ISSLTransport(self.transport, None) is not None
        self.canStartTLS = ITLSTransport(self.transport, None) is not None
        self.output = Output(self.transport, self.pace)
        self._read_by(EARLY_READ)
        self.setTimeout(self.context.login_timeout)
        self._deadline = self.callLater(self.context.login_timeout, self.timeoutConnection)
        handover = self.handover
        if handover is None:
            self.write(b"* OK [CAPABILITY %b] %b simmail ready\r\n" % (
                b" ".join(capabilities(self)), shown(self.config.server.domain)))
        else:
            self.remote, self.tls, self.hops = handover.remote, handover.secure, handover.hops
            resume(self, handover.state, self.dataReceived, handover.octets)

    def _read_by(self, octets: int) -> None:
        # With TLS from the start it is the transport below that reads.
        reading: Any = getattr(self.transport, "transport", None) or self.transport
        reading.bufferSize = octets

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The client has left: whatever waits for it stops waiting."""
        self.setTimeout(None)
        self.closing = True
        self._unwatch()
        for call in (self._deadline, self._abort, self._resume):
            if call is not None and call.active():
                call.cancel()
        self.output.stopProducing()
        self.deselect()
        self.pending.stop()
        self.progress.stop()
        waits, self._waits = self._waits, set()
        for waiting in waits:
            waiting.errback(ClientGone())
        self.input.stop()
        self._left(self)

    def timeoutConnection(self) -> None:
        """Nothing was heard for too long, or nobody has signed in."""
        self.hang_up("Autologout; idle for too long" if self.login is not None else "Too slow to sign in")

    def hang_up(self, why: str) -> None:
        """Say goodbye and close; without a word to a client that is never answered."""
        if self.closing:
            return
        if self.hung:
            self.drop()
            return
        self.closing = True
        try:
            self.output.write(b"* BYE %b\r\n" % shown(why))
        except ClientGone:
            return
        self._close()

    def drop(self) -> None:
        """Hang up without a word."""
        self.closing = True
        self.deselect()
        self.transport.abortConnection()

    def _close(self) -> None:
        self.closing = True
        self.setTimeout(None)
        self.deselect()
        self.state = "logout"
        # Nothing more is taken, and of what came nothing is kept until the client has hung up too.
        self.input.forget()
        self.clearLineBuffer()
        if self.inflater is not None:
            self.inflater.forget()
        stuck = self.output.paused
        self.output.finish()
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

    def is_full(self) -> bool:
        """Whether the mailbox has the status C{full}."""
        assert self.login is not None
        return self.login.universe.policy.status(self.login.address) == "full"

    def mechanisms(self) -> list[bytes]:
        """The SASL mechanisms that may be used now, none where no password may come over this connection."""
        return list(self.challengers) if self.tls or self.context.plain_auth_allowed else []

    def can_start_tls(self) -> bool:
        """Whether STARTTLS is possible now."""
        return self.ctx is not None and not self.tls and self.state == "unauth" and self.canStartTLS

    def begin_tls(self) -> None:
        """Begin TLS."""
        self.transport.startTLS(self.ctx)
        self.tls = self.startedTLS = True

    def begin_compression(self) -> None:
        """From here on everything is deflated, in both directions."""
        self.output.wrap(Deflated)
        self.inflater = Inflater(FREE * self.config.limits.message)

    def sent_ahead(self) -> bytes:
        """What has come behind the command; it is forgotten."""
        octets: bytes = self.clearLineBuffer()
        return octets

    def begin_session(self, login: Login) -> None:
        """The client is who it says it is."""
        self.login = login
        self.store, self.address, self.now = login.universe.store, login.address, login.universe.clock.now
        self.state = "auth"
        self._unwatch = login.universe.on_close(self._put_away)
        self._read_by(FileDescriptor.bufferSize)
        self.MAX_LENGTH = self.config.limits.command_after_login
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self.setTimeout(self.context.timeout)

    def _put_away(self) -> None:
        """The universe is deleted, or something else put in its place."""
        self.hang_up("The mailbox is not what it was")

    def select(self, selected: Selected) -> None:
        """A folder is selected."""
        self.selected = selected
        self.state = "select"
        selected.changed = self.noticed
        if self.notifier is not None:
            self.notifier.apply()

    @property
    def working(self) -> bool:
        """Whether a command is being done that does not wait for the client."""
        return self._running and self.input.asked is None and not self.closing and self.state != "unauth"

    def noticed(self) -> None:
        """Something is to be told, now if the client waits for it."""
        if self.idling is not None:
            self.idling.wake()
        elif self._running:
            return
        elif self.selected is not None and self.selected.reset:
            self.hang_up("The mailbox is not what it was")
        elif self.notifier is not None and not self.closing:
            self.notifier.wake()

    def require_selected(self, writable: bool = False) -> Selected:
        """The selected folder.  @raise No: it is to be changed and was opened with EXAMINE."""
        selected = self.selected
        assert selected is not None
        if writable and selected.read_only:
            raise No("The mailbox is selected read-only", "READ-ONLY")
        return selected

    def deselect(self) -> None:
        """No folder is selected any more."""
        if self.selected is not None:
            self.selected.close()
            self.selected = None
        if self.state == "select":
            self.state = "auth"

    # Commands

    def lineReceived(self, line: bytes) -> None:
        """A line of a command, or the piece of one between two literals."""
        self.input.line(line)

    def rawDataReceived(self, data: bytes) -> None:
        """Octets of a literal."""
        self.input.raw(data)

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line over the limit."""
        self.input.long_line(line)

    def take_command(self, octets: bytes, messages: list[bytes], refused: No | None) -> None:
        """A whole command: do it, or say why not."""
        self._heard, self.messages = True, messages
        match = _COMMAND.match(octets)
        if match is None:
            only = TAG.match(octets)
            self._is_bad(b"%b BAD Expected a tag and a command\r\n" % (only[0] if only else b"*"))
            return
        tag, name = match[1], match[2].upper()
        if refused is not None:
            self.write(b"%b %b\r\n" % (tag, refused.line))
            return
        verb = COMMANDS.get(name)
        if verb is None:
            self._is_bad(b"%b BAD Unknown command %b\r\n" % (tag, name))
            return
        if self.state not in verb.states:
            self._is_bad(b"%b BAD %b is not allowed %b\r\n" % (tag, name, _STATES[self.state]))
            return
        if verb.numbered and b"UIDONLY" in self.enabled:
            self._is_bad(b"%b BAD [UIDREQUIRED] No sequence numbers once UIDONLY is enabled\r\n" % tag)
            return
        arguments = Arguments(octets, self.utf8)
        arguments.at = match.end()
        self.tag = tag
        self._start(self._do(name, verb, arguments))
        if self._running and self.state != "unauth":
            self.progress.watch()

    def admit_message(self, octets: bytes, size: int) -> None:
        """An APPEND asks to send its message: it may if it could be filed."""
        self._start(self._admit(octets, size))
        self.progress.quiet = False

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._began = now = self.reactor.seconds()
        self.progress.begin(now, self.tag)
        self._running, self._answered = True, False
        Deferred.fromCoroutine(work).addBoth(self._done)
        self.pace()

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
        answer, error = await self._outcome(name, self._run(verb, arguments))
        if self.closing or self._answered:
            return
        selected = self.selected
        told = self.pending.waiting or self.notifier is not None or (selected is not None and selected.pending)
        if told and not self.logging_out:
            await tell(self, verb.expunges)
            if self.closing:
                return
        elif selected is not None:
            selected.removing = False
        self.answer(answer)
        if isinstance(error, Bad):
            self._count_bad()
        if self.logging_out:
            self._close()

    async def _run(self, verb: Verb, arguments: Arguments) -> bytes | None:
        """Do a command in its turn.  @raise ClientGone: the client has left before it."""
        if self.login is not None:
            # Whoever was answered 250 finds the message.
            visible = self.store.when_visible()
            if visible is not None:
                await visible
                if self.closing:
                    raise ClientGone
        return await verb.run(self, arguments)

    async def _admit(self, octets: bytes, size: int) -> None:
        """Let the message of an APPEND come, or say why it need not."""
        answer, error = await self._outcome(b"APPEND", admit(self, octets))
        if self.closing:
            return
        if error is None:
            self.input.take_message(size)
        else:
            self.input.refuse_message(answer)

    async def _outcome(self, name: bytes, work: Awaitable[bytes | None]) -> tuple[bytes, Bad | No | None]:
        """What is answered to a command, and what was wrong with it.  @raise ClientGone: there is nobody to answer."""
        error: Bad | No
        try:
            return b"OK " + (await work or name + b" completed"), None
        except (Bad, No) as refused:
            error = refused
        except Refusal as refused:
            error = refusal(refused)
        except ClientGone:
            raise
        except Exception as broken:
            error = _broken(name.decode("ascii"), broken, self.context.marks)
        return error.line, error

    def _done(self, result: Any) -> None:
        self._running = False
        self.messages, self.causing = [], frozenset()
        if isinstance(result, Failure) and not result.check(ClientGone):
            self.log.failure("IMAP connection failed", result)
            if not self.closing:
                self.hang_up("Internal error")
        if self.state == "unauth" and not self.closing:
            self._early += 1
            if self._early >= MOST_EARLY:
                self.hang_up("Too many commands before login")
        if not self.closing:
            self.resetTimeout()
            slice = FIRST_SLICE if self.state == "unauth" else SLICE
            if self._turn is not None and self.reactor.seconds() - self._turn >= slice:
                self.yield_turn()
            self.pace()
            if self.notifier is not None:
                self.noticed()

    def _resumed(self) -> None:
        self._resume = None
        self.pace()

    def dataReceived(self, data: bytes) -> None:
        """Octets came in."""
        if self._turn is not None:
            # What is left behind a literal.
            super().dataReceived(data)
            return
        self._turn = self.reactor.seconds()
        if self.inflater is None:
            self._take(data)
        else:
            self._inflate(self.inflater, data)
        self._turn = None

    def _take(self, data: bytes) -> None:
        """Take lines and literals; what an overlong line left over as well."""
        if self.closing:
            return
        super().dataReceived(data)
        while (left := self.input.leftover) is not None:
            self.input.leftover = None
            super().dataReceived(left)

    def _inflate(self, inflater: Inflater, octets: bytes) -> None:
        """Inflate what came in, as far as it can be looked at now."""
        try:
            rest = inflater.receive(octets, self._take, self._is_receiving)
        except ValueError as error:
            self.hang_up(str(error))
            return
        if rest:
            self.yield_turn()

    def _is_receiving(self) -> bool:
        """Whether more that has come can be looked at now."""
        return not self.closing and not self.paused and self._resume is None

    def yield_turn(self) -> None:
        """What was sent ahead waits until others had their turn."""
        if self._resume is None and not self.closing:
            self._resume = self.callLater(0, self._resumed)
            self.pace()

    def pace(self) -> None:
        """
        Read while no command is being done, or while one asks the client for a line.

        Not while the client does not read: what it is answered to short commands costs memory too.  Not while it is
        told something unasked: no answer may come into the midst of that.
        (Before its first command it is TLS that has to read until anything can be written.)
        """
        stopped = (self._heard and self.output.paused) or (self._running and self.input.asked is None) or (
            self._resume is not None) or (self.notifier is not None and self.notifier.telling)
        if self.closing or stopped is self.paused:
            return
        if stopped:
            self.pauseProducing()
        else:
            self.resumeProducing()

    # What commands use

    def answer(self, line: bytes) -> None:
        """The tagged answer; there is one for each command."""
        self._answered = True
        self.output.write_now(b"%b %b\r\n" % (self.tag, line))

    def write(self, octets: bytes) -> None:
        """Send an answer, however fast the client reads.  @raise ClientGone: the client has left."""
        self.progress.quiet = False
        # What is short goes with what follows.
        (self.output.write_now if len(octets) >= LONG else self.output.write)(octets)

    async def ask(self, prompt: bytes) -> bytes:
        """Send a continuation request and wait for one line.  @raise ClientGone: the client leaves instead."""
        self.write(b"+ %b\r\n" % prompt)
        return await self.listen()

    async def send(self, octets: bytes) -> None:
        """Send part of a long answer: waits while the client does not read, and lets others have a turn."""
        for at in range(0, len(octets), PIECE):
            self.write(octets if len(octets) <= PIECE else octets[at:at + PIECE])
            if self.output.paused:
                await self.output.ready()
                self.resetTimeout()
        await self.yield_to_reactor()

    async def yield_to_reactor(self) -> None:
        """Let the reactor turn if this command has had its slice."""
        if self.reactor.seconds() - self._began >= SLICE:
            await self.sleep(0)
            self._began = self.reactor.seconds()

    async def sleep(self, seconds: float) -> None:
        """Wait real seconds.  @raise ClientGone: the client leaves meanwhile."""
        if self.closing:
            raise ClientGone
        waiting: Deferred[None] = Deferred()
        self._waits.add(waiting)
        call = self.callLater(seconds, waiting.callback, None)
        try:
            await waiting
        finally:
            self._waits.discard(waiting)
            if call.active():
                call.cancel()


_STATES = {
    "unauth": b"before login", "auth": b"while no mailbox is selected", "select": b"now", "logout": b"after logout"}


def _broken(name: str, error: Exception, marks: Iterator[int]) -> No:
    """What is said when a command failed with an unknown error, the current one."""
    away = of_disk(error)
    if away is not None:
        ImapSession.log.error("IMAP {name}: {error}", name=name, error=error)
        return refusal(away)
    # The client gets a name to ask after, not our insides.
    mark = next(marks)
    ImapSession.log.failure("IMAP {name} failed ({mark})", name=name, mark=mark)
    return No(f"Internal error {mark}", "SERVERBUG")
