"""
What goes wrong on purpose: fault rules applied to a session.

Which rule fires is C{core.rules.faults}' and the universe's; here is what it does
to a conversation.  Source: decisions, section 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simmail.core.rules.fault_rule import Stage
from simmail.core.rules.faults import FaultEvent, FaultVerdict
from simmail.errors import NotFound
from simmail.smtp.context import SmtpContext
from simmail.smtp.protocol import Pump
from simmail.smtp.replies import reply

if TYPE_CHECKING:
    from simmail.server.signin import Login
    from simmail.universe.universe import Universe

#: Kinds that answer with a code.
ANSWERING = frozenset(("reject", "defer", "greylist", "rate_limit", "auth_fail"))


def fault_reply(fault: FaultVerdict) -> bytes:
    """Return the reply of a fault that answers."""
    return reply(fault.code, fault.enhanced, *fault.message.split("\n"))


class FaultInjection:
    """
    The faults of one session.

    @ivar login: who signed in, None for nobody.
    """

    def __init__(self, context: SmtpContext, pump: Pump, remote: str) -> None:
        self.login: Login | None = None
        self._context = context
        self._pump = pump
        self._remote = remote
        self._connection = ""

    def default_universe(self) -> Universe | None:
        """Return the universe whose rules hold before a recipient is named."""
        return self.login.universe if self.login is not None else self._context.server.default_universe()

    def follow(self) -> None:
        """
        Who signed in is in the universe that was put in the place of the other meanwhile.

        @raise Elsewhere: another server has it now.
        """
        login = self.login
        if login is not None and login.universe.closed:
            try:
                self.login = login._replace(universe=self._context.server.universe(login.universe.id))
            except NotFound:
                # It was deleted, and says so itself.
                pass

    def fault(self, stage: Stage, universe: Universe | None, **fields: Any) -> FaultVerdict | None:
        """Return what a rule says at a stage, None where there is none."""
        if universe is None or not universe.faults.rules:
            return None
        login = self.login.username if self.login is not None else ""
        self._connection = self._connection or f"{self._context.service} {self._context.number()}"
        event = FaultEvent(stage, self._remote, login=login, connection=self._connection)
        return universe.faults.judge(event._replace(**fields))

    def apply(self, fault: FaultVerdict | None, go: Callable[..., None], *arguments: Any) -> None:
        """Do what a rule says; go on where there is none, and after a delay."""
        pump = self._pump
        if fault is None:
            go(*arguments)
        elif fault.kind in ANSWERING or (fault.kind == "tls_fail" and fault.stage == "starttls"):
            pump.say(fault_reply(fault))
            if fault.code == 421 or fault.stage == "connect":
                pump.close()
        elif fault.kind == "delay":
            pump.later(fault.delay, go, *arguments)
        elif fault.kind == "hang":
            pump.hang()
        elif fault.kind in ("drop", "tls_fail"):
            pump.drop()
        else:
            if fault.kind == "throttle":
                pump.bytes_per_second = fault.bytes_per_second
            go(*arguments)
