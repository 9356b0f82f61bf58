"""
Scenarios as a task of Inspect AI: each is a sample, its verdict the score.

C{inspect eval simmail/scenarios -T names=support-desk --model ...}.  In each of its turns the model has the tools of
its mailbox over MCP, until it calls none; all turns are one conversation.

Source: U{https://inspect.aisi.org.uk/}.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate as loop, solver, use_tools
from inspect_ai.tool import mcp_server_http, mcp_tools
from msgspec import convert, to_builtins

from simmail.adapters.episode import MailTools, tools_address, turn_text
from simmail.client import Client
from simmail.scenario.application import ApplicationProcess, TestedCommand
from simmail.scenario.library import load, shipped
from simmail.scenario.outcome import Played
from simmail.scenario.play import TTL, Play, prepare
from simmail.scenario.script import ScenarioFile
from simmail.testing.service import shared

#: In the store of a sample: where it began, a universe and a snapshot of it, and what came of it.
UNIVERSE, SNAPSHOT, PLAYED = "simmail:universe", "simmail:snapshot", "simmail:played"


@task
def scenarios(names: str = "", app: str = "", seed: str = "", url: str = "", key: str = "",
              agent: Solver | None = None) -> Task:
    """
    Play scenarios.

    @param names: files, or names of C{simmail scenario list}, with commas between them; else all that are shipped.
    @param app: a command that has the turns, as C{--app} of C{simmail scenario run}, and gets its settings for SMTP and
        IMAP; or C{agent}: a solver that has them; otherwise the model has them.
    @param seed: what happens is drawn from it; the scenario's own, unless given.
    @param url, key: of a running service, and an administrator's key of it; without them one is started.
    """
    scripts = {one.name: one for one in (map(load, names.split(",")) if names else shipped())}
    return Task(
        dataset=[Sample(one.app.task or one.title, id=one.name, metadata={"title": one.title, "about": one.about})
                 for one in scripts.values()],
        solver=turns(scripts, shared(url, key), seed, app, agent), scorer=verdict())


@solver
def turns(scripts: Mapping[str, ScenarioFile], admin: Client, seed: str, app: str, agent: Solver | None) -> Solver:
    """Fork a universe, and let an agent, a command or the model have the turns in it."""
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        script = scripts[str(state.sample_id)]
        base = await to_thread.run_sync(prepare, admin, script, seed or script.own_seed)
        snapshot = await to_thread.run_sync(base.snapshot, script.name)
        state.store.set(UNIVERSE, base.universe)
        state.store.set(SNAPSHOT, snapshot)
        universe = await to_thread.run_sync(base.fork, snapshot, TTL)
        play, process = Play(script, universe), None
        try:
            if app:
                process = ApplicationProcess(TestedCommand(app, environment=dict(os.environ)), universe, script.app)
            else:
                state = await _with_tools(state, generate, universe, script)
            going = play.turns()
            while (now := await to_thread.run_sync(_next, going)) is not None and not state.completed:
                if process is not None:
                    await to_thread.run_sync(process.turn, now)
                else:
                    state.messages.append(ChatMessageUser(content=turn_text(script.app, now)))
                    state = await (agent or loop())(state, generate)
            if process is not None:
                process.check()
            played = await to_thread.run_sync(play.outcome, () if process is None else process.failures)
            state.store.set(PLAYED, to_builtins(played))
        finally:
            if process is not None:
                process.stop()
            universe.close()
            base.close()
            await to_thread.run_sync(admin.delete, universe.universe)
        return state

    return solve


async def _with_tools(state: TaskState, generate: Generate, universe: Client, script: ScenarioFile) -> TaskState:
    listed = await to_thread.run_sync(MailTools(universe, script.app).listed)
    server = mcp_server_http(name="mail", url=universe.url + tools_address(script.app), authorization=universe.key)
    given: TaskState = await use_tools(mcp_tools(server, tools=[one["name"] for one in listed]))(state, generate)
    return given


def _next(going: Iterator[datetime]) -> datetime | None:
    return next(going, None)


@scorer(metrics={"passed": [mean(), stderr()], "score": [mean(), stderr()]})
def verdict() -> Scorer:
    """Whether all held that the scenario expects (C{passed}), and its score, 0 to 1."""
    async def score(state: TaskState, target: Target) -> Score:
        played = convert(state.store.get(PLAYED), Played)
        return Score(
            value={"passed": float(played.passed), "score": played.score or 0.0},
            explanation="\n".join(played.reasons),
            metadata={"failed": list(played.failed), "fingerprint": played.fingerprint})

    return score
