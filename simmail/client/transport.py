"""
Calls of the API over kept HTTP/1.1 connections; any number of threads may call at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from select import select
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

T = TypeVar("T")

#: Real seconds without an octet after which the service is given up; a wait takes five minutes, a long advance more.
PATIENCE = 600.0

#: How often a call that came too soon (429, nothing was done) is made again, after the time the service names.
AGAIN = 5


class ApiError(Exception):
    """
    The service refused a call, or did not answer.

    @ivar status: of the answer; 0 when there was none.
    @ivar text: what the service says is wrong.
    """

    def __init__(self, status: int, text: str, call: str) -> None:
        super().__init__(f"{call}: {f'{status} ' if status else ''}{text}")
        self.status, self.text, self.call = status, text, call


def path(*parts: str | int) -> str:
    """Return a path below C{/api}, each part escaped."""
    return "/api/" + "/".join(quote(str(one), safe="@") for one in parts)


def question(asked: Mapping[str, Any]) -> str:
    """Return a query string; C{None} is left out, and a trailing underscore (C{from_})."""
    pairs = []
    for name, value in asked.items():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if one is not None:
                pairs.append((name.removesuffix("_"), int(one) if isinstance(one, bool) else one))
    return "?" + urlencode(pairs) if pairs else ""


class Transport:
    """Where the service is (C{http://host:port}), and the key to show it."""

    def __init__(self, url: str, key: str) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise ValueError(f"url: {url!r} is none like http://127.0.0.1:8025")
        self._kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        self._host, self._port, self._prefix = place.hostname, place.port, place.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"} if key else {
            "Content-Type": "application/json"}
        self._idle: list[HTTPConnection] = []

    def call(self, kind: type[T], method: str, where: str, body: Any = None) -> T:
        """
        Make a call and read its JSON answer as C{kind}.

        @raise ApiError: it was refused, or there was no answer.
        """
        octets = None if body is None else msgspec.json.encode(body)
        for left in reversed(range(AGAIN)):
            answer, content = self._ask(method, where, octets)
            if answer.status != 429 or not left:
                break
            time.sleep(float(answer.getheader("Retry-After") or 1))
        if answer.status >= 300:
            try:
                text = json.loads(content)["error"]
            except (ValueError, LookupError, TypeError):
                text = content[:200].decode("utf-8", "replace") or answer.reason
            raise ApiError(answer.status, text, f"{method} {where}")
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.DecodeError as error:
            raise ApiError(0, f"the answer is not understood: {error}", f"{method} {where}") from None

    def close(self) -> None:
        """Close the connections nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def _ask(self, method: str, where: str, octets: bytes | None) -> tuple[HTTPResponse, bytes]:
        connection = self._connection()
        try:
            connection.request(method, self._prefix + where, octets, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise ApiError(0, f"{self._host}:{connection.port} does not answer: {error or type(error).__name__}",
                           f"{method} {where}") from None
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return answer, content

    def _connection(self) -> HTTPConnection:
        while self._idle:
            try:
                kept = self._idle.pop()
            except IndexError:
                break
            # Readable without having been asked: the service has closed it meanwhile.
            if kept.sock is not None and not select([kept.sock], [], [], 0)[0]:
                return kept
            kept.close()
        return self._kind(self._host, self._port, timeout=PATIENCE)
