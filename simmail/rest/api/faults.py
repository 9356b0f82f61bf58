"""
C{/api/faults}: what goes wrong between application and mailboxes.

Source: API contract, "Faults"; decisions, section 12.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from simmail.core.records.persona import Hours
from simmail.core.rules.fault_library import SCENARIOS, library
from simmail.core.rules.faults import Certificate, FaultKind, PAIRS, Per, Stage
from simmail.errors import NotFound
from simmail.rest.route import Body, Call, Route

HEADING = "Faults"


class RuleFields(Body, frozen=True):
    """A fault rule; C{kind} and C{stage} are required, and have to go together (C{GET /api/faults/kinds})."""

    # Declared for the OpenAPI document; core.faultfields checks the values.

    kind: FaultKind
    stage: Stage
    name: str | UnsetType = UNSET
    match: str | UnsetType = UNSET
    rate: float | UnsetType = UNSET
    code: int | UnsetType = UNSET
    enhanced: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    delay_ms: int | UnsetType = UNSET
    bytes_per_second: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    interval: str | UnsetType = UNSET
    window: Hours | None | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    scenario: str | UnsetType = UNSET
    first: int | UnsetType = UNSET
    every: int | UnsetType = UNSET
    times: int | UnsetType = UNSET
    per: Per | UnsetType = UNSET
    certificate: Certificate | UnsetType = UNSET
    hits: int | UnsetType = UNSET


class LibraryRule(Struct, frozen=True, omit_defaults=True):
    """The rule of a scenario."""

    kind: FaultKind
    stage: Stage
    name: str | UnsetType = UNSET
    match: str | UnsetType = UNSET
    rate: float | UnsetType = UNSET
    code: int | UnsetType = UNSET
    enhanced: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    delay_ms: int | UnsetType = UNSET
    bytes_per_second: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    interval: str | UnsetType = UNSET
    window: Hours | None | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    scenario: str | UnsetType = UNSET
    first: int | UnsetType = UNSET
    every: int | UnsetType = UNSET
    times: int | UnsetType = UNSET
    per: Per | UnsetType = UNSET
    certificate: Certificate | UnsetType = UNSET


class FaultItem(LibraryRule, frozen=True, omit_defaults=True):
    """A fault rule, and how often it fired."""

    hits: int | UnsetType = UNSET


class ScenarioItem(Struct, frozen=True):
    """One scenario of the library; C{source}: where the behaviour is documented."""

    id: str
    provider: str
    name: str
    description: str
    source: str
    rule: LibraryRule


class KindItem(Struct, frozen=True):
    """A kind of fault, and the stages at which it may stand."""

    kind: FaultKind
    stages: tuple[Stage, ...]


class ScenarioChoice(Body, frozen=True):
    """C{match} and C{window} instead of the scenario's own."""

    match: Annotated[str, Meta(max_length=200)] = ""
    window: dict[str, Any] | None = None


class ScenarioChoiceShown(Body, frozen=True):
    """C{match} and C{window} instead of the scenario's own."""

    match: Annotated[str, Meta(max_length=200)] = ""
    window: Hours | None = None


async def scenario(call: Call) -> str:
    """The scenario the path names.  @raise NotFound: there is none."""
    name: str = call.path["id"]
    if name not in SCENARIOS:
        raise NotFound(f"no fault scenario {name[:60]}")
    return name


def list_faults(call: Call) -> list[dict[str, Any]]:
    return call.universe.faults.shown()


async def replace_faults(call: Call) -> list[dict[str, Any]]:
    return await call.universe.faults.put(call.body)


def list_fault_kinds(call: Call) -> list[KindItem]:
    return [KindItem(kind, stages) for kind, stages in PAIRS.items()]


def list_scenarios(call: Call) -> list[ScenarioItem]:
    return msgspec.convert(library(), list[ScenarioItem])


async def add_scenario(call: Call) -> list[dict[str, Any]]:
    return await call.universe.faults.add_scenario(call.found, call.body.match, call.body.window)


_RULE: dict[str, Any] = {
    "name": "busy", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "rate": 0.5, "code": 451,
    "enhanced": "4.3.2", "message": "Please try again later", "first": 3}
_SHOWN = {**_RULE, "enabled": True, "hits": 2}
_SCENARIO = {"id": "tarpit", "provider": "Any", "name": "Slow server: five seconds an answer",
             "description": "Every recipient is answered late; senders with short time-outs give up.",
             "source": "Exchange Server documentation, TarpitInterval",
             "rule": {"kind": "delay", "stage": "rcpt", "delay_ms": 5000, "scenario": "tarpit"}}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/faults", list_faults, "List fault rules, in order", list[FaultItem], polled=True,
          answer_example=[_SHOWN]),
    Route("PUT", "/api/faults", replace_faults, "Replace all fault rules", list[FaultItem], role="admin",
          statuses=(402,), body=list[dict[str, Any]], body_shown=list[RuleFields], example=[_RULE],
          answer_example=[_SHOWN]),
    Route("GET", "/api/faults/kinds", list_fault_kinds, "List kinds of faults, and where they may stand",
          list[KindItem], answer_example=[{"kind": "throttle", "stages": ["data", "body"]}]),
    Route("GET", "/api/faults/scenarios", list_scenarios, "List the scenario library", list[ScenarioItem],
          answer_example=[_SCENARIO]),
    Route("POST", "/api/faults/scenarios/{id}", add_scenario, "Append a scenario as an enabled rule",
          list[FaultItem], role="admin", feature="chaos", body=ScenarioChoice, body_shown=ScenarioChoiceShown,
          locate=scenario, example={"match": "@acme.test"}, answer_example=[_SHOWN]),
)
