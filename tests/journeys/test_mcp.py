"""An agent and its tester by way of the bridge, as the page on agents configures it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import simmail
from tests.journeys.running import JourneyCase, Service, environment

PAGE = Path(simmail.__file__).parent / "docs" / "mcp.rst"


class Agent:
    """One client of the bridge."""

    def __init__(self, service: Service, tools: str) -> None:
        page = PAGE.read_text(encoding="utf-8")
        blocks = [json.loads(one) for one in re.findall(r"^    (\{\n(?:    .*\n)+)", page, re.MULTILINE)]
        configured = next(one for one in (block["mcpServers"]["mail"] for block in blocks) if "command" in one)
        arguments = [{"mail": tools, "http://127.0.0.1:8025": f"http://127.0.0.1:{service.port('http')}"}.get(one, one)
                     for one in configured["args"]]
        self.process = subprocess.Popen(
            [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**environment(), "SIMMAILD_KEY": service.key})
        self.say("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})

    def say(self, method: str, **params: Any) -> Any:
        """The result of one request."""
        assert self.process.stdin is not None and self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def ask(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers."""
        return self.say("tools/call", name=tool, arguments=arguments)

    def end(self) -> int:
        """Close its input; the status with which the bridge ends."""
        self.process.communicate(timeout=20)
        return self.process.returncode


class AgentTests(JourneyCase):
    """Socket to socket."""

    def test_journey(self) -> None:
        """The agent writes, the tester moves the clock, the agent waits and answers, the tester reads why."""
        service = self.service()
        service.start()
        mail, world = Agent(service, "mail"), Agent(service, "world")
        self.assertEqual(len(mail.say("tools/list")["tools"]), 14)
        sent = mail.ask("send_email", to=["maria@acme.test"], subject="Lunch?", text="Do you have time on Friday?")
        self.assertGreater(world.ask("advance", by="9d")["structuredContent"]["jobs_run"], 0)
        came = mail.ask("wait_for_email", subject="Lunch", timeout_seconds=20)
        id = came["structuredContent"]["messages"][0]["id"]
        mail.ask("reply", id=id, text="Then Friday it is.")
        thread = mail.ask("read_thread", id=id)["structuredContent"]["messages"]
        self.assertEqual([one["mailbox"] for one in thread][:2] + [thread[-1]["mailbox"]], ["Sent", "INBOX", "Sent"])
        why = world.ask("explain", message_id=sent["structuredContent"]["message_id"])["content"][0]["text"]
        self.assertIn("persona.received", why)
        self.assertEqual((mail.end(), world.end()), (0, 0))
