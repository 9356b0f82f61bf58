"""
C{/api/inspect}: what can be said of a mail before anybody reads it.

Source: decisions, section 10.
"""

from __future__ import annotations

import re
from datetime import datetime
from ipaddress import ip_address
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simmail.core.inspection.assertions import Assertion, AssertionResult, judge
from simmail.core.inspection.sender.lookup import Kind
from simmail.core.inspection.report import Report, inspect
from simmail.core.inspection.subject import Envelope
from simmail.core.records.persona import Client
from simmail.errors import Invalid
from simmail.rest.route import Body, Call, Query, Route, Uid
from simmail.universe.inspection.addresses import CheckAddress
from simmail.universe.inspection.inspections import FoundMessage

HEADING = "Inspect"

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_Value = Annotated[str, Meta(max_length=4096)]
_Dns = Annotated[
    dict[Annotated[str, Meta(max_length=253)], dict[Kind, Annotated[tuple[_Value, ...], Meta(max_length=100)]]],
    Meta(max_length=200)]


class WhichMessage(Query, frozen=True):
    """
    C{message_id}, or C{address}, C{folder} and C{uid}.

    @ivar message_id: Message-ID, in whatever mailbox the mail is; address: the mailbox it is in.
    """

    message_id: str | None = None
    address: str | None = None
    folder: str = "INBOX"
    uid: Uid | None = None


class RawMessage(Body, frozen=True):
    """
    A message as it would be sent.

    @ivar raw: the whole message (RFC 5322), lines ending in CRLF or all of them in LF.
    @ivar ip: address it would come from, where rules shall know that.
    @ivar helo: name its client would give in EHLO; mail_from: its reverse-path; recipient: who would get it.
    @ivar client: what it would be read in; without it, what the persona at C{recipient} reads in.
    @ivar dns: what the name system is taken to answer for these names, by name and type; others are asked for.
    """

    raw: str
    ip: str = ""
    helo: str = ""
    mail_from: str | None = None
    recipient: str = ""
    client: Client | None = None
    dns: _Dns = {}


class AssertedMessage(Body, frozen=True):
    """
    Which message: C{raw}, C{message_id}, or C{address}, C{folder} and C{uid}; the rest goes with C{raw}.

    @ivar raw: the whole message (RFC 5322); message_id: Message-ID, in whatever mailbox the mail is.
    @ivar address: the mailbox it is in; ip: address it would come from.
    @ivar helo: name its client would give in EHLO; mail_from: its reverse-path; recipient: who would get it.
    @ivar client: what it would be read in.
    @ivar dns: what the name system is taken to answer for these names, by name and type.
    """

    raw: str | None = None
    message_id: str | None = None
    address: str | None = None
    folder: str = "INBOX"
    uid: Uid | None = None
    ip: str = ""
    helo: str = ""
    mail_from: str | None = None
    recipient: str = ""
    client: Client | None = None
    dns: _Dns = {}


class Assert(Body, frozen=True):
    """A message, and what has to hold of its report.  C{message}: which; C{assertions}: what has to hold."""

    message: AssertedMessage
    assertions: Annotated[tuple[Assertion, ...], Meta(min_length=1, max_length=200)]


class Asserted(Struct, frozen=True):
    """
    Whether all of it holds, and each in the order it was asked.

    @ivar holds: whether all of it holds; results: one for each, in the order they were asked.
    """

    holds: bool = msgspec.field(name="pass")
    results: tuple[AssertionResult, ...] = ()


class AddressReport(Struct, frozen=True):
    """
    A deliverability-check address, and what came to it.

    @ivar token: its name in paths; address: where to send the mail.
    @ivar created: in real time; expires: when it goes by itself, in real time.
    @ivar messages: how many came; report: on the newest, null before the first.
    """

    token: str
    address: str
    created: datetime
    expires: datetime
    messages: int
    report: Report | None


def octets_of(raw: str) -> bytes:
    """Return a message as it goes over the wire; one whose lines all end in LF was written by hand."""
    octets = raw.encode("utf-8", "surrogatepass")
    return octets if b"\r" in octets else octets.replace(b"\n", b"\r\n")


async def _found(
    call: Call, message_id: str | None, address: str | None, folder: str, uid: int | None, field: str = ""
) -> FoundMessage:
    inspections = call.universe.inspections
    if (message_id is None) == (address is None):
        raise Invalid(f"{field}message_id", "give message_id, or address, folder and uid")
    if message_id is not None:
        return await inspections.called(message_id)
    if uid is None:
        raise Invalid(f"{field}uid", "is required with address")
    assert address is not None
    return await inspections.at(address, folder, uid)


def _given(call: Call, asked: RawMessage | AssertedMessage, field: str = "raw") -> FoundMessage:
    if asked.raw is None or not asked.raw.strip():
        raise Invalid(field, "is empty")
    above = field.removesuffix("raw")
    for name, value in (("helo", asked.helo), ("mail_from", asked.mail_from or ""), ("recipient", asked.recipient)):
        if _CONTROL.search(value):
            raise Invalid(above + name, "must not contain line breaks or control characters")
    try:
        if asked.ip:
            ip_address(asked.ip)
    except ValueError:
        raise Invalid(above + "ip", "must be an IPv4 or IPv6 address") from None
    envelope = Envelope(asked.ip, asked.helo, asked.mail_from, asked.recipient,
                        asked.client or call.universe.inspections.client(asked.recipient))
    return FoundMessage(octets_of(asked.raw), envelope)


async def inspect_message(call: Call) -> Report:
    asked: WhichMessage = call.query
    found = await _found(call, asked.message_id, asked.address, asked.folder, asked.uid)
    return await call.universe.inspections.report(*found)


async def inspect_raw(call: Call) -> Report:
    return await call.universe.inspections.report(*_given(call, call.body), call.body.dns)


async def assert_report(call: Call) -> Asserted:
    body: Assert = call.body
    asked = body.message
    if asked.raw is not None:
        if asked.message_id is not None or asked.address is not None or asked.uid is not None:
            raise Invalid("message.raw", "give raw, or a message that is there")
        found = _given(call, asked, "message.raw")
    else:
        found = await _found(call, asked.message_id, asked.address, asked.folder, asked.uid, "message.")
    results = judge(await call.universe.inspections.report(*found, asked.dns), body.assertions)
    return Asserted(all(one.holds for one in results), tuple(results))


async def open_address(call: Call) -> CheckAddress:
    return await call.universe.inspections.addresses.open()


async def read_address(call: Call) -> AddressReport:
    inspections = call.universe.inspections
    one = inspections.addresses.get(call.path["token"])
    count, found = await inspections.newest(one.address)
    report = await inspections.report(*found) if found is not None else None
    return AddressReport(one.token, one.address, one.created, one.expires, count, report)


_RAW = ("From: Shop <news@shop.example>\r\nTo: maria@acme.test\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n"
        "Message-ID: <1@shop.example>\r\nSubject: Your order\r\n\r\nDear Maria,\r\nit is on its way.\r\n")
_REPORT: dict[str, Any] = msgspec.to_builtins(inspect(_RAW.encode()))
_ASSERTION = {"what": "spam.score", "op": "lt", "value": 3}
_ADDRESS = {"token": "0b1c2d3e4f5a6b7c8d9e0f1a", "address": "check-0b1c2d3e4f5a6b7c8d9e0f1a@sim.test",
            "created": "2026-03-02T09:00:00Z", "expires": "2026-03-03T09:00:00Z"}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/inspect", inspect_message, "Inspect a message that is in a mailbox", Report,
          query=WhichMessage, statuses=(404,), query_example="address=maria%40acme.test&uid=1",
          answer_example=_REPORT),
    Route("POST", "/api/inspect", inspect_raw, "Inspect a message that nobody has sent", Report, role="member",
          body=RawMessage, large=True, example={"raw": _RAW}, answer_example=_REPORT),
    Route("POST", "/api/inspect/assert", assert_report, "Say whether a report is as it has to be", Asserted,
          role="member", body=Assert, large=True, statuses=(404,),
          example={"message": {"raw": _RAW}, "assertions": [_ASSERTION]},
          answer_example={"pass": True, "results": [{**_ASSERTION, "pass": True, "actual": 0.0, "why": ""}]}),
    Route("POST", "/api/inspect/addresses", open_address,
          "Open an address for a deliverability check, for a day of real time", CheckAddress, role="member",
          answer_example=_ADDRESS),
    Route("GET", "/api/inspect/addresses/{token}", read_address, "Report on what was sent to such an address",
          AddressReport, statuses=(404,), answer_example={**_ADDRESS, "messages": 1, "report": _REPORT}),
)
