"""A client of the Model Context Protocol without a network."""

from __future__ import annotations

import json
from typing import Any

from simmail.testing.universe import now
from tests.rest.client import Answer
from tests.rest.served import ServedTestCase

NEW, OLD = "2026-07-28", "2025-11-25"
_META = "io.modelcontextprotocol/"


class SpeakingTestCase(ServedTestCase):
    """Tests of C{/mcp} as a client sees it."""

    path = "/mcp?tools=mail"

    def setUp(self) -> None:
        """An account of the application's."""
        super().setUp()
        self.login("app@sim.test")

    def post(self, message: Any, path: str = "", role: str = "admin", **headers: str | None) -> Answer:
        """One message, as it is; headers are named with underscores, None leaves one out."""
        fields = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        return self.ask("POST", path or self.path, message, role, **fields)

    def say(
        self, method: str, params: dict[str, Any] | None = None, path: str = "", role: str = "admin",
        capabilities: dict[str, Any] | None = None, **headers: str | None,
    ) -> Answer:
        """One request of the revision without a handshake; headers replace those that are right."""
        meta = {_META + "protocolVersion": NEW, _META + "clientCapabilities": capabilities or {}}
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": meta, **(params or {})}}
        named = (params or {}).get("name")
        return self.post(body, path, role, **{
            "MCP_Protocol_Version": NEW, "Mcp_Method": method, "Mcp_Name": named, **headers})

    def result(self, answer: Answer) -> Any:
        """What a request that has to succeed answers."""
        told = answer.json()
        self.assertEqual((answer.status, told.get("error"), told["id"]), (200, None, 7), told)
        return told["result"]

    def tool(self, tool: str, path: str = "", role: str = "admin", **arguments: Any) -> Any:
        """What a tool answers that has to succeed."""
        result = self.result(self.say("tools/call", {"name": tool, "arguments": arguments}, path, role))
        self.assertNotIn("isError", result, result)
        return result

    def told(self, tool: str, path: str = "", **arguments: Any) -> str:
        """The text of the same."""
        text: str = self.tool(tool, path, **arguments)["content"][0]["text"]
        return text

    def wrong(self, tool: str, path: str = "", role: str = "admin", **arguments: Any) -> str:
        """The text of a tool that has to refuse."""
        result = self.result(self.say("tools/call", {"name": tool, "arguments": arguments}, path, role))
        self.assertTrue(result.get("isError"), result)
        text: str = result["content"][0]["text"]
        return text

    def come(self, subject: str = "Hello", text: str = "Hello there", folder: str = "INBOX", **fields: Any) -> Any:
        """A mail that is put into the application's mailbox; its id."""
        made = self.good("POST", "/api/inject", {"to": "app@sim.test", "folder": folder, **(
            fields or {"from": "joe@shop.test", "subject": subject, "text": text})})
        return f"app@sim.test/{folder}/{made['uid']}"

    def advance(self, by: str = "2d") -> None:
        """Move the clock."""
        self.good("POST", "/api/clock/advance", {"by": by})

    def login(self, address: str) -> None:
        """An account of the application's."""
        now(self.server.roster.accounts(self.universe).create({"address": address, "password": "correct horse"}))


def unfenced(text: str) -> Any:
    """The JSON within a fenced result."""
    mark = text.split("that begin with ")[1].split("|")[0]
    lines = [line.removeprefix(f"{mark}| ") for line in text.split("\n") if line.startswith(f"{mark}| ")]
    return json.loads("\n".join(lines))
