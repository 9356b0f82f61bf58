"""
One mail transaction: from MAIL to the 250.

A L{Transaction} knows who sends to whom and in which universe each recipient is; the post office of each universe
takes the message.  An authenticated session acts in its login's universe, any other where the server says the
recipient belongs, so one transaction may reach several.  L{Reception} takes its message in, by DATA or BDAT.  In front
of it goes the trace: all recipients share one file, and this server is the last one on the way, so Return-Path and
Received are put there once; mail sent through the API has neither.
Sources: RFC 5321 sections 3.3, 4.1.1.4 and 4.4, RFC 3030; decisions, sections 1 and 20.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from simmail.core.compose.complete import without
from simmail.core.mime.headers import fields_end
from simmail.core.rules.fault_rule import Stage
from simmail.core.rules.faults import FaultVerdict
from simmail.core.time.instant import email_date
from simmail.errors import Refusal, Unavailable
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom, RcptTo
from simmail.smtp.body import FIELD, IncomingMessage
from simmail.smtp.context import SmtpContext
from simmail.smtp.fault_injection import ANSWERING, FaultInjection, fault_reply
from simmail.smtp.protocol import Pump, SLICE
from simmail.smtp.replies import CommandRefused
from simmail.universe.mailflow.envelope import DsnRequest, Recipient, Submission

if TYPE_CHECKING:
    from simmail.server.server import MailServer
    from simmail.server.signin import Login
    from simmail.universe.universe import Universe

#: What a HELO name may look like to be repeated, for names of the peer are what it said; else it is C{unknown}.
_HARMLESS = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")

NO_FAULTS: Mapping[str, FaultVerdict] = MappingProxyType({})

#: Faults of delivery that the post office sees to; the others are part of the conversation.
POSTED = frozenset(("discard", "duplicate", "late", "corrupt", "bounce"))


class Peer(NamedTuple):
    """Who hands a message in, and how (RFC 3848, RFC 6531 section 4.3)."""

    helo: str
    remote: str
    extended: bool = True
    tls: bool = False
    signed_in: bool = False


class Transaction:
    """
    The envelope of one message.

    @ivar mail: its MAIL command.
    @param peer: who hands the message in.
    @ivar rejected: whether a recipient was refused.
    """

    __slots__ = ("mail", "rejected", "_server", "_login", "_peer", "_recipients", "_reached")

    def __init__(self, mail: MailFrom, server: MailServer, login: Login | None, peer: Peer) -> None:
        self.mail = mail
        self.rejected = False
        self._server = server
        self._login = login
        self._peer = peer
        self._recipients: dict[str, tuple[Universe, Recipient]] = {}
        self._reached: dict[str, Universe] = {}

    def __len__(self) -> int:
        return len(self._recipients)

    def universe(self, address: str) -> Universe:
        """Where an address belongs."""
        return self._login.universe if self._login is not None else self._server.route(address)

    def add(self, rcpt: RcptTo, universe: Universe) -> None:
        """
        One more recipient; one that is there already is not added again.

        @raise CommandRefused: its verdict, as a reply.
        """
        address = rcpt.address
        if address in self._recipients:
            return
        verdict = universe.policy.recipient(address, self.mail.address)
        if verdict.kind == "refuse":
            self.rejected = True
            universe.postoffice.refused(address, self.mail.address, verdict)
            universe.mail_log.line("refused {recipient} from {sender}: {bad}", recipient=address,
                                   sender=self.mail.address, bad=verdict.bad)
            raise CommandRefused(replies.BAD[verdict.bad or "unknown"])
        self._reached[universe.id] = universe
        self._recipients[address] = (universe, Recipient(address, verdict, rcpt.notify, rcpt.orcpt))

    def refused(self, reply: bytes) -> None:
        """Tell the mail log that the message was not taken."""
        for universe, addresses in self.universes():
            universe.mail_log.line(
                "refused a message from {sender} for {recipients}: {reply}", sender=self.mail.address,
                recipients=len(addresses), reply=reply.decode("ascii", "replace").strip())

    def universes(self) -> list[tuple[Universe, tuple[str, ...]]]:
        """Each universe that is reached, with the addresses in it."""
        if len(self._reached) == 1:
            # As nearly always.
            return [(universe, tuple(self._recipients)) for universe in self._reached.values()]
        found: dict[str, tuple[Universe, list[str]]] = {}
        for address, (universe, _) in self._recipients.items():
            found.setdefault(universe.id, (universe, []))[1].append(address)
        return [(universe, tuple(addresses)) for universe, addresses in found.values()]

    def faulty(self) -> list[tuple[Universe, tuple[str, ...]]]:
        """The same, when any of them has fault rules; else nothing."""
        for universe in self._reached.values():
            if universe.faults.rules:
                return self.universes()
        return []

    async def accept(
        self, message: bytes, server: str, faults: Mapping[str, FaultVerdict] = NO_FAULTS,
    ) -> bytes:
        """
        Hand the message to every universe it goes to; answers the reply once all have it.

        @param faults: what goes wrong with the delivery to an address.
        @raise Refusal, OSError: the first that does not take it.
        """
        mail, login, peer = self.mail, self._login, self._peer
        dsn = DsnRequest(mail.ret, mail.envid) if mail.ret or mail.envid else None
        answer = b""
        for universe, addresses in self.universes():
            name = universe.unique()
            fields = trace(mail.path, addresses, peer, server, name, mail.utf8, universe.clock.now())
            accepted = await universe.postoffice.accept(Submission(
                sender=mail.address, recipients=self._envelope(addresses, faults),
                octets=traced(fields, message), via="smtp", login=login.address if login is not None else None,
                remote=peer.remote, dsn=dsn, save_sent=universe.config.smtp.save_sent, id=name))
            answer = answer or replies.accepted(accepted.delivery_id)
        return answer

    def _recipient(self, address: str, faults: Mapping[str, FaultVerdict]) -> Recipient:
        recipient, fault = self._recipients[address][1], faults.get(address)
        return recipient if fault is None or fault.kind not in POSTED else replace(recipient, fault=fault)

    def _envelope(self, addresses: tuple[str, ...], faults: Mapping[str, FaultVerdict]) -> tuple[Recipient, ...]:
        if faults:
            return tuple([self._recipient(one, faults) for one in addresses])
        known = self._recipients
        return tuple([known[one][1] for one in addresses])


class Reception:
    """
    How one session takes messages in.

    @ivar transaction: the one that is under way, None for none.
    """

    def __init__(self, context: SmtpContext, pump: Pump, faults: FaultInjection) -> None:
        self.transaction: Transaction | None = None
        self._context = context
        self._pump = pump
        self._faults = faults
        self._body_fault: FaultVerdict | None = None
        self._chunk = self._left = 0
        self._last = False
        self._chunk_refused = b""

    def reset(self) -> None:
        """Forget the transaction and what has come of its message."""
        self.transaction = self._body_fault = None
        self._pump.close_body()

    def data(self) -> None:
        """Take a message by DATA.  @raise CommandRefused: it is not its time."""
        transaction = self.transaction
        if self._pump.body is not None:
            raise CommandRefused(replies.BDAT_BEGUN)
        if transaction is None:
            raise CommandRefused(replies.MAIL_FIRST)
        if not transaction:
            raise CommandRefused(replies.NO_VALID_RECIPIENTS if transaction.rejected else replies.RECIPIENT_FIRST)
        if not self._context.database.healthy:
            self._pump.say(self._context.unavailable_reply())
            return
        self._faults.apply(self._fault(transaction, "data"), self._go_ahead, transaction)

    def _go_ahead(self, transaction: Transaction) -> None:
        self._receive(transaction)
        self._pump.take = self._dotted
        self._pump.say(replies.GO_AHEAD)

    def _receive(self, transaction: Transaction) -> None:
        """Begin a body; what will go wrong with it is decided here."""
        self._pump.body = IncomingMessage(self._context.config.limits)
        fault = self._fault(transaction, "body")
        if fault is not None and fault.kind == "throttle":
            self._pump.bytes_per_second, fault = fault.bytes_per_second, None
        self._body_fault = fault
        if self._pump.bytes_per_second and self._pump.unread:
            # What came with the command takes its time too.
            self._pump.arrived(len(self._pump.unread))

    def _dotted(self) -> bool:
        """Take what has come of the message."""
        assert self._pump.body is not None
        if self._breaks_off():
            return False
        if not self._pump.body.dotted(self._pump.unread):
            return False
        self._complete()
        return True

    def _breaks_off(self) -> bool:
        """Whether a fault ends the connection in the middle of the message."""
        fault = self._body_fault
        if fault is None or fault.kind != "drop" or not self._pump.unread:
            return False
        self._pump.drop()
        return True

    def bdat(self, rest: bytes) -> None:
        """Take a chunk of a message; it is taken whatever the answer to it is."""
        count, _, last = rest.strip(b" ").partition(b" ")
        if not (count.isdigit() and len(count) <= 15) or last.strip(b" ").upper() not in (b"", b"LAST"):
            # What follows cannot be told from commands.
            self._pump.say(replies.BAD_BDAT)
            self._pump.close()
            return
        transaction, limits = self.transaction, self._context.config.limits
        self._chunk = self._left = int(count)
        self._last = bool(last)
        self._chunk_refused = b""
        if transaction is None:
            self._chunk_refused = replies.MAIL_FIRST
        elif not transaction:
            self._chunk_refused = (
                replies.NO_VALID_RECIPIENTS if transaction.rejected else replies.RECIPIENT_FIRST)
        elif not self._context.database.healthy:
            self._chunk_refused = self._context.unavailable_reply()
        self._pump.take = self._counted
        if transaction is not None and not self._chunk_refused and self._pump.body is None:
            fault = self._fault(transaction, "data")
            if fault is not None and fault.kind in ANSWERING:
                self._chunk_refused = fault_reply(fault)
                return
            self._faults.apply(fault, self._receive, transaction)
        if self._pump.body is not None and self._pump.body.size + self._chunk > limits.message:
            self._chunk_refused = replies.TOO_LARGE

    def _counted(self) -> bool:
        """Take what has come of the chunk."""
        if self._left:
            if self._breaks_off():
                return False
            buffer = self._pump.unread
            if self._chunk_refused or self._pump.body is None:
                taken = min(self._left, len(buffer))
                del buffer[:taken]
                # Octets that lead to nothing still have to come at some speed.
                self._pump.deadline = self._context.reactor.seconds() + self._context.timeout
            else:
                taken = self._pump.body.counted(buffer, self._left)
            self._left -= taken
            if self._left:
                return False
        self._pump.take = None
        refused = self._chunk_refused or (self._pump.body.problem if self._pump.body is not None else b"")
        if refused:
            self.reset()
            self._pump.refuse(refused)
            if refused.startswith(b"421"):
                self._pump.close()
        elif self._last:
            self._complete()
        else:
            self._pump.say(replies.chunk(self._chunk))
        return True

    def _complete(self) -> None:
        """The message is there: hand it on."""
        body, transaction, fault = self._pump.body, self.transaction, self._body_fault
        assert body is not None and transaction is not None
        message = body.octets()
        self._pump.take = None
        self.reset()
        if body.problem:
            transaction.refused(body.problem)
            self._pump.refuse(body.problem)
        elif not self._context.database.healthy:
            self._pump.say(self._context.unavailable_reply())
        else:
            self._faults.apply(fault, lambda: self._pump.wait(self._accept(transaction, message)))

    def _fault(self, transaction: Transaction, stage: Stage) -> FaultVerdict | None:
        """Return the first fault that any universe has for the message, before its delivery."""
        for universe, addresses in transaction.faulty():
            fault = self._faults.fault(stage, universe, sender=transaction.mail.address, recipients=addresses)
            if fault is not None:
                return fault
        return None

    async def _delivery_faults(self, transaction: Transaction) -> dict[str, FaultVerdict]:
        """Return the faults of the delivery to each address."""
        found = {}
        seconds = self._context.reactor.seconds
        until = seconds() + SLICE
        for universe, addresses in transaction.faulty():
            for address in addresses:
                if seconds() > until:
                    await self._pump.sleep(0)
                    until = seconds() + SLICE
                fault = self._faults.fault("deliver", universe, sender=transaction.mail.address, recipient=address)
                if fault is not None:
                    found[address] = fault
        return found

    async def _accept(self, transaction: Transaction, message: bytes) -> bytes:
        context = self._context
        faults = await self._delivery_faults(transaction)
        for fault in faults.values():
            if fault.kind in ANSWERING:
                self._pump.say(fault_reply(fault))
                if fault.code == 421:
                    self._pump.close()
                return b""
        delay = max((fault.delay for fault in faults.values() if fault.kind == "delay"), default=0.0)
        if delay:
            await self._pump.sleep(delay)
        try:
            answer = await transaction.accept(message, context.config.server.domain, faults)
        except (Refusal, OSError) as error:
            reply = replies.of_error(error)
            if reply is None:
                return self._pump.defect("a message was not taken")
            if isinstance(error, Unavailable):
                reply = context.unavailable_reply(len(message))
            elif isinstance(error, OSError):
                self._pump.log.error("a message was not taken: {error}", error=error)
            transaction.refused(reply)
            return reply
        self._pump.forgive()
        for fault in faults.values():
            # The message is delivered, its sender is never told so.
            if fault.kind == "drop":
                self._pump.drop()
            elif fault.kind == "hang":
                await self._pump.hang()
        return answer


def trace(
    path: str, recipients: tuple[str, ...], peer: Peer, server: str, message_id: str, utf8: bool, now: datetime
) -> bytes:
    """
    The fields to put in front of a message.

    @param path: the reverse-path as spelled.
    @param recipients: a single one is named; of several none, for some may be Bcc.
    @param message_id: our name for the message, the one that the 250 tells.
    """
    helo = peer.helo if _HARMLESS.fullmatch(peer.helo) else "unknown"
    if utf8:
        protocol = "UTF8SMTP"
    else:
        protocol = "ESMTP" if peer.extended else "SMTP"
    protocol += "S" * peer.tls + "A" * peer.signed_in
    remote = f"IPv6:{peer.remote}" if ":" in peer.remote else peer.remote
    named = f"\r\n\tfor <{recipients[0]}>" if len(recipients) == 1 and (utf8 or recipients[0].isascii()) else ""
    return (
        f"Return-Path: <{path}>\r\n"
        f"Received: from {helo} ([{remote}])\r\n\tby {server} with {protocol} id {message_id}{named};\r\n"
        f"\t{email_date(now)}\r\n"
    ).encode()


def traced(fields: bytes, message: bytes) -> bytes:
    """
    A message with its trace in front.

    A Return-Path it brought along goes (RFC 5321 section 4.4 forbids it on the way); text that does not begin
    with a header field gets the blank line it lacks.
    """
    if FIELD.match(message, 0, 1000) is None and not message.startswith(b"\r\n"):
        return b"%b\r\n%b" % (fields, message)
    end = fields_end(message)
    header = message[:end]
    if (b"\n" + header.lower()).find(b"\nreturn-path") >= 0:
        return b"%b%b%b" % (fields, without(header, (b"return-path",)), message[end:] or b"\r\n")
    return fields + message
