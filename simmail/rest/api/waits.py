"""
C{/api/wait}: hold the line until mail comes, or until it surely does not.

Source: decisions, section 3.
"""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta, Raw, Struct
from twisted.internet.defer import Deferred

from simmail.concurrency import Shared, unbroken
from simmail.core.html.extract import Code, Link, extract
from simmail.core.message.parse import read
from simmail.core.records.delivery import Copy
from simmail.core.rules.wait import LONGEST_TIMEOUT, MailWait, ReplyWait, WaitFilter, parse_header, parse_since
from simmail.core.time.instant import parse_duration
from simmail.errors import Invalid
from simmail.rest.api.clock import settle_seconds
from simmail.rest.api.mailboxes import case_of
from simmail.rest.auth import check_rank
from simmail.rest.render.compose import one_address
from simmail.rest.render.message import CaseLink, Message, Safe
from simmail.rest.render.shown import RenderedMessage, heavy, shown
from simmail.rest.route import Call, Query, Route

HEADING = "Wait"

ReplyKind = Literal["reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "any"]


class _Timing(Query, frozen=True):
    """
    When to begin, how long to wait.

    @ivar since: RFC 3339 instant of simulated time, event number, or Message-ID: only what came after
        it.
    @ivar timeout: how long to hold the line: a duration of real time, at most 5m.
    @ivar advance: move the simulated clock from job to job meanwhile; needs the role member.
    @ivar sim_timeout: how far to move it at most: a duration of simulated time.
    @ivar settle: with C{advance}: how long to let the application answer what it got: a duration of real time, at most
        30s.
    """

    since: str | None = None
    timeout: str = "30s"
    advance: bool = False
    sim_timeout: str = "30d"
    settle: str = "0s"


class WhichMail(_Timing, frozen=True, kw_only=True, rename={"from_": "from"}):
    """
    What mail; texts are looked for anywhere, in upper or lower case.

    @ivar to: the mailbox that is watched.
    @ivar from_: in the sender's name or address; subject: in the subject; text: in the text.
    @ivar header: C{Name:value}, in that header field; may be given several times; case_id: only mail of this case.
    @ivar folder: only mail in this folder of the mailbox; unread: only what is not read yet.
    @ivar count: how many have to come before the answer; match: whether all of these must fit, or one.
    @ivar existing: of mail that is there already, true: all counts, false: none; unless given, that of the last
        simulated hour.
    """

    to: str
    from_: str = ""
    subject: str = ""
    text: str = ""
    header: tuple[str, ...] = ()
    case_id: str = ""
    folder: str = "INBOX"
    unread: bool = False
    count: Annotated[int, Meta(ge=1, le=100)] = 1
    match: Literal["all", "any"] = "all"
    existing: bool | None = None


class WhichReply(_Timing, frozen=True):
    """
    What a persona sends; give C{persona} or C{in_reply_to}.

    @ivar persona: whose mail: id or address; in_reply_to: Message-ID of the application's mail that is answered.
    @ivar kind: of the mail, as C{persona.sent} has it; C{any}: each.
    """

    persona: str = ""
    in_reply_to: str = ""
    kind: ReplyKind = "reply"


class AwaitedMessage(Struct, frozen=True):
    """
    A message that was awaited.

    @ivar message: whole; safe: its HTML, where it has any; case: the case its thread is linked to, null for none.
    @ivar codes: one-time codes and the like found in it, the surest first; links: found in it, in order.
    """

    message: Message
    safe: Safe
    case: CaseLink | None
    codes: tuple[Code, ...]
    links: tuple[Link, ...]


class Awaited(AwaitedMessage, frozen=True):
    """The message that was awaited.  C{cursor}: number of an event, to pass as the next C{since}."""

    cursor: int


class AwaitedReply(Awaited, frozen=True):
    """The answer that was awaited.  C{also}: out-of-office notices that came before it."""

    also: list[AwaitedMessage]


class SeveralAwaited(Struct, frozen=True):
    """
    The messages where C{count} is more than 1.

    @ivar messages: as many as asked for, in order; cursor: number of an event, to pass as the next C{since}.
    """

    messages: list[AwaitedMessage]
    cursor: int


class NothingCame(Struct, frozen=True):
    """An empty object."""


async def may_advance(call: Call) -> None:
    """Check a role.  @raise Forbidden: moving the clock needs the role member."""
    given = call.request.args.get(b"advance", [b"0"])[0]
    if given not in (b"0", b"false", b"False"):
        check_rank(call.identity.role, "member")


def timeout(text: str) -> float:
    """Read a duration.  @raise Invalid: it is none, or over five minutes."""
    seconds = parse_duration(text, "timeout").total_seconds()
    if seconds > LONGEST_TIMEOUT:
        raise Invalid("timeout", "at most 5m")
    return seconds


def mail_wait(asked: WhichMail) -> MailWait:
    """Read what is waited for.  @raise Invalid: naming the parameter."""
    return MailWait(
        to=one_address(asked.to, "to").address, folder=asked.folder, filter=WaitFilter(
            asked.from_, asked.subject, asked.text, tuple(parse_header(one) for one in asked.header), asked.case_id,
            asked.unread, asked.match),
        count=asked.count, since=None if asked.since is None else parse_since(asked.since), existing=asked.existing,
        timeout=timeout(asked.timeout), advance=asked.advance, sim_timeout=_sim_timeout(asked.sim_timeout),
        settle=settle_seconds(asked.settle))


def reply_wait(asked: WhichReply) -> ReplyWait:
    """Read what is waited for.  @raise Invalid: naming the parameter."""
    if bool(asked.persona) == bool(asked.in_reply_to):
        raise Invalid("persona", "give either persona or in_reply_to")
    return ReplyWait(
        persona=asked.persona, in_reply_to=asked.in_reply_to, kind=asked.kind,
        since=None if asked.since is None else parse_since(asked.since), timeout=timeout(asked.timeout),
        advance=asked.advance, sim_timeout=_sim_timeout(asked.sim_timeout), settle=settle_seconds(asked.settle))


def _sim_timeout(text: str) -> timedelta:
    duration = parse_duration(text, "sim_timeout")
    if duration > timedelta(days=400):
        raise Invalid("sim_timeout", "at most 400d")
    return duration


async def wait(call: Call) -> Awaited | SeveralAwaited:
    asked = mail_wait(call.query)
    waited = await _begun(call.universe.waits.wait(asked, call.identity.prefix), asked.advance)
    messages = [await _awaited(call, copy) for copy in waited.copies]
    if asked.count > 1:
        return SeveralAwaited(messages, waited.cursor)
    return _with_cursor(messages[0], waited.cursor)


async def wait_none(call: Call) -> NothingCame:
    asked = mail_wait(call.query)
    await _begun(call.universe.waits.none(asked, call.identity.prefix), asked.advance)
    return NothingCame()


async def wait_reply(call: Call) -> AwaitedReply:
    asked = reply_wait(call.query)
    waited = await _begun(call.universe.waits.reply(asked, call.identity.prefix), asked.advance)
    one = await _awaited(call, waited.copies[0])
    also = [await _awaited(call, copy) for copy in waited.also]
    return AwaitedReply(one.message, one.safe, one.case, one.codes, one.links, waited.cursor, also)


def _begun(wait: Coroutine[Any, Any, Any], advance: bool) -> Deferred[Any]:
    """A wait that moves the clock goes on to its end when the client leaves: no job is broken off half done."""
    return unbroken(wait) if advance else Deferred.fromCoroutine(wait)


async def _awaited(call: Call, copy: Copy) -> AwaitedMessage:
    """A message that was awaited; many who are told of it at once have it read once."""
    key = (call.services.numbers.of(call.universe), copy)
    reading: Shared[AwaitedMessage] | None = call.services.awaited.get(key)
    if reading is None:
        reading = call.services.awaited[key] = Shared(call.services.reactor)
    return await reading.do(lambda: _read(call, copy))


async def _read(call: Call, copy: Copy) -> AwaitedMessage:
    entry, octets = await call.universe.mailboxes.read(copy.mailbox, copy.folder, copy.uid)

    def understand() -> tuple[RenderedMessage, tuple[Code, ...], tuple[Link, ...]]:
        mail = read(octets)
        return (shown(copy.mailbox, copy.folder, entry, mail), *extract(mail.text, mail.html))

    one, codes, links = await heavy(call.services.in_thread, understand, len(octets))
    case = await case_of(call, copy.mailbox, one.thread, one.named)
    message: Any = Raw(one.message)
    display: Any = Raw(one.safe)
    return AwaitedMessage(message, display, case, codes, links)


def _with_cursor(one: AwaitedMessage, cursor: int) -> Awaited:
    return Awaited(one.message, one.safe, one.case, one.codes, one.links, cursor)


_MESSAGE: dict[str, Any] = {
    "message": {
        "uid": 7, "folder": "INBOX", "flags": [], "time": "2026-03-01T09:45:00Z", "size": 2140,
        "message_id": "<CAF3c9@mail.acme.test>", "in_reply_to": "<order-1@sim.test>",
        "references": ["<order-1@sim.test>"], "from": "maria@acme.test", "from_name": "Maria Keller",
        "to": ["app@sim.test"], "cc": [], "subject": "Re: Your order", "date": "2026-03-01T09:45:00Z",
        "text": "Thank you, that works for me.", "html": "", "format": "text", "attachments": [],
        "headers": {"x-service-simulated": "yes"},
    },
    "safe": {"html": "", "remote_blocked": 0}, "case": None, "codes": [], "links": [],
}
_AWAITED = {**_MESSAGE, "cursor": 17}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/wait", wait, "Wait for the next email to an address", (Awaited, SeveralAwaited),
          query=WhichMail, lasting=True, locate=may_advance, statuses=(404, 408),
          query_example="to=app@sim.test&subject=order&timeout=10s&advance=1",
          answer_example=(_AWAITED, {"messages": [_MESSAGE, _MESSAGE], "cursor": 17})),
    Route("GET", "/api/wait/none", wait_none, "Make sure that no such email comes", NothingCame,
          query=WhichMail, lasting=True, locate=may_advance, statuses=(404, 409),
          query_example="to=app@sim.test&timeout=2s", answer_example={}),
    Route("GET", "/api/wait/reply", wait_reply, "Wait for the next email a persona sends", AwaitedReply,
          query=WhichReply, lasting=True, locate=may_advance, statuses=(404, 408, 409),
          query_example="persona=maria@acme.test&advance=1", answer_example={**_AWAITED, "also": []}),
)
