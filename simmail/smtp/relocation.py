"""
A session that goes on in another process, which has the universe of its login or of its first recipient.

What the client has said there before it is not asked again: its greeting, its login and sender go with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import convert, to_builtins

from simmail.errors import Elsewhere, Refusal
from simmail.interfaces import Handover
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom
from simmail.smtp.context import SmtpContext
from simmail.smtp.protocol import Pump
from simmail.smtp.transaction import Reception

if TYPE_CHECKING:
    from simmail.server.signin import Login

#: A command that was given away so often is done nowhere.
MOST_HOPS = 4


class Relocated(Protocol):
    """What of a session goes with it."""

    context: SmtpContext
    pump: Pump
    mail: Reception
    transport: Any
    handover: Handover | None
    remote: str
    secure: bool
    helo: str
    extended: bool
    failures: int

    @property
    def login(self) -> Login | None:
        """Who signed in, None for nobody."""

    def sign_in(self, login: Login) -> bytes:
        """Take note of who has signed in; answers the reply."""

    def begin(self, mail: MailFrom, rejected: bool = False) -> None:
        """Begin a transaction; C{rejected}: a recipient was refused already."""


async def relocate(session: Relocated, elsewhere: Elsewhere, command: bytes) -> None:
    """
    Give a session to the process that has a universe.

    @param command: is done there, C{b""} where the client has signed in here.
    @raise Unavailable: that process is away.
    """
    context, pump, before = session.context, session.pump, session.handover
    hops = before.hops if before is not None and before.octets.startswith(command) else 0
    if context.peers is None or elsewhere.universe is None or hops >= MOST_HOPS:
        raise elsewhere

    login = elsewhere.login and (elsewhere.universe, *elsewhere.login)
    await context.peers.give(
        context.server.owner(elsewhere.universe), session.transport, pump.direct,
        lambda: _handover(session, command, login, hops + 1))


def _handover(
    session: Relocated, command: bytes = b"", login: tuple[str, str, str] | None = None, hops: int = 0
) -> Handover:
    transaction = session.mail.transaction
    return Handover(
        session.context.service.lower(), session.remote, command + bytes(session.pump.unread), session.secure, {
            "helo": session.helo, "extended": session.extended, "failures": session.failures,
            "mail": None if transaction is None else to_builtins(transaction.mail),
            "rejected": transaction is not None and transaction.rejected, "login": login}, hops)


def unbound(session: Relocated) -> Handover | None:
    """Return how a session that belongs nowhere yet goes on in any process, None for one that has to end here."""
    pump = session.pump
    bound = session.login is not None or session.mail.transaction is not None or pump.take is not None
    return None if bound or not (pump.is_idle() and pump.direct) else _handover(session)


def resume(session: Relocated, handover: Handover) -> None:
    """Go on where another process stopped; what was answered there is not said again."""
    state, pump = handover.state, session.pump
    session.helo, session.extended, session.failures = state["helo"], state["extended"], state["failures"]
    if state["login"]:
        pump.say(_signed_in(session, *state["login"]))
    if state["mail"] is not None:
        session.begin(convert(state["mail"], MailFrom), state["rejected"])
    pump.flush()
    if handover.octets:
        pump.receive(handover.octets)


def _signed_in(session: Relocated, universe_id: str, address: str, username: str) -> bytes:
    server = session.context.server
    try:
        return session.sign_in(server.signed_in(
            server.universe(universe_id), "smtp", username, address, session.remote))
    except Refusal as error:
        return replies.of_login(error) or replies.AUTH_AWAY
