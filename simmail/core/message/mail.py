"""
A message as people and rules see it: headers decoded, bodies as text.

The record only; reading octets into it is C{core.message.parse}, writing octets is
C{core.compose}.  Source: API contract, "Message".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from sys import intern
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from simmail.core.mime.address import Address


class Attachment(Struct, frozen=True):
    """One attachment: what it is, and its decoded octets."""

    filename: str
    content_type: str
    octets: bytes
    content_id: str = ""
    inline: bool = False


class Mail(Struct, frozen=True, cache_hash=True, dict=True):
    """
    One message, read.

    @ivar headers: all header fields in order, (name as written, decoded value).
    @ivar text: the plain part, or the HTML rendered as text; html: C{""} for none.
    @ivar format: what the sender's client produced.
    @ivar named: whom From, To and Cc name if not all of them have an address, else empty
        (L{core.mime.address.parse_all}).
    """

    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    from_: Address
    reply_to: tuple[Address, ...]
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    subject: str
    date: datetime | None
    text: str
    html: str
    format: Literal["text", "html", "both"]
    attachments: tuple[Attachment, ...]
    headers: tuple[tuple[str, str], ...]
    size: int
    named: tuple[tuple[Address, ...], ...] = ()

    @property
    def author(self) -> Address:
        """Who is shown as the author, perhaps without an address."""
        return self.named[0][0] if self.named and self.named[0] else self.from_

    @property
    def shown_to(self) -> tuple[Address, ...]:
        """Who is shown as recipients."""
        return self.named[1] if self.named else self.to

    @property
    def shown_cc(self) -> tuple[Address, ...]:
        """Who is shown as having got a copy."""
        return self.named[2] if self.named else self.cc

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The first value of each header field, by lower-case name."""
        # Names are few, and kept with every mail.
        return MappingProxyType({intern(name.lower()): value for name, value in reversed(self.headers)})

    def header(self, name: str) -> str:
        """The first value of a header field, C{""} when it is missing."""
        return self.fields.get(name.lower(), "")


class Draft(Struct, frozen=True):
    """
    A message to be written.

    @ivar message_id: with angle brackets; date: simulated instant, zone of the sender.
    @ivar client: whose MIME shape, header order and X-Mailer it takes (C{core.records.persona.Client}).
    @ivar extra: further header fields, in order (C{X-Service-Simulated}, C{Auto-Submitted} ...).
    @ivar forms: other forms of what it says, behind text and HTML (RFC 2046 section 5.1.4): a calendar part.
    @ivar key: draws for boundaries come from this text, so the same draft gives the same octets.
    """

    message_id: str
    date: datetime
    from_: Address
    to: tuple[Address, ...]
    subject: str
    text: str
    html: str = ""
    cc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    client: str = "plain"
    extra: tuple[tuple[str, str], ...] = ()
    key: str = ""
    forms: tuple[Attachment, ...] = ()


def as_sent(draft: Draft, size: int) -> Mail:
    """Return the message as C{core.message.parse} would read it, but for C{headers}: only those of the draft."""
    return Mail(
        message_id=draft.message_id, in_reply_to=draft.in_reply_to, references=draft.references, from_=draft.from_,
        reply_to=draft.reply_to, to=draft.to, cc=draft.cc, subject=draft.subject, date=draft.date,
        text=draft.text.rstrip("\n"), html=draft.html.rstrip("\n"), format="both" if draft.html else "text",
        attachments=(*[Attachment("invite.ics", one.content_type.partition(";")[0], one.octets) for one in draft.forms],
                     *draft.attachments), headers=draft.extra, size=size)
