"""
Who is who: API keys, logins and domains to universes.

The server's own documents (organisations, universes, keys) are few and are
held in memory; of a key only a digest is stored.  Sources: API contract,
"Authentication"; decisions, section 1.
"""

from __future__ import annotations

import hmac
import re
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_hex, token_urlsafe
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.allowances import SELF_HOSTED, Plan
from simmail.core.events import Event
from simmail.core.timeline import Timeline
from simmail.database.records import Commit
from simmail.errors import Conflict, Forbidden, Invalid, NotFound, TooMany, Unauthenticated, Unavailable
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.accounts import Accounts
from simmail.universe.passwords import Passwords
from simmail.universe.policy import Account
from simmail.universe.universe import Charter, Universe
from simmail.universe.usage import Usage
from simmail.universe.users import User, Users

Role = Literal["viewer", "member", "admin"]
Proto = Literal["smtp", "imap"]

#: The universe of the server's own documents.
SERVER = ""

#: Failed sign-ins from one place within a minute, after which that place has to wait (reliability, S3).
MOST_FAILURES = 10
FAILURE_WINDOW = 60.0

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")


class Identity(NamedTuple):
    """
    Who calls the API: an API key, a signed-in person, a pass of the console, or anybody who looks at the demo.

    @ivar kind: C{key}, C{user}, C{pass} or C{demo}; prefix: under what calls are counted.
    @ivar universe: C{""} for a person who has not named one.
    """

    kind: str
    prefix: str
    name: str
    universe: str
    role: Role
    administrator: bool
    user: User | None = None


class Login(NamedTuple):
    """Who signed in over SMTP or IMAP, and where."""

    universe: Universe
    address: str
    username: str


class Key(Struct, frozen=True):
    """An API key as stored: never its secret."""

    prefix: str
    digest: str
    universe: str
    role: Role
    name: str
    created: datetime
    administrator: bool = False


class Org(Struct, frozen=True):
    """
    An organisation.

    @ivar stopped: its universes whose clocks were stopped when it was suspended.
    """

    id: str
    name: str
    plan: str = "self-hosted"
    suspended: bool = False
    stopped: tuple[str, ...] = ()


class Roster:
    """
    All universes of a server, and who may enter which.

    @param store: makes the C{IMailStore} of a universe.
    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    log = Logger()

    def __init__(
        self, config: Config, database: IDatabase, store: Callable[[str], Any], reactor: IReactorTime,
        in_thread: Callable[..., Any], unique: Callable[[], str], plans: Mapping[str, Plan] | None = None,
    ) -> None:
        self._config = config
        self._database = database
        self._store = store
        self._reactor = reactor
        self._unique = unique
        self.passwords = Passwords(in_thread)
        self._universes: dict[str, Universe] = {}
        self._orgs: dict[str, Org] = {}
        self._keys: dict[str, Key] = {}
        self._failures: dict[str, deque[float]] = {}
        self._accounts: dict[str, Accounts] = {}
        self._usage: dict[str, Usage] = {}
        self.users = Users(self)
        self.plans: Mapping[str, Plan] = plans or {SELF_HOSTED.name: SELF_HOSTED}

    # Coming and going

    async def start(self) -> None:
        """Learn everyone and start every universe."""
        for octets in (await self._database.table(SERVER, "orgs")).values():
            org = msgspec.json.decode(octets, type=Org)
            self._orgs[org.id] = org
        for octets in (await self._database.table(SERVER, "keys")).values():
            key = msgspec.json.decode(octets, type=Key)
            self._keys[key.prefix] = key
        await self.users.start()
        for octets in (await self._database.table(SERVER, "universes")).values():
            await self._open(msgspec.json.decode(octets, type=Charter))

    async def _open(self, charter: Charter) -> Universe:
        store: IMailStore = self._store(charter.id)
        universe = Universe(charter, self._config, store, self._database, self._reactor, self._unique)
        universe.plan = lambda: self.plan_of(universe)
        await universe.start()
        usage = Usage(universe)
        await usage.start()
        self._usage[charter.id] = usage
        universe.require_mail = usage.require_mail
        self._universes[charter.id] = universe
        return universe

    async def stop(self) -> None:
        """Stop every universe and close its store."""
        for universe in self._universes.values():
            await self._usage[universe.id].stop()
            await universe.stop()
            await universe.store.close()

    @property
    def available(self) -> bool:
        """False while Redis is known to be away."""
        return bool(self._database.healthy)

    # Universes

    def universe(self, universe_id: str) -> Universe:
        """
        One universe.

        @raise NotFound: there is none of that id.
        """
        universe = self._universes.get(universe_id)
        if universe is None:
            raise NotFound(f"no universe {universe_id}")
        return universe

    def universes(self) -> list[Universe]:
        """All universes, sorted by id."""
        return [self._universes[one] for one in sorted(self._universes)]

    def route(self, recipient: str) -> Universe:
        """
        Where mail from an unauthenticated session goes (decisions, section 1).

        @raise NotFound: there is no default universe.
        """
        default = self._config.smtp.default_universe
        having = [one for one in self.universes() if one.id != "demo" and one.store.exists(recipient)]
        if not having:
            domain = recipient.rpartition("@")[2]
            having = [one for one in self.universes() if one.id != "demo" and domain in one.policy.rules.domains]
        if len(having) == 1:
            return having[0]
        return self.universe(default)

    def home(self, login: str = "") -> Universe | None:
        """The universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        name = login.strip().lower()
        if name:
            for one in self.universes():
                if one.policy.login(name) is not None:
                    return one
        return self._universes.get(self._config.smtp.default_universe)

    async def create_org(self, org_id: str, name: str = "", plan: str = "self-hosted") -> Org:
        """
        A new organisation.

        @raise Invalid: a bad id, no such plan.  @raise Conflict: it exists.
        """
        _check_id("id", org_id)
        if org_id in self._orgs:
            raise Conflict(f"organisation {org_id} exists")
        self._check_plan(plan)
        org = Org(org_id, name or org_id, plan)
        await self.store_document("orgs", org_id, org)
        self._orgs[org_id] = org
        return org

    def org(self, org_id: str) -> Org:
        """One organisation.  @raise NotFound: there is none of that id."""
        org = self._orgs.get(org_id)
        if org is None:
            raise NotFound(f"no organisation {org_id}")
        return org

    def orgs(self) -> list[Org]:
        """All organisations, sorted by id."""
        return [self._orgs[one] for one in sorted(self._orgs)]

    async def create_universe(
        self, universe_id: str, name: str = "", org: str = "default", seed: str = "",
        clock: datetime | None = None, speed: float = 1.0, frozen: bool | None = None,
    ) -> Universe:
        """
        A new universe; with a C{clock} it starts frozen at that instant unless told otherwise.

        @raise Invalid: a bad id or speed.  @raise Conflict: it exists.  @raise NotFound: no such organisation.
        @raise OverAllowance: the plan's universes are used up.
        """
        _check_id("id", universe_id)
        if universe_id in self._universes:
            raise Conflict(f"universe {universe_id} exists")
        owner = self._orgs.get(org)
        if owner is None:
            raise NotFound(f"no organisation {org}")
        plan = self.plans.get(owner.plan) or Plan(owner.plan)
        plan.check("universes", sum(1 for one in self._universes.values() if one.org == org))
        real = self._reactor.seconds()
        now = datetime.fromtimestamp(real, UTC)
        line = Timeline(sim=now, real=real)
        if clock is not None:
            line = line.changed(clock, real, speed, True if frozen is None else frozen)
        elif frozen or speed != 1.0:
            line = line.changed(now, real, speed, frozen)
        charter = Charter(universe_id, name or universe_id, org, now, seed or universe_id, line)
        await self.store_document("universes", universe_id, charter)
        return await self._open(charter)

    async def delete_universe(self, universe_id: str) -> None:
        """
        The universe is gone, with everything in it.

        @raise NotFound: there is none of that id.
        """
        universe = self.universe(universe_id)
        del self._universes[universe_id]
        self._accounts.pop(universe_id, None)
        await self._usage.pop(universe_id).stop()
        await universe.stop()
        keys = [key.prefix for key in self._keys.values() if key.universe == universe_id]
        await self._database.commit(SERVER, Commit(
            drops=(("universes", universe_id), *(("keys", prefix) for prefix in keys))))
        for prefix in keys:
            del self._keys[prefix]
        await universe.store.erase()
        await self._database.erase(universe_id)
        await universe.store.close()

    # Keys

    async def create_key(
        self, universe: str, role: Role, name: str, administrator: bool = False
    ) -> str:
        """
        A new API key; this is the only time its secret is seen.

        @raise NotFound: no such universe.
        """
        if role not in ("viewer", "member", "admin"):
            raise Invalid("role", "must be viewer, member or admin")
        self.universe(universe)
        prefix, secret = token_hex(5), token_urlsafe(24).replace("_", "-")
        token = f"sm_{prefix}_{secret}"
        key = Key(prefix, _digest(token), universe, role, name,
                  datetime.fromtimestamp(self._reactor.seconds(), UTC), administrator)
        await self.store_document("keys", prefix, key)
        self._keys[prefix] = key
        return token

    def keys(self) -> list[Key]:
        """All keys, by creation."""
        return sorted(self._keys.values(), key=lambda key: (key.created, key.prefix))

    async def revoke_key(self, prefix: str) -> None:
        """
        The key works no more.

        @raise NotFound: no such key.
        """
        if prefix not in self._keys:
            raise NotFound(f"no key {prefix}")
        await self._database.commit(SERVER, Commit(drops=(("keys", prefix),)))
        del self._keys[prefix]

    async def identify(self, token: str) -> Identity:
        """
        Who a bearer token belongs to.

        @raise Unauthenticated: nobody.
        """
        parts = token.split("_", 2)
        key = self._keys.get(parts[1]) if len(parts) == 3 and parts[0] == "sm" else None
        # A digest is compared for unknown prefixes too, so that both take as long.
        good = hmac.compare_digest(key.digest if key else "0" * 64, _digest(token))
        if key is None or not good:
            raise Unauthenticated("the API key is not valid")
        return Identity("key", key.prefix, key.name, key.universe, key.role, key.administrator)

    def org_of(self, universe: Universe) -> Org:
        """The organisation that owns a universe."""
        return self._orgs.get(universe.org) or Org(universe.org, universe.org)

    def plan_of(self, universe: Universe) -> Plan:
        """What the organisation of a universe may use; a plan that is gone from the file has no features."""
        name = self.org_of(universe).plan
        return self.plans.get(name) or Plan(name)

    async def change_org(self, org_id: str, plan: str | None = None, suspended: bool | None = None) -> Org:
        """
        Put an organisation on another plan, suspend it or take it back.

        @raise NotFound: no such organisation.  @raise Invalid: no such plan.
        """
        org = self.org(org_id)
        if plan is not None:
            self._check_plan(plan)
        stopped = org.stopped
        if suspended is not None and suspended != org.suspended:
            stopped = await self._stop_clocks(org_id) if suspended else await self._let_run(org)
        org = Org(org.id, org.name, org.plan if plan is None else plan,
                  org.suspended if suspended is None else suspended, stopped)
        await self.store_document("orgs", org_id, org)
        self._orgs[org_id] = org
        return org

    def _check_plan(self, plan: str) -> None:
        if plan not in self.plans:
            raise Invalid("plan", f"must be one of {', '.join(sorted(self.plans))}")

    async def _stop_clocks(self, org_id: str) -> tuple[str, ...]:
        """The clocks of a suspended organisation stand still (decisions, section 23); which were stopped."""
        stopped = []
        for universe in self.universes():
            if universe.org == org_id and not universe.clock.timeline.frozen:
                await universe.clock.set(frozen=True)
                stopped.append(universe.id)
        return tuple(stopped)

    async def _let_run(self, org: Org) -> tuple[str, ...]:
        for universe_id in org.stopped:
            universe = self._universes.get(universe_id)
            if universe is not None:
                await universe.clock.set(frozen=False)
        return ()

    def usage(self, universe: Universe) -> Usage:
        """What a universe has used of its plan this month."""
        return self._usage[universe.id]

    # Logins

    def accounts(self, universe: Universe) -> Accounts:
        """The logins of a universe, to be read and changed."""
        if universe.id not in self._accounts:
            self._accounts[universe.id] = Accounts(universe, self)
        return self._accounts[universe.id]

    async def sign_in(self, username: str, password: str, proto: Proto, remote: str) -> Login:
        """
        Who a login and password belong to; recorded as C{auth.ok} or C{auth.failed}.

        @raise Unauthenticated: nobody, or not for this protocol.
        @raise TooMany: too many failures from this place.
        @raise Forbidden: the organisation is suspended.
        @raise Unavailable: Redis is away (SMTP only: reading over IMAP goes on).
        """
        if proto == "smtp" and not self.available:
            raise Unavailable("Redis is away; try again later")
        self._check_failures(remote)
        name = username.strip().lower()
        if "*" in name and proto == "imap":
            return await self._sign_in_as(name, username, password, remote)
        candidates = [
            (universe, account) for universe in self._universes.values()
            if (account := universe.policy.login(name)) is not None
        ]
        found: tuple[Universe, Account] | None = None
        if not candidates:
            await self.passwords.verify("", password)
        for universe, account in candidates:
            if await self.passwords.verify(account.hash, password):
                found = universe, account
                break
        why = self._why_not(found[1] if found else None, proto)
        if found is None or why:
            self._failures.setdefault(remote, deque(maxlen=MOST_FAILURES)).append(self._reactor.seconds())
            for universe, account in candidates[:1]:
                self.record(universe, False, proto, username, account.address, remote, why)
            raise Unauthenticated("authentication failed")
        universe, account = found
        if self.org_of(universe).suspended:
            raise Forbidden("the organization is suspended")
        self.record(universe, True, proto, username, account.address, remote, "")
        return Login(universe, account.address, username)

    async def _sign_in_as(self, name: str, username: str, password: str, remote: str) -> Login:
        """A master user opens somebody's mailbox: C{address*master} (decisions, section 23)."""
        address, _, master = name.rpartition("*")
        stored = self._config.imap.master_users.get(master, "")
        if stored.startswith("$argon2"):
            good = await self.passwords.verify(stored, password)
        else:
            await self.passwords.verify("", password)
            good = bool(stored) and hmac.compare_digest(stored.encode(), password.encode("utf-8", "surrogatepass"))
        having = [one for one in self.universes() if one.store.exists(address)]
        default = self._config.smtp.default_universe
        universe = next((one for one in having if one.id == default), having[0] if having else None)
        if not good or universe is None:
            self._failures.setdefault(remote, deque(maxlen=MOST_FAILURES)).append(self._reactor.seconds())
            if universe is not None:
                self.record(universe, False, "imap", username, address, remote, "wrong master user or password")
            raise Unauthenticated("authentication failed")
        if self.org_of(universe).suspended:
            raise Forbidden("the organization is suspended")
        self.record(universe, True, "imap", username, address, remote, "")
        return Login(universe, address, username)

    @staticmethod
    def _why_not(account: Account | None, proto: Proto) -> str:
        if account is None:
            return "wrong name or password"
        if account.disabled:
            return "the login is disabled"
        if not (account.allow_smtp if proto == "smtp" else account.allow_imap):
            return f"the login may not use {proto}"
        return ""

    def _check_failures(self, remote: str) -> None:
        failures = self._failures.get(remote)
        if failures is None:
            return
        now = self._reactor.seconds()
        while failures and failures[0] < now - FAILURE_WINDOW:
            failures.popleft()
        if not failures:
            del self._failures[remote]
        elif len(failures) >= MOST_FAILURES:
            raise TooMany("too many failed logins", failures[0] + FAILURE_WINDOW - now)

    def record(
        self, universe: Universe, good: bool, proto: str, username: str, address: str, remote: str, why: str
    ) -> None:
        """Record that somebody signed in, or tried to; nobody waits for it."""
        if not self.available:
            return
        event = Event("auth.ok" if good else "auth.failed", universe.clock.now(), {
            "proto": proto, "username": username, "address": address, "remote": remote, "why": why})
        Deferred.fromCoroutine(universe.commit(Commit(events=(event,)))).addErrback(
            lambda failure: self.log.warn("a login was not recorded: {failure}", failure=failure.value))

    # The server's own documents

    def seconds(self) -> float:
        """Real Unix time."""
        return self._reactor.seconds()

    async def documents(self, table: str) -> dict[str, bytes]:
        """One table of the server's own documents."""
        found: dict[str, bytes] = await self._database.table(SERVER, table)
        return found

    async def store_document(self, table: str, key: str, value: Any) -> None:
        """Put one of the server's own documents."""
        await self.commit(Commit(puts=((table, key, msgspec.json.encode(value)),)))

    async def commit(self, commit: Commit) -> None:
        """Change the server's own documents."""
        await self._database.commit(SERVER, commit)


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _check_id(field: str, value: str) -> None:
    if not _ID.match(value):
        raise Invalid(field, "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit")
