"""
The IMAP server: the states of one connection, and its commands one after the other.

How commands are gathered is told in L{simmail.imap.wire.input}, what they do in
L{simmail.imap.commands}.
Source: RFC 3501 sections 3, 5 and 7; promises, R9 to R12, S2.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from twisted.internet.abstract import FileDescriptor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, ISSLTransport
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Refusal
from simmail.imap.capability import capabilities
from simmail.imap.command.idle import Pushing
from simmail.imap.command.replace import admit
from simmail.imap.commands import COMMANDS, Verb
from simmail.imap.notifications import Notifying
from simmail.imap.pending import News
from simmail.imap.progress import Progress
from simmail.imap.selected import Selected
from simmail.imap.untagged import tell
from simmail.imap.wire.compress import Inflater, receive
from simmail.imap.wire.input import Framing, TAG
from simmail.imap.wire.output import Outflow, PIECE
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, Gone, No, refusal, shown

if TYPE_CHECKING:
    from simmail.imap.factory import ImapFactory

#: Real seconds of work between two turns of the reactor; of commands sent ahead before login.
SLICE, FIRST_SLICE = 0.01, 0.001
#: Bad commands before login, and commands at all, after which a client is not worth more.
MOST_BAD, MOST_EARLY = 10, 100
#: Octets that are read at once before login: what a client sends ahead is to wait in its own system (promises, S4).
EARLY_READ = 4096
#: Real seconds a client gets to take the last words.
FAREWELL = 10.0

_COMMAND = re.compile(rb'([^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+) ([A-Za-z0-9]{1,32}+)(?= |$)')


class ImapServer(Framing):
    """
    One connection.

    @ivar login: who has signed in (C{universe.roster.Login}), None before.
    @ivar selected: the selected folder, None outside the selected state.
    @ivar enabled: extensions the client has switched on.
    @ivar tag: of the command that is being done.
    @ivar hung: a fault rule has it that this client is never answered again.
    @ivar number: names the connection where fault rules count.
    @ivar news: what is to be told beside the selected folder.
    @ivar notifying: tells what the client has asked to be told of, None before it has asked for anything.
    @ivar causing: names of mailboxes that the command makes, removes or subscribes to.
    @ivar inflater: of what the client sends, None while it is not compressed.
    """

    log = Logger()
    factory: ImapFactory
    transport: Any

    def __init__(self, factory: ImapFactory, tls: bool) -> None:
        super().__init__(factory.tls_context)
        self.factory = factory
        self.reactor = factory.reactor
        self.config = factory.config
        self.tls = tls
        self.login: Any = None
        self.selected: Selected | None = None
        self.enabled: set[bytes] = set()
        self.tag = b""
        self.number = f"imap-{next(factory.numbers)}"
        self.logging_out = self.hung = False
        self.failures = 0
        self.MAX_LENGTH = factory.config.limits.command
        self._running = self._answered = self._heard = False
        self._bad = self._early = 0
        self._began = 0.0
        self._waits: set[Deferred[None]] = set()
        self._deadline: Any = None
        self._abort: Any = None
        self._rest: Any = None
        self._turn: float | None = None
        self.idling: Pushing | None = None
        self.inflater: Inflater | None = None
        self.news = News(self.noticed)
        self.notifying: Notifying | None = None
        self.causing = frozenset[str]()
        self.progress = Progress(self)

    # The connection

    def callLater(self, period: float, func: Callable[..., Any], *args: Any) -> IDelayedCall:
        """Real time, for our time-outs and for those of C{TimeoutMixin}."""
        return self.reactor.callLater(period, func, *args)

    def connectionMade(self) -> None:
        """Greet; the client has until the login time-out to sign in."""
        self.remote = getattr(self.transport.getPeer(), "host", "")
        self.tls = self.tls or ISSLTransport(self.transport, None) is not None
        self.outflow = Outflow(self.transport, self.pace)
        self._read_by(EARLY_READ)
        self.setTimeout(self.factory.login_timeout)
        self._deadline = self.callLater(self.factory.login_timeout, self.timeoutConnection)
        self.write(b"* OK [CAPABILITY %b] %b simmail ready\r\n" % (
            b" ".join(capabilities(self)), shown(self.config.server.domain)))

    def _read_by(self, octets: int) -> None:
        # With TLS from the start it is the transport below that reads.
        reading: Any = getattr(self.transport, "transport", None) or self.transport
        reading.bufferSize = octets

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The client has left: whatever waits for it stops waiting."""
        self.setTimeout(None)
        self.closing = True
        for call in (self._deadline, self._abort, self._rest):
            if call is not None and call.active():
                call.cancel()
        self.outflow.stopProducing()
        self.deselect()
        self.news.stop()
        self.progress.stop()
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
        """Say goodbye and close; without a word to a client that is never answered."""
        if self.closing:
            return
        if self.hung:
            self.drop()
            return
        self.closing = True
        try:
            self.outflow.write(b"* BYE %b\r\n" % shown(why))
        except Gone:
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
        self.forget_input()
        if self.inflater is not None:
            self.inflater.forget()
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
        self._read_by(FileDescriptor.bufferSize)
        self.MAX_LENGTH = self.config.limits.command_after_login
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self.setTimeout(self.factory.timeout)

    def select(self, selected: Selected) -> None:
        """A folder is selected."""
        self.selected = selected
        self.state = "select"
        selected.changed = self.noticed
        if self.notifying is not None:
            self.notifying.apply()

    @property
    def working(self) -> bool:
        """Whether a command is being done that does not wait for the client."""
        return self._running and self._asked is None and not self.closing and self.state != "unauth"

    def noticed(self) -> None:
        """Something is to be told, now if the client waits for it."""
        if self.idling is not None:
            self.idling.wake()
        elif self._running:
            return
        elif self.selected is not None and self.selected.reset:
            self.hang_up("The mailbox is not what it was")
        elif self.notifying is not None and not self.closing:
            self.notifying.wake()

    def deselect(self) -> None:
        """No folder is selected any more."""
        if self.selected is not None:
            self.selected.close()
            self.selected = None
        if self.state == "select":
            self.state = "auth"

    # Commands

    def gathered(self, octets: bytes, refused: No | None) -> None:
        """A whole command: do it, or say why not."""
        self._heard = True
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

    def announced(self, octets: bytes, size: int) -> None:
        """An APPEND asks to send its message: it may if it could be filed."""
        self._start(self._admit(octets, size))
        self.progress.quiet = False

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._began = now = self.reactor.seconds()
        self.progress.begin(now)
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
        if (self.selected is not None or self.news or self.notifying is not None) and not self.logging_out:
            await tell(self, verb.expunges)
            if self.closing:
                return
        self.answer(answer)
        if isinstance(error, Bad):
            self._count_bad()
        if self.logging_out:
            self._close()

    async def _run(self, verb: Verb, arguments: Arguments) -> bytes | None:
        """Do a command in its turn.  @raise Gone: the client has left before it."""
        if self.login is not None:
            # Whoever was answered 250 finds the message.
            visible = self.login.universe.store.visible()
            if visible is not None:
                await visible
                if self.closing:
                    raise Gone
        return await verb.run(self, arguments)

    async def _admit(self, octets: bytes, size: int) -> None:
        """Let the message of an APPEND come, or say why it need not."""
        answer, error = await self._outcome(b"APPEND", admit(self, octets))
        if self.closing:
            return
        if error is None:
            self.take_message(size)
        else:
            self.refuse_message(answer)

    async def _outcome(self, name: bytes, work: Awaitable[bytes | None]) -> tuple[bytes, Bad | No | None]:
        """What is answered to a command, and what was wrong with it.  @raise Gone: there is nobody to answer."""
        error: Bad | No
        try:
            return b"OK " + (await work or name + b" completed"), None
        except (Bad, No) as refused:
            error = refused
        except Refusal as refused:
            error = refusal(refused)
        except Gone:
            raise
        except Exception:
            # The client gets a name to ask after, not our insides.
            mark = next(self.factory.marks)
            self.log.failure("IMAP {name} failed ({mark})", name=name.decode("ascii"), mark=mark)
            error = No(f"Internal error {mark}", "SERVERBUG")
        return error.line, error

    def _done(self, result: Any) -> None:
        self._running = False
        self.messages, self.causing = [], frozenset()
        if isinstance(result, Failure) and not result.check(Gone):
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
                self.rest()
            self.pace()
            if self.notifying is not None:
                self.noticed()

    def _rested(self) -> None:
        self._rest = None
        self.pace()

    def dataReceived(self, data: bytes) -> None:
        """Octets came in."""
        if self._busyReceiving:
            # What is left behind a literal.
            super().dataReceived(data)
            return
        self._turn = self.reactor.seconds()
        if self.inflater is None:
            super().dataReceived(data)
        else:
            receive(self, self.inflater, data, super().dataReceived)
        self._turn = None

    @property
    def receiving(self) -> bool:
        """Whether more that has come can be looked at now."""
        return not self.closing and not self.paused and self._rest is None

    def rest(self) -> None:
        """What was sent ahead waits until others had their turn."""
        if self._rest is None and not self.closing:
            self._rest = self.callLater(0, self._rested)
            self.pace()

    def pace(self) -> None:
        """
        Read while no command is being done, or while one asks the client for a line.

        Not while the client does not read: what it is answered to short commands costs memory too.  Not while it is
        told something unasked: no answer may come into the midst of that.
        (Before its first command it is TLS that has to read until anything can be written.)
        """
        stopped = (self._heard and self.outflow.paused) or (self._running and self._asked is None) or (
            self._rest is not None) or (self.notifying is not None and self.notifying.telling)
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
        self.outflow.write_last(b"%b %b\r\n" % (self.tag, line))

    def write(self, octets: bytes) -> None:
        """Send a short answer.  @raise Gone: the client has left."""
        self.progress.quiet = False
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
        if self.closing:
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


_STATES = {
    "unauth": b"before login", "auth": b"while no mailbox is selected", "select": b"now", "logout": b"after logout"}
