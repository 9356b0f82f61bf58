"""
An environment as OpenEnv has them: an episode is a scenario, an action calls a tool, the reward is the score.

Source: C{openenv.core.env_server.interfaces} of openenv-core 0.3.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from simmail.adapters.episode import Episode
from simmail.scenario.library import load
from simmail.testing.service import shared


class ToolAction(Action):
    """The call of a tool of the mailbox, or of C{end_turn}."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolObservation(Observation):
    """What it told; C{good}: whether the action was one; C{metadata} of the last: passed, failed, fingerprint."""

    now: str
    text: str
    good: bool


class MailEnvironment(Environment):
    """
    The mailbox of an application in a scenario; each has a universe of its own.

    @param scenario: a file, or a name of C{simmail scenario list}.
    @param url, key: of a running service, and an administrator's key of it; without them one is started.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, scenario: str, url: str = "", key: str = "") -> None:
        super().__init__()
        self._script, self._admin = load(scenario), shared(url, key)
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The one that is played.  @raise RuntimeError: there is none."""
        if self._episode is None:
            raise RuntimeError("reset() begins an episode")
        return self._episode

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> ToolObservation:
        """Begin an episode; everything that happens is drawn from C{seed}, or else from the scenario's own."""
        self.close()
        self._episode = Episode(self._admin, self._script, "" if seed is None else str(seed), episode_id or "")
        return self._seen()

    def step(self, action: ToolAction, timeout_s: float | None = None, **_: Any) -> ToolObservation:
        """Call a tool, or end the turn."""
        self.episode.act(json.dumps({"tool": action.tool, "arguments": action.arguments}))
        return self._seen()

    @property
    def state(self) -> State:
        """Where the episode is."""
        return State(**to_builtins(self.episode.state))

    def close(self) -> None:
        """Remove the episode's universe."""
        episode, self._episode = self._episode, None
        if episode is not None:
            episode.close()

    def _seen(self) -> ToolObservation:
        episode, played = self.episode, self.episode.played
        return ToolObservation(
            now=episode.state.now, text=episode.said, good=episode.good, done=played is not None,
            reward=None if played is None else played.score, metadata=episode.verdict)
