"""
What goes wrong on purpose: a session that meets fault rules.

Which rule fires is C{core.faults}' and the universe's; here is what it does
to a conversation.  Source: decisions, section 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred

from simmail.core.rules.faults import FaultEvent, FaultVerdict, Stage
from simmail.smtp.protocol import Pump
from simmail.smtp.replies import Refused, reply

if TYPE_CHECKING:
    from simmail.server.signin import Login
    from simmail.smtp.server import SmtpFactory
    from simmail.universe.universe import Universe

#: Kinds that answer with a code.
ANSWERING = frozenset(("reject", "defer", "greylist", "rate_limit", "auth_fail"))


def told(fault: FaultVerdict) -> bytes:
    """The reply of a fault that answers."""
    return reply(fault.code, fault.enhanced, *fault.message.split("\n"))


class Faulty(Pump):
    """
    A connection on which faults happen.

    @ivar login: who signed in, None for nobody.
    """

    def __init__(self, factory: SmtpFactory, remote: str) -> None:
        super().__init__(factory, remote)
        self.login: Login | None = None
        self._connection = ""
        self._hung = False
        self._pace = self._owed = 0

    def home(self) -> Universe | None:
        """The universe whose rules hold before a recipient is named."""
        return self.login.universe if self.login is not None else self.factory.home()

    def fault(self, stage: Stage, universe: Universe | None, **fields: Any) -> FaultVerdict | None:
        """What a rule says at a stage."""
        if universe is None or not universe.faults.rules:
            return None
        login = self.login.username if self.login is not None else ""
        self._connection = self._connection or f"{self.factory.service} {self.factory.number()}"
        passing = FaultEvent(stage, self.remote, login=login, connection=self._connection)
        return universe.policy.fault(passing._replace(**fields))

    def face(self, fault: FaultVerdict | None, go: Callable[..., None], *arguments: Any) -> None:
        """Do what a rule says; go on where there is none, and after a delay."""
        if fault is None:
            go(*arguments)
        elif fault.kind in ANSWERING or (fault.kind == "tls_fail" and fault.stage == "starttls"):
            self._say(told(fault))
            if fault.code == 421 or fault.stage == "connect":
                self._close()
        elif fault.kind == "delay":
            self.later(fault.delay, go, *arguments)
        elif fault.kind == "hang":
            self.hang()
        elif fault.kind in ("drop", "tls_fail"):
            self.drop()
        else:
            if fault.kind == "throttle":
                self._pace = fault.bytes_per_second
            go(*arguments)

    def later(self, seconds: float, go: Callable[..., None], *arguments: Any) -> None:
        """Take nothing for so many real seconds, then go on."""
        self._waiting = True
        self._timer = self.factory.reactor.callLater(seconds, self._go_on, go, *arguments)

    def _go_on(self, go: Callable[..., None], *arguments: Any) -> None:
        self._waiting = False
        self.deadline = self.factory.reactor.seconds() + self.factory.timeout
        try:
            go(*arguments)
        except Refused as refused:
            self._refuse(refused.reply)
        except Exception:
            self._say(self.defect("a delayed command failed"))
            self._close()
        if self._waiting:
            self._flush()
        else:
            self._pump()

    def hang(self) -> None:
        """Never answer again; the client may leave, or is dropped when a session is over."""
        self._waiting = self._hung = True

    def never(self) -> Deferred[None]:
        """A Deferred that does not fire: C{hang} for a coroutine."""
        self._hung = True
        return Deferred()

    def check(self, now: float) -> float:
        """Also end what hangs."""
        if not self._hung or self._closed:
            return super().check(now)
        last = self.started + self.factory.total_time
        if now >= last:
            self.drop()
        return last

    def readConnectionLost(self) -> None:
        """The client says no more: who never answers need not stay."""
        if self._hung:
            self.drop()
        else:
            super().readConnectionLost()

    def came(self, octets: int) -> None:
        """Octets of a message are taken no faster than a rule allows."""
        super().came(octets)
        if self._pace:
            self._owed += octets
            if not self._waiting:
                self._pay()

    def _pay(self) -> None:
        owed, self._owed = self._owed, 0
        self.later(owed / self._pace, self._paid)

    def _paid(self) -> None:
        # What came meanwhile takes its own time.
        if self._owed:
            self._pay()
