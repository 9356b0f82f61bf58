"""C{simmail.rest.mcp.endpoint}: the protocol, in both families of revisions."""

from __future__ import annotations

import json
from typing import Any

from simmail.core.rules.quota_plan import Plan
from simmail.testing.universe import now
from tests.rest.client import Connection, request
from tests.rest.mcp.speaking import NEW, OLD, SpeakingTestCase

WORLD = "/mcp?tools=world"


class StatelessTests(SpeakingTestCase):
    """The revision without a handshake."""

    def refused(self, status: int, code: int, answer: Any) -> dict[str, Any]:
        """What an answer says that has to be an error of the protocol."""
        told: dict[str, Any] = answer.json()
        self.assertEqual((answer.status, told["jsonrpc"], told["error"]["code"]), (status, "2.0", code), told)
        error: dict[str, Any] = told["error"]
        return error

    def test_discover(self) -> None:
        """The server says what it speaks, and how long that holds."""
        told = self.result(self.say("server/discover"))
        self.assertEqual(told["resultType"], "complete")
        self.assertEqual(told["supportedVersions"][:2], [NEW, OLD])
        self.assertEqual((told["capabilities"], told["cacheScope"]), ({"tools": {}}, "private"))
        self.assertGreater(told["ttlMs"], 0)

    def test_list(self) -> None:
        """Each tool has a schema of an object, and says whether it only reads."""
        for path, name in ((self.path, "send_email"), (WORLD, "advance")):
            told = self.result(self.say("tools/list", path=path))
            tools = {one["name"]: one for one in told["tools"]}
            self.assertEqual((told["resultType"], told["cacheScope"]), ("complete", "private"))
            self.assertFalse(tools[name]["annotations"]["readOnlyHint"])
            for one in tools.values():
                self.assertEqual(one["inputSchema"]["type"], "object", one["name"])
                self.assertTrue(set(one["inputSchema"].get("required", ())) <= set(one["inputSchema"]["properties"]))
        self.assertTrue(tools["reset"]["annotations"]["destructiveHint"])
        self.assertTrue(tools["events"]["annotations"]["readOnlyHint"])
        self.refused(400, -32602, self.say("tools/list", {"cursor": "x"}))

    def test_default_tools(self) -> None:
        """Unless it is said, an admin's key is for the tester and another's for the agent."""
        for role, name in (("admin", "advance"), ("member", "send_email"), ("viewer", "send_email")):
            told = self.result(self.say("tools/list", path="/mcp", role=role))
            self.assertIn(name, [one["name"] for one in told["tools"]])

    def test_bound_key(self) -> None:
        """A key for one set of tools has that whatever is asked for, and opens nothing else, whatever its role."""
        for tools, own, others in (("mail", "send_email", "advance"), ("world", "advance", "send_email")):
            self.keys["bound"] = now(self.server.roster.create_key("main", "admin", "agent", tools=tools))
            for path in ("/mcp", WORLD, "/mcp?tools=mail"):
                told = self.result(self.say("tools/list", path=path, role="bound"))
                self.assertIn(own, [one["name"] for one in told["tools"]], path)
                self.refused(400, -32602, self.say("tools/call", {"name": others, "arguments": {}}, path, "bound"))
            for method, path in (("GET", "/api/personas"), ("POST", "/api/reset"), ("GET", "/api/wait"),
                                 ("GET", "/api/events/stream"), ("GET", "/api/admin/keys")):
                self.assertEqual(self.bad(403, method, path, role="bound"),
                                 "the key is for tools over MCP; it opens nothing else")
            self.server.database.set_healthy(False)
            away = self.say("tools/list", path=WORLD, role="bound").json()["error"]["message"]
            self.server.database.set_healthy(True)
            self.assertEqual("Redis" in away, tools == "world")

    def test_versions(self) -> None:
        """An unknown revision is refused with those that are spoken."""
        answer = self.say("tools/list", MCP_Protocol_Version="2031-01-01")
        error = self.refused(400, -32022, answer)
        self.assertEqual(answer.json()["id"], 7)
        self.assertEqual((error["data"]["requested"], error["data"]["supported"][0]), ("2031-01-01", NEW))

    def test_headers(self) -> None:
        """What headers say has to agree with the body, and may not be missing."""
        call = {"name": "list_mailboxes", "arguments": {}}
        for headers in ({"Mcp_Method": None}, {"Mcp_Method": "tools/list"}, {"Mcp_Name": None}, {"Mcp_Name": "reply"},
                        {"Mcp_Name": "=?base64?!?="}, {"MCP_Protocol_Version": OLD}, {"MCP_Protocol_Version": None}):
            self.refused(400, -32020, self.say("tools/call", call, **headers))
        self.result(self.say("tools/call", call, Mcp_Name="=?base64?bGlzdF9tYWlsYm94ZXM=?="))

    def test_meta(self) -> None:
        """What each request has to say of its client is missed."""
        self.refused(400, -32602, self.say("tools/list", {"_meta": {}}))
        self.refused(400, -32602, self.say("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": NEW}}))

    def test_unknown(self) -> None:
        """A method or a tool that there is not."""
        self.refused(404, -32601, self.say("prompts/list"))
        self.refused(404, -32601, self.say("initialize"))
        self.refused(400, -32602, self.say("tools/call", {"name": "advance", "arguments": {}}))

    def test_malformed(self) -> None:
        """What is no message is refused, however it is broken."""
        for code, body in (
            (-32700, b"{"), (-32700, b"\xff"), (-32700, b"[" * 100_000), (-32700, b'{"id":1,"id":2}'),
            (-32700, b'{"a":' * 80 + b"1" + b"}" * 80), (-32600, b"{}"), (-32600, b"7"), (-32600, b"[]"),
            (-32600, b'{"jsonrpc":"1.0","id":1,"method":"ping"}'), (-32600, b'{"jsonrpc":"2.0","id":1,"result":{}}'),
            (-32600, b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
            (-32600, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}'),
        ):
            for version in (NEW, OLD):
                answer = self.post(body, MCP_Protocol_Version=version)
                self.refused(400, code, answer)
                # Who waits for the answer to a message knows it by its id, where there is one to be seen.
                self.assertEqual(answer.json()["id"], 1 if code == -32600 and b'"id":1' in body else None)

    def test_refused_by_http(self) -> None:
        """No key, a page of another site, a plan without it, an unknown parameter: told in the protocol's form."""
        for status, answer in (
            (401, self.say("server/discover", role="nobody")),
            (403, self.say("server/discover", Origin="https://evil.test")),
            (400, self.say("server/discover", path="/mcp?colour=red")),
        ):
            told = answer.json()
            self.assertEqual((answer.status, told["id"]), (status, None), told)
        self.result(self.say("server/discover", Origin="http://localhost"))
        self.assertEqual(self.ask("GET", "/mcp").status, 405)
        self.assertIn("mcp", self.good("GET", "/api/plan")["features"])
        self.server.plans["bare"] = Plan("bare")
        now(self.server.roster.change_org("default", plan="bare"))
        self.assertEqual(self.say("server/discover").status, 402)

    def test_notification(self) -> None:
        """What wants no answer gets none."""
        answer = self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
                           MCP_Protocol_Version=NEW)
        self.assertEqual((answer.status, answer.body), (202, b""))

    def test_question(self) -> None:
        """Before something is destroyed the person is asked, where the client can; else the argument says it."""
        call = {"name": "reset", "arguments": {"seed": "two"}}
        self.come()
        asks = {"elicitation": {"form": {}}}
        told = self.result(self.say("tools/call", call, WORLD, capabilities=asks))
        self.assertEqual(told["resultType"], "input_required")
        self.assertEqual(told["inputRequests"]["confirmed"]["method"], "elicitation/create")
        for said in ({"action": "decline"}, {"action": "accept", "content": {"confirmed": False}}, "yes"):
            told = self.result(self.say("tools/call", {**call, "inputResponses": {"confirmed": said}}, WORLD,
                                        capabilities=asks))
            self.assertTrue(told["isError"])
        self.assertIn("confirmed", self.wrong("reset", WORLD))
        self.assertEqual(len(self.good("GET", "/api/mailboxes/app@sim.test/messages")), 1)
        said = {"action": "accept", "content": {"confirmed": True}}
        told = self.result(self.say("tools/call", {**call, "inputResponses": {"confirmed": said}}, WORLD,
                                    capabilities=asks))
        self.assertEqual(told["structuredContent"]["messages"], 1)


class HandshakeTests(SpeakingTestCase):
    """The revisions with a handshake."""

    def old(self, method: str, params: Any = None, version: str | None = OLD, **more: Any) -> Any:
        """The answer to a request of theirs."""
        return self.post({"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}, **more},
                         MCP_Protocol_Version=version).json()

    def test_handshake(self) -> None:
        """The client's revision is taken where it is known, else the newest of them."""
        for asked, answered in ((OLD, OLD), ("2025-03-26", "2025-03-26"), ("1999-01-01", OLD)):
            told = self.old("initialize", {"protocolVersion": asked, "capabilities": {}}, None)["result"]
            self.assertEqual((told["protocolVersion"], told["capabilities"]), (answered, {"tools": {}}))
            self.assertNotIn("resultType", told)
        self.assertEqual(self.old("ping")["result"], {})
        self.assertEqual(self.old("server/discover")["error"]["code"], -32601)

    def test_call(self) -> None:
        """A tool is called without what the later revision wants."""
        self.come()
        told = self.old("tools/call", {"name": "list_mailboxes", "arguments": None})["result"]
        self.assertIn("INBOX: 1 messages", told["content"][0]["text"])
        self.assertEqual(told["structuredContent"]["mailboxes"][0]["unread"], 1)

    def test_batch(self) -> None:
        """Some messages at once, as the revision 2025-03-26 lets it."""
        batch = [{"jsonrpc": "2.0", "id": n, "method": method} for n, method in enumerate(("ping", "nope"))]
        answer = self.post([*batch, {"jsonrpc": "2.0", "method": "notifications/initialized"}, 5])
        self.assertEqual([one.get("result", one.get("error", {}).get("code")) for one in answer.json()],
                         [{}, -32601, -32600])
        self.assertEqual(self.post([batch[0]] * 21).status, 400)
        wait = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait_for_email"}}
        self.assertIn("no batch", self.post([wait]).json()[0]["error"]["message"])

    def test_journey(self) -> None:
        """Somebody writes, is answered, answers in the conversation, and the tester reads why."""
        self.persona()
        told = self.old("tools/call", {"name": "send_email", "arguments": {
            "to": ["maria@acme.test"], "subject": "Lunch?", "text": "Do you have time for lunch?"}})["result"]
        message_id = told["structuredContent"]["message_id"]
        self.assertEqual(self.tool("advance", WORLD, by="2d")["structuredContent"]["jobs_run"], 2)
        came = self.old("tools/call", {"name": "wait_for_email", "arguments": {}})["result"]["structuredContent"]
        self.old("tools/call", {"name": "reply", "arguments": {"id": came["messages"][0]["id"], "text": "Fine."}})
        thread = self.tool("read_thread", id=came["messages"][0]["id"])["structuredContent"]["messages"]
        self.assertEqual([one["mailbox"] for one in thread], ["Sent", "INBOX", "Sent"])
        self.assertIn("persona.sent", self.told("explain", WORLD, message_id=message_id))


class WaitingTests(SpeakingTestCase):
    """A wait, and who leaves it."""

    def waiting(self, accept: str, **arguments: Any) -> Connection:
        """A connection on which a wait was asked for."""
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "wait_for_email", "arguments": arguments}}
        connection = Connection(self.site)
        connection.send(request("POST", self.path, body, {
            "Authorization": f"Bearer {self.keys['member']}", "Accept": accept, "MCP-Protocol-Version": OLD}))
        return connection

    def test_stream(self) -> None:
        """The stream stays open, says so, and ends with the answer."""
        self.come()
        connection = self.waiting("application/json, text/event-stream", subject="Later")
        self.server.reactor.advance(16)
        self.come("Later", "It is here")
        answer = connection.answer()
        self.assertEqual(answer.headers["x-accel-buffering"], "no")
        self.assertEqual(answer.headers["content-type"], "text/event-stream; charset=utf-8")
        begun, _, event = answer.body.decode().partition("event: message\ndata: ")
        self.assertEqual(begun, ": waiting\n\n: waiting\n\n")
        self.assertIn("It is here", json.loads(event)["result"]["content"][0]["text"])

    def test_leaving(self) -> None:
        """Who leaves ends the wait, on a stream or not."""
        self.come()
        for accept in ("text/event-stream", "application/json"):
            connection = self.waiting(accept, subject="Never")
            self.assertEqual(self.universe.waits.open, 1)
            connection.close()
            self.assertEqual(self.universe.waits.open, 0)

    def test_cursor(self) -> None:
        """A wait in vain tells from where to go on."""
        self.come()
        connection = self.waiting("application/json", subject="Later", timeout_seconds=2)
        self.server.reactor.advance(3)
        told = connection.answer().json()["result"]
        cursor = told["structuredContent"]["cursor"]
        self.write("app@sim.test", "Later", **{"from": "joe@shop.test"})
        connection = self.waiting("application/json", cursor=cursor, subject="Later", timeout_seconds=2)
        told = connection.answer().json()["result"]
        self.assertNotIn("isError", told, told)
        self.assertEqual(told["structuredContent"]["messages"][0]["id"], "app@sim.test/INBOX/2")
        self.assertIn("at most 55", self.wrong("wait_for_email", timeout_seconds=60))
