"""
The digest: everything lists, IMAP and searches ask of a message, taken once from its octets.

Owned by the MIME room; the mail store keeps digests in its index and never
looks inside.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.message.base_subject import is_reply
from simmail.core.message.folding import fold
from simmail.core.message.search_text import header_text
from simmail.core.message.sort import collation_key
from simmail.core.mime.address import Address, local_part
from simmail.core.mime.bodystructure import mailboxes
from simmail.core.mime.headers import fields, value


#: What can be searched.
SEARCHED = ("in_subject", "in_from", "in_to", "in_cc", "in_header", "in_body", "in_enclosed", "in_parts")


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
    @ivar from_, to, cc: L{core.mime.address.parse_all}: whoever is named, with an address or without.
    @ivar text: readable text (text parts, or HTML rendered), capped at 256 KiB.
    @ivar preview: its first 256 characters, white space folded (RFC 8970).
    @ivar subject: decoded; base_subject: RFC 5256 section 2.1.
    @ivar filenames: of the attachments.
    @ivar attachments: what C{core.message.parse} finds as attachments; format: as C{Mail.format}.
    @ivar words: what else is searched of the body, to be put behind C{text}; enclosed: the headers of
        messages in it, what attachments are called; part_headers: of its parts.  All three are kept only as they are
        compared.
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
    words: str = ""
    enclosed: str = ""
    part_headers: str = ""

    # What searches compare (L{SEARCHED}), as L{core.message.folding} has it

    @property
    def in_subject(self) -> str:
        """The subject."""
        return fold(self.subject)

    @property
    def in_from(self) -> str:
        """The authors, one a line: names, and addresses in angle brackets; then routes to them."""
        return _people(self.from_, self.header, b"from")

    @property
    def in_to(self) -> str:
        """The recipients, likewise."""
        return _people(self.to, self.header, b"to")

    @property
    def in_cc(self) -> str:
        """Who got a copy, likewise."""
        return _people(self.cc, self.header, b"cc")

    @property
    def in_header(self) -> str:
        """The header section (L{core.message.search_text.header_text})."""
        return fold(header_text(self.header))

    @property
    def in_body(self) -> str:
        """The text, and all else in the body that a person would find."""
        return fold(f"{self.text}{self.words}")

    @property
    def in_enclosed(self) -> str:
        """The headers of the messages in the body, and what attachments are called."""
        return fold(self.enclosed)

    @property
    def in_parts(self) -> str:
        """The header fields of the parts."""
        return fold(self.part_headers)

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
        return len(self.base_subject) < len(self.subject) and is_reply(self.subject)

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


def _people(found: tuple[Address, ...], header: bytes, name: bytes) -> str:
    people = [f"{one.name} <{one.address}>" for one in found]
    if b"<@" in header:
        # Obsolete routes (RFC 5322 section 4.4) are no part of an address but of ENVELOPE, which IMAP searches.
        people += [one.route.decode("ascii", "replace") for field, raw in fields(header) if field == name
                   for one in mailboxes(value(raw)) if one.route]
    return fold("\n".join(people))


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


#: The fields that are kept as they are.
KEPT = tuple([name for name in Digest.__struct_fields__ if name not in ("words", "enclosed", "part_headers")])
