"""
The verbs of SMTP: what each may do when, and what it is answered.

Sources: RFC 5321 section 4.1, RFC 2920, RFC 3030 (BDAT), RFC 3207 (STARTTLS),
RFC 4954 (AUTH); decisions, sections 1, 20 and 21.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.protocol import connectionDone
from twisted.mail.smtp import ESMTP
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.errors import Elsewhere, NotFound, TooMany, Unauthenticated, Unavailable
from simmail.interfaces import Handover
from simmail.server.sasl import CHALLENGERS, log_in
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom, RcptTo, mail_from, rcpt_to
from simmail.smtp.auth_exchange import Credentials, SaslExchange
from simmail.smtp.context import SmtpContext
from simmail.smtp.fault_injection import ANSWERING, FaultInjection
from simmail.smtp.protocol import Pump, check
from simmail.smtp.relocation import relocate, resume
from simmail.smtp.replies import CommandRefused
from simmail.smtp.transaction import Peer, Reception, Transaction

if TYPE_CHECKING:
    from simmail.server.signin import Login
    from simmail.universe.universe import Universe

#: Real seconds before the answer to the second failed login of a connection; each further one waits twice as long.
FIRST_PENALTY, LONGEST_PENALTY = 0.5, 8.0

#: Verbs of another protocol: a web page may be made to post them here (promises, S1).
HTTP_VERBS = frozenset((b"GET", b"POST", b"PUT", b"HEAD", b"DELETE", b"PATCH", b"OPTIONS", b"CONNECT", b"TRACE"))


class Doorkeeper(Protocol):
    """Who is connected."""

    def enter(self, session: Session) -> bool:
        """A connection is made; answers whether it may stay."""

    def leave(self, session: Session) -> None:
        """A connection is closed."""


@implementer(IHalfCloseableProtocol)
class Session(ESMTP):  # type: ignore[misc] # Twisted's mail is untyped
    """
    One client's conversation.

    Of C{ESMTP} it has C{challengers} and C{portal} by which one signs in, C{ctx}, C{canStartTLS} and C{startedTLS},
    C{host}, C{authenticated}, and C{extensions} with the answer to EHLO made of it.  What is replaced, and why:

     - C{dataReceived} and what reads lines: there the rest of a message is run as commands behind a long line, lines
       without end are kept, replies leave out of order, and commands from before STARTTLS are taken as if they came
       after (L{simmail.smtp.protocol}).
     - C{lookupMethod}: a table, for a verb of other letters than ASCII is an error there.
     - The verbs: addresses and parameters of RFC 3461, 3030 and 6531 are unknown there (L{simmail.smtp.arguments}),
       and C{IMessage} takes a message line by line (L{simmail.smtp.body}).
     - C{IMessageDelivery}: its verdicts know no DSN, its reply no name of the message, and it has one message for
       each recipient; a message goes to all universes at once (L{simmail.smtp.transaction}).
     - C{setTimeout}: moving a timer for every command costs more than a look at all sessions now and then.
    """

    noisy = False
    transport: Any
    ctx: Any
    portal: Any

    def __init__(self, context: SmtpContext, remote: str, doorkeeper: Doorkeeper) -> None:
        super().__init__(chal=CHALLENGERS, contextFactory=context.tls_context)  # type: ignore[no-untyped-call]
        self.context = context
        self.portal = context.portal
        self.remote = remote
        self.secure = context.implicit_tls
        self.helo = ""
        self.extended = False
        self.pump = Pump(context, self._obey)
        self.dataReceived = self.pump.receive  # type: ignore[method-assign]
        self.faults = FaultInjection(context, self.pump, remote)
        self.mail = Reception(context, self.pump, self.faults)
        self.host = context.config.server.domain
        self._doorkeeper = doorkeeper
        self.failures = 0
        self.handover: Handover | None = None
        self._exchange: SaslExchange | None = None

    @property
    def login(self) -> Login | None:
        """Who signed in, None for nobody."""
        return self.faults.login

    # What the transport calls

    def connectionMade(self) -> None:
        """Greet, or refuse."""
        pump = self.pump
        self.canStartTLS = self.ctx is not None and not self.secure
        pump.start(self.transport, self.secure)
        if not self._doorkeeper.enter(self):
            pump.say(replies.SHUTTING_DOWN if self.context.draining else replies.TOO_MANY_CONNECTIONS)
            pump.close()
        elif self.handover is not None:
            resume(self, self.handover)
        else:
            self.faults.apply(
                self.faults.fault("connect", self.faults.default_universe(), tls=self.secure), self._greet)
        pump.flush()

    def _greet(self) -> None:
        self.pump.say(self.context.greeting)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Forget what was begun; a message that is being filed is filed."""
        self.pump.stop()
        self._doorkeeper.leave(self)

    def readConnectionLost(self) -> None:
        """The client says no more."""
        self.pump.end_input()

    def writeConnectionLost(self) -> None:
        """Never: this side hangs up as a whole."""

    def _obey(self, line: bytes) -> None:
        """Do what a line says.  @raise CommandRefused: it is answered and has changed nothing."""
        verb, _, rest = line.partition(b" ")
        command = VERBS.get(verb) or VERBS.get(verb.upper())
        if command is not None:
            command(self, rest)
        elif verb.upper() in HTTP_VERBS:
            self.pump.say(replies.NOT_SMTP)
            self.pump.close()
        else:
            raise CommandRefused(replies.UNKNOWN_COMMAND)

    # Who is there

    def do_HELO(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.1."""
        self._hello(rest, False)

    def do_EHLO(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.1."""
        self._hello(rest, True)

    def _hello(self, rest: bytes, extended: bool) -> None:
        name = rest.strip(b" ")
        if not name or b" " in name or min(name) < 0x20 or b"\x7f" in name:
            raise CommandRefused(replies.NEED_ARGUMENT)
        self.pump.count_useless()
        faults = self.faults
        faults.apply(
            faults.fault("helo", faults.default_universe()), self._welcome, name.decode("utf-8", "replace"), extended)

    def _welcome(self, name: str, extended: bool) -> None:
        self.mail.reset()
        self.helo, self.extended = name, extended
        self.pump.say(self._ehlo() if extended else self.context.helo)

    def extensions(self) -> dict[bytes, list[bytes] | None]:
        """Return what is served in this state, and nothing else."""
        known = super().extensions()
        found: dict[bytes, list[bytes] | None] = {
            b"PIPELINING": None, b"SIZE": [b"%d" % self.context.config.limits.message], b"8BITMIME": None,
            b"SMTPUTF8": None, b"ENHANCEDSTATUSCODES": None, b"DSN": None, b"CHUNKING": None}
        if b"STARTTLS" in known:
            found[b"STARTTLS"] = None
        if self.login is None and (self.secure or self.context.plain_auth_allowed):
            found[b"AUTH"] = known[b"AUTH"]
        found[b"HELP"] = None
        return found

    def _ehlo(self) -> bytes:
        state = self.secure, self.login is not None
        known = self.context.ehlo.get(state)
        if known is None:
            lines = self.listExtensions().decode("ascii").split("\n")
            known = self.context.ehlo[state] = replies.reply(250, "", self.context.config.server.domain, *lines)
        return known

    def do_STARTTLS(self, rest: bytes) -> None:
        """RFC 3207: nothing from before counts afterwards."""
        if rest.strip(b" "):
            raise CommandRefused(replies.NO_ARGUMENT)
        if self.secure:
            raise CommandRefused(replies.TLS_ALREADY)
        if self.ctx is None:
            raise CommandRefused(replies.NO_TLS)
        if not self.helo:
            raise CommandRefused(replies.HELLO_FIRST)
        fault = self.faults.fault("starttls", self.faults.default_universe())
        if fault is not None and fault.certificate:
            self._start_tls(fault.certificate)
        else:
            self.faults.apply(fault, self._start_tls)

    def _start_tls(self, flaw: str = "") -> None:
        self.pump.say(replies.START_TLS)
        self.secure = self.startedTLS = True
        self.helo, self.faults.login, self.authenticated = "", None, False
        self.pump.longest = self.context.config.limits.command
        self.mail.reset()
        self.pump.start_tls(self.ctx.flawed(flaw) if flaw else self.ctx)

    def do_AUTH(self, rest: bytes) -> None:
        """RFC 4954 section 4."""
        if not self.helo:
            raise CommandRefused(replies.HELLO_FIRST)
        if self.login is not None:
            raise CommandRefused(replies.AUTH_ALREADY)
        if self.mail.transaction is not None:
            raise CommandRefused(replies.AUTH_IN_TRANSACTION)
        mechanism, _, initial = rest.strip(b" ").partition(b" ")
        if not mechanism:
            raise CommandRefused(replies.NEED_ARGUMENT)
        challenger = self.challengers.get(mechanism.upper())
        if challenger is None:
            raise CommandRefused(replies.AUTH_UNKNOWN)
        if not (self.secure or self.context.plain_auth_allowed):
            raise CommandRefused(replies.AUTH_NEEDS_TLS)
        self._exchange = SaslExchange(challenger())
        self.pump.take = self._response
        prompt = self._exchange.prompt()
        if initial:
            self._respond(b"" if initial == b"=" else initial)
        else:
            self.pump.say(prompt)

    def _response(self) -> bool:
        """Take one line of an AUTH exchange."""
        pump = self.pump
        try:
            line = pump.line()
            if line is None:
                return False
            check(line)
            self._respond(line)
        except CommandRefused as refused:
            pump.take = self._exchange = None
            pump.refuse(refused.reply)
        pump.deadline = self.context.reactor.seconds() + self.context.timeout
        return True

    def _respond(self, line: bytes) -> None:
        exchange = self._exchange
        assert exchange is not None
        try:
            credentials = exchange.respond(line)
        except CommandRefused:
            self.pump.take = self._exchange = None
            raise
        if credentials is None:
            self.pump.say(exchange.prompt())
        else:
            self.pump.take = self._exchange = None
            universe = self.context.server.default_universe(credentials.username)
            self.faults.apply(self.faults.fault("auth", universe, login=credentials.username),
                              lambda: self.pump.wait(self._sign_in(credentials)))

    async def _sign_in(self, credentials: Credentials) -> bytes:
        config = self.context.config
        try:
            login = await log_in(self.portal, credentials.challenge, self.remote)
        except Elsewhere as elsewhere:
            challenge = credentials.challenge
            again = b"\0%b\0%b" % (challenge.username, challenge.password)
            return await self._relocate(
                elsewhere, b"" if elsewhere.login else b"AUTH PLAIN %b\r\n" % b2a_base64(again, newline=False),
                replies.AUTH_AWAY)
        except Exception as error:
            reply = replies.of_login(error)
            if isinstance(error, (Unauthenticated, TooMany)):
                self.failures += 1
                if self.failures >= config.smtp.login_attempts or isinstance(error, TooMany):
                    self.pump.finish(replies.TOO_MANY_LOGINS)
                    return b""
                if self.failures > 1:
                    await self.pump.sleep(min(FIRST_PENALTY * 2 ** (self.failures - 2), LONGEST_PENALTY))
            return self.pump.defect("a login failed") if reply is None else reply
        return self.sign_in(login)

    def sign_in(self, login: Login) -> bytes:
        """Take note of who has signed in; answers the reply."""
        self.faults.login, self.authenticated = login, True
        self.pump.longest = self.context.config.limits.command_after_login
        return replies.SIGNED_IN

    async def _relocate(self, elsewhere: Elsewhere, command: bytes, away: bytes) -> bytes:
        """Go on in another process; answers C{away} where that is away."""
        try:
            await relocate(self, elsewhere, command)
        except Unavailable:
            return away
        return b""

    # The transaction

    def do_MAIL(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.2."""
        context = self.context
        if not self.helo:
            raise CommandRefused(replies.HELLO_FIRST)
        try:
            self.faults.follow()
        except Elsewhere:
            self.pump.finish(replies.MOVED)
            return
        if self.mail.transaction is not None:
            raise CommandRefused(replies.NESTED_MAIL)
        if self.login is None and context.auth_required:
            raise CommandRefused(replies.AUTH_FIRST)
        if not context.database.healthy:
            raise CommandRefused(context.unavailable_reply())
        mail = mail_from(rest)
        if mail.size > context.config.limits.message:
            raise CommandRefused(replies.TOO_LARGE)
        self._check_sender(mail)
        faults = self.faults
        faults.apply(faults.fault("mail", faults.default_universe(), sender=mail.address), self._begin, mail)

    def _begin(self, mail: MailFrom) -> None:
        self.begin(mail)
        self.pump.say(replies.SENDER_OK)

    def begin(self, mail: MailFrom, rejected: bool = False) -> None:
        """Begin a transaction; C{rejected}: a recipient was refused already."""
        peer = Peer(self.helo, self.remote, self.extended, self.secure, self.login is not None)
        self.mail.transaction = Transaction(mail, self.context.server, self.login, peer)
        self.mail.transaction.rejected = rejected

    def _check_sender(self, mail: MailFrom) -> None:
        login = self.login
        if login is None or not mail.address or self.context.config.smtp.sender == "any":
            return
        account = login.universe.policy.account(login.address)
        if mail.address != login.address and (account is None or mail.address not in account.aliases):
            raise CommandRefused(replies.NOT_YOUR_ADDRESS)

    def do_RCPT(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.3."""
        transaction, context = self.mail.transaction, self.context
        if transaction is None:
            raise CommandRefused(replies.MAIL_FIRST)
        if self.pump.body is not None:
            raise CommandRefused(replies.BDAT_BEGUN)
        if not context.database.healthy:
            self.pump.say(self.context.unavailable_reply())
            return
        rcpt = rcpt_to(rest, context.config.server.domain, transaction.mail.utf8)
        if len(transaction) >= context.config.limits.recipients:
            # No useless command: the client sends to those it has, and to the others afterwards.
            self.pump.say(replies.TOO_MANY_RECIPIENTS)
            return
        try:
            universe = transaction.universe(rcpt.address)
        except NotFound:
            self.pump.say(replies.NOWHERE)
        except Elsewhere:
            self.pump.go_on_after(self._recipient_somewhere(transaction, rcpt, rest))
        else:
            self._recipient(transaction, rcpt, universe)

    async def _recipient_somewhere(self, transaction: Transaction, rcpt: RcptTo, rest: bytes) -> Callable[[], None]:
        """See to a recipient of whom it is not known here which process has the universe; answers what to do then."""
        server = self.context.server
        try:
            universe = server.universe(await server.find(rcpt.address))
            return partial(self._recipient, transaction, rcpt, universe)
        except NotFound:
            reply = replies.NOWHERE
        except Elsewhere as elsewhere:
            # One process takes a message: the client sends it to the others in a transaction of their own.
            reply = replies.TOO_MANY_RECIPIENTS if len(transaction) else await self._relocate(
                elsewhere, b"RCPT %b\r\n" % rest, replies.AWAY)
        except Unavailable:
            reply = replies.AWAY
        return partial(self.pump.say, reply)

    def _recipient(self, transaction: Transaction, rcpt: RcptTo, universe: Universe) -> None:
        if not universe.faults.rules:
            self._add(transaction, rcpt, universe)
            return
        fault = self.faults.fault("rcpt", universe, sender=transaction.mail.address, recipient=rcpt.address)
        if fault is not None and fault.kind in ANSWERING:
            transaction.rejected = True
        self.faults.apply(fault, self._add, transaction, rcpt, universe)

    def _add(self, transaction: Transaction, rcpt: RcptTo, universe: Universe) -> None:
        try:
            transaction.add(rcpt, universe)
            self.pump.say(replies.RECIPIENT_OK)
        except CommandRefused as refused:
            # Bad recipients are what a test is about: they never end a session.
            self.pump.say(refused.reply)

    def do_DATA(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.4."""
        if rest.strip(b" "):
            raise CommandRefused(replies.NO_ARGUMENT)
        self.mail.data()

    def do_BDAT(self, rest: bytes) -> None:
        """RFC 3030 section 2."""
        self.mail.bdat(rest)

    # Everything else

    def do_RSET(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.5."""
        self.mail.reset()
        self.pump.refuse(replies.RESET)

    def do_NOOP(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.9."""
        self.pump.refuse(replies.OK)

    def do_VRFY(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.6: nobody is given away."""
        self.pump.refuse(replies.CANNOT_VERIFY if rest.strip(b" ") else replies.NEED_ARGUMENT)

    def do_HELP(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.8."""
        self.pump.refuse(replies.HELP)

    def do_EXPN(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.7, and others that nobody serves."""
        self.pump.refuse(replies.NOT_IMPLEMENTED)

    def do_QUIT(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.10."""
        self.pump.say(replies.BYE)
        self.pump.close()


VERBS: Mapping[bytes, Callable[[Session, bytes], None]] = MappingProxyType({
    b"HELO": Session.do_HELO, b"EHLO": Session.do_EHLO, b"STARTTLS": Session.do_STARTTLS, b"AUTH": Session.do_AUTH,
    b"MAIL": Session.do_MAIL, b"RCPT": Session.do_RCPT, b"DATA": Session.do_DATA, b"BDAT": Session.do_BDAT,
    b"RSET": Session.do_RSET, b"NOOP": Session.do_NOOP, b"VRFY": Session.do_VRFY, b"HELP": Session.do_HELP,
    b"QUIT": Session.do_QUIT,
    **dict.fromkeys((b"EXPN", b"TURN", b"ETRN", b"ATRN", b"SEND", b"SAML", b"SOML"), Session.do_EXPN),
})
