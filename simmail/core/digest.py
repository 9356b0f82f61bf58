"""
The digest: everything lists, IMAP and searches ask of a message, taken once from its octets.

Owned by the MIME room; the mail store keeps digests in its index and never
looks inside.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.address import Address


class Enclosed(NamedTuple):
    """One attachment as lists show it, in the order of C{Mail.attachments}; C{size} of the decoded octets."""

    filename: str
    content_type: str
    size: int
    content_id: str = ""
    inline: bool = False


class Digest(Struct, frozen=True):
    """
    What the index keeps of one message.

    @ivar envelope: the IMAP ENVELOPE (RFC 3501 section 7.4.2), ready to send.
    @ivar structure: BODYSTRUCTURE, ready to send; body: BODY, its form without extensions.
    @ivar header: octets of the header section, up to and with the blank line.
    @ivar sent: the Date header as an instant, None when missing or unreadable.
    @ivar text: readable text for search (text parts, or HTML rendered), capped at 256 KiB.
    @ivar preview: its first 256 characters, white space folded (RFC 8970).
    @ivar subject: decoded; base_subject: RFC 5256 section 2.1.
    @ivar filenames: of the attachments.
    @ivar attachments: what C{core.reading} finds as attachments; format: as C{Mail.format}.
    """

    envelope: bytes
    structure: bytes
    body: bytes
    header: bytes
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    subject: str
    base_subject: str
    from_: tuple[Address, ...]
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    sent: datetime | None
    text: str
    preview: str
    filenames: tuple[str, ...]
    attachments: tuple[Enclosed, ...] = ()
    format: Literal["text", "html", "both"] = "text"
