"""
Organisations, their plans, and the universes of a server that are open: which of them mail and logins are for.

Source: decisions, sections 1, 19 and 23 (a suspended organisation's clocks stand still).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from simmail.core.rules.login_name import split, UNIVERSE_ID
from simmail.core.rules.quota_plan import Plan
from simmail.errors import Conflict, Elsewhere, Invalid, NotFound
from simmail.server.documents import SERVER, ServerDocuments
from simmail.universe.policy import Account
from simmail.universe.universe import Universe, UniverseRecord

T = TypeVar("T")


class Universes:
    """
    The open universes, sorted by id.

    @param default: the id of the one for mail of nobody's.
    """

    def __init__(self, default: str) -> None:
        self._default = default
        self._by_id: dict[str, Universe] = {}
        self._elsewhere: dict[str, UniverseRecord] = {}

    def add(self, universe: Universe) -> None:
        """Take in a universe that was started."""
        self._by_id[universe.id] = universe
        # In order once, for they are asked for more often than they change.
        self._by_id = dict(sorted(self._by_id.items()))

    def remove(self, universe_id: str) -> None:
        """Let go of a universe that is going to be closed."""
        self._by_id.pop(universe_id, None)

    def know(self, universe_id: str, record: UniverseRecord | None) -> None:
        """Take note of a universe that another process has, or that it has it no more."""
        self._elsewhere.pop(universe_id, None)
        if record is not None:
            self._elsewhere[universe_id] = record

    def elsewhere(self) -> list[UniverseRecord]:
        """Return what is known of universes that are not open here."""
        return list(self._elsewhere.values())

    def __contains__(self, universe_id: str) -> bool:
        return universe_id in self._by_id or universe_id in self._elsewhere

    def all(self) -> list[Universe]:
        """Return all universes that are open here, sorted by id."""
        return list(self._by_id.values())

    def records(self) -> list[UniverseRecord]:
        """Return what is known of all universes of the server, sorted by id."""
        found = [*(one.record for one in self._by_id.values()), *self._elsewhere.values()]
        return sorted(found, key=lambda one: one.id)

    def record(self, universe_id: str) -> UniverseRecord:
        """Return what is known of a universe, wherever it is.  @raise NotFound: there is none of that id."""
        return self._elsewhere.get(universe_id) or self.get(universe_id).record

    def get(self, universe_id: str) -> Universe:
        """
        Return one universe.

        @raise NotFound: there is none of that id.  @raise Elsewhere: another process has it.
        """
        universe = self._by_id.get(universe_id)
        if universe is None:
            if universe_id in self._elsewhere:
                raise Elsewhere(universe_id)
            raise NotFound(f"no universe {universe_id}")
        return universe

    def route(self, recipient: str) -> Universe:
        """
        Say where mail from an unauthenticated session goes (decisions, section 1).

        @raise NotFound: there is no default universe.
        @raise Elsewhere: other processes have to be asked (C{MailServer.find}).
        """
        if self._elsewhere:
            raise Elsewhere
        name, others = self._default, self._others()
        if not others:
            return self.get(name)
        domain = recipient.rpartition("@")[2]
        found = _chosen(
            self._by_id.get(name) if name != "demo" else None, others,
            lambda one: one.store.exists(recipient), lambda one: one.policy.names(domain))
        return found or self.get(name)

    def _others(self) -> list[Universe]:
        """Those that mail from an unauthenticated session may be for, besides the default one."""
        return [one for one in self._by_id.values()
                if one.id not in ("demo", self._default) and not one.record.separate]

    def claims(self, recipient: str) -> list[tuple[str, bool, bool]]:
        """Return the ids of those here that have an address or name its domain, and whether they have and name it."""
        domain = recipient.rpartition("@")[2]
        default = self._by_id.get(self._default) if self._default != "demo" else None
        found = [(one.id, one.store.exists(recipient), one.policy.names(domain))
                 for one in (*self._others(), *([default] if default is not None else ()))]
        return [claim for claim in found if claim[1] or claim[2]]

    def decided(self, claims: Iterable[tuple[str, bool, bool]]) -> str:
        """Return the id of the universe that mail goes to, by what all processes claim (C{claims})."""
        by_id = {one[0]: one for one in claims}
        default = by_id.pop(self._default, None)
        found = _chosen(default, list(by_id.values()), lambda one: one[1], lambda one: one[2])
        return self._default if found is None else found[0]

    def default_universe(self, login: str = "") -> Universe | None:
        """Return the universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        found = self.logins(login.strip().lower()) if login else []
        return found[0][0] if found else self._by_id.get(self._default)

    def named(self, name: str) -> tuple[str, str]:
        """Return a name without the universe it ends with (C{<name>%<universe>}), and its id; C{""}: it names none."""
        plain, universe_id = split(name)
        return (plain, universe_id) if universe_id and universe_id in self else (name, "")

    def logins(self, name: str) -> list[tuple[Universe, Account]]:
        """
        Return the logins that a name (lower case) may mean, with their universes.

        A name that says its universe means the login there; the plain one never means one of a universe that is
        separate, such as a fork, which has the logins of its original.
        """
        plain, universe_id = self.named(name)
        found = [(one, account) for one in self._by_id.values()
                 if not one.record.separate and (account := one.policy.login(name)) is not None]
        named = self._by_id.get(universe_id)
        if named is not None and (account := named.policy.login(plain)) is not None:
            found.append((named, account))
        return found

    def plain(self, login: str) -> str:
        """Return a login name as it is in its own universe: as it came, without the universe's name."""
        return self.named(login.strip().lower())[0] if "%" in login else login


def _chosen(
    default: T | None, others: Sequence[T], has: Callable[[T], bool], names: Callable[[T], bool]
) -> T | None:
    """Return which of several universes an address is in, None for the default one."""
    # Whether an address is there may be a look at the disk: the default is asked only if that decides something.
    having = [one for one in others if has(one)]
    found = having or [one for one in others if names(one)]
    if len(found) != 1 or default is not None and (has(default) or not having and names(default)):
        return None
    return found[0]


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


class Organizations:
    """
    The organisations of a server.

    @param plans: by name.
    """

    def __init__(
        self, documents: ServerDocuments, universes: Universes, plans: Mapping[str, Plan]
    ) -> None:
        self._documents = documents
        self._universes = universes
        self._plans = plans
        self._orgs: dict[str, Org] = {}

    async def start(self) -> None:
        """Learn them."""
        await self._documents.keep("orgs", self._learn)

    def _learn(self, org_id: str, octets: bytes | None) -> None:
        self._orgs.pop(org_id, None)
        if octets is not None:
            self._orgs[org_id] = msgspec.json.decode(octets, type=Org)

    async def create(self, org_id: str, name: str = "", plan: str = "self-hosted") -> Org:
        """
        A new organisation.

        @raise Invalid: a bad id, no such plan.  @raise Conflict: it exists.
        """
        self._documents.check_mine(SERVER)
        check_id("id", org_id)
        self._check_plan(plan)
        async with self._documents.alone():
            if org_id in self._orgs:
                raise Conflict(f"organization {org_id} exists")
            return await self._put(Org(org_id, name or org_id, plan))

    async def _put(self, org: Org) -> Org:
        await self._documents.put("orgs", org.id, org)
        self._orgs[org.id] = org
        self._documents.tell()
        return org

    def get(self, org_id: str) -> Org:
        """One organisation.  @raise NotFound: there is none of that id."""
        org = self._orgs.get(org_id)
        if org is None:
            raise NotFound(f"no organization {org_id}")
        return org

    def all(self) -> list[Org]:
        """All organisations, sorted by id."""
        return [self._orgs[one] for one in sorted(self._orgs)]

    def of(self, universe: Universe | UniverseRecord) -> Org:
        """Return the organisation that owns a universe."""
        return self._orgs.get(universe.org) or Org(universe.org, universe.org)

    def plan_of(self, org_id: str) -> Plan:
        """Return what an organisation may use; a plan that is gone from the file has no features."""
        org = self._orgs.get(org_id) or Org(org_id, org_id)
        return self._plans.get(org.plan) or Plan(org.plan)

    async def change(self, org_id: str, plan: str | None = None, suspended: bool | None = None) -> Org:
        """
        Put an organisation on another plan, suspend it or take it back.

        @raise NotFound: no such organisation.  @raise Invalid: no such plan.
        """
        org = self.get(org_id)
        if plan is not None:
            self._check_plan(plan)
        stopped = org.stopped
        if suspended is not None and suspended != org.suspended:
            stopped = await self._stop_clocks(org_id) if suspended else await self._let_run(org)
        return await self._put(Org(
            org.id, org.name, org.plan if plan is None else plan,
            org.suspended if suspended is None else suspended, stopped))

    def _check_plan(self, plan: str) -> None:
        if plan not in self._plans:
            raise Invalid("plan", f"must be one of {', '.join(sorted(self._plans))}")

    async def _stop_clocks(self, org_id: str) -> tuple[str, ...]:
        """Stop the clocks of an organisation in all processes; which were running."""
        told = await self._documents.ask("stop clocks", org_id)
        return (*await self.stop_clocks(org_id), *(one for stopped in told for one in stopped or ()))

    async def stop_clocks(self, org_id: str) -> list[str]:
        """Stop the clocks of an organisation that are here; which were running."""
        stopped = []
        for universe in self._universes.all():
            if universe.org == org_id and not universe.clock.timeline.frozen:
                await universe.clock.set(frozen=True)
                stopped.append(universe.id)
        return stopped

    async def _let_run(self, org: Org) -> tuple[str, ...]:
        await self._documents.ask("let run", org.stopped)
        await self.let_run(org.stopped)
        return ()

    async def let_run(self, stopped: Collection[str]) -> None:
        """Let clocks that are here and were stopped go on."""
        for universe in self._universes.all():
            if universe.id in stopped:
                await universe.clock.set(frozen=False)


def check_id(field: str, value: str) -> None:
    """Check an id.  @raise Invalid: it cannot be that of an organisation or a universe."""
    if not UNIVERSE_ID.match(value):
        raise Invalid(field, "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit")
