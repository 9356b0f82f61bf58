"""
C{/api/faults}: what goes wrong between application and mailboxes.

Source: API contract, "Faults"; decisions, section 12.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from simmail.core.records.fields import convert
from simmail.core.rules.fault_library import SCENARIOS, Scenario, ScenarioChoice, library
from simmail.core.rules.fault_rule import Count, FaultKind, FaultRule, PAIRS, Stage
from simmail.errors import NotFound
from simmail.rest.openapi import list_of, some_of
from simmail.rest.route import Call, Route

HEADING = "Faults"


#: For the OpenAPI document; C{core.rules.fault_rule} takes rules and shows them.
FaultItem = some_of(
    "FaultItem", FaultRule, "A fault rule; C{kind} and C{stage} are required, and have to go together "
    "(C{GET /api/faults/kinds}).  C{hits}: how often it fired.", keep=("kind", "stage"), hits=Count)
LibraryRule = some_of("LibraryRule", FaultRule, "The rule of a scenario.", keep=("kind", "stage"))
ScenarioItem = some_of(
    "ScenarioItem", Scenario, "One scenario of the library.",
    keep=Scenario.__struct_fields__, rule=LibraryRule)


class KindItem(Struct, frozen=True):
    """A kind of fault.  C{kind}: as in a rule; C{stages}: at which it may stand."""

    kind: FaultKind
    stages: tuple[Stage, ...]


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


def list_scenarios(call: Call) -> list[dict[str, Any]]:
    return library()


async def add_scenario(call: Call) -> list[dict[str, Any]]:
    choice = convert(call.body, ScenarioChoice)
    return await call.universe.faults.add_scenario(call.found, choice.match, choice.window)


_RULE: dict[str, Any] = {
    "name": "busy", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "rate": 0.5, "code": 451,
    "enhanced": "4.3.2", "message": "Please try again later", "first": 3}
_SHOWN = {**_RULE, "enabled": True, "hits": 2}
_SCENARIO = {"id": "tarpit", "provider": "Any", "name": "Slow server: five seconds an answer",
             "description": "Every recipient is answered late; senders with short time-outs give up.",
             "source": "Exchange Server documentation, TarpitInterval",
             "rule": {"kind": "delay", "stage": "rcpt", "delay_ms": 5000, "scenario": "tarpit"}}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/faults", list_faults, "List fault rules, in order", list_of(FaultItem), polled=True,
          answer_example=[_SHOWN]),
    Route("PUT", "/api/faults", replace_faults, "Replace all fault rules", list_of(FaultItem), role="admin",
          statuses=(402,), body=list[dict[str, Any]], body_shown=list_of(FaultItem), example=[_RULE],
          answer_example=[_SHOWN]),
    Route("GET", "/api/faults/kinds", list_fault_kinds, "List kinds of faults, and where they may stand",
          list[KindItem], answer_example=[{"kind": "throttle", "stages": ["data", "body"]}]),
    Route("GET", "/api/faults/scenarios", list_scenarios, "List the scenario library", list_of(ScenarioItem),
          answer_example=[_SCENARIO]),
    Route("POST", "/api/faults/scenarios/{id}", add_scenario, "Append a scenario as an enabled rule",
          list_of(FaultItem), role="admin", feature="chaos", body=dict[str, Any], body_shown=ScenarioChoice,
          locate=scenario, example={"match": "@acme.test"}, answer_example=[_SHOWN]),
)
