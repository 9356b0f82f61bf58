"""Tests of L{simmail.adapters.episode}: a scenario by calls of tools."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

from simmail.adapters.episode import Episode
from simmail.scenario.library import load
from tests.adapters.playing import AdapterCase, REPLY, SEARCH

END = '{"tool": "end_turn"}'


class EpisodeTests(AdapterCase):
    """Many at once."""

    def test_episodes(self) -> None:
        """Whoever answers has passed, four at once alike; what is no action is told, and harms nothing."""
        before = self.universes()

        def one(n: int) -> tuple[object, ...]:
            episode = Episode(self.admin, load(self.lunch), id=str(n))
            try:
                self.assertIn("It is 2026-03-02T09:00:00Z. You look after the mailbox of app@acme.test", episode.said)
                self.assertEqual({"reply", "wait_for_email"} & {tool["name"] for tool in episode.tools.listed()},
                                 {"reply"})
                episode.act(json.dumps(SEARCH))
                self.assertIn("Do you have time on Friday at 12:30?", episode.said)
                episode.act(json.dumps(REPLY))
                self.assertTrue(episode.good, episode.said)
                while not episode.state.done:
                    episode.act(END)
                self.assertEqual((episode.state.episode_id, episode.state.scenario), (str(n), "lunch"))
                assert episode.played is not None
                return episode.played.passed, episode.played.score
            finally:
                episode.close()

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(set(pool.map(one, range(4))), {(True, 1.0)})
        silent = Episode(self.admin, load(self.lunch))
        for wrong in ("", "[]", "5", '"x"', "{}", '{"tool": "reply"}', '{"tool": "nothing"}', '{"tool": 5}', "[" * 9999,
                      '{"tool": "reply", "arguments": 5}', '{"tool": "wait_for_email"}', '{"tool": {"a": 1}}'):
            silent.act(wrong)
            self.assertEqual((silent.good, silent.played), (False, None), wrong)
            self.assertTrue(silent.said)
        while not silent.state.done:
            silent.act(END)
        self.assertEqual(silent.verdict["failed"], ["answered"])
        self.assertEqual(silent.verdict["fingerprint"], self.played(self.lunch, "").fingerprint)
        silent.act(END)
        self.assertFalse(silent.good)
        silent.close()
        self.assertEqual(self.universes(), before)
