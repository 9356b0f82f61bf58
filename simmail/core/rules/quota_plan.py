"""
Plans: which features a universe has, and how much of what.

Sources: API contract, "Errors" (402, 400 naming the allowance) and "Limits";
decisions, section 19.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from simmail.core.records.fields import an_object, convert
from simmail.errors import FeatureMissing, Invalid, OverAllowance

Feature = Literal["insights", "webhooks", "links", "chaos", "mcp"]

#: Allowances as people call them, by field of L{Allowances}.
_CALLED = {
    "people": "people", "logins": "logins", "streams": "streams", "learned_per_month": "personas learned from mail",
    "universes": "universes", "snapshots": "snapshots",
}


class Allowances(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Numbers of a plan; null is no limit.

    @ivar people: personas in a universe; logins: with a password in a universe; streams: of mail of the world in a
        universe.
    @ivar mail_per_month: mails sent in a universe, a real UTC month; ai_credits: answers of the language model, a real
        UTC month.
    @ivar learned_per_month: personas learned from mail, a real UTC month.
    @ivar retention_days: simulated days that mail and events are kept at most.
    @ivar universes: of the organization; snapshots: of the organization.
    """

    people: int | None = None
    logins: int | None = None
    streams: int | None = None
    mail_per_month: int | None = None
    ai_credits: int | None = None
    learned_per_month: int | None = None
    retention_days: int | None = None
    universes: int | None = None
    snapshots: int | None = None


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """
    What an organisation may use.

    @ivar name: of the plan; features: what it has beside the ordinary; limits: numbers of it.
    """

    name: str
    features: tuple[Feature, ...] = ()
    limits: Allowances = Allowances()

    def require(self, feature: Feature) -> None:
        """
        Refuse what the plan does not have.

        @raise FeatureMissing: naming plan and feature.
        """
        if feature not in self.features:
            raise FeatureMissing(f"the plan {self.name} does not include {feature}")

    def check(self, allowance: str, used: int) -> None:
        """
        Refuse one more of what is counted; C{used} are there.

        @raise OverAllowance: naming plan and allowance.
        """
        limit = getattr(self.limits, allowance)
        if limit is not None and used >= limit:
            raise OverAllowance(f"the plan {self.name} allows {limit} {_CALLED.get(allowance, allowance)}")


#: Features that are served by now; plans may name the others.
SERVED: tuple[Feature, ...] = ("insights", "webhooks", "links", "chaos", "mcp")

#: What an organisation has unless told otherwise: everything.
SELF_HOSTED = Plan("self-hosted", ("insights", "webhooks", "links", "chaos", "mcp"))


def plans_of(value: Any) -> Mapping[str, Plan]:
    """
    Plans by name, from a decoded YAML document C{{name: {features, limits}}}.

    @raise Invalid: a bad field, by its path.
    """
    found = {SELF_HOSTED.name: SELF_HOSTED}
    for name, fields in an_object(value, "plans").items():
        try:
            found[str(name)] = convert({"name": str(name), **an_object(fields or {})}, Plan)
        except Invalid as error:
            raise Invalid(f"plans.{name}", str(error)) from None
    return found
