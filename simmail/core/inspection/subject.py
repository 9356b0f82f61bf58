"""
A mail taken apart once for all rules of an inspection, with what is known of how it came.
"""

from __future__ import annotations

import re

from msgspec import Struct

from simmail.core.html.tokenizer import Token, tokens
from simmail.core.inspection.authentication import Authentication, NOT_ASKED
from simmail.core.message.auto_submitted import bulk
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.mime import structure
from simmail.core.mime.address import domain_of
from simmail.core.mime.headers import Field, fields, header_end, value
from simmail.core.rules.spam_rules import ScoredMail, letter

#: Characters of HTML whose tags are looked at, and tags of it.
_LOOKED_AT, _MOST_TAGS = 512 * 1024, 20_000


_PATH = re.compile(rb"<([^<>]{0,1000})>")
_ORIGIN = re.compile(rb"from (\S{1,300}) \(\[(?:IPv6:)?([0-9A-Fa-f.:]{2,45})\]\)(?:\s+by (\S{1,300}) )?")

#: What a server that was given no Message-ID makes (C{core.compose.message_id}), and its domain.
_MADE = re.compile(rb"<[a-z0-9]{24}@([^<>@\s]{1,300})>")


class Envelope(Struct, frozen=True):
    """
    How a mail came, as far as that is known; C{""} for what is not.

    @ivar ip: of the client that sent it; helo: its name; sender: reverse-path, None where it is not known.
    @ivar client: what the recipient reads in (C{style.client}).
    @ivar added: the fields, in lower case, that it came without and the server added.
    """

    ip: str = ""
    helo: str = ""
    sender: str | None = None
    recipient: str = ""
    client: str = ""
    added: tuple[str, ...] = ()


class InspectedMail(Struct, frozen=True):
    """
    What rules look at.

    @ivar fields: the header as it stands, (name in lower case, whole field).
    @ivar tags: start tags of the HTML in order.
    @ivar bulk: the sign that it went to many, C{""} for none.
    """

    octets: bytes
    mail: Mail
    letter: ScoredMail
    header: bytes
    body: bytes
    fields: tuple[Field, ...]
    part: structure.Part
    tags: tuple[Token, ...]
    bulk: str
    envelope: Envelope
    authentication: Authentication = NOT_ASKED

    def all(self, name: bytes) -> tuple[str, ...]:
        """Return the unfolded values of a field, by its lower-case name."""
        return tuple(value(raw).decode("utf-8", "replace").strip() for one, raw in self.fields if one == name)

    @property
    def author_domain(self) -> str:
        """The domain of From, C{""} for none."""
        address = self.mail.from_.address
        return domain_of(address) if "@" in address else ""


def inspected(
    octets: bytes, envelope: Envelope = Envelope(), authentication: Authentication = NOT_ASKED
) -> InspectedMail:
    """Take a message apart."""
    mail = read(octets)
    end = header_end(octets)
    tags = [one for one in tokens(mail.html[:_LOOKED_AT]) if one.kind == "start"][:_MOST_TAGS] if mail.html else []
    sender = mail.from_.address if envelope.sender is None else envelope.sender
    return InspectedMail(
        octets, mail, letter(mail, sender, envelope.recipient), octets[:end], octets[end:],
        tuple(fields(octets[:end])), structure.parse(octets), tuple(tags), bulk(mail), envelope, authentication)


def arrived(octets: bytes) -> Envelope:
    """Return how a stored message came, as the trace says that SMTP put on top of it; nothing where there is none."""
    every = fields(octets[:header_end(octets)])
    first = every[:2]
    if [name for name, _ in first] != [b"return-path", b"received"]:
        return Envelope()
    path = _PATH.fullmatch(value(first[0][1]).strip())
    origin = _ORIGIN.match(value(first[1][1]).strip())
    if path is None or origin is None:
        return Envelope()
    return Envelope(origin[2].decode("ascii", "replace"), origin[1].decode("ascii", "replace"),
                    path[1].decode("utf-8", "replace"), added=_added(every[2:], origin[3]))


def _added(came: list[Field], server: bytes | None) -> tuple[str, ...]:
    """What C{core.compose.complete} put at the end of a header; a date only where it had to add a Message-ID too."""
    last = came[-2:] if came and came[-1][0] == b"date" else came[-1:]
    made = _MADE.fullmatch(value(last[0][1]).strip()) if last and last[0][0] == b"message-id" else None
    return tuple(name.decode() for name, _ in last) if made is not None and made[1] == server else ()
