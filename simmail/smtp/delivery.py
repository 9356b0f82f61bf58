"""
One mail transaction: from MAIL to the dot.

It knows who sends to whom and in which universe each recipient is; the post
office of each universe takes the message.  An authenticated session acts in
its login's universe, any other where the roster says the recipient belongs,
so one transaction may reach several.  Sources: RFC 5321 section 3.3;
decisions, section 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from simmail.core.completing import complete, header_end
from simmail.core.faults import FaultVerdict
from simmail.core.recipients import Verdict
from simmail.core.times import email_date
from simmail.smtp import replies
from simmail.smtp.params import MailFrom, RcptTo
from simmail.smtp.received import Peer, trace, traced
from simmail.smtp.replies import Refused
from simmail.universe.submission import DsnRequest, Recipient, Submission

if TYPE_CHECKING:
    from simmail.universe.roster import Login, Roster
    from simmail.universe.universe import Universe

NO_FAULTS: Mapping[str, FaultVerdict] = MappingProxyType({})


class Transaction:
    """
    The envelope of one message.

    @ivar mail: its MAIL command.
    @ivar rejected: whether a recipient was refused.
    """

    __slots__ = ("mail", "rejected", "_roster", "_login", "_recipients", "_reached")

    def __init__(self, mail: MailFrom, roster: Roster, login: Login | None) -> None:
        self.mail = mail
        self.rejected = False
        self._roster = roster
        self._login = login
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

        @raise Refused: its verdict, as a reply.
        """
        address = rcpt.address
        if address in self._recipients:
            return
        verdict = universe.policy.recipient(address, self.mail.address)
        if verdict.kind == "refuse":
            self.rejected = True
            universe.told("refused {recipient} from {sender}: {bad}", recipient=address, sender=self.mail.address,
                          bad=verdict.bad)
            raise Refused(replies.BAD[verdict.bad or "unknown"])
        self._reached[universe.id] = universe
        self._recipients[address] = (universe, Recipient(address, verdict, rcpt.notify, rcpt.orcpt))

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
        self, message: bytes, peer: Peer, server: str, number: Callable[[], str],
        faults: Mapping[str, FaultVerdict] = NO_FAULTS,
    ) -> bytes:
        """
        Hand the message to every universe it goes to; answers the reply once all have it.

        @param faults: what goes wrong with the delivery to an address.
        @raise Refusal, OSError: the first that does not take it.
        """
        answer = b""
        for universe, addresses in self.universes():
            fields = trace(
                self.mail.path, addresses, peer, server, number(), self.mail.utf8, universe.clock.now())
            octets = traced(fields, message)
            recipients = tuple(_treated(self._recipients[one][1], faults.get(one)) for one in addresses)
            accepted = await universe.postoffice.accept(self._submission(universe, recipients, octets, peer))
            answer = answer or replies.accepted(accepted.delivery_id)
            for kind in ("duplicate", "corrupt"):
                once_more = tuple(
                    self._recipients[one][1] for one in addresses if one in faults and faults[one].kind == kind)
                if once_more:
                    again = complete(octets, accepted.message_id, email_date(universe.clock.now()))
                    await universe.postoffice.accept(self._submission(
                        universe, once_more, again if kind == "duplicate" else _truncated(again), peer, again=True))
        return answer

    def _submission(
        self, universe: Universe, recipients: tuple[Recipient, ...], octets: bytes, peer: Peer, again: bool = False
    ) -> Submission:
        mail, login = self.mail, self._login
        return Submission(
            sender=mail.address, recipients=recipients, octets=octets, via="smtp",
            login=login.address if login is not None else None, remote=peer.remote,
            dsn=DsnRequest(mail.ret, mail.envid) if mail.ret or mail.envid else None,
            save_sent=universe.config.smtp.save_sent and not again, again=again)


def _treated(recipient: Recipient, fault: FaultVerdict | None) -> Recipient:
    """A recipient with what a fault makes of the delivery."""
    if fault is None:
        return recipient
    if fault.kind in ("discard", "corrupt"):
        # Of a message that is cut short, the short one is delivered afterwards.
        return replace(recipient, verdict=Verdict("discard"))
    if fault.kind == "bounce":
        return replace(recipient, verdict=Verdict(
            "bounce", said=f"{fault.code} {fault.enhanced} {fault.message}".replace("  ", " ")))
    return replace(recipient, late=fault.delay) if fault.kind == "late" else recipient


def _truncated(octets: bytes) -> bytes:
    """A message whose second half is lost; the header is whole."""
    end = max(header_end(octets) + 2, len(octets) // 2)
    return octets[:octets.rfind(b"\r\n", 0, end) + 2]
