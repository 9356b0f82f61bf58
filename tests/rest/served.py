"""The whole API over a universe in memory."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Http
from simmail.rest.site import api_site
from simmail.testing.universe import MemoryServer, now
from tests.rest.client import Answer, Connection, ask, request

ROLES = ("viewer", "member", "admin")


class ServedTestCase(SynchronousTestCase):
    """
    Tests of the API as a client sees it.

    @ivar universe: C{main}, frozen; keys: a key for each role in it.
    """

    config = Config(http=Http(rate=0, console_rate=0))

    def setUp(self) -> None:
        """A server in memory."""
        self.server = MemoryServer(self.config)
        self.universe = self.server.universe("main")
        self.keys: dict[str, str] = {
            role: now(self.server.roster.create_key("main", role, role)) for role in ROLES}  # type: ignore[arg-type]
        self.site = api_site(self.config, self.server.roster, self.server.reactor)

    def ask(self, method: str, path: str, body: Any = None, role: str = "admin", **headers: str) -> Answer:
        """One request with the key of a role."""
        return ask(self.site, method, path, body, self.keys.get(role, role), headers)

    def good(self, method: str, path: str, body: Any = None, role: str = "admin") -> Any:
        """The JSON of a request that has to succeed."""
        answer = self.ask(method, path, body, role)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def bad(self, status: int, method: str, path: str, body: Any = None, role: str = "admin") -> str:
        """The error text of a request that has to be refused with C{status}."""
        answer = self.ask(method, path, body, role)
        self.assertEqual(answer.status, status, answer.body)
        return answer.error

    def begin(self, method: str, path: str, body: Any = None, role: str = "admin") -> Connection:
        """A request whose answer is not awaited."""
        connection = Connection(self.site)
        connection.send(request(method, path, body, {"Authorization": f"Bearer {self.keys[role]}"}))
        return connection

    def persona(self, address: str = "maria@acme.test", **fields: Any) -> dict[str, Any]:
        """A new persona who answers."""
        answer: dict[str, Any] = self.good("POST", "/api/personas", {
            "addresses": [address], "temperament": "responsive",
            "timing": {"reply_rate": 1, "delay": {"median": "20m", "spread": 1.2}}, **fields})
        return answer

    def write(self, to: str = "maria@acme.test", subject: str = "Lunch?", text: str = "Do you have time for lunch?",
              **fields: Any) -> str:
        """Send a mail from the application; its Message-ID."""
        answer = self.good("POST", "/api/send", {"from": "app@sim.test", "to": [to], "subject": subject, "text": text,
                                                 **fields})
        message_id: str = answer["message_id"]
        return message_id
