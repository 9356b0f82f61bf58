"""Tests of L{simmail.adapters.openenv} with the real library."""

from __future__ import annotations

from importlib.util import find_spec

from tests.adapters.playing import AdapterCase, REPLY
from tests.journeys.running import until


class MailEnvironmentTests(AdapterCase):
    """As OpenEnv serves it."""

    if find_spec("openenv") is None:
        skip = "openenv-core is not installed"

    def test_served(self) -> None:
        """Over OpenEnv's own application each session is an episode of its own, and its reward the score."""
        from fastapi.testclient import TestClient
        from openenv.core.env_server.http_server import create_fastapi_app

        from simmail.adapters.openenv import MailEnvironment, ToolAction, ToolObservation

        before = self.universes()
        app = create_fastapi_app(lambda: MailEnvironment(self.lunch, self.url, self.key), ToolAction, ToolObservation,
                                 max_concurrent_envs=2)
        with TestClient(app) as client, client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
            def ask(socket: object, **said: object) -> dict[str, object]:
                socket.send_json(said)  # type: ignore[attr-defined]
                return socket.receive_json()["data"]  # type: ignore[attr-defined, no-any-return]

            for socket, id in ((one, "a"), (two, "b")):
                self.assertIn("It is 2026", str(ask(socket, type="reset", data={"seed": 7, "episode_id": id})))
            self.assertTrue(ask(one, type="step", data=REPLY)["observation"]["good"])  # type: ignore[index]
            for socket, id, score in ((one, "a", 1.0), (two, "b", 0.0)):
                answer: dict[str, object] = {"done": False}
                while not answer["done"]:
                    answer = ask(socket, type="step", data={"tool": "end_turn"})
                self.assertEqual(answer["reward"], score)
                self.assertEqual(ask(socket, type="state")["episode_id"], id)
        until(lambda: self.universes() == before)
