"""
One mail transaction: from MAIL to the dot.

It knows who sends to whom and in which universe each recipient is; the post
office of each universe takes the message.  An authenticated session acts in
its login's universe, any other where the roster says the recipient belongs,
so one transaction may reach several.  Sources: RFC 5321 section 3.3;
decisions, section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from simmail.core.rules.faults import FaultVerdict
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom, RcptTo
from simmail.smtp.replies import CommandRefused
from simmail.smtp.trace import Peer, trace, traced
from simmail.universe.mailflow.envelope import DsnRequest, Recipient, Submission

if TYPE_CHECKING:
    from simmail.server.server import MailServer
    from simmail.server.signin import Login
    from simmail.universe.universe import Universe

NO_FAULTS: Mapping[str, FaultVerdict] = MappingProxyType({})

#: Faults of delivery that the post office sees to; the others are part of the conversation.
POSTED = frozenset(("discard", "duplicate", "late", "corrupt", "bounce"))


class Transaction:
    """
    The envelope of one message.

    @ivar mail: its MAIL command.
    @param peer: who hands the message in.
    @ivar rejected: whether a recipient was refused.
    """

    __slots__ = ("mail", "rejected", "_roster", "_login", "_peer", "_recipients", "_reached")

    def __init__(self, mail: MailFrom, roster: MailServer, login: Login | None, peer: Peer) -> None:
        self.mail = mail
        self.rejected = False
        self._roster = roster
        self._login = login
        self._peer = peer
        self._recipients: dict[str, tuple[Universe, Recipient]] = {}
        self._reached: dict[str, Universe] = {}

    def __len__(self) -> int:
        return len(self._recipients)

    def universe(self, address: str) -> Universe:
        """Where an address belongs."""
        return self._login.universe if self._login is not None else self._roster.route(address)

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
                sender=mail.address, recipients=tuple(self._recipient(one, faults) for one in addresses),
                octets=traced(fields, message), via="smtp", login=login.address if login is not None else None,
                remote=peer.remote, dsn=dsn, save_sent=universe.config.smtp.save_sent, id=name))
            answer = answer or replies.accepted(accepted.delivery_id)
        return answer

    def _recipient(self, address: str, faults: Mapping[str, FaultVerdict]) -> Recipient:
        recipient, fault = self._recipients[address][1], faults.get(address)
        if fault is None or fault.kind not in POSTED:
            return recipient
        return replace(recipient, fault=fault)
