"""
A server of OpenAI's chat-completions protocol, as good or as bad as a test wants it.

It is a real one: a listener on a real port.  What it words is the draft of the plan with other words before and after,
unless a test says otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import Factory, Protocol

Answer = Callable[["Connection", dict[str, Any]], object]


def plan_of(query: dict[str, Any]) -> dict[str, Any]:
    """The plan that a model was given."""
    given = next(one["content"] for one in query["messages"] if one["role"] == "user")
    plan, _ = json.JSONDecoder().raw_decode(given)
    assert isinstance(plan, dict)
    return plan


def rephrased(plan: dict[str, Any]) -> str:
    """The draft in words that are a little different: every check lets them pass."""
    draft = str(plan["draft"])
    return f"{draft[:-1]}, really{draft[-1]}" if draft[-1] in ".!" else f"{draft} really"


def content(query: dict[str, Any], words: str | None = None) -> str:
    """What a good model answers."""
    if "greeting" in json.dumps(query.get("response_format", "")) or "Say hello" in query["messages"][-1]["content"]:
        return '{"greeting": "hello"}'
    plan = plan_of(query)
    return json.dumps({"text": rephrased(plan) if words is None else words, "used_facts": sorted(plan["facts"])})


def completion(text: str, **choice: Any) -> bytes:
    """The body of a chat completion."""
    return json.dumps({"id": "c1", "object": "chat.completion", "choices": [
        {"index": 0, "finish_reason": "stop", **choice, "message": {"role": "assistant", "content": text}}]}).encode()


class Connection(Protocol):
    """One connection of somebody who asks."""

    factory: Any

    def connectionMade(self) -> None:
        """Wait for questions."""
        self._octets = b""

    def dataReceived(self, data: bytes) -> None:
        """Answer each question that is complete."""
        self._octets += data
        while b"\r\n\r\n" in self._octets:
            head, _, rest = self._octets.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            length = int(fields.get("content-length", "0"))
            if len(rest) < length:
                return
            self._octets = rest[length:]
            query = json.loads(rest[:length])
            self.factory.server.asked.append(query)
            self.factory.server.heads.append((lines[0], fields))
            self.factory.server.answer(self, query)

    def reply(self, body: bytes, status: str = "200 OK") -> None:
        """Send an answer."""
        self.send(b"HTTP/1.1 " + status.encode() + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                  % len(body) + body)

    def send(self, octets: bytes) -> None:
        """Send just these octets."""
        self.transport.write(octets)  # type: ignore[union-attr]

    def hang_up(self) -> None:
        """Send no more."""
        self.transport.loseConnection()  # type: ignore[union-attr]


class ModelServer:
    """
    Listens on loopback.

    @ivar asked: bodies of questions, in order; heads: the request lines and fields that came with them.
    @ivar answer: what is done about a question.
    """

    def __init__(self, reactor: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self.heads: list[tuple[str, dict[str, str]]] = []
        self.answer: Answer = good
        factory: Any = Factory.forProtocol(Connection)
        factory.noisy = False
        factory.server = self
        self.port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.place = f"127.0.0.1:{self.port.getHost().port}"
        self.base_url = f"http://{self.place}/v1"

    @property
    def letters(self) -> list[dict[str, Any]]:
        """The questions that were about a mail."""
        return [one for one in self.asked if "Say hello" not in one["messages"][-1]["content"]]


def good(connection: Connection, query: dict[str, Any]) -> None:
    """Answer as asked."""
    connection.reply(completion(content(query)))
