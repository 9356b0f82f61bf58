"""
Signing in over SMTP and IMAP.

Passwords cannot be tried at speed (L{Brake}).  A good login from elsewhere is never locked out (promises, S3).
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.errors import Forbidden, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from simmail.server.server import Roster
    from simmail.universe.policy import Account
    from simmail.universe.universe import Universe

Proto = Literal["smtp", "imap"]

#: Real seconds after which a login that signs in from one address again is told again; how many of them are known.
TOLD_AGAIN, MOST_TOLD = 3600.0, 10_000

#: Characters of a name that nobody has, as recorded.
LONGEST_NAME = 200


class Login(NamedTuple):
    """Who signed in over SMTP or IMAP, and where."""

    universe: Universe
    address: str
    username: str


class SignIn:
    """Who may sign in, and how often it may be tried."""

    log = Logger()

    def __init__(self, roster: Roster, config: Config) -> None:
        self._roster = roster
        self._config = config
        self._told: OrderedDict[tuple[str, str, str, str], tuple[float, int]] = OrderedDict()

    async def sign_in(self, username: str, password: str, proto: Proto, remote: str) -> Login:
        """
        Who a login and password belong to; recorded as C{auth.ok} or C{auth.failed}.

        @raise Unauthenticated: nobody, or not for this protocol.
        @raise TooMany: too many failures from this place.
        @raise Forbidden: the organisation is suspended.
        @raise Unavailable: Redis is away (SMTP only: reading over IMAP goes on).
        """
        if proto == "smtp" and not self._roster.available:
            raise Unavailable("Redis is away; try again later")
        name = username.strip().lower()
        if "*" in name and proto == "imap":
            # Whichever mailbox is named, it is the master's password that is tried.
            door = "master " + name.rpartition("*")[2]
            look = partial(self._as_master, name, username, password, remote)
        else:
            door = "login " + name
            look = partial(self._as_login, name, username, password, proto, remote)
        return await self._roster.brake.attempt(remote, door, look)

    async def _as_login(self, name: str, username: str, password: str, proto: Proto, remote: str) -> Login:
        roster = self._roster
        candidates = [
            (universe, account) for universe in roster.universes()
            if (account := universe.policy.login(name)) is not None
        ]
        found: tuple[Universe, Account] | None = None
        if not candidates:
            await roster.passwords.verify("", password, remote)
        for universe, account in candidates:
            if await roster.passwords.verify(account.hash, password, remote):
                found = universe, account
                break
        why = _why_not(found[1] if found else None, proto)
        if found is None or why:
            for universe, account in candidates[:1]:
                self.record(universe, False, proto, username, account.address, remote, why)
            home = roster.home()
            if not candidates and home is not None:
                # Who mistypes the name looks for it here.
                self.record(home, False, proto, username[:LONGEST_NAME], "", remote, "no such login")
            raise Unauthenticated("authentication failed")
        universe, account = found
        return self._signed_in(universe, proto, username, account.address, remote)

    async def _as_master(self, name: str, username: str, password: str, remote: str) -> Login:
        """A master user opens somebody's mailbox: C{address*master} (decisions, section 23)."""
        roster = self._roster
        address, _, master = name.rpartition("*")
        stored = self._config.imap.master_users.get(master, "")
        if stored.startswith("$argon2"):
            good = await roster.passwords.verify(stored, password, remote)
        else:
            await roster.passwords.verify("", password, remote)
            good = bool(stored) and hmac.compare_digest(stored.encode(), password.encode("utf-8", "surrogatepass"))
        having = [one for one in roster.universes() if one.store.exists(address)]
        default = self._config.smtp.default_universe
        universe = next((one for one in having if one.id == default), having[0] if having else None)
        if not good or universe is None:
            if universe is not None:
                self.record(universe, False, "imap", username, address, remote, "wrong master user or password")
            raise Unauthenticated("authentication failed")
        return self._signed_in(universe, "imap", username, address, remote)

    def _signed_in(self, universe: Universe, proto: Proto, username: str, address: str, remote: str) -> Login:
        if self._roster.org_of(universe).suspended:
            raise Forbidden("the organization is suspended")
        self.record(universe, True, proto, username, address, remote, "")
        return Login(universe, address, username)

    def record(
        self, universe: Universe, good: bool, proto: str, username: str, address: str, remote: str, why: str
    ) -> None:
        """
        Record that somebody signed in, or tried to; nobody waits for it.

        Who signs in again and again, as mail programs that poll do, is told once an hour, with how often it was.
        """
        if not self._roster.available:
            return
        data: dict[str, Any] = {
            "proto": proto, "username": username, "address": address, "remote": remote, "why": why}
        key, now = (universe.id, proto, address, remote), self._roster.seconds()
        if good:
            told, more = self._told.pop(key, (-TOLD_AGAIN, 0))
            if now - told < TOLD_AGAIN:
                self._told[key] = told, more + 1
                return
            self._told[key] = now, 0
            if len(self._told) > MOST_TOLD:
                self._told.popitem(last=False)
            data["count"] = more + 1
        else:
            self._told.pop(key, None)
        event = Event("auth.ok" if good else "auth.failed", universe.clock.now(), data)
        Deferred.fromCoroutine(universe.commit(Commit(events=(event,)))).addErrback(
            lambda failure: self.log.warn("a login was not recorded: {failure}", failure=failure.value))


def _why_not(account: Account | None, proto: Proto) -> str:
    if account is None:
        return "wrong name or password"
    if account.disabled:
        return "the login is disabled"
    if not (account.allow_smtp if proto == "smtp" else account.allow_imap):
        return f"the login may not use {proto}"
    return ""
