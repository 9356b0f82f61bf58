"""
From DATA or BDAT to the 250: the message of a transaction is taken in and handed on.

Sources: RFC 5321 section 4.1.1.4, RFC 3030; decisions, section 20.
"""

from __future__ import annotations

from simmail.core.rules.faults import FaultVerdict
from simmail.errors import Refusal, Unavailable
from simmail.smtp import replies
from simmail.smtp.body import IncomingMessage
from simmail.smtp.context import SmtpContext
from simmail.smtp.fault_injection import ANSWERING, FaultInjection, fault_reply
from simmail.smtp.protocol import Pump
from simmail.smtp.replies import CommandRefused
from simmail.smtp.transaction import Transaction


class Reception:
    """
    Of one session.

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
        if not self._context.roster.available:
            self._pump.say(self._context.unavailable_reply())
            return
        self._faults.apply(self._faults.of_message(transaction, "data"), self._go_ahead, transaction)

    def _go_ahead(self, transaction: Transaction) -> None:
        self._receive(transaction)
        self._pump.take = self._dotted
        self._pump.say(replies.GO_AHEAD)

    def _receive(self, transaction: Transaction) -> None:
        """Begin a body; what will go wrong with it is decided here."""
        self._pump.body = IncomingMessage(self._context.config.limits)
        fault = self._faults.of_message(transaction, "body")
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
        elif not self._context.roster.available:
            self._chunk_refused = self._context.unavailable_reply()
        self._pump.take = self._counted
        if transaction is not None and not self._chunk_refused and self._pump.body is None:
            fault = self._faults.of_message(transaction, "data")
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
        elif not self._context.roster.available:
            self._pump.say(self._context.unavailable_reply())
        else:
            self._faults.apply(fault, self._hand_on, transaction, message)

    def _hand_on(self, transaction: Transaction, message: bytes) -> None:
        self._pump.wait(self._accept(transaction, message))

    async def _accept(self, transaction: Transaction, message: bytes) -> bytes:
        context = self._context
        faults = await self._faults.of_delivery(transaction)
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
