"""
C{/api/score}: the tested application graded against the truth about its mail.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from simmail.core.score.expectations import Expectations
from simmail.core.score.points import PARTS, ScoreReport
from simmail.core.time.instant import parse_instant
from simmail.rest.route import Call, Query, Route

HEADING = "Score"


class WhichScore(Query, frozen=True):
    """
    Which mail is graded.

    @ivar since: mail from this instant of simulated time on; all unless given.
    @ivar points: which are listed: all, those that cost something, none.
    """

    since: str | None = None
    points: Literal["all", "lost", "none"] = "all"


async def read_score(call: Call) -> ScoreReport:
    asked: WhichScore = call.query
    since = None if asked.since is None else parse_instant(asked.since, "since")
    report: ScoreReport = await call.universe.scores.score(since)
    if asked.points == "all":
        return report
    return replace(report, parts=tuple(replace(part, points=tuple(
        one for one in part.points if asked.points == "lost" and one.value < 1)) for part in report.parts))


def read_expectations(call: Call) -> Expectations:
    return call.universe.scores.expectations


async def replace_expectations(call: Call) -> Expectations:
    return await call.universe.scores.put_expectations(call.body)


_EXPECTATIONS: dict[str, Any] = {"expectations": [
    {"id": "confirm", "what": "Every order is confirmed within four hours", "effect": "expected",
     "contains": ["order"], "on": {"kind": "order"}, "within": "4h"},
    {"id": "no-press", "effect": "forbidden", "to": ["press@news.test"], "before": "2026-04-01T00:00:00Z"}]}
_SHOWN = msgspec.to_builtins(msgspec.convert(_EXPECTATIONS, Expectations))
_REPORT: dict[str, Any] = {
    "since": "2026-03-01T00:00:00Z", "until": "2026-03-08T00:00:00Z", "score": 0.9123, "usefulness": 0.88,
    "safety": 0.96, "graded": 84, "waiting": 2, "parts": [{
        "id": "answered", "what": PARTS["answered"].what, "weight": PARTS["answered"].weight, "score": 0.5, "n": 2,
        "points": [
            {"value": 1.0, "why": "order \u201cOrder 120412\u201d of anna.berg@mail.test was answered after 2h",
             "messages": ["<a@mail.test>", "<1@app.test>"], "at": "2026-03-02T09:00:00Z", "weight": 1.0},
            {"value": 0.0, "why": "inquiry \u201cDesks\u201d of tom@mail.test was answered by nobody by "
                                  "2026-03-03T10:00:00Z",
             "messages": ["<b@mail.test>"], "at": "2026-03-02T10:00:00Z", "weight": 1.0}]}]}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/score", read_score, "Grade what the application made of its mail, with reasons", ScoreReport,
          query=WhichScore, query_example="points=lost", answer_example=_REPORT),
    Route("GET", "/api/score/expectations", read_expectations, "Read what was stated as expected", Expectations,
          answer_example=_SHOWN),
    Route("PUT", "/api/score/expectations", replace_expectations,
          "Replace what is expected: who must get what and when, and what must not happen", Expectations,
          role="member", body=dict[str, Any], body_shown=Expectations, example=_EXPECTATIONS, answer_example=_SHOWN),
)
