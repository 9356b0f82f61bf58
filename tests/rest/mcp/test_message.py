"""C{simmail.rest.mcp.message}: anything may come."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rest.mcp.speaking import NEW, OLD, SpeakingTestCase

QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from(
        ["2.0", "tools/call", "tools/list", "read_email", "search_emails", "mark", "app@sim.test/INBOX/1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["jsonrpc", "id", "method", "params", "name", "arguments", "_meta", "ids", "query", "cursor", "limit"]),
        inner, max_size=4), max_leaves=8)


class AnythingTests(SpeakingTestCase):
    """Nothing that is sent makes the service fail."""

    def fine(self, body: bytes, version: str) -> None:
        """The answer is no defect."""
        answer = self.post(body, MCP_Protocol_Version=version, Mcp_Method="tools/call", Mcp_Name="mark")
        self.assertIn(answer.status, (200, 202, 400, 404), answer.body)
        self.assertNotIn(b"incident", answer.body)

    @QUICK
    @given(st.binary(max_size=40) | VALUES.map(lambda value: json.dumps(value).encode()), st.sampled_from([NEW, OLD]))
    def test_bodies(self, body: bytes, version: str) -> None:
        """Anything as a body."""
        self.fine(body, version)

    @QUICK
    @given(VALUES, st.sampled_from(["read_email", "search_emails", "mark", "save_draft", "find_unreplied"]))
    def test_arguments(self, arguments: Any, name: str) -> None:
        """Anything as the arguments of a tool."""
        self.fine(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                              "params": {"name": name, "arguments": arguments}}).encode(), OLD)
