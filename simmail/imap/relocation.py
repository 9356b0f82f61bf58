"""
A session that goes on in another process, which has the universe of its login.

The login is asked for there as it was asked for here, in literals; where it was right already, so much is said.
"""

from __future__ import annotations

from typing import Any

from twisted.cred.credentials import UsernamePassword

from simmail.errors import Elsewhere, Refusal
from simmail.imap.capability import capabilities
from simmail.imap.connection import ImapConnection
from simmail.imap.wire.replies import No
from simmail.interfaces import Handover

#: A session that was given away so often is served nowhere.
MOST_HOPS = 4


async def relocate(imap: ImapConnection, elsewhere: Elsewhere, credentials: UsernamePassword) -> None:
    """Give a session to the process that has a universe.  @raise Unavailable: that process is away."""
    context = imap.context
    if context.peers is None or context.server is None or elsewhere.universe is None or imap.hops >= MOST_HOPS:
        raise elsewhere
    name, password = credentials.username, credentials.password
    command = b"" if elsewhere.login else b"%b LOGIN {%d+}\r\n%b {%d+}\r\n%b\r\n" % (
        imap.tag, len(name), name, len(password), password)
    login = elsewhere.login and (elsewhere.universe, *elsewhere.login)
    await context.peers.give(
        context.server.owner(elsewhere.universe), imap.transport, imap.output.flush(),
        lambda: _handover(imap, command, login, imap.hops + 1))


def _handover(
    imap: ImapConnection, command: bytes = b"", login: tuple[str, str, str] | None = None, hops: int = 0
) -> Handover:
    return Handover("imaps" if imap.implicit_tls else "imap", imap.remote, command + imap.sent_ahead(), imap.tls,
                    {"failures": imap.failures, "tag": imap.tag, "login": login}, hops)


def unbound(imap: ImapConnection) -> Handover | None:
    """Return how a session goes on in any process in which nobody has signed in, None for one that has to end here."""
    reading = imap.input
    bound = imap.state != "unauth" or imap.closing or imap.paused or reading.gathering or reading.asked is not None
    return None if bound or not imap.output.flush() else _handover(imap)


def resume(imap: ImapConnection, state: dict[str, Any], receive: Any, octets: bytes) -> None:
    """
    Go on where another process stopped.

    @param receive: takes what the client has sent.
    """
    imap.failures = state["failures"]
    if state["login"]:
        universe_id, address, username = state["login"]
        server = imap.context.server
        assert server is not None
        imap.tag = state["tag"]
        try:
            imap.begin_session(server.signed_in(
                server.universe(universe_id), "imap", username, address, imap.remote))
            imap.answer(b"OK [CAPABILITY %b] Logged in" % b" ".join(capabilities(imap)))
        except Refusal as error:
            imap.answer(No(str(error), "UNAVAILABLE").line)
    if octets:
        receive(octets)
