"""
An environment as Gymnasium has them: an episode is a scenario, an action calls a tool, the reward is the score.

Source: U{https://gymnasium.farama.org/api/env/}.
"""

from __future__ import annotations

import json
import string
from typing import Any

import gymnasium

from simmail.adapters.episode import Episode, EpisodeState
from simmail.scenario.library import load
from simmail.testing.service import shared

#: Characters of an action, and of what is observed; the rest is escaped, as JSON does it.
LONGEST_ACTION, LONGEST_OBSERVATION = 100_000, 2_000_000

#: Actions after which an episode is broken off.
MOST_STEPS = 1000


class MailEnv(gymnasium.Env[str, str]):
    """
    The mailbox of an application in a scenario.

    An action is JSON, C{{"tool": "reply", "arguments": {"id": ..., "text": ...}}}, with the tools of C{tools} or
    C{end_turn}.  An observation is JSON: C{now}, C{text}, and C{good}, whether the action was one.  The reward is the
    score (0 to 1) when the episode ends, and 0 before; C{info} then has C{passed}, C{failed} and C{fingerprint}.

    @param scenario: a file, or a name of C{simmail scenario list}.
    @param url, key: of a running service, and an administrator's key of it; without them one is started.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scenario: str, url: str = "", key: str = "", most_steps: int = MOST_STEPS) -> None:
        self.action_space = gymnasium.spaces.Text(LONGEST_ACTION, charset=string.printable)
        self.observation_space = gymnasium.spaces.Text(LONGEST_OBSERVATION, charset=string.printable)
        self._script, self._admin, self._most = load(scenario), shared(url, key), most_steps
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The one that is played.  @raise gymnasium.error.ResetNeeded: there is none."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("reset() begins an episode")
        return self._episode

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Name, description and C{inputSchema} of each tool."""
        return self.episode.tools.listed()

    @property
    def state(self) -> EpisodeState:
        """Where the episode is."""
        return self.episode.state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None,
              episode_id: str = "") -> tuple[str, dict[str, Any]]:
        """
        Begin an episode; everything that happens is drawn from C{seed}, or else from the scenario's own.

        @param options: C{episode_id} may stand there too, where wrappers pass nothing else on.
        """
        super().reset(seed=seed)
        self.close()
        self._episode = Episode(self._admin, self._script, "" if seed is None else str(seed),
                                episode_id or str((options or {}).get("episode_id", "")))
        return self._seen(), self.episode.verdict

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Call a tool, or end the turn."""
        self.episode.act(action)
        played = self.episode.played
        reward = (played.score or 0.0) if played is not None else 0.0
        return self._seen(), reward, played is not None, self.state.step_count >= self._most, self.episode.verdict

    def close(self) -> None:
        """Remove the episode's universe."""
        episode, self._episode = self._episode, None
        if episode is not None:
            episode.close()

    def _seen(self) -> str:
        return json.dumps({"now": self.state.now, "text": self.episode.said, "good": self.episode.good})
