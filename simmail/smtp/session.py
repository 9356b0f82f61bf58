"""
The verbs of SMTP: what each may do when, and what it is answered.

Sources: RFC 5321 section 4.1, RFC 2920, RFC 3030 (BDAT), RFC 3207 (STARTTLS),
RFC 4954 (AUTH); decisions, sections 1, 20 and 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.core.rules.faults import FaultVerdict, Stage
from simmail.errors import NotFound, Refusal, TooMany, Unauthenticated, Unavailable
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom, RcptTo, mail_from, rcpt_to
from simmail.smtp.body import Body
from simmail.smtp.fault_injection import ANSWERING, Faulty, told
from simmail.smtp.protocol import SLICE, check
from simmail.smtp.replies import Refused
from simmail.smtp.sasl import Credentials, Exchange, MECHANISMS
from simmail.smtp.trace import Peer
from simmail.smtp.transaction import Transaction

if TYPE_CHECKING:
    from simmail.smtp.server import SmtpFactory
    from simmail.universe.universe import Universe

#: Real seconds before the answer to the second failed login of a connection; each further one waits twice as long.
FIRST_PENALTY, LONGEST_PENALTY = 0.5, 8.0


class Session(Faulty):
    """One client's conversation."""

    def __init__(self, factory: SmtpFactory, remote: str) -> None:
        super().__init__(factory, remote)
        self.helo = ""
        self.extended = False
        self._failures = 0
        self._transaction: Transaction | None = None
        self._exchange: Exchange | None = None
        self._body_fault: FaultVerdict | None = None
        self._chunk = self._left = 0
        self._last = False
        self._chunk_refused = b""

    # Who is there

    def greet(self) -> None:
        """Say the first words."""
        self.face(self.fault("connect", self.home(), tls=self.secure), self._greet)

    def _greet(self) -> None:
        self._say(self.factory.greeting)

    def do_HELO(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.1."""
        self._hello(rest, False)

    def do_EHLO(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.1."""
        self._hello(rest, True)

    def _hello(self, rest: bytes, extended: bool) -> None:
        name = rest.strip(b" ")
        if not name or b" " in name or min(name) < 0x20 or b"\x7f" in name:
            raise Refused(replies.NEED_ARGUMENT)
        self.useless()
        self.face(self.fault("helo", self.home()), self._welcome, name.decode("utf-8", "replace"), extended)

    def _welcome(self, name: str, extended: bool) -> None:
        self._reset()
        self.helo, self.extended = name, extended
        self._say(self.factory.ehlo(self.secure, self.login is not None) if extended else self.factory.helo)

    def do_STARTTLS(self, rest: bytes) -> None:
        """RFC 3207: nothing from before counts afterwards."""
        if rest.strip(b" "):
            raise Refused(replies.NO_ARGUMENT)
        if self.secure:
            raise Refused(replies.TLS_ALREADY)
        if self.factory.tls_context is None:
            raise Refused(replies.NO_TLS)
        if not self.helo:
            raise Refused(replies.HELLO_FIRST)
        fault = self.fault("starttls", self.home())
        if fault is not None and fault.certificate:
            self._start_tls(fault.certificate)
        else:
            self.face(fault, self._start_tls)

    def _start_tls(self, flaw: str = "") -> None:
        self._say(replies.START_TLS)
        self._flush()
        self._unread.clear()
        self._through = None
        self.secure = self.startedTLS = True
        self.helo, self.login = "", None
        self.longest = self.factory.config.limits.command
        self._reset()
        context = self.factory.tls_context
        self.transport.startTLS(context.flawed(flaw) if flaw else context)

    def do_AUTH(self, rest: bytes) -> None:
        """RFC 4954 section 4."""
        if not self.helo:
            raise Refused(replies.HELLO_FIRST)
        if self.login is not None:
            raise Refused(replies.AUTH_ALREADY)
        if self._transaction is not None:
            raise Refused(replies.AUTH_IN_TRANSACTION)
        mechanism, _, initial = rest.strip(b" ").partition(b" ")
        if not mechanism:
            raise Refused(replies.NEED_ARGUMENT)
        if mechanism.upper() not in MECHANISMS:
            raise Refused(replies.AUTH_UNKNOWN)
        if not (self.secure or self.factory.plain_auth_allowed):
            raise Refused(replies.AUTH_NEEDS_TLS)
        self._exchange = Exchange(mechanism.upper())
        self._take = Session._response
        if initial:
            self._respond(b"" if initial == b"=" else initial)
        else:
            self._say(self._exchange.challenge())

    def _response(self) -> bool:
        """Take one line of an AUTH exchange."""
        try:
            line = self._line()
            if line is None:
                return False
            check(line)
            self._respond(line)
        except Refused as refused:
            self._take, self._exchange = Session._command, None
            self._refuse(refused.reply)
        self.deadline = self.factory.reactor.seconds() + self.factory.timeout
        return True

    def _respond(self, line: bytes) -> None:
        exchange = self._exchange
        assert exchange is not None
        try:
            credentials = exchange.respond(line)
        except Refused:
            self._take, self._exchange = Session._command, None
            raise
        if credentials is None:
            self._say(exchange.challenge())
        else:
            self._take, self._exchange = Session._command, None
            fault = self.fault("auth", self.factory.home(credentials.username), login=credentials.username)
            self.face(fault, self._hand_in, credentials)

    def _hand_in(self, credentials: Credentials) -> None:
        self._wait(self._sign_in(credentials))

    async def _sign_in(self, credentials: Credentials) -> bytes:
        try:
            self.login = await self.factory.roster.sign_in(*credentials, "smtp", self.remote)
        except Exception as error:
            reply = replies.of_login(error)
            if isinstance(error, (Unauthenticated, TooMany)):
                self._failures += 1
                if self._failures >= self.factory.config.smtp.login_attempts or isinstance(error, TooMany):
                    self.finish(replies.TOO_MANY_LOGINS)
                    return b""
                if self._failures > 1:
                    await self.rest(min(FIRST_PENALTY * 2 ** (self._failures - 2), LONGEST_PENALTY))
            return self.defect("a login failed") if reply is None else reply
        self.longest = self.factory.config.limits.command_after_login
        return replies.SIGNED_IN

    # The transaction

    def do_MAIL(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.2."""
        factory = self.factory
        if not self.helo:
            raise Refused(replies.HELLO_FIRST)
        if self._transaction is not None:
            raise Refused(replies.NESTED_MAIL)
        if self.login is None and factory.auth_required:
            raise Refused(replies.AUTH_FIRST)
        if not factory.roster.available:
            raise Refused(factory.away())
        mail = mail_from(rest)
        if mail.size > factory.config.limits.message:
            raise Refused(replies.TOO_LARGE)
        self._check_sender(mail)
        self.face(self.fault("mail", self.home(), sender=mail.address), self._begin, mail)

    def _begin(self, mail: MailFrom) -> None:
        self._transaction = Transaction(mail, self.factory.roster, self.login)
        self._say(replies.SENDER_OK)

    def _check_sender(self, mail: MailFrom) -> None:
        login = self.login
        if login is None or not mail.address or self.factory.config.smtp.sender == "any":
            return
        account = login.universe.policy.account(login.address)
        if mail.address != login.address and (account is None or mail.address not in account.aliases):
            raise Refused(replies.NOT_YOUR_ADDRESS)

    def do_RCPT(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.3."""
        transaction, factory = self._transaction, self.factory
        if transaction is None:
            raise Refused(replies.MAIL_FIRST)
        if self._body is not None:
            raise Refused(replies.BDAT_BEGUN)
        if not factory.roster.available:
            self._say(self.factory.away())
            return
        rcpt = rcpt_to(rest, factory.config.server.domain, transaction.mail.utf8)
        if len(transaction) >= factory.config.limits.recipients:
            # No useless command: the client sends to those it has, and to the others afterwards.
            self._say(replies.TOO_MANY_RECIPIENTS)
            return
        try:
            universe = transaction.universe(rcpt.address)
        except NotFound:
            self._say(replies.NOWHERE)
            return
        if not universe.faults.rules:
            self._add(transaction, rcpt, universe)
            return
        fault = self.fault("rcpt", universe, sender=transaction.mail.address, recipient=rcpt.address)
        if fault is not None and fault.kind in ANSWERING:
            transaction.rejected = True
        self.face(fault, self._add, transaction, rcpt, universe)

    def _add(self, transaction: Transaction, rcpt: RcptTo, universe: Universe) -> None:
        try:
            transaction.add(rcpt, universe)
            self._say(replies.RECIPIENT_OK)
        except Refused as refused:
            # Bad recipients are what a test is about: they never end a session.
            self._say(refused.reply)

    def do_DATA(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.4."""
        transaction = self._transaction
        if rest.strip(b" "):
            raise Refused(replies.NO_ARGUMENT)
        if self._body is not None:
            raise Refused(replies.BDAT_BEGUN)
        if transaction is None:
            raise Refused(replies.MAIL_FIRST)
        if not transaction:
            raise Refused(replies.NO_VALID_RECIPIENTS if transaction.rejected else replies.RECIPIENT_FIRST)
        if not self.factory.roster.available:
            self._say(self.factory.away())
            return
        self.face(self._fault_of_data(transaction, "data"), self._go_ahead, transaction)

    def _fault_of_data(self, transaction: Transaction, stage: Stage) -> FaultVerdict | None:
        for universe, addresses in transaction.faulty():
            fault = self.fault(stage, universe, sender=transaction.mail.address, recipients=addresses)
            if fault is not None:
                return fault
        return None

    def _go_ahead(self, transaction: Transaction) -> None:
        self._receive(transaction)
        self._take = Session._dotted
        self._say(replies.GO_AHEAD)

    def _receive(self, transaction: Transaction) -> None:
        """Begin a body; what will go wrong with it is decided here."""
        self._body = Body(self.factory.config.limits)
        fault = self._fault_of_data(transaction, "body")
        if fault is not None and fault.kind == "throttle":
            self._pace, fault = fault.bytes_per_second, None
        self._body_fault = fault
        if self._pace and self._unread:
            # What came with the command takes its time too.
            self.came(len(self._unread))

    def _dotted(self) -> bool:
        """Take what has come of the message."""
        assert self._body is not None
        if self._breaks_off():
            return False
        if not self._body.dotted(self._unread):
            return False
        self._complete()
        return True

    def _breaks_off(self) -> bool:
        """Whether a fault ends the connection in the middle of the message."""
        fault = self._body_fault
        if fault is None or fault.kind != "drop" or not self._unread:
            return False
        self.drop()
        return True

    def do_BDAT(self, rest: bytes) -> None:
        """RFC 3030 section 2: a chunk is taken whatever the answer to it is."""
        count, _, last = rest.strip(b" ").partition(b" ")
        if not (count.isdigit() and len(count) <= 15) or last.strip(b" ").upper() not in (b"", b"LAST"):
            # What follows cannot be told from commands.
            self._say(replies.BAD_BDAT)
            self._close()
            return
        transaction, limits = self._transaction, self.factory.config.limits
        self._chunk = self._left = int(count)
        self._last = bool(last)
        self._chunk_refused = b""
        if transaction is None:
            self._chunk_refused = replies.MAIL_FIRST
        elif not transaction:
            self._chunk_refused = (
                replies.NO_VALID_RECIPIENTS if transaction.rejected else replies.RECIPIENT_FIRST)
        elif not self.factory.roster.available:
            self._chunk_refused = self.factory.away()
        self._take = Session._counted
        if transaction is not None and not self._chunk_refused and self._body is None:
            fault = self._fault_of_data(transaction, "data")
            if fault is not None and fault.kind in ANSWERING:
                self._chunk_refused = told(fault)
                return
            self.face(fault, self._receive, transaction)
        if self._body is not None and self._body.size + self._chunk > limits.message:
            self._chunk_refused = replies.TOO_LARGE

    def _counted(self) -> bool:
        """Take what has come of the chunk."""
        if self._left:
            if self._breaks_off():
                return False
            buffer = self._unread
            if self._chunk_refused or self._body is None:
                taken = min(self._left, len(buffer))
                del buffer[:taken]
                # Octets that lead to nothing still have to come at some speed.
                self.deadline = self.factory.reactor.seconds() + self.factory.timeout
            else:
                taken = self._body.counted(buffer, self._left)
            self._left -= taken
            if self._left:
                return False
        self._take = Session._command
        refused = self._chunk_refused or (self._body.problem if self._body is not None else b"")
        if refused:
            self._reset()
            self._refuse(refused)
            if refused.startswith(b"421"):
                self._close()
        elif self._last:
            self._complete()
        else:
            self._say(replies.chunk(self._chunk))
        return True

    def _complete(self) -> None:
        """The message is there: hand it on."""
        body, transaction, fault = self._body, self._transaction, self._body_fault
        assert body is not None and transaction is not None
        message = body.octets()
        self._take = Session._command
        self._reset()
        if body.problem:
            transaction.refused(body.problem)
            self._refuse(body.problem)
        elif not self.factory.roster.available:
            self._say(self.factory.away())
        else:
            self.face(fault, self._hand_on, transaction, message)

    def _hand_on(self, transaction: Transaction, message: bytes) -> None:
        self._wait(self._accept(transaction, message))

    async def _accept(self, transaction: Transaction, message: bytes) -> bytes:
        factory = self.factory
        faults = await self._faults_of_delivery(transaction)
        for fault in faults.values():
            if fault.kind in ANSWERING:
                self._say(told(fault))
                if fault.code == 421:
                    self._close()
                return b""
        delay = max((fault.delay for fault in faults.values() if fault.kind == "delay"), default=0.0)
        if delay:
            await self.rest(delay)
        peer = Peer(self.helo, self.remote, self.extended, self.secure, self.login is not None)
        try:
            answer = await transaction.accept(message, peer, factory.config.server.domain, faults)
        except (Refusal, OSError) as error:
            reply = replies.of_error(error)
            if reply is None:
                return self.defect("a message was not taken")
            if isinstance(error, Unavailable):
                reply = factory.away(len(message))
            transaction.refused(reply)
            return reply
        self._idle = 0
        for fault in faults.values():
            # The message is delivered, its sender is never told so.
            if fault.kind == "drop":
                self.drop()
            elif fault.kind == "hang":
                await self.never()
        return answer

    async def _faults_of_delivery(self, transaction: Transaction) -> dict[str, FaultVerdict]:
        found = {}
        until = self.factory.reactor.seconds() + SLICE
        for universe, addresses in transaction.faulty():
            for address in addresses:
                if self.factory.reactor.seconds() > until:
                    await self.rest(0)
                    until = self.factory.reactor.seconds() + SLICE
                fault = self.fault("deliver", universe, sender=transaction.mail.address, recipient=address)
                if fault is not None:
                    found[address] = fault
        return found

    # Everything else

    def do_RSET(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.5."""
        self._reset()
        self._refuse(replies.RESET)

    def do_NOOP(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.9."""
        self._refuse(replies.OK)

    def do_VRFY(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.6: nobody is given away."""
        self._refuse(replies.CANNOT_VERIFY if rest.strip(b" ") else replies.NEED_ARGUMENT)

    def do_HELP(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.8."""
        self._refuse(replies.HELP)

    def do_EXPN(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.7, and others that nobody serves."""
        self._refuse(replies.NOT_IMPLEMENTED)

    def do_QUIT(self, rest: bytes) -> None:
        """RFC 5321 section 4.1.1.10."""
        self._say(replies.BYE)
        self._close()

    def _reset(self) -> None:
        self._transaction = self._body_fault = None
        self._pace = self._owed = 0
        if self._body is not None:
            self._body.close()
            self._body = None

    verbs = {
        b"HELO": do_HELO, b"EHLO": do_EHLO, b"STARTTLS": do_STARTTLS, b"AUTH": do_AUTH,
        b"MAIL": do_MAIL, b"RCPT": do_RCPT, b"DATA": do_DATA, b"BDAT": do_BDAT, b"RSET": do_RSET,
        b"NOOP": do_NOOP, b"VRFY": do_VRFY, b"HELP": do_HELP, b"QUIT": do_QUIT,
        b"EXPN": do_EXPN, b"TURN": do_EXPN, b"ETRN": do_EXPN, b"ATRN": do_EXPN, b"SEND": do_EXPN, b"SAML": do_EXPN,
        b"SOML": do_EXPN,
    }
