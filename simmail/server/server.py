"""
All universes of a server, and the one door to what belongs to the server itself.

The server's own documents (organisations, universes, keys, users) are few and
are held in memory.  Sources: API contract, "Authentication"; decisions,
section 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.records.commit import Commit
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.core.time.sim_clock import Timeline
from simmail.errors import Conflict, Invalid, NotFound
from simmail.interfaces import IBrowser, IDatabase, IMailStore
from simmail.server.accounts import Accounts
from simmail.server.apikeys import Keys
from simmail.server.organizations import Orgs
from simmail.server.passwords import Passwords
from simmail.server.revocation import Access
from simmail.server.signin import SignIn
from simmail.server.signin_limit import Brake
from simmail.server.users import Users
from simmail.universe.clock import WallClock
from simmail.universe.universe import Charter, Universe

#: The universe of the server's own documents.
SERVER = ""

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")


class Roster:
    """
    All universes of a server, and who may enter which.

    @param store: makes the C{IMailStore} of a universe.
    @param browser: opens the links that personas follow, in all universes.
    @param in_thread: runs a function in a thread, answering a Deferred.
    @param wall_clock: what was seen of jumps of the wall clock.
    """

    log = Logger()

    def __init__(
        self, config: Config, database: IDatabase, store: Callable[[str], Any], reactor: IReactorTime,
        in_thread: Callable[..., Any], unique: Callable[[], str], browser: IBrowser,
        plans: Mapping[str, Plan] | None = None, wall_clock: Callable[[], WallClock | None] | None = None,
    ) -> None:
        self._config = config
        self._database = database
        self._store = store
        self._browser = browser
        self._reactor = reactor
        self._unique = unique
        self._in_thread = in_thread
        self._wall_clock = wall_clock
        self._universes: dict[str, Universe] = {}
        self._going: set[str] = set()
        self._accounts: dict[str, Accounts] = {}
        self.plans: Mapping[str, Plan] = plans or {SELF_HOSTED.name: SELF_HOSTED}
        self.passwords = Passwords(in_thread, reactor)
        self.brake = Brake(reactor, config.limits.failed_logins, config.limits.failed_logins_per_address)
        self.access = Access()
        self.users = Users(self)

        # Those who ask need not know which room answers.
        self._orgs = orgs = Orgs(self)
        self.create_org, self.change_org, self.org, self.orgs = orgs.create, orgs.change, orgs.get, orgs.all
        self.org_of, self.plan_of = orgs.of, orgs.plan_of
        self._keys = keys = Keys(self)
        self.create_key, self.revoke_key, self.keys, self.identify = keys.create, keys.revoke, keys.all, keys.identify
        signing = SignIn(self, config)
        self.sign_in, self.record = signing.sign_in, signing.record

    # Coming and going

    async def start(self) -> None:
        """Learn everyone and start every universe; C{begin} goes on with what was left to be done in them."""
        await self._orgs.start()
        await self._keys.start()
        await self.users.start()
        for universe_id in await self.documents("going"):
            await self._clear(universe_id, self._store(universe_id))
        for octets in (await self.documents("universes")).values():
            await self._open(msgspec.json.decode(octets, type=Charter))

    def begin(self) -> None:
        """Those who call can be served: now what was left to be done is."""
        for universe in self.universes():
            universe.begin()

    async def _open(self, charter: Charter) -> Universe:
        store: IMailStore = self._store(charter.id)
        universe = Universe(charter, self._config, store, self._database, self._reactor, self._unique,
                            self._browser)
        universe.plan = lambda: self.plan_of(universe)
        universe.readings.in_thread = self._in_thread
        if self._wall_clock is not None:
            universe.clock.wall_clock = self._wall_clock
        universe.recovery.done = self._recovered
        await universe.start()
        self._universes[charter.id] = universe
        # In order once, for they are asked for more often than they change.
        self._universes = dict(sorted(self._universes.items()))
        return universe

    def _recovered(self) -> None:
        if all(universe.recovery.finished for universe in self.universes()):
            self._database.recovered()

    def halt(self) -> Deferred[Any]:
        """Deferred: moves of clocks that were under way have ended with what was done so far."""
        return gatherResults([Deferred.fromCoroutine(one.scheduler.halt()) for one in self.universes()])

    async def stop(self) -> None:
        """Stop every universe and close its store."""
        for universe in self._universes.values():
            await universe.stop()
            await universe.store.close()

    @property
    def available(self) -> bool:
        """False while Redis is known to be away."""
        return bool(self._database.healthy)

    def draw(self, bucket: str, rate: float, burst: int, wanted: int, now: float) -> Deferred[tuple[int, float]]:
        """C{IDatabase.draw}: tokens of a caller that all processes share."""
        drawn: Deferred[tuple[int, float]] = self._database.draw(bucket, rate, burst, wanted, now)
        return drawn

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
        return list(self._universes.values())

    def route(self, recipient: str) -> Universe:
        """
        Where mail from an unauthenticated session goes (decisions, section 1).

        @raise NotFound: there is no default universe.
        """
        name = self._config.smtp.default_universe
        default = self._universes.get(name) if name != "demo" else None
        others = [one for one in self._universes.values() if one.id not in ("demo", name)]
        # Whether an address is there may be a look at the disk: the default is asked only if that decides something.
        having = [one for one in others if one.store.exists(recipient)]
        domain = recipient.rpartition("@")[2]
        found = having or [one for one in others if domain in one.policy.rules.domains]
        if len(found) != 1 or default is not None and (
                default.store.exists(recipient) or not having and domain in default.policy.rules.domains):
            return self.universe(name)
        return found[0]

    def home(self, login: str = "") -> Universe | None:
        """The universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        name = login.strip().lower()
        if name:
            for one in self.universes():
                if one.policy.login(name) is not None:
                    return one
        return self._universes.get(self._config.smtp.default_universe)

    async def create_universe(
        self, universe_id: str, name: str = "", org: str = "default", seed: str = "",
        clock: datetime | None = None, speed: float = 1.0, frozen: bool | None = None,
    ) -> Universe:
        """
        A new universe; with a C{clock} it starts frozen at that instant unless told otherwise.

        @raise Invalid: a bad id or speed.  @raise Conflict: it exists.  @raise NotFound: no such organisation.
        @raise OverAllowance: the plan's universes are used up.
        """
        self.check_id("id", universe_id)
        if universe_id in self._universes:
            raise Conflict(f"universe {universe_id} exists")
        if universe_id in self._going:
            raise Conflict(f"universe {universe_id} is being deleted")
        self._orgs.plan(self.org(org)).check("universes", sum(1 for one in self._universes.values() if one.org == org))
        real = self._reactor.seconds()
        now = datetime.fromtimestamp(real, UTC)
        line = Timeline(sim=now, real=real)
        if clock is not None:
            line = line.changed(clock, real, speed, True if frozen is None else frozen)
        elif frozen or speed != 1.0:
            line = line.changed(now, real, speed, frozen)
        charter = Charter(universe_id, name or universe_id, org, now, seed or universe_id, line)
        await self.store_document("universes", universe_id, charter)
        universe = await self._open(charter)
        universe.begin()
        return universe

    async def delete_universe(self, universe_id: str) -> None:
        """
        The universe is gone, with everything in it; what a crash leaves of it goes at the next start.

        @raise NotFound: there is none of that id.
        """
        universe = self.universe(universe_id)
        keys = [key.prefix for key in self.keys() if key.universe == universe_id]
        self._going.add(universe_id)
        try:
            await self.commit(Commit(
                puts=(("going", universe_id, b"true"),),
                drops=(("universes", universe_id), *(("keys", prefix) for prefix in keys))))
            self._universes.pop(universe_id, None)
            self._accounts.pop(universe_id, None)
            for prefix in keys:
                self._keys.forget(prefix)
            self.access.lessened()
            await universe.close()
            await self._clear(universe_id, universe.store)
        finally:
            self._going.discard(universe_id)

    async def _clear(self, universe_id: str, store: IMailStore) -> None:
        await store.erase()
        await self._database.erase(universe_id)
        await self.drop_documents(("going", universe_id))
        await store.close()

    # Logins

    def accounts(self, universe: Universe) -> Accounts:
        """The logins of a universe, to be read and changed."""
        if universe.id not in self._accounts:
            self._accounts[universe.id] = Accounts(universe, self)
        return self._accounts[universe.id]

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

    async def drop_documents(self, *places: tuple[str, str]) -> None:
        """Drop some of the server's own documents, by (table, key)."""
        await self.commit(Commit(drops=places))

    async def commit(self, commit: Commit) -> None:
        """Change the server's own documents."""
        await self._database.commit(SERVER, commit)

    @staticmethod
    def check_id(field: str, value: str) -> None:
        """@raise Invalid: it cannot be the id of an organisation or a universe."""
        if not _ID.match(value):
            raise Invalid(field, "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit")
