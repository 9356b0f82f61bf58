"""
Organisations, their plans, and the universes of a server that are open: which of them mail and logins are for.

Source: decisions, sections 1, 19 and 23 (a suspended organisation's clocks stand still).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from simmail.core.rules.login_name import split, UNIVERSE_ID
from simmail.core.rules.quota_plan import Plan
from simmail.errors import Conflict, Invalid, NotFound
from simmail.server.documents import ServerDocuments
from simmail.universe.policy import Account
from simmail.universe.universe import Universe


class Universes:
    """
    The open universes, sorted by id.

    @param default: the id of the one for mail of nobody's.
    """

    def __init__(self, default: str) -> None:
        self._default = default
        self._by_id: dict[str, Universe] = {}

    def add(self, universe: Universe) -> None:
        """Take in a universe that was started."""
        self._by_id[universe.id] = universe
        # In order once, for they are asked for more often than they change.
        self._by_id = dict(sorted(self._by_id.items()))

    def remove(self, universe_id: str) -> None:
        """Let go of a universe that is going to be closed."""
        self._by_id.pop(universe_id, None)

    def __contains__(self, universe_id: str) -> bool:
        return universe_id in self._by_id

    def all(self) -> list[Universe]:
        """Return all universes, sorted by id."""
        return list(self._by_id.values())

    def get(self, universe_id: str) -> Universe:
        """
        Return one universe.

        @raise NotFound: there is none of that id.
        """
        universe = self._by_id.get(universe_id)
        if universe is None:
            raise NotFound(f"no universe {universe_id}")
        return universe

    def route(self, recipient: str) -> Universe:
        """
        Say where mail from an unauthenticated session goes (decisions, section 1).

        @raise NotFound: there is no default universe.
        """
        name = self._default
        default = self._by_id.get(name) if name != "demo" else None
        others = [one for one in self._by_id.values() if one.id not in ("demo", name) and not one.record.separate]
        # Whether an address is there may be a look at the disk: the default is asked only if that decides something.
        having = [one for one in others if one.store.exists(recipient)]
        domain = recipient.rpartition("@")[2]
        found = having or [one for one in others if one.policy.names(domain)]
        if len(found) != 1 or default is not None and (
                default.store.exists(recipient) or not having and default.policy.names(domain)):
            return self.get(name)
        return found[0]

    def default_universe(self, login: str = "") -> Universe | None:
        """Return the universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        found = self.logins(login.strip().lower()) if login else []
        return found[0][0] if found else self._by_id.get(self._default)

    def split(self, name: str) -> tuple[str, Universe | None]:
        """Return a name without the universe it ends with (C{<name>%<universe>}), and that; None: it names none."""
        plain, universe_id = split(name)
        universe = self._by_id.get(universe_id) if universe_id else None
        return (name, None) if universe is None else (plain, universe)

    def logins(self, name: str) -> list[tuple[Universe, Account]]:
        """
        Return the logins that a name (lower case) may mean, with their universes.

        A name that says its universe means the login there; the plain one never means one of a universe that is
        separate, such as a fork, which has the logins of its original.
        """
        plain, named = self.split(name)
        found = [(one, account) for one in self._by_id.values()
                 if not one.record.separate and (account := one.policy.login(name)) is not None]
        if named is not None and (account := named.policy.login(plain)) is not None:
            found.append((named, account))
        return found

    def plain(self, login: str) -> str:
        """Return a login name as it is in its own universe: as it came, without the universe's name."""
        return self.split(login.strip().lower())[0] if "%" in login else login


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
        for octets in (await self._documents.table("orgs")).values():
            org = msgspec.json.decode(octets, type=Org)
            self._orgs[org.id] = org

    async def create(self, org_id: str, name: str = "", plan: str = "self-hosted") -> Org:
        """
        A new organisation.

        @raise Invalid: a bad id, no such plan.  @raise Conflict: it exists.
        """
        check_id("id", org_id)
        if org_id in self._orgs:
            raise Conflict(f"organization {org_id} exists")
        self._check_plan(plan)
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

    def of(self, universe: Universe) -> Org:
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
        """Stop the clocks of an organisation; which were running."""
        stopped = []
        for universe in self._universes.all():
            if universe.org == org_id and not universe.clock.timeline.frozen:
                await universe.clock.set(frozen=True)
                stopped.append(universe.id)
        return tuple(stopped)

    async def _let_run(self, org: Org) -> tuple[str, ...]:
        for universe in self._universes.all():
            if universe.id in org.stopped:
                await universe.clock.set(frozen=False)
        return ()


def check_id(field: str, value: str) -> None:
    """Check an id.  @raise Invalid: it cannot be that of an organisation or a universe."""
    if not UNIVERSE_ID.match(value):
        raise Invalid(field, "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit")
