"""
C{/api/search}, and deleting by query.

Source: decisions, sections 2 and 5.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from simmail.core.query import LONGEST, parse
from simmail.errors import Invalid, NotFound
from simmail.rest.mailboxes import Limit, listed_example, mailbox
from simmail.rest.presenting import Message
from simmail.rest.schema import Call, Deleted, Page, Query, Route
from simmail.universe.finding import Finding, Hit

HEADING = "Search"

#: Messages removed before others get their turn.
SLICE = 200

Words = Annotated[str, Meta(max_length=LONGEST)]


class Search(Query, frozen=True):
    """
    C{q}: words and "phrases", C{from:}, C{to:}, C{cc:}, C{subject:}, C{message-id:}, C{case:}, C{persona:},
    C{folder:}, C{header:Name=value}, C{filename:}, C{has:attachment}, C{is:unread}, C{larger:}, C{smaller:},
    C{after:}, C{before:}, and C{-} for not.  C{before}: from the C{Link} of the page before.
    """

    q: Words
    limit: Limit = 100
    before: str | None = None


class WhichToDelete(Query, frozen=True):
    """The messages of C{folder}, of them those that C{q} finds; one of both is needed."""

    folder: str | None = None
    q: Words | None = None


class Found(Message, frozen=True):
    """A message, and C{address}: the mailbox it is in."""

    address: str = ""


async def search(call: Call) -> Page:
    asked: Search = call.query
    universe = call.universe
    # One more than asked for tells whether there is a next page.
    hits = await Finding(universe, parse(asked.q)).newest(
        asked.limit + 1, _cursor(asked.before) if asked.before is not None else None)
    page = hits[:asked.limit]
    more: dict[str, str | int] | None = None
    if len(hits) > asked.limit:
        more = {"before": _cursor_of(page[-1]), "limit": asked.limit}
    return Page(await _found(call, page), more)


async def _found(call: Call, hits: list[Hit]) -> list[Any]:
    """JSON of what lists show of messages, with their mailbox; what is gone meanwhile is left out."""
    services, universe = call.services, call.universe
    wanted: dict[tuple[str, str], list[int]] = {}
    for hit in hits:
        wanted.setdefault((hit.mailbox, hit.folder), []).append(hit.uid)
    shown: dict[tuple[str, str], dict[int, bytes]] = {}
    for place, uids in wanted.items():
        try:
            folder = await universe.mailboxes.folder(*place)
            shown[place] = await services.listings.items(services.numbers.of(universe), folder, uids)
        except NotFound:
            shown[place] = {}
    found = [(hit, shown[hit.mailbox, hit.folder].get(hit.uid)) for hit in hits]
    return [msgspec.Raw(b'%b,"address":%b}' % (octets[:-1], msgspec.json.encode(hit.mailbox)))
            for hit, octets in found if octets is not None]


def _cursor_of(hit: Hit) -> str:
    return urlsafe_b64encode(msgspec.json.encode(hit)).decode("ascii").rstrip("=")


def _cursor(text: str) -> Hit:
    try:
        octets = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        return msgspec.json.decode(octets, type=Hit)
    except (ValueError, msgspec.MsgspecError):
        raise Invalid("before", "is not a cursor of a search") from None


async def delete_messages(call: Call) -> Deleted:
    asked: WhichToDelete = call.query
    if not asked.folder and not asked.q:
        raise Invalid("folder", "give folder or q")
    terms, store = parse(asked.q or ""), call.universe.store
    names = [asked.folder] if asked.folder else [one.name for one in await store.folders(call.found)]
    for name in names:
        folder = await call.universe.mailboxes.folder(call.found, name)
        uids = await Finding(call.universe, terms).among(folder)
        for begin in range(0, len(uids), SLICE):
            await folder.expunge(uids[begin:begin + SLICE])
    return Deleted()


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/search", search, "Search the mail of all mailboxes, the newest first", list[Found],
          query=Search, query_example="q=from:maria invoice -is:read&limit=20",
          answer_example=[{**listed_example(), "address": "app@sim.test"}]),
    Route("DELETE", "/api/mailboxes/{address}/messages", delete_messages,
          "Delete the messages of a folder, or those a query finds", Deleted, role="member", query=WhichToDelete,
          locate=mailbox, query_example="folder=INBOX&q=subject:test", answer_example={"status": "deleted"}),
)
