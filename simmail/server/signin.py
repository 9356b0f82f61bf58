"""
Signing in over SMTP and IMAP: whether a password is right, and whose it is.

Passwords cannot be tried at speed (C{SignInLimit}).  A good login from elsewhere is never locked out (promises, S3).
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec import convert

from simmail.config import Config
from simmail.core.records.event import Event
from simmail.errors import Elsewhere, Forbidden, Unauthenticated, Unavailable
from simmail.server.documents import ServerDocuments
from simmail.server.organizations import Organizations, Universes
from simmail.server.passwords import Passwords
from simmail.server.signin_limit import SignInLimit
from simmail.universe.policy import Account
from simmail.universe.universe import Universe

Proto = Literal["smtp", "imap"]

#: Real seconds after which a login that signs in from one address again is told again; how many of them are known.
TOLD_AGAIN, MOST_TOLD = 3600.0, 10_000

#: Characters of a name that nobody has, as recorded.
LONGEST_NAME = 200


#: Records in a universe whether somebody got in: over what, under which name, whose address, from where, why not.
Record = Callable[[Universe, bool, str, str, str, str, str], None]


class Login(NamedTuple):
    """Who signed in over SMTP or IMAP, and where; C{username}: as it came, without the name of the universe."""

    universe: Universe
    address: str
    username: str


class Authenticator:
    """
    Who may sign in, and how often it may be tried.

    @param seconds: real Unix time.
    """

    def __init__(
        self, config: Config, documents: ServerDocuments, universes: Universes, organizations: Organizations,
        passwords: Passwords, limit: SignInLimit, seconds: Callable[[], float],
    ) -> None:
        self._config = config
        self._documents = documents
        self._universes = universes
        self._organizations = organizations
        self._passwords = passwords
        self._limit = limit
        self._seconds = seconds
        self._recorded: OrderedDict[tuple[str, str, str, str], tuple[float, int]] = OrderedDict()

    async def sign_in(self, username: str, password: str, proto: Proto, remote: str) -> Login:
        """
        Who a login and password belong to; recorded as C{auth.ok} or C{auth.failed}.

        @raise Unauthenticated: nobody, or not for this protocol.
        @raise TooMany: too many failures from this place.
        @raise Forbidden: the organisation is suspended.
        @raise Unavailable: Redis is away (SMTP only: reading over IMAP goes on), or the universe that it may belong to
            is served by nobody just now.
        """
        if proto == "smtp" and not self._documents.available:
            raise Unavailable("Redis is away; try again later")
        name = username.strip().lower()
        if "*" in name and proto == "imap":
            # Whichever mailbox is named, it is the master's password that is tried.
            door = "master " + name.rpartition("*")[2]
            look = partial(self._as_master, name, username, password, remote)
        else:
            door = "login " + name
            look = partial(self._as_login, name, username, password, proto, remote)
        return await self._limit.attempt(remote, door, look)

    async def _as_login(self, name: str, username: str, password: str, proto: Proto, remote: str) -> Login:
        candidates, username = self._universes.logins(name), self._universes.plain(username)
        others = await self._others(name, candidates)
        found: tuple[Universe, Account] | None = None
        if not candidates:
            await self._passwords.verify("", password, remote)
        for universe, account in candidates:
            if await self._passwords.verify(account.hash, password, remote):
                found = universe, account
                break
        why = _why_not(found[1] if found else None, proto)
        for universe_id, account in others if found is None else ():
            if not _why_not(account, proto) and await self._passwords.verify(account.hash, password, remote):
                raise Elsewhere(universe_id, (account.address, username))
        if found is None or why:
            for universe, account in candidates[:1]:
                self.record(universe, False, proto, username, account.address, remote, why)
            default = self._universes.default_universe()
            if not candidates and default is not None:
                # Who mistypes the name looks for it here.
                self.record(default, False, proto, username[:LONGEST_NAME], "", remote, "no such login")
            raise Unauthenticated("authentication failed")
        universe, account = found
        return self.signed_in(universe, proto, username, account.address, remote)

    async def _others(self, name: str, here: Sequence[tuple[Universe, Account]]) -> list[tuple[str, Account]]:
        """
        Return the logins that other processes have for a name, by universe.

        @raise Elsewhere: only others have any, or nobody has and another process has the universe for mail of nobody's.
        @raise Unavailable: nobody has any, and not all could be asked.
        """
        told = await self._documents.ask("logins", name)
        others = convert([one for logins in told for one in logins or ()], list[tuple[str, Account]])
        if not here and (others or told):
            if not others and None in told:
                raise Unavailable("not all of the service is there; try again later")
            at = others[0][0] if others else self._config.smtp.default_universe
            if at in self._universes:
                self._universes.get(at)
        return others

    async def _as_master(self, name: str, username: str, password: str, remote: str) -> Login:
        """A master user opens somebody's mailbox: C{address*master} (decisions, section 23)."""
        address, _, master = name.rpartition("*")
        stored = self._config.imap.master_users.get(master, "")
        if stored.startswith("$argon2"):
            good = await self._passwords.verify(stored, password, remote)
        else:
            await self._passwords.verify("", password, remote)
            good = bool(stored) and hmac.compare_digest(stored.encode(), password.encode("utf-8", "surrogatepass"))
        address, universe_id = self._universes.named(address)
        default = self._config.smtp.default_universe
        having = self.having(address, universe_id)
        told = await self._documents.ask("having", address, universe_id)
        having += [one for others in told for one in others or ()]
        if good and not having and None in told:
            raise Unavailable("not all of the service is there; try again later")
        at = default if default in having else min(having, default="")
        universe = self._universes.get(at) if at else None
        if not good or universe is None:
            if universe is not None:
                self.record(universe, False, "imap", username, address, remote, "wrong master user or password")
            raise Unauthenticated("authentication failed")
        return self.signed_in(universe, "imap", username, address, remote)

    def having(self, address: str, named: str = "") -> list[str]:
        """Return the ids of the universes here that have a mailbox; C{named}: of that one only."""
        return [one.id for one in self._universes.all()
                if (one.id == named if named else not one.record.separate) and one.store.exists(address)]

    def signed_in(self, universe: Universe, proto: Proto, username: str, address: str, remote: str) -> Login:
        """Say who signed in, here or at another process.  @raise Forbidden: the organisation is suspended."""
        if self._organizations.of(universe).suspended:
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
        if not self._documents.available:
            return
        data: dict[str, Any] = {
            "proto": proto, "username": username, "address": address, "remote": remote, "why": why}
        key, now = (universe.id, proto, address, remote), self._seconds()
        if good:
            told, more = self._recorded.pop(key, (-TOLD_AGAIN, 0))
            if now - told < TOLD_AGAIN:
                self._recorded[key] = told, more + 1
                return
            self._recorded[key] = now, 0
            if len(self._recorded) > MOST_TOLD:
                self._recorded.popitem(last=False)
            data["count"] = more + 1
        else:
            self._recorded.pop(key, None)
        universe.committer.record(Event("auth.ok" if good else "auth.failed", universe.clock.now(), data))


def _why_not(account: Account | None, proto: Proto) -> str:
    if account is None:
        return "wrong name or password"
    if account.disabled:
        return "the login is disabled"
    if not (account.allow_smtp if proto == "smtp" else account.allow_imap):
        return f"the login may not use {proto}"
    return ""
