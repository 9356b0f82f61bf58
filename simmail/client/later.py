"""
The client for asyncio: the same methods, to be awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from simmail.client.client import Client, MailLogin

P = ParamSpec("P")
T = TypeVar("T")

#: Calls of one client under way at once; most of them wait for mail.
CALLS = 64


def _later(method: Callable[Concatenate[Client, P], T]) -> Callable[
        Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @wraps(method)
    async def later(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, partial(method, self.client, *args, **kwargs))
    return later


def _made(method: Callable[Concatenate[Client, P], Client]) -> Callable[
        Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncClient]]:
    begun = _later(method)

    @wraps(method)
    async def made(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncClient:
        return AsyncClient(client=await begun(self, *args, **kwargs))
    return made


class AsyncClient:
    """
    One universe; each call takes a thread while it lasts, and no call stops when its task is cancelled.

    @ivar client: the same universe, for code that may block.
    @ivar url, key, universe, logins, login: as of L{Client}.
    """

    def __init__(self, url: str = "http://127.0.0.1:8025", key: str = "", universe: str = "",
                 logins: Sequence[MailLogin] = (), client: Client | None = None) -> None:
        self.client = client or Client(url, key, universe, logins)
        self._threads = ThreadPoolExecutor(CALLS, "simmail")

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections; calls under way are not waited for."""
        self._threads.shutdown(wait=False)
        self.client.close()

    url, key, universe, logins, login = (
        property(attrgetter(f"client.{name}")) for name in ("url", "key", "universe", "logins", "login"))
    call, place = _later(Client.call), _later(Client.place)
    send, wait, wait_none = _later(Client.send), _later(Client.wait), _later(Client.wait_none)
    wait_several, message = _later(Client.wait_several), _later(Client.message)
    wait_reply, inbox, extract = _later(Client.wait_reply), _later(Client.inbox), _later(Client.extract)
    advance, settle, jobs = _later(Client.advance), _later(Client.settle), _later(Client.jobs)
    personas, add_persona = _later(Client.personas), _later(Client.add_persona)
    cases, add_case = _later(Client.cases), _later(Client.add_case)
    events, explain = _later(Client.events), _later(Client.explain)
    score, application = _later(Client.score), _later(Client.application)
    snapshot, restore, reset = _later(Client.snapshot), _later(Client.restore), _later(Client.reset)
    create, fork, delete = _made(Client.create), _made(Client.fork), _later(Client.delete)
