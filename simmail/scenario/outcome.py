"""
What came of a scenario: whether each expectation and each required part of the score held, and how sure that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb

from msgspec import Struct

from simmail.core.score.points import PARTS, Point, ScoreReport
from simmail.scenario.script import ScenarioFile


class Held(Struct, frozen=True):
    """
    Whether one expectation held, or one part of the score reached what is required.

    @ivar what: a sentence; why: what it lost, in sentences.
    """

    id: str
    what: str
    passed: bool
    why: tuple[str, ...] = ()


class Played(Struct, frozen=True):
    """
    One run of a scenario.

    @ivar score: the whole score, None where there is none; story: what happened, in lines that begin with instants.
    @ivar failures: turns of the application that did not end well.
    """

    held: tuple[Held, ...]
    score: float | None
    fingerprint: str
    story: tuple[str, ...]
    turns: int = 0
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all held."""
        return all(one.passed for one in self.held)

    @property
    def failed(self) -> tuple[str, ...]:
        """The ids of what did not hold."""
        return tuple(one.id for one in self.held if not one.passed)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What held and what did not, and why, in lines."""
        return tuple(line for one in self.held for line in (
            f"{'ok  ' if one.passed else 'FAIL'}  {one.id}: {one.what}", *(f"      {why}" for why in one.why)))


class Result(Struct, frozen=True):
    """All runs of one scenario with one application."""

    script: ScenarioFile
    seed: str
    runs: tuple[Played, ...]

    @property
    def passed(self) -> bool:
        """Whether every run passed."""
        return all(one.passed for one in self.runs)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Those of the runs, each once."""
        return tuple(dict.fromkeys(one.fingerprint for one in self.runs))

    @property
    def pass_k(self) -> tuple[float, ...]:
        """
        For k from 1 to the number of runs, how likely it is that k runs all pass.

        Source: Yao et al., "tau-bench" (2024): of n runs of which c passed, C(c, k) / C(n, k).
        """
        n, passed = len(self.runs), sum(one.passed for one in self.runs)
        return tuple(comb(passed, k) / comb(n, k) for k in range(1, n + 1))


def held(script: ScenarioFile, report: ScoreReport, late: Mapping[str, Sequence[str]]) -> tuple[Held, ...]:
    """
    Return what a score says of all that a scenario wants; what nothing can be said about did not hold.

    @param late: by id of an expectation, what it had lost at steps that wanted it to have come true by then.
    """
    parts = {part.id: part for part in report.parts}
    found = []
    for one in script.expect:
        points = about(one.id, report)
        why = [text.removeprefix(f"{one.id}: ") for text in (*late.get(one.id, ()), *lost(points))]
        found.append(Held(one.id, one.what or one.id, bool(points) and not why, tuple(why) if points or why else (
            "there was nothing to judge",)))
    for name, least in script.require.items():
        part = next(part for part in parts.values() if part.id == name)
        passed = part.score is not None and part.score >= least
        why = [f"{'nothing to judge' if part.score is None else part.score}, at least {least:g} is required",
               *lost(part.points)]
        found.append(Held(name, PARTS[part.id].what, passed, () if passed else tuple(why)))
    return tuple(found)


def about(id: str, report: ScoreReport) -> list[Point]:
    """Return the points of an expectation."""
    return [point for part in report.parts if part.id == "expectations" for point in part.points
            if point.why.startswith(f"{id}: ")]


def lost(points: Iterable[Point]) -> list[str]:
    """Return what points that are not full say."""
    return [point.why for point in points if point.value < 1]
