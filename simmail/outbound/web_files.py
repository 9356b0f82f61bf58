"""
Files that domains publish for mail, fetched through the gate: by https only, a little of them, for a short time.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from simmail.core.inspection.sender.published import MOST, WebFile
from simmail.outbound.http_client import Gate, REDIRECTS, Request, Unreachable

#: Real seconds for one file.
PATIENCE = 5.0


class WebFiles:
    """
    A C{FetchFile}.

    @param lab: places (C{host:port}) that are reached wherever they are.
    """

    def __init__(self, gate: Gate, lab: Collection[str] = ()) -> None:
        self._gate = gate
        self._lab = lab

    async def __call__(self, url: str, redirects: bool) -> WebFile:
        """Ask for the file at an address."""
        if not url[:8].lower() == "https://":
            return WebFile(error="its address is not https")
        try:
            answer: Any = await self._gate.fetch(Request(
                url, headers=(("Accept", "*/*"),), lab=self._lab, redirects=REDIRECTS if redirects else 0,
                most=MOST + 1, patience=PATIENCE))
        except Unreachable as error:
            return WebFile(error=str(error))
        if not answer.url.startswith("https://"):
            return WebFile(error="it leads to an address that is not https")
        return WebFile(answer.status, answer.content_type, answer.body)
