"""
One mail transaction: from MAIL to the dot.

It knows who sends to whom and in which universe each recipient is; the post
office of each universe takes the message.  An authenticated session acts in
its login's universe, any other where the roster says the recipient belongs,
so one transaction may reach several.  Sources: RFC 5321 section 3.3;
decisions, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simmail.smtp import replies
from simmail.smtp.params import MailFrom, RcptTo
from simmail.smtp.received import Peer, trace, traced
from simmail.smtp.replies import Refused
from simmail.universe.submission import DsnRequest, Recipient, Submission

if TYPE_CHECKING:
    from simmail.universe.roster import Login, Roster
    from simmail.universe.universe import Universe


class Transaction:
    """
    The envelope of one message.

    @ivar mail: its MAIL command.
    @ivar rejected: whether a recipient was refused.
    """

    __slots__ = ("mail", "rejected", "_roster", "_login", "_recipients")

    def __init__(self, mail: MailFrom, roster: Roster, login: Login | None) -> None:
        self.mail = mail
        self.rejected = False
        self._roster = roster
        self._login = login
        self._recipients: dict[str, tuple[Universe, Recipient]] = {}

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
        self._recipients[address] = (universe, Recipient(address, verdict, rcpt.notify, rcpt.orcpt))

    async def accept(self, message: bytes, peer: Peer, server: str, number: Callable[[], str]) -> bytes:
        """
        Hand the message to every universe it goes to; answers the reply once all have it.

        @raise Refusal, OSError: the first that does not take it.
        """
        mail, login = self.mail, self._login
        universes: dict[str, tuple[Universe, list[Recipient]]] = {}
        for universe, recipient in self._recipients.values():
            universes.setdefault(universe.id, (universe, []))[1].append(recipient)
        dsn = DsnRequest(mail.ret, mail.envid) if mail.ret or mail.envid else None
        answer = b""
        for universe, recipients in universes.values():
            fields = trace(mail.path, tuple(one.address for one in recipients), peer, server, number(), mail.utf8,
                           universe.clock.now())
            accepted = await universe.postoffice.accept(Submission(
                sender=mail.address, recipients=tuple(recipients), octets=traced(fields, message), via="smtp",
                login=login.address if login is not None else None, remote=peer.remote, dsn=dsn,
                save_sent=universe.config.smtp.save_sent))
            answer = answer or replies.accepted(accepted.delivery_id)
        return answer
