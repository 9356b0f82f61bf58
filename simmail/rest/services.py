"""
What the API is given to work with: the roster, the configuration, and what only the wiring knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

from simmail.config import Config

if TYPE_CHECKING:
    from simmail.universe.universe import Universe


class Identity(Protocol):
    """Who calls; C{simmail.universe.roster.Identity} is one."""

    @property
    def kind(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def universe(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def administrator(self) -> bool: ...


class Roster(Protocol):
    """What the API asks of C{simmail.universe.roster.Roster}."""

    @property
    def available(self) -> bool: ...
    async def identify(self, token: str) -> Any: ...
    def universe(self, id: str) -> Universe: ...
    def universes(self) -> list[Universe]: ...


class Listener(Struct, frozen=True):
    """One port that mail programs connect to."""

    name: Literal["SMTP", "SUBMISSION", "SMTPS", "IMAP", "IMAPS"]
    address: str
    port: int
    security: Literal["none", "starttls", "tls"]


def _nothing() -> tuple[Listener, ...]:
    return ()


def _no_certificate() -> bytes:
    return b""


def _at_once(work: Callable[[], Any]) -> Any:
    return work()


class Services(Struct, frozen=True):
    """
    Everything a call may reach.

    @ivar reactor: IReactorTime, for real seconds only.
    @ivar listeners: the mail listeners as they are bound now.
    @ivar certificate: the TLS certificate in use, PEM, C{b""} for none.
    @ivar in_thread: C{in_thread(work)}: what C{work()} answers, or a Deferred of it when it is done elsewhere.
    @ivar checks: for C{/readyz}, by name: what is wrong, C{""} for nothing.
    @ivar metrics: for C{/metrics}: text in Prometheus's exposition format, to be put behind the API's own.
    """

    roster: Roster
    config: Config
    reactor: Any
    listeners: Callable[[], tuple[Listener, ...]] = _nothing
    certificate: Callable[[], bytes] = _no_certificate
    in_thread: Callable[[Callable[[], Any]], Any] = _at_once
    checks: tuple[tuple[str, Callable[[], str]], ...] = ()
    metrics: tuple[Callable[[], str], ...] = ()
