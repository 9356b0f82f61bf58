"""
C{/api/search}, and deleting by query.

Source: decisions, sections 2 and 5.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from simmail.core.message.query import LONGEST, parse
from simmail.errors import Invalid, NotFound
from simmail.rest.answer import Paged
from simmail.rest.api.mailboxes import Limit, listed_example, mailbox
from simmail.rest.render.message import Message
from simmail.rest.route import Call, Deleted, Query, Route
from simmail.universe.mailflow.search import MessageHit

HEADING = "Search"

#: Messages removed before others get their turn.
SLICE = 200

Words = Annotated[str, Meta(max_length=LONGEST)]


class SearchQuery(Query, frozen=True):
    """
    C{q}: words and "phrases", C{from:}, C{to:}, C{cc:}, C{subject:}, C{message-id:}, C{case:}, C{persona:},
    C{folder:}, C{header:Name=value}, C{filename:}, C{has:attachment}, C{is:unread}, C{larger:}, C{smaller:},
    C{after:}, C{before:}, and C{-} for not; another word with a colon is refused unless it is quoted.
    C{before}: from the C{Link} of the page before.
    """

    q: Words
    limit: Limit = 100
    before: str | None = None


class WhichToDelete(Query, frozen=True):
    """
    The messages of C{folder}, of them those that C{q} finds; one is needed, or C{all=1} for every message.

    @ivar folder: messages of this folder; q: of them those that a query finds.
    @ivar all: really every message of the mailbox.
    """

    folder: str | None = None
    q: Words | None = None
    all: bool = False


class WhichOfAll(Query, frozen=True):
    """
    The messages that C{q} finds in any mailbox; C{all=1}: every message of the universe.

    @ivar q: those that a query finds, in any mailbox; all: really every message of the universe.
    """

    q: Words | None = None
    all: bool = False


class SearchResult(Message, frozen=True):
    """A message that was found.  C{address}: the mailbox it is in."""

    address: str = ""


async def search(call: Call) -> Paged:
    asked: SearchQuery = call.query
    universe = call.universe
    # One more than asked for tells whether there is a next page.
    hits = await universe.search.newest(
        parse(asked.q), asked.limit + 1, _cursor(asked.before) if asked.before is not None else None)
    page = hits[:asked.limit]
    more: dict[str, str | int] | None = None
    if len(hits) > asked.limit:
        more = {"before": _cursor_of(page[-1]), "limit": asked.limit}
    return Paged(await _found(call, page), more)


async def _found(call: Call, hits: list[MessageHit]) -> list[Any]:
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


def _cursor_of(hit: MessageHit) -> str:
    return urlsafe_b64encode(msgspec.json.encode(hit)).decode("ascii").rstrip("=")


def _cursor(text: str) -> MessageHit:
    try:
        octets = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        return msgspec.json.decode(octets, type=MessageHit)
    except (ValueError, msgspec.MsgspecError):
        raise Invalid("before", "is not a cursor of a search") from None


async def delete_messages(call: Call) -> Deleted:
    asked: WhichToDelete = call.query
    if not asked.folder and not asked.q and not asked.all:
        raise Invalid("folder", "give folder or q, or all=1 for every message of the mailbox")
    if asked.all and (asked.folder or asked.q):
        raise Invalid("all", "goes without folder and q")
    await _delete(call, call.found, asked.folder, asked.q)
    return Deleted()


async def delete_all_messages(call: Call) -> Deleted:
    asked: WhichOfAll = call.query
    if bool(asked.q) is asked.all:
        raise Invalid("all", "give q, or all=1 for every message of the universe")
    for address in call.universe.store.mailboxes():
        try:
            await _delete(call, address, None, asked.q)
        except NotFound:
            # It went away meanwhile.
            continue
    return Deleted()


async def _delete(call: Call, address: str, only: str | None, q: str | None) -> None:
    """Delete what a query finds, or everything, in one folder of a mailbox or in all."""
    terms = parse(q) if q else None
    names = [only] if only else [
        one.name for one in await call.universe.mailboxes.folders(address) if one.total]
    for name in names:
        folder = await call.universe.mailboxes.folder(address, name)
        uids = list(folder.uids) if terms is None else await call.universe.search.among(folder, terms)
        for begin in range(0, len(uids), SLICE):
            await folder.expunge(uids[begin:begin + SLICE])


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/search", search, "Search the mail of all mailboxes, the newest first", list[SearchResult],
          query=SearchQuery, query_example="q=from:maria invoice -is:read&limit=20",
          answer_example=[{**listed_example(), "address": "app@sim.test"}]),
    Route("DELETE", "/api/mailboxes/{address}/messages", delete_messages,
          "Delete the messages of a folder, those a query finds, or all of a mailbox", Deleted, role="member",
          query=WhichToDelete, locate=mailbox, query_example="folder=INBOX&q=subject:test",
          answer_example={"status": "deleted"}),
    Route("DELETE", "/api/messages", delete_all_messages,
          "Delete the messages a query finds in all mailboxes, or every message of the universe", Deleted,
          role="member", query=WhichOfAll, query_example="all=1", answer_example={"status": "deleted"}),
)
