"""
Signing in over SMTP and IMAP: whether a password is right, and whose it is.

Passwords cannot be tried at speed (C{SignInLimit}).  A good login from elsewhere is never locked out (promises, S3).
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from simmail.config import Config
from simmail.core.records.event import Event
from simmail.errors import Forbidden, Unauthenticated, Unavailable
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
        @raise Unavailable: Redis is away (SMTP only: reading over IMAP goes on).
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
        found: tuple[Universe, Account] | None = None
        if not candidates:
            await self._passwords.verify("", password, remote)
        for universe, account in candidates:
            if await self._passwords.verify(account.hash, password, remote):
                found = universe, account
                break
        why = _why_not(found[1] if found else None, proto)
        if found is None or why:
            for universe, account in candidates[:1]:
                self.record(universe, False, proto, username, account.address, remote, why)
            default = self._universes.default_universe()
            if not candidates and default is not None:
                # Who mistypes the name looks for it here.
                self.record(default, False, proto, username[:LONGEST_NAME], "", remote, "no such login")
            raise Unauthenticated("authentication failed")
        universe, account = found
        return self._signed_in(universe, proto, username, account.address, remote)

    async def _as_master(self, name: str, username: str, password: str, remote: str) -> Login:
        """A master user opens somebody's mailbox: C{address*master} (decisions, section 23)."""
        address, _, master = name.rpartition("*")
        stored = self._config.imap.master_users.get(master, "")
        if stored.startswith("$argon2"):
            good = await self._passwords.verify(stored, password, remote)
        else:
            await self._passwords.verify("", password, remote)
            good = bool(stored) and hmac.compare_digest(stored.encode(), password.encode("utf-8", "surrogatepass"))
        address, named = self._universes.split(address)
        searched = [named] if named is not None else [one for one in self._universes.all() if not one.record.separate]
        having = [one for one in searched if one.store.exists(address)]
        default = self._config.smtp.default_universe
        universe = next((one for one in having if one.id == default), having[0] if having else None)
        if not good or universe is None:
            if universe is not None:
                self.record(universe, False, "imap", username, address, remote, "wrong master user or password")
            raise Unauthenticated("authentication failed")
        return self._signed_in(universe, "imap", username, address, remote)

    def _signed_in(self, universe: Universe, proto: Proto, username: str, address: str, remote: str) -> Login:
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
