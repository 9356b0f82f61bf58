"""Hundreds who ask for one thing at the same moment, over IMAP and HTTP: each is to be answered."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from typing import Any, NamedTuple

from tests.journeys.running import LOGIN, Service, message

#: Real seconds for all answers of one kind to some hundreds.
PATIENCE = 60.0


class Told(NamedTuple):
    """
    How a crowd was answered.

    @ivar answers: how many got which answer (IMAP: OK, NO, BAD; HTTP: the status).
    @ivar seconds: until the last one had it.
    """

    answers: Counter[str]
    seconds: float


class Session:
    """One IMAP session."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._count = 0

    async def command(self, line: str) -> str:
        """OK, NO or BAD."""
        self._count += 1
        tag = f"t{self._count}"
        self._writer.write(f"{tag} {line}\r\n".encode())
        return await self.answer(tag)

    async def answer(self, tag: str) -> str:
        """The tagged answer to a command, past all others."""
        while True:
            line = await self._reader.readline()
            if not line:
                return "gone"
            words = line.decode("utf-8", "replace").split()
            if words and words[0] == tag:
                return words[1]

    async def idle(self) -> None:
        """Begin to idle."""
        self._writer.write(b"idle IDLE\r\n")
        while not (await self._reader.readline()).startswith(b"+"):
            pass

    async def pushed(self, what: bytes) -> str:
        """Wait in IDLE for a line that ends in so; then end it."""
        while True:
            line = await self._reader.readline()
            if not line:
                return "gone"
            if line.rstrip().endswith(what):
                break
        self._writer.write(b"DONE\r\n")
        return await self.answer("idle")

    def close(self) -> None:
        """Cut."""
        self._writer.transport.abort()


class Crowd:
    """So many clients of one service."""

    def __init__(self, service: Service, count: int, patience: float = PATIENCE) -> None:
        self._service = service
        self._count = count
        self._patience = patience
        self._sessions: list[Session] = []

    # IMAP

    async def enter(self) -> Told:
        """Connect, and all sign in at the same moment."""
        # Connections are made some at a time: it is the commands that come all at once.
        for begin in range(0, self._count, 100):
            opened = await asyncio.gather(*(
                asyncio.open_connection("127.0.0.1", self._service.port("imap"))
                for _ in range(begin, min(begin + 100, self._count))))
            self._sessions += [Session(*one) for one in opened]
        return await self.command(f"LOGIN {LOGIN} {self._service.password}")

    async def command(self, line: str) -> Told:
        """A command that all sessions give at once."""
        return await self._all([one.command(line) for one in self._sessions])

    async def idle(self, subject: str) -> Told:
        """All idle in one folder, and a message comes."""
        await asyncio.wait_for(asyncio.gather(*(one.idle() for one in self._sessions)), self._patience)
        pushed = asyncio.ensure_future(self._all([one.pushed(b"EXISTS") for one in self._sessions]))
        await asyncio.to_thread(self.send, LOGIN, subject)
        return await pushed

    def send(self, to: str, subject: str) -> None:
        """A message by SMTP, from somebody else."""
        with self._service.smtp() as smtp:
            smtp.sendmail("else@app.test", [to], message("else@app.test", to, subject, "Shall we meet on Monday?"))

    def leave(self) -> None:
        """All are gone at once."""
        for one in self._sessions:
            one.close()
        self._sessions.clear()

    # HTTP

    async def call(self, method: str, path: str, body: Any = None) -> Told:
        """A call that all make at once."""
        return await self._all([self._one_call(method, path, body) for _ in range(self._count)])

    async def _one_call(self, method: str, path: str, body: Any) -> str:
        content = b"" if body is None else json.dumps(body).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._service.port("http"))
        try:
            writer.write(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self._service.key}\r\n"
                f"Connection: close\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
            answer = await reader.read()
        finally:
            writer.transport.abort()
        return answer[9:12].decode() or "gone"

    # All of them

    async def _all(self, asked: Sequence[Awaitable[str]]) -> Told:
        begin = time.monotonic()
        answers = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), self._patience)
        return Told(Counter(one if isinstance(one, str) else type(one).__name__ for one in answers),
                    time.monotonic() - begin)
