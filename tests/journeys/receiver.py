"""An endpoint of webhooks on loopback that keeps what it got, and answers as it is told to."""

from __future__ import annotations

import asyncio
import json
import time
from threading import Event, Thread
from typing import NamedTuple


class Delivery(NamedTuple):
    """One request: when it came (monotonic seconds), and what with."""

    at: float
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> int:
        """The number of its event."""
        return int(json.loads(self.body)["id"])


class Receiver:
    """
    Answers until it is closed, over connections that are kept.

    @ivar got: what came, in order.
    @ivar status: what it answers, -1 for nothing at all; delay: real seconds it takes for that.
    """

    def __init__(self, status: int = 200, delay: float = 0.0) -> None:
        self.status, self.delay = status, delay
        self.got: list[Delivery] = []
        self.port = 0
        self._ready = Event()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    @property
    def place(self) -> str:
        """As C{lab_hosts} lists it."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.place}/hook"

    @property
    def ids(self) -> list[int]:
        """Numbers of the events that came, in order."""
        return [one.id for one in list(self.got)]

    def close(self) -> None:
        """Stop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.got.append(Delivery(time.monotonic(), headers, body))
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self.status < 0:
                    await asyncio.sleep(3600)
                writer.write(f"HTTP/1.1 {self.status} So\r\nContent-Length: 2\r\n\r\nok".encode())
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
