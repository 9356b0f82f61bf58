"""
All universes of a server, and the one door to what belongs to the server itself.

Sources: API contract, "Authentication"; decisions, section 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.inspection.engine import SpamEngine
from simmail.core.inspection.sender.lookup import Lookup, nowhere
from simmail.core.inspection.sender.published import FetchFile, not_fetched
from simmail.core.records.commit import Commit
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.core.wording.attached import ReadPdf, not_read
from simmail.errors import Conflict, Fenced, Invalid, NotFound, Unavailable
from simmail.interfaces import (
    IBrowser, IDatabase, ILanguageModel, IMailImages, IMailStore, INodes, IPeers, IReplicas, IWebhookSender,
)
from simmail.server.accounts import Accounts
from simmail.server.apikeys import ApiKeys
from simmail.server.documents import ServerDocuments
from simmail.server.lifetimes import Lifetimes, ends_in
from simmail.server.organizations import Organizations, Universes, check_id
from simmail.server.passwords import Passwords
from simmail.server.replacement import AGAIN, GOING, Replacement, Storage
from simmail.server.resets import Resets
from simmail.server.installation.membership import Membership
from simmail.server.installation.moving import Carriers, left_beside, MovedUniverse, UniverseMoves
from simmail.server.installation.shared_documents import SharedDocuments
from simmail.server.installation.take_over import clear_taken, TakeOver
from simmail.server.signin import Authenticator
from simmail.server.signin_limit import SharedSignInLimit, SignInLimit
from simmail.server.snapshots import Snapshots, Tenants
from simmail.server.transfer.leases import UniverseLeases
from simmail.server.transfer.transfers import Exports, no_export, Transfers
from simmail.server.users import Users
from simmail.universe.clock import WallClock, begun
from simmail.universe.universe import Durability, Universe, UniverseRecord


#: Real seconds before a universe that has moved here is tried again.
OPENED_AGAIN = 0.1


class MailServer:
    """
    All universes of a server, and who may enter which.

    @param store: makes the C{IMailStore} of a universe; images: the mail of universes as a whole.
    @param in_thread: runs a function in a thread, answering a Deferred.
    @param browser: opens the links that personas follow, webhook_sender: posts to webhooks, model: words what they
        write, in all universes.
    @param lookup: asks the name system about senders, blocks; engines: other spam filters that inspections ask;
        files: fetches what domains publish for mail; read_pdf: reads what is attached.
    @param peers: the other processes of the service, or the other servers of the installation; None for none.
    @param wall_clock: what was seen of jumps of the wall clock; exports: where universes are carried to.
    @param carriers: have mail go to other servers, and come from there.
    @param replicas: keeps the mail of universes in a store of objects too, None for no universe.
    @ivar database: who serves clients asks it whether Redis is there, and for tokens that all processes share.
    """

    def __init__(
        self, config: Config, database: IDatabase, store: Callable[[str], IMailStore], images: IMailImages,
        reactor: IReactorTime, in_thread: Callable[..., Any], unique: Callable[[], str], browser: IBrowser,
        webhook_sender: IWebhookSender, model: ILanguageModel,
        plans: Mapping[str, Plan] | None = None, wall_clock: Callable[[], WallClock | None] = lambda: None,
        lookup: Lookup = nowhere, engines: Sequence[SpamEngine] = (),
        files: FetchFile = not_fetched, read_pdf: ReadPdf = not_read, peers: IPeers | None = None,
        exports: Exports = no_export, replicas: IReplicas | None = None, carriers: Carriers | None = None,
    ) -> None:
        self.logger = Logger(namespace="simmail.server")
        self._config = config
        self.database = database
        self._store = store
        self._browser = browser
        self._webhook_sender = webhook_sender
        self._model = model
        self._reactor = reactor
        self._unique = unique
        self._in_thread = in_thread
        self._wall_clock = wall_clock
        self._lookup = lookup
        self._engines = engines
        self._files = files
        self._read_pdf = read_pdf
        self._replicas = replicas
        # Those that cannot be opened now, for the store of objects is away.
        self._awaited: dict[str, UniverseRecord] = {}
        self._again: Any = None
        # Those of this server that are not served by it.
        self._lacking: set[str] = set()
        self._going: set[str] = set()
        # Those that move, or are opened because they did.
        self._busy: set[str] = set()
        self._found: list[UniverseRecord] = []
        self._accounts: dict[str, Accounts] = {}
        self.plans: Mapping[str, Plan] = plans or {SELF_HOSTED.name: SELF_HOSTED}
        self._peers = peers
        self._documents = documents = (
            SharedDocuments(database, peers, reactor) if INodes.providedBy(peers) else ServerDocuments(database, peers))
        self._images = images
        self._started = False
        self._taking = TakeOver(database, peers, reactor, self._others, self._take_over, replicas) if (
            replicas is not None and INodes.providedBy(peers)) else None
        self._leases = UniverseLeases(database, reactor, self._lost)
        #: A context in which no other server makes what an installation begins with; knows what others changed.
        self.founding, self.catch_up = documents.founding, documents.catch_up
        #: Tells open calls that somebody may do less: C{watch(look_again)} answers how to stop.
        self.watch = documents.watch
        self._universes = universes = Universes(config.smtp.default_universe)
        self._passwords = passwords = Passwords(in_thread, reactor)
        tries = config.limits.failed_logins, config.limits.failed_logins_per_address
        self._limit = limit = (
            SignInLimit(reactor, *tries) if peers is None else SharedSignInLimit(reactor, *tries, peers))

        self._lifetimes = Lifetimes(universes, self.delete_universe, reactor)

        # Those who ask need not know which room answers.
        self.universe, self.universes = universes.get, universes.all
        self.record, self.records = universes.record, universes.records
        self.route, self.default_universe = universes.route, universes.default_universe
        self._orgs = orgs = Organizations(documents, universes, self.plans)
        self.create_org, self.change_org, self.org, self.orgs = orgs.create, orgs.change, orgs.get, orgs.all
        self.org_of = orgs.of
        self._keys = keys = ApiKeys(documents, universes, reactor.seconds)
        self.create_key, self.revoke_key, self.keys, self.identify = keys.create, keys.revoke, keys.all, keys.identify
        authenticator = Authenticator(config, documents, universes, orgs, passwords, limit, reactor.seconds)
        self.sign_in, self.signed_in = authenticator.sign_in, authenticator.signed_in
        self.users = Users(
            documents, universes, orgs, passwords, limit, authenticator.record, reactor.seconds)
        storage, tenants = Storage(documents, database, images), Tenants(universes, orgs, keys)
        self._replacement = replacement = Replacement(storage, store, self._opened, reactor, replicas)
        self.snapshots = Snapshots(storage, tenants, replacement, self._opened, self._take, reactor, replicas)
        nodes = peers if INodes.providedBy(peers) else None
        self._moves = moves = UniverseMoves(
            storage, nodes, self._leases, universes, self.snapshots, carriers, in_thread, reactor, self._release,
            self._opened_again)
        self.members = members = Membership(
            storage, nodes, tenants, self.snapshots, replacement, config.smtp.default_universe, self.create_universe)
        #: What other processes ask, and who answers (C{IPeers.ask}).
        self.answers: Mapping[str, Callable[..., Any]] = {
            "learn": documents.learn, "heard": documents.heard,
            "claims": lambda recipient: documents.surely(universes.claims(recipient)),
            "having": lambda address, named: documents.surely(authenticator.having(address, named)),
            "logins": lambda name: documents.surely(
                [(universe.id, account) for universe, account in universes.logins(name)]),
            "record": self.users.record, "attempt": limit.begin, "attempted": limit.end,
            "shows": self._shows, "stop clocks": orgs.stop_clocks, "let run": orgs.let_run,
            **moves.answers, **members.answers}
        self.transfers = Transfers(storage, tenants, replacement, self.snapshots, exports, in_thread)
        self.reset_universe = Resets(universes, self.snapshots, replacement, self._take, reactor).reset

    # Coming and going

    async def start(self) -> None:
        """Learn everyone and start every universe; C{begin} goes on with what was left to be done in them."""
        await self._documents.start(await self._images.universes())
        await self._orgs.start()
        await self._keys.start()
        await self.users.start()
        await self._replacement.start()
        await self.snapshots.start()
        await self._documents.keep("universes", self._learn)
        now = self._reactor.seconds()
        for record in self._found:
            try:
                self._universes.add(await self._opened(record))
            except Fenced as error:
                self.logger.critical("{error}: it is not served here", error=error)
                self._give_up(record)
            except Unavailable as error:
                if record.durability == "local":
                    raise
                self.logger.error("the universe {id} is not served yet: {error}", id=record.id, error=error)
                self._give_up(record)
                self._awaited[record.id] = record
        if self._taking is not None and self._replicas is not None:
            await clear_taken(self._images, self._replicas, self._others(), self.snapshots)
        for universe in self.universes():
            if universe.record.ends is not None and universe.record.ends.timestamp() <= now:
                await self.delete_universe(universe.id)
        self._found.clear()
        self._started = True

    def _learn(self, universe_id: str, octets: bytes | None) -> None:
        """Learn of a universe at the start, or what another process has made of one."""
        if octets is None:
            self._universes.know(universe_id, None)
            return
        record = msgspec.json.decode(octets, type=UniverseRecord)
        if self._documents.holds(record.placed):
            if not self._started:
                self._found.append(record)
            elif universe_id in (here := {one.id: one for one in self.universes()}):
                here[universe_id].record = record
            elif universe_id in self._universes:
                self._universes.know(universe_id, record)
        else:
            self._universes.know(universe_id, record)

    def begin(self) -> None:
        """Those who call can be served: now what was left to be done is."""
        for universe in self.universes():
            universe.begin()
        self._lifetimes.begin()
        self._open_later()
        if self._replicas is not None:
            # What is the server's own tells of replicated universes, wherever they are.
            self.database.replicate("")
        if INodes.providedBy(self._peers):
            self._documents.watch(self._look_at_places)
        if self._taking is not None:
            self._taking.begin()

    def _open_later(self) -> None:
        if self._awaited:
            self._again = self._reactor.callLater(
                AGAIN, lambda: Deferred.fromCoroutine(self._open_awaited()).addErrback(
                    lambda failure: self.logger.failure("a universe cannot be opened", failure)))

    async def _open_awaited(self) -> None:
        """Open what could not be opened at the start."""
        self._again = None
        try:
            for record in list(self._awaited.values()):
                universe = await self._opened(record)
                del self._awaited[record.id]
                self._universes.know(record.id, None)
                self._take(universe)
        except Unavailable as error:
            self.logger.debug("a universe is not served yet: {error}", error=error)
        finally:
            self._open_later()

    @property
    def awaited(self) -> list[str]:
        """The ids of universes of this server that cannot be opened yet."""
        return list(self._awaited)

    async def _opened(self, record: UniverseRecord, another: bool = False) -> Universe:
        await self._leases.take(record.id)
        if record.durability == "replicated":
            if self._replicas is None:
                raise Unavailable(f"the universe {record.id} is replicated, and objects.url is not configured")
            record = await self._replacement.resumed(record)
            await self.database.replicate(record.id)
            await self._replicas.prepare(record.id, partial(self._lost, record.id))
        store = self._store(record.id)
        universe = Universe(
            record, self._config, store, self.database, self._reactor, self._unique, self._browser,
            self._webhook_sender, self._model, partial(self._orgs.plan_of, record.org), self._in_thread,
            self._wall_clock, self._recovered, self._lookup, self._engines, self._files, self._read_pdf, another)
        try:
            await universe.start()
            await self._replacement.opened(record.id)
        except BaseException:
            # The next attempt has a store of its own.
            universe.abandon()
            await store.close()
            raise
        return universe

    def _take(self, universe: Universe) -> None:
        """A universe was opened, perhaps in the place of another, while others are served."""
        self._universes.add(universe)
        self._miss_no_more(universe.id)
        self._accounts.pop(universe.id, None)
        universe.begin()
        self._lifetimes.changed()
        # Who looks at what was there before is to look again.
        self._documents.tell()

    def _lost(self, universe_id: str) -> None:
        """Another server has taken a universe: those who are connected are told, others to try again."""
        universe = next((one for one in self.universes() if one.id == universe_id), None)
        if universe is not None:
            self._give_up(universe.record)
            self._documents.tell()
            Deferred.fromCoroutine(self._close(universe)).addErrback(
                lambda failure: self.logger.failure("a universe that was lost is not closed", failure))

    def _give_up(self, record: UniverseRecord) -> None:
        self._universes.remove(record.id)
        self._universes.know(record.id, record)
        self._accounts.pop(record.id, None)
        # What is said to be another's by now is not missed.
        if self._documents.holds(record.placed):
            self._miss(record.id)

    def _miss(self, universe_id: str) -> None:
        """A universe of this server is not served just now: whoever is in no other one may be in that."""
        self._lacking.add(universe_id)
        self._documents.lacking = True

    def _miss_no_more(self, universe_id: str) -> None:
        self._lacking.discard(universe_id)
        self._documents.lacking = bool(self._lacking)

    # Taken over, where others have it too

    def _look_at_places(self) -> None:
        """Another server may have taken what was here."""
        for universe in self.universes():
            if not self._documents.holds(universe.record.placed):
                self._lost(universe.id)
        for record in self._universes.elsewhere():
            if self._documents.holds(record.placed) and not {record.id} & (self._busy | self._lacking):
                self._open_moved(record)
        for universe_id in list(self._lacking):
            if universe_id not in self._universes or not self._documents.holds(self.record(universe_id).placed):
                self._miss_no_more(universe_id)
                self._awaited.pop(universe_id, None)

    def _release(self, universe: Universe) -> None:
        """A universe is about to move: whoever asks for it is to ask again."""
        self._busy.add(universe.id)
        self._give_up(universe.record)
        self._documents.tell()

    def _open_moved(self, record: UniverseRecord) -> Deferred[None]:
        return Deferred.fromCoroutine(self._opened_again(record)).addErrback(
            lambda failure: self.logger.failure("a universe that has moved cannot be opened", failure))

    async def _opened_again(self, record: UniverseRecord) -> None:
        """Open a universe that has moved here, or did not move away."""
        self._busy.add(record.id)
        self._miss(record.id)
        try:
            while self._started and self._documents.holds(record.placed):
                try:
                    universe = await self._opened(record, another=True)
                except Unavailable as error:
                    self.logger.debug("the universe {id} is not open yet: {error}", id=record.id, error=error)
                    await deferLater(self._reactor, OPENED_AGAIN)
                    continue
                self._universes.know(record.id, None)
                self._take(universe)
                return
        finally:
            self._busy.discard(record.id)

    async def move_universe(self, universe_id: str, node: str) -> MovedUniverse:
        """Have another server of the installation have a universe (C{UniverseMoves.move})."""
        try:
            return await self._moves.move(self.universe(universe_id), node)
        finally:
            self._busy.discard(universe_id)
            self._look_at_places()

    def _others(self) -> list[UniverseRecord]:
        return [one for one in self.records() if not self._documents.holds(one.placed)]

    async def _take_over(self, record: UniverseRecord) -> None:
        """Open a universe of a server that is gone, and have all know.  @raise Fenced: another was first."""
        if not await self._replacement.resumable(record.id):
            return
        self._busy.add(record.id)
        try:
            universe = await self._opened(record, another=True)
            peers: Any = self._peers
            beside, before = left_beside(record, self.records()), peers.owner(record.placed)
            await self._documents.place(
                {record.placed: peers.number, **{one.id: before for one in beside}},
                [(one.id, msgspec.json.encode(one)) for one in beside])
        except BaseException:
            await self._leases.give_back(record.id)
            raise
        finally:
            self._busy.discard(record.id)
        for one in beside:
            self._universes.know(one.id, one)
        self._universes.know(record.id, None)
        self._take(universe)
        self.logger.warn("the universe {id} is here now: its server is gone", id=record.id)

    async def _close(self, universe: Universe) -> None:
        await universe.close()
        await universe.store.close()

    def _recovered(self) -> None:
        if all(universe.recovery.finished for universe in self.universes()):
            self.database.recovered()

    def halt(self) -> Deferred[Any]:
        """Deferred: moves of clocks that were under way have ended with what was done so far."""
        return gatherResults([Deferred.fromCoroutine(one.scheduler.halt()) for one in self.universes()])

    async def stop(self) -> None:
        """Stop every universe and close its store."""
        self._lifetimes.stop()
        self._replacement.stop()
        self._started = False
        if self._again is not None:
            self._again.cancel()
        self._awaited.clear()
        self._documents.stop()
        if self._taking is not None:
            self._taking.stop()
        for universe in self.universes():
            await universe.stop()
            await universe.store.close()
        await self._leases.stop()

    async def find(self, recipient: str) -> str:
        """
        Return the id of the universe where mail from an unauthenticated session goes, in whichever process it is.

        @raise Unavailable: nobody has it, and not all could be asked.
        """
        told = await self._documents.ask("claims", recipient)
        claims = [*self._universes.claims(recipient), *(claim for claims in told for claim in claims or ())]
        if not claims and None in told:
            raise Unavailable("not all of the service is there; try again later")
        return self._universes.decided(claims)

    def _shows(self, token: str) -> str:
        """Return the id of the universe here of which a report is shared under a token, C{""} for none."""
        for universe in self.universes():
            try:
                universe.shares.get(token)
            except NotFound:
                continue
            return universe.id
        return ""

    def owner(self, universe_id: str) -> int | str:
        """Return the number of the process, or the name of the server, that has a universe."""
        placed = self.record(universe_id).placed if universe_id in self._universes else universe_id
        owner: int | str = 0 if self._peers is None else self._peers.owner(placed)
        return owner

    # Universes

    async def create_universe(
        self, universe_id: str, name: str = "", org: str = "default", seed: str = "",
        clock: datetime | None = None, speed: float = 1.0, frozen: bool | None = None, separate: bool = False,
        ttl: timedelta | None = None, durability: Durability | None = None,
    ) -> Universe:
        """
        A new universe; with a C{clock} it starts frozen at that instant unless told otherwise.

        @param separate: its logins sign in as C{<name>%<id>} only, so that it may have the names of others.
        @param ttl: real time after which it goes by itself.
        @param durability: where what is acknowledged in it is, None for what is configured.
        @raise Invalid: a bad id, speed, C{ttl} or C{durability}.  @raise Conflict: it exists.
        @raise NotFound: no such organisation.
        @raise OverAllowance: the plan's universes are used up.
        """
        check_id("id", universe_id)
        durability = durability or self._config.objects.durability
        if durability == "replicated" and self._replicas is None:
            raise Invalid("durability", "replicated needs a store of objects (objects.url)")
        self._documents.check_mine(universe_id)
        if universe_id in self._universes:
            raise Conflict(f"universe {universe_id} exists")
        if universe_id in self._going or universe_id in await self._documents.table(GOING):
            raise Conflict(f"universe {universe_id} is being made or deleted")
        if INodes.providedBy(self._peers) and universe_id != self._config.smtp.default_universe and (
                universe_id in await self._images.universes()):
            raise Conflict(f"this server's disk has mail of a universe {universe_id} that was here before; remove that")
        self._orgs.plan_of(self.org(org).id).check("universes", sum(1 for one in self.records() if one.org == org))
        real = self._reactor.seconds()
        ends = ends_in(ttl, real)
        record = UniverseRecord(
            universe_id, name or universe_id, org, datetime.fromtimestamp(real, UTC), seed or universe_id,
            begun(real, clock, speed, frozen), separate, ends, durability=durability)
        await self._leases.take_new(universe_id)
        await self._documents.commit(Commit(
            puts=(*self._documents.placing(universe_id), ("universes", universe_id, msgspec.json.encode(record)))))
        try:
            universe = await self._opened(record)
        except BaseException:
            await _unmake(universe_id, self._documents, self.records(), self._leases, self.logger)
            raise
        self._take(universe)
        return universe

    def unused(self, prefix: str) -> str:
        """Make up the id of a universe that this process may make."""
        while True:
            made = f"{prefix}{token_hex(6)}"
            if self._documents.is_mine(made):
                return made

    async def set_lifetime(self, universe_id: str, ttl: timedelta | None) -> Universe:
        """
        Have a universe go by itself so much real time from now, None for never.

        @raise NotFound: there is none of that id.  @raise Invalid: too short or too long.
        """
        universe = self.universe(universe_id)
        record = replace(universe.record, ends=ends_in(ttl, self._reactor.seconds()))
        await self._documents.put("universes", universe_id, record)
        universe.record = record
        self._lifetimes.changed()
        return universe

    async def delete_universe(self, universe_id: str) -> None:
        """
        The universe is gone, with everything in it; what a crash leaves of it goes at the next start.

        @raise NotFound: there is none of that id.
        """
        self.universe(universe_id)
        async with self.snapshots.turn(universe_id):
            await self._delete(self.universe(universe_id))

    async def _delete(self, universe: Universe) -> None:
        universe_id = universe.id
        keys = [key.prefix for key in self.keys() if key.universe == universe_id]
        self._going.add(universe_id)
        snapshots = self.snapshots.going_with(universe_id)
        try:
            await self._documents.commit(Commit(
                puts=((GOING, universe_id, msgspec.json.encode(universe.record.placed)), *snapshots.puts),
                drops=(("universes", universe_id), *(("keys", prefix) for prefix in keys), *snapshots.drops)))
            self._universes.remove(universe_id)
            self._accounts.pop(universe_id, None)
            for prefix in keys:
                self._keys.forget(prefix)
            self._documents.tell()
            await universe.close()
            await self._clear(universe_id, universe.store)
            await self.snapshots.gone(universe_id)
        finally:
            self._going.discard(universe_id)

    async def _clear(self, universe_id: str, store: IMailStore) -> None:
        await store.erase()
        await self.database.erase(universe_id)
        await store.close()
        if self._replicas is not None:
            await self._replicas.erase(universe_id)
        await self._documents.drop((GOING, universe_id), *_left_by(universe_id, self._documents, self.records()))
        await self._leases.give_back(universe_id)

    # Logins

    def accounts(self, universe: Universe) -> Accounts:
        """The logins of a universe, to be read and changed."""
        if universe.id not in self._accounts:
            self._accounts[universe.id] = Accounts(universe, self._universes, self._passwords, self._limit)
        return self._accounts[universe.id]


async def _unmake(
    universe_id: str, documents: ServerDocuments, records: Iterable[UniverseRecord], leases: UniverseLeases,
    logger: Logger,
) -> None:
    """Who asked for it is told that it is not there; nor is it at the next start, if Redis can be told so."""
    try:
        await documents.drop(("universes", universe_id), *_left_by(universe_id, documents, records))
        await leases.give_back(universe_id)
    except Unavailable as error:
        logger.error("the universe {id}, which could not be opened, is there after the next start: {error}",
                     id=universe_id, error=error)


def _left_by(
    universe_id: str, documents: ServerDocuments, records: Iterable[UniverseRecord]
) -> tuple[tuple[str, str], ...]:
    """Documents that go with a universe, unless others are placed as it was."""
    others = any(one.placed == universe_id for one in records if one.id != universe_id)
    return () if others else documents.leaving(universe_id)
