"""Tests of L{simmail.adapters.gym} with the real library."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from textwrap import dedent

from tests.adapters.playing import AdapterCase, REPLY
from tests.journeys.test_docs import DOCS


class MailEnvTests(AdapterCase):
    """By the rules of Gymnasium."""

    if find_spec("gymnasium") is None:
        skip = "gymnasium is not installed"

    def test_environment(self) -> None:
        """Gymnasium's own checker is content; one seed is one episode; the reward is the score."""
        from gymnasium.error import ResetNeeded
        from gymnasium.utils.env_checker import check_env

        from simmail.adapters.gym import MailEnv

        before = self.universes()
        env = MailEnv(self.lunch, self.url, self.key)
        self.assertRaises(ResetNeeded, lambda: env.state)
        check_env(env, skip_render_check=True)
        ends: list[str] = []
        for seed in (5, 5, 6):
            env.reset(seed=seed, episode_id="e1")
            seen, *_ = env.step(json.dumps(REPLY))
            self.assertTrue(json.loads(seen)["good"], seen)
            done = False
            while not done:
                _, reward, done, broken_off, info = env.step('{"tool": "end_turn"}')
            self.assertEqual((reward, broken_off, info["passed"], env.state.episode_id), (1.0, False, True, "e1"))
            ends.append(env.state.now)
        self.assertEqual(ends[0], ends[1])
        page = re.search(r"\nGymnasium\n-+\n[\s\S]*?::\n\n((?:    .*\n|\n)+)",
                         (DOCS / "adapters.rst").read_text(encoding="utf-8"))
        assert page is not None
        shown: dict[str, object] = {"print": ends.append}
        exec(dedent(page[1]).replace("\"support-desk\"", repr((self.lunch, self.url, self.key))[1:-1]), shown)
        self.assertIn("Do you have time on Friday at 12:30?", ends[-1])
        env.reset(options={"episode_id": "e2"})
        self.assertEqual(env.state.episode_id, "e2")
        env.close()
        self.assertEqual(self.universes(), before)
