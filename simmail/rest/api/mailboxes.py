"""
C{/api/mailboxes} and C{/api/inject}: folders and messages.

Source: API contract, "Mailboxes and mail"; decisions, sections 2 and 23.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.message.query import LONGEST, parse
from simmail.core.mime.address import stored
from simmail.core.mime.headers import fields_end
from simmail.core.records.folder import Entry
from simmail.errors import Invalid, NotFound, TooLarge
from simmail.interfaces import IFolder
from simmail.rest.answer import Large, Octets, Paged
from simmail.rest.http.download import LARGE
from simmail.rest.render import conversation
from simmail.rest.render.compose import composed, one_address
from simmail.rest.render.display import display
from simmail.rest.render.message import (
    CaseLink, FullMessage, HARMLESS, Message, SOURCE, download, listed, shown, source,
)
from simmail.rest.render.shown import heavy
from simmail.rest.route import Body, Call, Deleted, MOST_UID, Query, Route
from simmail.universe.mailflow.mailboxes import MailboxSummary

HEADING = "Mailboxes and mail"

Limit = Annotated[int, Meta(ge=1, le=1000)]
Status = Literal["ok", "unknown", "domain", "full", "disabled", "blocked"]


class FolderItem(Struct, frozen=True):
    """
    One folder.

    @ivar name: of the folder; special_use: such as C{\\Sent} (RFC 6154), or empty.
    @ivar total: how many messages; unread: how many of them are not read.
    """

    name: str
    special_use: str
    total: int
    unread: int


class StatusChange(Body, frozen=True):
    """Forced recipient behaviour.  C{status}: what mail to the address meets; C{ok} clears it."""

    status: Status


class MailboxStatus(Struct, frozen=True):
    """What mail to an address meets.  C{address}: the mailbox's; C{status}: what mail to it meets."""

    address: str
    status: Status


class WhichMessages(Query, frozen=True):
    """
    Messages of one folder, newest first.

    @ivar offset: leave out so many of the newest; before: only those with a smaller UID.
    @ivar q: of them those that a query finds, in the words of C{GET /api/search}.
    """

    folder: str = "INBOX"
    limit: Limit = 100
    offset: Annotated[int, Meta(ge=0, le=100_000_000)] = 0
    before: Annotated[int, Meta(ge=0, le=MOST_UID)] | None = None
    q: Annotated[str, Meta(max_length=LONGEST)] | None = None


class HowShown(Query, frozen=True):
    """How HTML is made safe.  C{remote}: let remote images be; C{theme}: C{light}: no adaptation to dark mode."""

    remote: bool = False
    theme: Literal["light", "dark"] | None = None


class MessageChange(Body, frozen=True):
    """
    What to change of a message.

    @ivar seen: whether it counts as read; move_to: name of the folder to move it to.
    """

    seen: bool | None = None
    move_to: str | None = None


class WhichThreads(Query, frozen=True):
    """
    Conversations, the latest first.

    @ivar before: root of a conversation: only those that come behind it; root: only the conversation with this root.
    """

    limit: Limit = 100
    before: str | None = None
    root: str | None = None


class Conversation(Struct, frozen=True):
    """
    A conversation.

    @ivar root: Message-ID of its first message; subject: of the first, without C{Re:}.
    @ivar last: when its latest message was filed, in simulated time; messages: oldest first.
    """

    root: str
    subject: str
    last: Any
    messages: list[Message]


class Injection(Body, frozen=True, rename={"from_": "from"}):
    """
    A message to be put into a mailbox: C{raw}, or C{from}, C{subject} and C{text}.

    @ivar to: the mailbox; folder: where in it, C{INBOX} unless given; raw: the whole message (RFC 5322).
    @ivar from_: address of the sender; text: plain body.
    """

    to: str
    folder: str = "INBOX"
    raw: str | None = None
    from_: str | None = None
    subject: str | None = None
    text: str | None = None


def address_of(call: Call) -> str:
    """Return the mailbox the path names.  @raise NotFound: there is none."""
    address: str = stored(call.path["address"])
    if not call.universe.store.exists(address):
        raise NotFound(f"no mailbox {address}")
    return address


async def mailbox(call: Call) -> str:
    return address_of(call)


async def list_mailboxes(call: Call) -> list[MailboxSummary]:
    return await call.universe.mailboxes.list()


async def list_folders(call: Call) -> list[FolderItem]:
    return [FolderItem(one.name, one.special_use, one.total, one.unseen)
            for one in await call.universe.mailboxes.folders(call.found)]


async def set_status(call: Call) -> MailboxStatus:
    await call.universe.policy.set_status(call.found, call.body.status)
    return MailboxStatus(call.found, call.body.status)


async def list_messages(call: Call) -> Paged:
    asked: WhichMessages = call.query
    folder = await call.universe.mailboxes.folder(call.found, asked.folder)
    among = await call.universe.search.among(folder, parse(asked.q)) if asked.q else None
    # One more than asked for tells whether there is a next page.
    uids, found = await call.services.listings.page(
        call.services.numbers.of(call.universe), folder, asked.limit + 1, asked.before, among, asked.offset)
    more: dict[str, str | int] | None = None
    if len(found) > asked.limit:
        more = {"before": uids[asked.limit - 1], "limit": asked.limit, **({"offset": 0} if asked.offset else {})}
    items: Any = msgspec.Raw(b"[%b]" % b",".join(found[:asked.limit]))
    return Paged(items, more)


async def placed(call: Call) -> tuple[IFolder, Entry]:
    """Return the folder and what it says of the message the path names.  @raise NotFound: there is none."""
    folder = await call.universe.mailboxes.folder(address_of(call), call.path["folder"])
    found: Entry | None = folder.entry(call.path["uid"])
    if found is None:
        raise NotFound(f"no message {call.path['uid']} in {folder.name} of {folder.mailbox}")
    return folder, found


async def case_of(call: Call, address: str, thread: str, named: str) -> CaseLink | None:
    """Return the case that a persona has linked a message's thread to; elsewhere the case the message names."""
    persona = call.universe.people.at(address)
    if persona is not None:
        known = await call.universe.memories.thread(persona.id, thread)
        if known is not None and known.case_id:
            return CaseLink(known.case_id, known.how)
    return CaseLink(named, "header") if named else None


async def opened_of(folder: IFolder, found: Entry) -> Any:
    """Return the message, open, if it is a large one; to be closed."""
    return await folder.open(found.uid) if found.size > LARGE else None


async def get_message(call: Call) -> FullMessage | Large:
    folder, found = call.found
    asked: HowShown = call.query
    services = call.services
    opened = await opened_of(folder, found)
    kept = False
    try:
        one = await services.showings.one(services.numbers.of(call.universe), folder, found, services.in_thread,
                                          asked.remote, asked.theme == "light", opened)
        case = await case_of(call, folder.mailbox, one.thread, one.named)
        if opened is not None and len(one.message) + len(one.safe) > LARGE:
            kept = True
            # All who read it share these octets.
            return Large((b'{"message":', one.message, b',"safe":', one.safe,
                          b',"case":%b}' % msgspec.json.encode(case)), opened)
    finally:
        if opened is not None and not kept:
            opened.close()
    message: Any = msgspec.Raw(one.message)
    display: Any = msgspec.Raw(one.safe)
    return FullMessage(message, display, case)


async def get_raw(call: Call) -> Octets | Large:
    folder, found = call.found
    opened = await opened_of(folder, found)
    if opened is None:
        return source(await folder.read(found.uid))
    return Large((opened,), opened, SOURCE, HARMLESS)


async def get_display(call: Call) -> Octets:
    folder, found = call.found
    asked: HowShown = call.query
    octets = await folder.read(found.uid)
    return await heavy(
        call.services.in_thread, lambda: display(read(octets), asked.remote, asked.theme == "light"), len(octets))


async def get_attachment(call: Call) -> Octets | Large:
    folder, found = call.found
    n: int = call.path["n"]
    in_thread = call.services.in_thread
    opened = await opened_of(folder, found)
    if opened is None:
        octets = await folder.read(found.uid)
        return attachment_of(await heavy(in_thread, lambda: read(octets), len(octets)), n)
    try:
        # Decoded once for all who save it.
        saved: Octets = await opened.derive(("attachment", n), lambda octets: attachment_of(read(octets), n), in_thread)
    except BaseException:
        opened.close()
        raise
    return Large((saved.octets,), opened, saved.content_type, saved.headers)


def attachment_of(mail: Mail, n: int) -> Octets:
    """Return an attachment to be saved.  @raise NotFound: there are not so many."""
    if n >= len(mail.attachments):
        raise NotFound(f"the message has {len(mail.attachments)} attachments; they count from 0")
    return download(mail.attachments[n], n)


async def change_message(call: Call) -> Message:
    change: MessageChange = call.body
    folder, uid = await call.universe.mailboxes.change(
        address_of(call), call.path["folder"], call.path["uid"], change.seen, change.move_to)
    opened = await call.universe.mailboxes.folder(address_of(call), folder)
    found, digests = opened.entry(uid), await opened.digests([uid])
    if found is None or uid not in digests:
        raise NotFound(f"message {uid} is gone from {folder}")
    return listed(folder, found, digests[uid])


async def delete_message(call: Call) -> Deleted:
    await call.universe.mailboxes.delete(address_of(call), call.path["folder"], call.path["uid"])
    return Deleted()


async def conversations(call: Call, address: str) -> list[conversation.Thread[conversation.ThreadedMessage]]:
    """Return the conversations of a mailbox, that with the latest message first."""
    services = call.services
    return await services.conversations.of(services.numbers.of(call.universe), call.universe.mailboxes, address)


async def list_threads(call: Call) -> Paged:
    asked: WhichThreads = call.query
    threads = await conversations(call, call.found)
    if asked.before is not None:
        place = next((n for n, one in enumerate(threads) if one.root == asked.before), None)
        if place is None:
            raise Invalid("before", "must be the root of a conversation")
        threads = threads[place + 1:]
    if asked.root is not None:
        threads = [one for one in threads if one.root == asked.root]
    page = threads[:asked.limit]
    more: dict[str, str | int] | None = None
    if len(threads) > asked.limit:
        more = {"before": page[-1].root, "limit": asked.limit}
    return Paged(await with_messages(call, call.found, page), more)


async def with_messages(call: Call, address: str, threads: list[Any]) -> list[Conversation]:
    """Return conversations of a mailbox with what lists show of their messages."""
    services = call.services
    items: dict[Any, Any] = await conversation.listed_in(
        services.listings, services.numbers.of(call.universe), call.universe.mailboxes, address,
        [each for one in threads for each in one.messages])
    return [
        Conversation(one.root, one.subject, one.last,
                     [items[each.folder, each.uid] for each in one.messages if (each.folder, each.uid) in items])
        for one in threads
    ]


async def inject(call: Call) -> Any:
    asked: Injection = call.body
    limits = call.services.config.limits
    to = one_address(asked.to, "to").address
    if asked.raw is not None:
        if not (asked.from_ is None and asked.subject is None and asked.text is None):
            raise Invalid("raw", "give either raw, or from, subject and text")
        if not asked.raw.strip():
            raise Invalid("raw", "must not be empty")
        octets = crlf(asked.raw.encode("utf-8"))
    elif asked.from_ is None:
        raise Invalid("from", "is required unless raw is given")
    else:
        octets = composed(call.universe.clock.now(), asked.from_, [asked.to], subject=asked.subject or "",
                          text=asked.text or "")
    check_header(octets, limits.header, limits.header_field)
    folder, uid = await call.universe.mailboxes.inject(to, asked.folder, octets)
    found, filed = await call.universe.mailboxes.read(to, folder, uid)
    return await heavy(
        call.services.in_thread, lambda: msgspec.Raw(msgspec.json.encode(shown(folder, found, read(filed)))),
        len(filed))


def crlf(octets: bytes) -> bytes:
    """Return octets with every line ended by CRLF, and by nothing else."""
    return octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")


def check_header(octets: bytes, section: int, field: int) -> None:
    """
    Hold a message's header to the limits at the door.

    @raise TooLarge: the section, or one field of it, is larger.
    """
    end = fields_end(octets)
    if end > section:
        raise TooLarge(f"the header section is over {section} octets")
    if end <= field:
        return
    start = 0
    for line in octets[:end].splitlines(keepends=True):
        start = start + len(line) if line[:1] in (b" ", b"\t") else len(line)
        if start > field:
            raise TooLarge(f"a header field is over {field} octets")


def listed_example() -> dict[str, Any]:
    """Return a message as lists show it, for examples."""
    return dict(_MESSAGE)


_MESSAGE: dict[str, Any] = {
    "uid": 7, "folder": "INBOX", "flags": [], "time": "2026-03-01T09:45:00Z", "size": 2140,
    "message_id": "<CAF3c9@mail.acme.test>", "in_reply_to": "<order-1@sim.test>", "references": ["<order-1@sim.test>"],
    "from": "maria@acme.test", "from_name": "Maria Keller", "to": ["app@sim.test"], "cc": [],
    "subject": "Re: Your order", "date": "2026-03-01T09:45:00Z", "text": "Thank you, that works for me.", "html": "",
    "format": "both", "attachments": [], "headers": {"x-service-simulated": "yes"},
}
_FULL = {
    "message": _MESSAGE,
    "safe": {"html": "<p>Thank you, that works for me.</p>", "remote_blocked": 0}, "case": None,
}
_PLACE = "/api/mailboxes/{address}/messages/{folder}/{uid}"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/mailboxes", list_mailboxes,
          "List mailboxes: those without a persona first, then personas', each by address", list[MailboxSummary],
          polled=True,
          answer_example=[{"address": "maria@acme.test", "can_login": False, "unread": 1, "total": 3,
                           "folders": {"INBOX": {"total": 2, "unread": 1}, "Sent": {"total": 1, "unread": 0}},
                           "persona_id": "p_7k2m9x4w1c8v", "persona": "Maria Keller"}]),
    Route("GET", "/api/mailboxes/{address}/folders", list_folders, "List the folders of a mailbox", list[FolderItem],
          polled=True, locate=mailbox,
          answer_example=[{"name": "Sent", "special_use": "\\Sent", "total": 3, "unread": 0}]),
    Route("PUT", "/api/mailboxes/{address}/status", set_status,
          "Set what mail to an address meets; ok clears it", MailboxStatus, role="member", body=StatusChange,
          locate=mailbox, example={"status": "full"},
          answer_example={"address": "maria@acme.test", "status": "full"}),
    Route("GET", "/api/mailboxes/{address}/messages", list_messages,
          "List messages of a folder, newest first; text is cut to 240 characters", list[Message], polled=True,
          query=WhichMessages, locate=mailbox, query_example="folder=INBOX&limit=50&q=from:maria",
          answer_example=[_MESSAGE]),
    Route("GET", "/api/mailboxes/{address}/threads", list_threads,
          "List conversations over INBOX, Sent and Archive, most recent first", list[Conversation], query=WhichThreads,
          polled=True, locate=mailbox,
          answer_example=[{"root": "<order-1@sim.test>", "subject": "Your order", "last": "2026-03-01T09:45:00Z",
                           "messages": [_MESSAGE]}]),
    Route("GET", _PLACE, get_message, "Read a message, with display-safe HTML", FullMessage, query=HowShown,
          locate=placed, answer_example=_FULL),
    Route("PATCH", _PLACE, change_message, "Set or clear \\Seen, move to another folder", Message, role="member",
          body=MessageChange, locate=placed, example={"seen": True, "move_to": "Archive"},
          answer_example={**_MESSAGE, "folder": "Archive", "flags": ["\\Seen"]}),
    Route("DELETE", _PLACE, delete_message, "Delete a message", Deleted, role="member", locate=placed,
          answer_example={"status": "deleted"}),
    Route("GET", _PLACE + "/raw", get_raw, "Read a message as it was sent", media="message/rfc822",
          locate=placed),
    Route("GET", _PLACE + "/display", get_display, "Read a message as a page for a sandboxed frame",
          media="text/html", query=HowShown, locate=placed),
    Route("GET", _PLACE + "/attachments/{n}", get_attachment,
          "Save an attachment; n counts from 0 in attachment order", media="application/octet-stream",
          locate=placed),
    Route("POST", "/api/inject", inject, "Put a message into a mailbox; nobody is notified and nobody replies",
          Message, role="member", body=Injection, large=True, statuses=(404,),
          example={"to": "app@sim.test", "from": "joe@example.test", "subject": "Hello", "text": "Hello!"},
          answer_example={**_MESSAGE, "from": "joe@example.test", "subject": "Hello", "text": "Hello!"}),
)
