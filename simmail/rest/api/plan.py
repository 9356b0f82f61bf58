"""
C{GET /api/plan}: what the organisation may use, and what is used up.

Source: decisions, sections 2 and 19.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from simmail.core.rules.quota_plan import Allowances, Feature, SERVED
from simmail.rest.route import Call, Route
from simmail.universe.usage import CREDITS, LEARNED, MAIL

HEADING = "Connection and identity"


class Used(Struct, frozen=True):
    """
    What is there, or was used this month, of what the plan limits.

    @ivar people: personas; logins: with a password; streams: of mail of the world.
    @ivar mail_per_month: mails sent this month; ai_credits: answers of the language model this month;
        learned_per_month: personas learned from mail this month.
    @ivar universes: of the whole organization; snapshots: of the whole organization.
    """

    people: int
    logins: int
    streams: int
    mail_per_month: int
    ai_credits: int
    learned_per_month: int
    universes: int
    snapshots: int


class PlanInfo(Struct, frozen=True):
    """
    What the organization may use.

    @ivar plan: its name; features: those that are served; limits: numbers of the plan; used: what is used of them.
    @ivar resets: when the month ends, in real time.
    """

    plan: str
    features: tuple[Feature, ...]
    limits: Allowances
    used: Used
    resets: datetime


def read_plan(call: Call) -> PlanInfo:
    universe, server = call.universe, call.services.server
    plan, usage = universe.plan(), universe.usage
    logins = sum(1 for one in server.accounts(universe).list() if one.hash)
    features = tuple(one for one in plan.features if one in SERVED)
    return PlanInfo(plan.name, features, plan.limits, Used(
        len(universe.people), logins, len(universe.settings.world.streams), usage.used(MAIL), usage.used(CREDITS),
        usage.used(LEARNED), sum(1 for one in server.records() if one.org == universe.org),
        server.snapshots.count(universe.org)), usage.resets())


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/plan", read_plan, "Read the plan, its limits and what is used", PlanInfo, answer_example={
        "plan": "team", "features": ["links"],
        "limits": {"people": 500, "logins": 50, "streams": 10, "mail_per_month": 50000, "ai_credits": 2000,
                   "learned_per_month": 100, "retention_days": 365, "universes": 10, "snapshots": 20},
        "used": {"people": 12, "logins": 1, "streams": 0, "mail_per_month": 311, "ai_credits": 0,
                 "learned_per_month": 2, "universes": 1, "snapshots": 0},
        "resets": "2026-04-01T00:00:00Z"}),
)
