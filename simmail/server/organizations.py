"""
Organisations and their plans.

Source: decisions, sections 1, 19 and 23 (a suspended organisation's clocks
stand still).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from simmail.core.rules.quota_plan import Plan
from simmail.errors import Conflict, Invalid, NotFound

if TYPE_CHECKING:
    from simmail.server.server import Roster
    from simmail.universe.universe import Universe


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


class Orgs:
    """The organisations of a server."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._orgs: dict[str, Org] = {}

    async def start(self) -> None:
        """Learn them."""
        for octets in (await self._roster.documents("orgs")).values():
            org = msgspec.json.decode(octets, type=Org)
            self._orgs[org.id] = org

    async def create(self, org_id: str, name: str = "", plan: str = "self-hosted") -> Org:
        """
        A new organisation.

        @raise Invalid: a bad id, no such plan.  @raise Conflict: it exists.
        """
        self._roster.check_id("id", org_id)
        if org_id in self._orgs:
            raise Conflict(f"organization {org_id} exists")
        self._check_plan(plan)
        return await self._put(Org(org_id, name or org_id, plan))

    async def _put(self, org: Org) -> Org:
        await self._roster.store_document("orgs", org.id, org)
        self._orgs[org.id] = org
        self._roster.access.lessened()
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
        """The organisation that owns a universe."""
        return self._orgs.get(universe.org) or Org(universe.org, universe.org)

    def plan_of(self, universe: Universe) -> Plan:
        """What the organisation of a universe may use."""
        return self.plan(self.of(universe))

    def plan(self, org: Org) -> Plan:
        """What an organisation may use; a plan that is gone from the file has no features."""
        return self._roster.plans.get(org.plan) or Plan(org.plan)

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
        plans = self._roster.plans
        if plan not in plans:
            raise Invalid("plan", f"must be one of {', '.join(sorted(plans))}")

    async def _stop_clocks(self, org_id: str) -> tuple[str, ...]:
        """Stop the clocks of an organisation; which were running."""
        stopped = []
        for universe in self._roster.universes():
            if universe.org == org_id and not universe.clock.timeline.frozen:
                await universe.clock.set(frozen=True)
                stopped.append(universe.id)
        return tuple(stopped)

    async def _let_run(self, org: Org) -> tuple[str, ...]:
        for universe in self._roster.universes():
            if universe.id in org.stopped:
                await universe.clock.set(frozen=False)
        return ()
