"""
Organisations and their plans.

Source: decisions, sections 1, 19 and 23 (a suspended organisation's clocks
stand still).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from simmail.core.rules.quota_plan import Plan
from simmail.errors import Conflict, Invalid, NotFound
from simmail.server.documents import ServerDocuments
from simmail.server.revocation import Revocations
from simmail.server.universes import Universes
from simmail.universe.universe import Universe

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")


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
        self, documents: ServerDocuments, universes: Universes, plans: Mapping[str, Plan], revocations: Revocations
    ) -> None:
        self._documents = documents
        self._universes = universes
        self._plans = plans
        self._revocations = revocations
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
        self._revocations.tell()
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
    if not _ID.match(value):
        raise Invalid(field, "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit")
