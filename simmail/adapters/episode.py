"""
A scenario played by calls of tools, one after another: what the adapters have in common.

In each of its turns an agent calls tools of its mailbox, those of C{/mcp?tools=mail}, until it ends the turn; then time
goes on to the next.  A turn is what it is for an application of C{simmail scenario run}, and so is the verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from simmail.client import Client
from simmail.client.transport import question
from simmail.core.time.instant import format_instant
from simmail.scenario.outcome import Played
from simmail.scenario.play import Play, prepare
from simmail.scenario.script import ScenarioFile, Seat

#: Ends a turn; the one tool that a mailbox does not have.
END_TURN = "end_turn"

#: Of no use where time stands still within a turn.
_WAITS = "wait_for_email"


def tools_address(seat: Seat) -> str:
    """Return where the tools of the application's mailbox are, below the service's URL."""
    return "/mcp" + question({"tools": "mail", "address": seat.address})


def turn_text(seat: Seat, now: datetime) -> str:
    """Return what an agent is told when its turn begins."""
    return (f"It is {format_instant(now)}. You look after the mailbox of {seat.address}; your owner is {seat.owner}. "
            f"{seat.task.strip()}\nLook for what is new, do what is to be done now, and then end your turn: you get "
            "another when mail has come or it is time.")


class MailTools:
    """The tools of the application's mailbox in a universe."""

    def __init__(self, client: Client, seat: Seat) -> None:
        self._client = client
        self._where = tools_address(seat)

    def listed(self) -> list[dict[str, Any]]:
        """Return name, description and C{inputSchema} of each."""
        tools: list[dict[str, Any]] = self._ask("tools/list", {})["result"]["tools"]
        return [one for one in tools if one["name"] != _WAITS]

    def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """Return what a tool says, and whether it did what was asked for."""
        if name == _WAITS:
            return f"nothing comes before the turn ends: {END_TURN}", False
        answer = self._ask("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            return answer["error"]["message"], False
        told = answer["result"]
        return "\n".join(part["text"] for part in told["content"]), not told.get("isError", False)

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        return self._client.call("POST", self._where, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


class EpisodeState(Struct, frozen=True):
    """
    Where an episode is.

    @ivar episode_id: as it was given; step_count: actions so far; scenario: its name; universe: where it is played.
    @ivar now: simulated instant; done: whether it is over.
    """

    episode_id: str
    step_count: int
    scenario: str
    universe: str
    now: str
    done: bool


class Episode:
    """
    One run of a scenario, in a universe of its own.

    @param seed: what happens is drawn from it; the scenario's own, unless given.
    @ivar script: what is played; client: its universe; tools: of the mailbox in it.
    @ivar said: what the last action, or the beginning of a turn, told; good: whether the action was one.
    @ivar played: what came of it, once it is over.
    @raise ApiError: the service refused something.
    """

    def __init__(self, admin: Client, script: ScenarioFile, seed: str = "", id: str = "") -> None:
        self._admin = admin
        self.script = script
        self.client = prepare(admin, script, seed or script.own_seed)
        self.tools = MailTools(self.client, script.app)
        self.played: Played | None = None
        self._id, self._steps = id, 0
        self._play = Play(script, self.client)
        self._turns = self._play.turns()
        self._now = script.clock
        self._go_on()

    @property
    def state(self) -> EpisodeState:
        """Where it is."""
        return EpisodeState(self._id, self._steps, self.script.name, self.client.universe,
                            format_instant(self._now), self.played is not None)

    @property
    def verdict(self) -> dict[str, Any]:
        """C{passed}, C{failed} and C{fingerprint}, once it is over."""
        played = self.played
        return {} if played is None else {
            "passed": played.passed, "failed": list(played.failed), "fingerprint": played.fingerprint}

    def act(self, action: str) -> None:
        """Do what C{{"tool": NAME, "arguments": {...}}} says, if it is that; what it is not, C{said} tells."""
        self._steps += 1
        try:
            asked = json.loads(action)
            tool, arguments = asked["tool"], asked.get("arguments") or {}
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            self.said, self.good = f'an action is JSON as {{"tool": "{END_TURN}", "arguments": {{}}}}', False
            return
        if self.played is not None:
            self.said, self.good = "the episode is over", False
        elif tool == END_TURN:
            self._go_on()
        else:
            self.said, self.good = self.tools.call(str(tool), arguments)

    def _go_on(self) -> None:
        now = next(self._turns, None)
        if now is None:
            self.played = self._play.outcome()
            self.said = "the episode is over"
        else:
            self._now, self.said = now, turn_text(self.script.app, now)
        self.good = True

    def close(self) -> None:
        """Remove its universe."""
        self.client.close()
        self._admin.delete(self.client.universe)
