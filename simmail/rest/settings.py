"""
Settings documents: so far the pace.

Source: API contract, "Behaviour settings"; decisions, section 23 ("Settings").
"""

from __future__ import annotations

from simmail.core.situation import Pace
from simmail.rest.schema import Body, Call, Route

HEADING = "Behaviour settings"


class PaceChange(Body, frozen=True):
    """C{factor}: 1 as configured, 0.1 ten times faster, 0 as 1; C{ignore_hours}: personas reply at any hour and day."""

    factor: float | None = None
    ignore_hours: bool | None = None


async def read_pace(call: Call) -> Pace:
    pace: Pace = call.universe.settings.pace
    return pace


async def change_pace(call: Call) -> Pace:
    change: PaceChange = call.body
    pace: Pace = await call.universe.settings.set_pace(change.factor, change.ignore_hours)
    return pace


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/pace", read_pace, "Read the pace", Pace,
          answer_example={"factor": 1.0, "ignore_hours": False}),
    Route("PUT", "/api/pace", change_pace, "Change the pace; what is left out stays", Pace, role="member",
          body=PaceChange, example={"factor": 0.1, "ignore_hours": True},
          answer_example={"factor": 0.1, "ignore_hours": True}),
)
