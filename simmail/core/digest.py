"""
The digest: everything lists, IMAP and searches ask of a message, taken once from its octets.

Owned by the MIME room; the mail store keeps digests in its index and never
looks inside.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.address import Address, local_part
from simmail.core.ordering import collation_key


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
    @ivar from_, to, cc: L{core.address.parse_all}: whoever is named, with an address or without.
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

    # What SORT and THREAD put messages in order by (RFC 5256, RFC 5957)

    @property
    def sent_day(self) -> int:
        """The day that the Date header names, in its own zone, as an ordinal; 0 for none."""
        return self.sent.toordinal() if self.sent is not None else 0

    @property
    def order_subject(self) -> str:
        """The base subject as it is compared."""
        return collation_key(self.base_subject)

    @property
    def is_reply(self) -> bool:
        """Whether the subject is that of a reply or was forwarded."""
        return len(self.base_subject) < len(" ".join(self.subject.split()))

    @property
    def chain(self) -> tuple[str, ...]:
        """The Message-IDs of the messages above this one, the nearest last."""
        return self.references or ((self.in_reply_to,) if self.in_reply_to else ())

    @property
    def order_from(self) -> str:
        """The mailbox of the first author."""
        return _mailbox(self.from_)

    @property
    def order_to(self) -> str:
        """The mailbox of the first recipient."""
        return _mailbox(self.to)

    @property
    def order_cc(self) -> str:
        """The mailbox of the first who got a copy."""
        return _mailbox(self.cc)

    @property
    def display_from(self) -> str:
        """What the first author is shown as."""
        return _display(self.from_)

    @property
    def display_to(self) -> str:
        """What the first recipient is shown as."""
        return _display(self.to)


def _mailbox(found: tuple[Address, ...]) -> str:
    if not found:
        return ""
    name, address = found[0]
    # A group has its name there (RFC 3501 section 7.4.2).
    return collation_key(_bare(local_part(address)) if "@" in address else address or name)


def _display(found: tuple[Address, ...]) -> str:
    if not found:
        return ""
    name, address = found[0]
    local, at, domain = address.rpartition("@")
    return collation_key(name or f"{_bare(local)}{at}{domain}")


def _bare(local: str) -> str:
    """A local part as ENVELOPE has it, without quotes."""
    return local[1:-1].replace('\\"', '"').replace("\\\\", "\\") if local[:1] == '"' else local
