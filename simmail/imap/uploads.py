"""
Messages that come with a command: what stands before each, and its octets.

Source: RFC 3501 section 6.3.11, RFC 3502 (MULTIAPPEND), RFC 3516, RFC 6855 section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from simmail.imap.replies import Bad
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_BEGINNING = re.compile(rb"[^ ]{1,200} (?:APPEND|(?:UID )?REPLACE ([0-9]{1,10}|\*)) ", re.IGNORECASE)
_MARKER = re.compile(rb"~?\{\d{1,12}\+?\}\r\n")


class Upload(NamedTuple):
    """One message; C{binary}: it came as a literal8."""

    flags: tuple[str, ...]
    date: datetime | None
    octets: bytes
    binary: bool


def awaits_message(octets: bytes) -> bool:
    """Whether what is gathered of a command is past the name of the mailbox: a message comes next."""
    match = _BEGINNING.match(octets)
    return match is not None and match.end() < len(octets)


def begun(imap: ImapServer, octets: bytes) -> tuple[str, bytes | None]:
    """
    The name of the mailbox, and the message that is to be replaced, of a command whose first message is to come.

    @raise Bad: the command is wrong already.
    """
    match = _BEGINNING.match(octets)
    assert match is not None
    arguments = Arguments(octets, imap.utf8)
    arguments.at = match.end()
    name = arguments.mailbox()
    arguments.space()
    _options(arguments)
    if arguments.skip(b"UTF8 ("):
        _check_utf8(imap)
    arguments.skip(b"~")
    if not arguments.at_end():
        raise Bad("Expected a literal")
    return name, match[1]


def _check_utf8(imap: ImapServer) -> None:
    if b"UTF8=ACCEPT" not in imap.enabled:
        raise Bad("UTF8=ACCEPT is not enabled")


def _options(arguments: Arguments) -> tuple[tuple[str, ...], datetime | None]:
    flags: tuple[str, ...] = ()
    date: datetime | None = None
    if arguments.peek() == b"(":
        flags = arguments.flags()
        arguments.space()
    if arguments.peek() == b'"':
        date = arguments.date_time()
        arguments.space()
    return flags, date


def parse_upload(imap: ImapServer, arguments: Arguments, messages: Iterator[bytes]) -> Upload:
    """
    The next message of a command, up to its end.

    @param messages: octets of those that are to come.
    """
    arguments.space()
    flags, date = _options(arguments)
    utf8 = arguments.skip(b"UTF8 (")
    marker = _MARKER.match(arguments.octets, arguments.at)
    if marker is None:
        raise Bad("Expected a literal")
    arguments.at = marker.end()
    if utf8:
        # RFC 6855 section 4.
        arguments.expect(b")")
        _check_utf8(imap)
    octets = next(messages, None)
    if octets is None:
        raise Bad("Expected a literal")
    return Upload(flags, date, octets, marker[0].startswith(b"~"))
