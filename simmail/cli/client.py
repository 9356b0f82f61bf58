"""
Asking the running server of a state folder, with the key that is in it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from simmail.core.net.loopback import reached
from simmail.errors import Invalid


def base(state: Path) -> str:
    """
    Return where the service of a state folder answers.

    @raise Invalid: none was started with it.
    """
    try:
        http = json.loads((state / "endpoints.json").read_text(encoding="utf-8"))["http"]
        return f"http://{reached(http['host'], http['port'])}"
    except (OSError, ValueError, KeyError, TypeError):
        raise Invalid("state", f"nothing was started with {state}; name the folder with --state") from None


def call(parsed: argparse.Namespace, method: str, path: str, body: Any = None, timeout: float = 60) -> Any:
    """
    Return the JSON of one call of C{/api/admin}; C{timeout}: real seconds.

    @raise Invalid: the server refused, or does not answer.
    """
    # Here, for it takes as long as a tenth of a start.
    import urllib.error
    import urllib.request
    from http.client import HTTPException

    where = base(parsed.folder)
    try:
        key = (parsed.folder / "admin.key").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise Invalid("", f"{parsed.folder / 'admin.key'} cannot be read: {error.strerror}") from None
    request = urllib.request.Request(
        f"{where}/api/admin/{path}", method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    try:
        with opened(request, timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            text = json.load(error)["error"]
        except (ValueError, KeyError):
            text = str(error)
        raise Invalid("", text) from None
    except (OSError, HTTPException) as error:
        raise Invalid("", f"the server at {where} does not answer: {error}") from None


def opened(request: Any, timeout: float) -> Any:
    """Open a request, an address or more of it; never by way of a proxy, for the server is on this machine."""
    import urllib.request

    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=timeout)
