"""
Tools for the agent under test: what a mailbox offers anywhere, under the names agents know.

Nothing an agent reads here tells that its correspondents are simulated: neither
header fields of the service's own nor personas, and of mailboxes only the
application's.  Source: decisions, section 18.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simmail.core.message.query import LONGEST, parse
from simmail.errors import Invalid, TimedOut
from simmail.rest.answer import Large
from simmail.rest.api import mailboxes, waits
from simmail.rest.mcp.accounts import MailPlace, account, accounts, place
from simmail.rest.mcp.fence import Fence
from simmail.rest.mcp.mail_writing import Account, Id, TOOLS as WRITING
from simmail.rest.mcp.tool import ToolAnswer, Tool, asked
from simmail.rest.render.message import LISTED_TEXT
from simmail.rest.render.shown import heavy
from simmail.rest.route import Body, Call

#: Characters of a mail's text that are told at once; messages of a conversation, and recipients of one, that are.
MOST_TEXT, MOST_MESSAGES, MOST_ADDRESSES = 20_000, 50, 50

#: Real seconds a wait holds at most: clients give a call a minute.
LONGEST_WAIT = 55

_ROUTES = {one.endpoint: one for module in (mailboxes, waits) for one in module.ROUTES}
_MAILBOX = "/api/mailboxes/{address}"
_MESSAGE = _MAILBOX + "/messages/{folder}/{uid}"

#: Search words that ask for what a mail server does not know.
_UNKNOWN = frozenset(("case", "persona", "header"))

Ids = Annotated[list[Id], Meta(min_length=1, max_length=100)]
Limit = Annotated[int, Meta(ge=1, le=100)]


class _Item(Struct, rename={"from_": "from"}):
    """What lists tell of a message."""

    uid: int
    folder: str
    flags: list[str]
    time: str
    message_id: str
    from_: str
    from_name: str
    to: list[str]
    cc: list[str]
    subject: str
    text: str
    attachments: list[dict[str, Any]]


class _Whole(Struct):
    message: _Item


class WhichAccount(Body, frozen=True):
    """Which account."""

    account: Account = ""


class Search(Body, frozen=True):
    """What to look for."""

    query: Annotated[str, Meta(max_length=LONGEST, description=(
        'words and "phrases", from:, to:, cc:, subject:, message-id:, filename:, has:attachment, is:unread, is:read, '
        "larger:, smaller:, after: and before: with a date; - for not; empty: everything"))] = ""
    mailbox: Annotated[str, Meta(description="only in this mailbox, such as INBOX or Sent; empty: in all")] = ""
    account: Account = ""
    limit: Limit = 20
    offset: Annotated[int, Meta(ge=0, le=900, description="leave out so many of the newest")] = 0


class Reading(Body, frozen=True):
    """Which message, and from where in its text."""

    id: Id
    offset: Annotated[int, Meta(ge=0, description="begin at this character of a long text")] = 0


class ThreadOf(Body, frozen=True):
    """Which conversation: that of one message."""

    id: Id


class MoveMessages(Body, frozen=True):
    """Which messages, and where to.  C{ids}: of the messages."""

    ids: Ids
    mailbox: Annotated[str, Meta(description="where to, such as Archive, Trash or Junk")]


class Marking(Body, frozen=True):
    """Which messages.  C{ids}: of the messages; C{read}: whether they count as read from now on."""

    ids: Ids
    read: bool


class Awaiting(Body, frozen=True, rename={"from_": "from"}):
    """
    What to wait for; texts are looked for anywhere, in upper or lower case.

    @ivar from_: in the sender's name or address; subject: in the subject; text: in the text.
    @ivar mailbox: where it comes, such as INBOX; timeout_seconds: seconds to wait at most.
    """

    from_: str = ""
    subject: str = ""
    text: str = ""
    mailbox: str = "INBOX"
    account: Account = ""
    timeout_seconds: Annotated[int, Meta(ge=1, le=LONGEST_WAIT)] = 30
    cursor: Annotated[str, Meta(pattern="^[0-9]{0,16}$", description=(
        "what the wait before returned: go on behind it"))] = ""


class Unreplied(Body, frozen=True):
    """Which account, and how many at most."""

    account: Account = ""
    limit: Limit = 20


def _head(item: _Item, at: MailPlace, fence: Fence) -> str:
    state = "read" if "\\Seen" in item.flags else "unread"
    lines = [f"From: {item.from_name} <{item.from_}>" if item.from_name else f"From: {item.from_}",
             f"To: {_named_all(item.to)}", *([f"Cc: {_named_all(item.cc)}"] if item.cc else []),
             f"Subject: {item.subject}", f"Message-ID: {item.message_id}",
             *[f"Attachment: {one['filename']} ({one['content_type']}, {one['size']} octets)"
               for one in item.attachments]]
    # A line break in a header field that was decoded is no line of ours.
    return f"id: {at.id}\nmailbox: {at.folder}, {state}, {item.time}\n" + "\n".join([fence(one) for one in lines])


def _named_all(addresses: list[str]) -> str:
    more = f" and {len(addresses) - MOST_ADDRESSES} more" if len(addresses) > MOST_ADDRESSES else ""
    return ", ".join(addresses[:MOST_ADDRESSES]) + more


def _part(item: _Item, at: MailPlace, fence: Fence, offset: int = 0, most: int = MOST_TEXT) -> str:
    text = item.text[offset:offset + most]
    left = len(item.text) - offset - len(text)
    more = f"\n{left} more characters; ask for them with offset {offset + len(text)}" if left > 0 else ""
    return f"{_head(item, at, fence)}\n{fence('')}\n{fence(text)}{more}"


def _named(item: _Item, at: MailPlace) -> dict[str, Any]:
    return {"id": at.id, "mailbox": at.folder, "unread": "\\Seen" not in item.flags}


def _list(items: list[tuple[_Item, MailPlace]], nothing: str, **more: Any) -> ToolAnswer:
    fence = Fence()
    parts = [f"{_head(item, at, fence)}\n{fence('')}\n{fence(item.text[:LISTED_TEXT])}" for item, at in items]
    return ToolAnswer(fence.around(parts) if parts else nothing, {"messages": [_named(*one) for one in items], **more})


def _items(rows: Any) -> list[_Item]:
    return msgspec.json.decode(msgspec.json.encode(rows), type=list[_Item])


async def _whole(call: Call, at: MailPlace) -> _Item:
    route = _ROUTES["GET " + _MESSAGE]
    shown: Any = await asked(call, route, mailboxes.HowShown(), at.path)
    if isinstance(shown, Large):
        octets = b"".join([bytes(one) for one in shown.parts])
        shown.opened.close()
    else:
        octets = msgspec.json.encode(shown)
    return await _decoded(call, octets)


async def _decoded(call: Call, octets: bytes) -> _Item:
    whole: _Whole = await heavy(
        call.services.in_thread, lambda: msgspec.json.decode(octets, type=_Whole), len(octets))
    return whole.message


async def list_mailboxes(call: Call, given: WhichAccount) -> ToolAnswer:
    """List the mailboxes of accounts."""
    found = []
    for address in [account(call, given.account)] if given.account else accounts(call):
        folders = await asked(call, _ROUTES[f"GET {_MAILBOX}/folders"], None, {"address": address})
        found += [{"account": address, "mailbox": one.name, "special_use": one.special_use, "total": one.total,
                   "unread": one.unread} for one in folders]
    lines = [f"{one['account']}  {one['mailbox']}: {one['total']} messages, {one['unread']} unread" for one in found]
    return ToolAnswer("\n".join(lines) or "There is no account.", {"mailboxes": found})


async def search_emails(call: Call, given: Search) -> ToolAnswer:
    """Find messages, the newest first."""
    address = account(call, given.account)
    try:
        terms = parse(given.query, "query")
    except Invalid:
        terms = None
    if terms is None or any(one.field in _UNKNOWN for one in terms):
        raise Invalid("query", "cannot be understood; put what holds a colon in quotes")
    names = [given.mailbox] if given.mailbox else [
        one.name for one in await call.universe.mailboxes.folders(address) if one.total]
    found: list[tuple[_Item, MailPlace]] = []
    most = given.offset + given.limit
    for name in names:
        page = await asked(call, _ROUTES[f"GET {_MAILBOX}/messages"], mailboxes.WhichMessages(
            folder=name, limit=most, q=given.query or None), {"address": address})
        found += [(one, MailPlace(address, name, one.uid)) for one in _items(page.items)]
    found.sort(key=lambda one: (one[0].time, one[0].uid), reverse=True)
    return _list(found[given.offset:most], "Nothing was found.")


async def read_email(call: Call, given: Reading) -> ToolAnswer:
    """Read one message."""
    at, fence = place(call, given.id), Fence()
    item = await _whole(call, at)
    return ToolAnswer(fence.around([_part(item, at, fence, given.offset)]), _named(item, at))


async def read_thread(call: Call, given: ThreadOf) -> ToolAnswer:
    """Read a conversation, oldest first."""
    at = place(call, given.id)
    threads = await mailboxes.conversations(call, at.address)
    thread = next((one for one in threads if any(each[:2] == (at.folder, at.uid) for each in one.messages)), None)
    places = [at] if thread is None else [MailPlace(at.address, one.folder, one.uid) for one in thread.messages]
    left, places = places[:-MOST_MESSAGES], places[-MOST_MESSAGES:]
    fence, named = Fence(), []
    parts = [f"{len(left)} older messages are left out."] if left else []
    for one in places:
        # One at a time: of a large one only what is told is kept.
        item = await _whole(call, one)
        parts.append(_part(item, one, fence, most=MOST_TEXT // len(places)))
        named.append(_named(item, one))
    return ToolAnswer(fence.around(parts), {"messages": named})


async def move(call: Call, given: MoveMessages) -> ToolAnswer:
    """Move messages to another mailbox."""
    return await _changed(call, given.ids, mailboxes.MessageChange(move_to=given.mailbox), "Moved.")


async def mark(call: Call, given: Marking) -> ToolAnswer:
    """Mark messages as read or unread."""
    return await _changed(call, given.ids, mailboxes.MessageChange(seen=given.read), "Marked.")


async def _changed(call: Call, ids: list[str], change: mailboxes.MessageChange, said: str) -> ToolAnswer:
    changed = []
    for at in [place(call, one, "ids") for one in ids]:
        message = await asked(call, _ROUTES["PATCH " + _MESSAGE], change, at.path)
        changed.append(MailPlace(at.address, message.folder, message.uid).id)
    return ToolAnswer("\n".join([said, *[f"id: {one}" for one in changed]]), {"ids": changed})


async def wait_for_email(call: Call, given: Awaiting) -> ToolAnswer:
    """Wait for the next message."""
    address = account(call, given.account)
    begun = given.cursor or str(call.universe.log.last)
    which = waits.WhichMail(
        to=address, from_=given.from_, subject=given.subject, text=given.text, folder=given.mailbox,
        since=given.cursor or None, timeout=f"{given.timeout_seconds}s", advance=call.query.advance)
    try:
        came = await asked(call, _ROUTES["GET /api/wait"], which)
    except TimedOut:
        text = f"No such message came within {given.timeout_seconds} seconds. "
        return ToolAnswer(f"{text}To go on waiting, call again with cursor {begun}.",
                          {"messages": [], "cursor": begun})
    item = await _decoded(call, msgspec.json.encode(came))
    at, fence = MailPlace(address, item.folder, item.uid), Fence()
    cursor = str(came.cursor)
    return ToolAnswer(fence.around([_part(item, at, fence), f"cursor: {cursor}"]),
                      {"messages": [_named(item, at)], "cursor": cursor})


async def find_unreplied(call: Call, given: Unreplied) -> ToolAnswer:
    """List conversations whose last message nobody has answered."""
    address = account(call, given.account)
    threads = [one for one in await mailboxes.conversations(call, address) if one.messages[-1].folder == "INBOX"]
    shown = await mailboxes.with_messages(call, address, threads[:given.limit])
    found = [_items(one.messages[-1:])[0] for one in shown if one.messages]
    return _list([(one, MailPlace(address, one.folder, one.uid)) for one in found], "Everything is answered.")


TOOLS: tuple[Tool, ...] = (
    Tool("list_mailboxes", "List the mailboxes of the account: INBOX, Sent, Drafts and so on, with the numbers of "
         "messages.", WhichAccount, list_mailboxes, reads=True),
    Tool("search_emails", "Find messages, the newest first; without a query, the newest ones.", Search, search_emails,
         reads=True),
    Tool("read_email", "Read a message. It stays unread until it is marked.", Reading, read_email, reads=True),
    Tool("read_thread", "Read the conversation that a message belongs to, the oldest message first.", ThreadOf,
         read_thread, reads=True),
    *WRITING,
    Tool("move", "Move messages to another mailbox. Their ids change; the new ones are returned.", MoveMessages, move),
    Tool("mark", "Mark messages as read or unread.", Marking, mark),
    Tool("wait_for_email", "Wait for the next message to come, less than a minute. Returns it and a cursor; give the "
         "cursor to the next wait, also after a wait in which nothing came.", Awaiting, wait_for_email, reads=True,
         waits=True),
    Tool("find_unreplied", "List the conversations whose last message came in and was not answered yet.", Unreplied,
         find_unreplied, reads=True),
)
