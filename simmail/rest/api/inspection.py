"""
C{/api/inspect}: what can be said of a mail before anybody reads it.

Source: decisions, section 10.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from simmail.core.inspection.report import Report, inspect
from simmail.core.inspection.subject import Envelope
from simmail.errors import Invalid
from simmail.rest.route import Body, Call, Query, Route

HEADING = "Inspect"


class WhichMessage(Query, frozen=True):
    """C{message_id}, in whatever mailbox it is; or C{address}, C{folder} and C{uid}."""

    message_id: str | None = None
    address: str | None = None
    folder: str = "INBOX"
    uid: Annotated[int, Meta(ge=1)] | None = None


class RawMessage(Body, frozen=True):
    """
    A message as it would be sent: C{raw}, lines ending in CRLF or all of them in LF.

    @ivar ip, helo, mail_from, recipient: how it would come, where rules shall know that.
    """

    raw: str
    ip: str = ""
    helo: str = ""
    mail_from: str | None = None
    recipient: str = ""


def octets_of(raw: str) -> bytes:
    """Return a message as it goes over the wire; one whose lines all end in LF was written by hand."""
    octets = raw.encode("utf-8", "surrogatepass")
    return octets if b"\r" in octets else octets.replace(b"\n", b"\r\n")


async def inspect_message(call: Call) -> Report:
    asked: WhichMessage = call.query
    inspections = call.universe.inspections
    if (asked.message_id is None) == (asked.address is None):
        raise Invalid("message_id", "give message_id, or address, folder and uid")
    if asked.message_id is not None:
        found = await inspections.called(asked.message_id)
    elif asked.uid is None:
        raise Invalid("uid", "is required with address")
    else:
        assert asked.address is not None
        found = await inspections.at(asked.address, asked.folder, asked.uid)
    return await inspections.report(found.octets, found.envelope)


async def inspect_raw(call: Call) -> Report:
    asked: RawMessage = call.body
    if not asked.raw.strip():
        raise Invalid("raw", "is empty")
    envelope = Envelope(asked.ip, asked.helo, asked.mail_from, asked.recipient,
                        call.universe.inspections.client(asked.recipient))
    return await call.universe.inspections.report(octets_of(asked.raw), envelope)


_RAW = ("From: Shop <news@shop.example>\r\nTo: maria@acme.test\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n"
        "Message-ID: <1@shop.example>\r\nSubject: Your order\r\n\r\nDear Maria,\r\nit is on its way.\r\n")
_REPORT: dict[str, Any] = msgspec.to_builtins(inspect(_RAW.encode()))

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/inspect", inspect_message, "Inspect a message that is in a mailbox", Report,
          query=WhichMessage, statuses=(404,), query_example="address=maria%40acme.test&uid=1",
          answer_example=_REPORT),
    Route("POST", "/api/inspect", inspect_raw, "Inspect a message that nobody has sent", Report, role="member",
          body=RawMessage, large=True, example={"raw": _RAW}, answer_example=_REPORT),
)
