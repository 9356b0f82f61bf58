"""
What goes wrong on purpose: fault rules applied to commands.

Which rule fires is C{core.rules.faults}' and the universe's; here is what it does
to a command.  Source: decisions, section 12.
"""

from __future__ import annotations

from simmail.core.rules.fault_rule import Stage
from simmail.core.rules.faults import FaultEvent
from simmail.imap.connection import ImapConnection
from simmail.imap.wire.replies import ClientGone, No

#: C{hang} lasts longer than any time-out: one of those ends the connection, without a word.
FOREVER = 10.0 ** 8


async def apply_fault(imap: ImapConnection, stage: Stage, username: str = "") -> None:
    """
    Do what a fault rule says before a command is done.

    @param username: the name that signs in, at C{imap_login}.
    @raise No: the command is refused.  @raise ClientGone: the connection is dropped.
    """
    universe = imap.login.universe if imap.login is not None else imap.context.default_universe(username)
    if universe is None:
        return
    fault = universe.faults.judge(FaultEvent(
        stage, imap.remote, login=username if imap.login is None else imap.login.username, connection=imap.number))
    if fault is None:
        return
    # A server that is slow on purpose does not say so.
    imap.progress.quiet = False
    if fault.kind == "drop":
        imap.drop()
        raise ClientGone
    if fault.kind == "hang":
        imap.hung = True
        await imap.sleep(FOREVER)
    if fault.kind == "delay":
        await imap.sleep(fault.delay)
        imap.resetTimeout()
        return
    raise No(fault.message, "AUTHENTICATIONFAILED" if fault.kind == "auth_fail" else "")
