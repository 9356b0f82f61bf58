"""HTML that means ill, brought in as mail and looked at over HTTP."""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Sequence

from tests.core.htmlvectors import COUNTS, PAGES
from tests.core.shownhtml import flaws
from tests.journeys.running import Service

_BOX = "/api/mailboxes/vectors@sim.test/messages/INBOX/"

#: How a message is asked for, and where its images may then come from.
_WAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("data:image/",)), ("?theme=light", ("data:image/",)),
    ("?remote=1", ("https://", "http://", "data:image/")),
    ("?remote=1&theme=light", ("https://", "http://", "data:image/")))


def _bring(service: Service, html: str) -> str:
    """The path of a new message of such HTML."""
    body = encodebytes(html.encode("utf-8")).decode("ascii")
    filed = service.good("POST", "/api/inject", {"to": "vectors@sim.test", "raw": (
        "From: ill@x.test\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n"
        f"Content-Transfer-Encoding: base64\n\n{body}")})
    return f"{_BOX}{filed['uid']}"


def shown(service: Service, vectors: Sequence[str]) -> list[str]:
    """What is wrong with how vectors, pages whose remote parts are known, and harmless pages are shown."""
    wrong = []
    for vector in vectors:
        path = _bring(service, vector)
        for query, sources in _WAYS:
            answer = service.good("GET", path + query)
            wrong += [f"{vector!r}{query}: {one}" for one in flaws(answer["safe"]["html"], sources)]
            if answer["message"]["html"]:
                wrong.append(f"{vector!r}: html is not empty")
    for html, count in COUNTS:
        found = service.good("GET", _bring(service, html))["safe"]["remote_blocked"]
        if found != count:
            wrong.append(f"{html!r}: {found} blocked, not {count}")
    for html in PAGES:
        found = service.good("GET", _bring(service, html) + "?theme=light")["safe"]
        if found != {"html": html, "remote_blocked": 0}:
            wrong.append(f"{html!r} became {found}")
    return wrong
