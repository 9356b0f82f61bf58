"""
Messages that come with a command: what stands before each, and its octets.

Source: RFC 3501 section 6.3.11, RFC 3502 (MULTIAPPEND), RFC 3516, RFC 4469 (CATENATE),
RFC 6855 section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from simmail.imap.command.catenate import MOST, Pieces, Url, parse_url
from simmail.imap.connection import ImapConnection
from simmail.imap.wire.input import BRINGS_MESSAGE
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No

_MARKER = re.compile(rb"~?\{\d{1,12}\+?\}\r\n")


class Upload(NamedTuple):
    """One message; C{pieces}: what it is put together from; C{binary}: it came as a literal8."""

    flags: tuple[str, ...]
    date: datetime | None
    pieces: Pieces
    binary: bool


def begun(imap: ImapConnection, octets: bytes) -> tuple[str, bytes | None]:
    """
    The name of the mailbox, and the message that is to be replaced, of a command whose first message is to come.

    @raise Bad: the command is wrong already.
    """
    match = BRINGS_MESSAGE.match(octets)
    assert match is not None
    arguments = Arguments(octets, imap.utf8)
    arguments.at = match.end()
    name = arguments.mailbox()
    arguments.space()
    _options(arguments)
    if arguments.skip(b"UTF8 ("):
        _check_utf8(imap)
    elif arguments.skip(b"CATENATE ("):
        while not arguments.skip(b"TEXT "):
            _url(arguments)
            arguments.space()
    arguments.skip(b"~")
    if not arguments.at_end():
        raise Bad("Expected a literal")
    return name, match[1]


def _check_utf8(imap: ImapConnection) -> None:
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


def parse_upload(imap: ImapConnection, arguments: Arguments, messages: Iterator[bytes]) -> Upload:
    """
    The next message of a command, up to its end.

    @param messages: octets of those that are to come.
    """
    arguments.space()
    flags, date = _options(arguments)
    if arguments.skip(b"CATENATE ("):
        return Upload(flags, date, _pieces(arguments, messages), False)
    utf8 = arguments.skip(b"UTF8 (")
    octets, binary = _literal(arguments, messages)
    if utf8:
        # RFC 6855 section 4.
        arguments.expect(b")")
        _check_utf8(imap)
    return Upload(flags, date, (octets,), binary)


def _literal(arguments: Arguments, messages: Iterator[bytes]) -> tuple[bytes, bool]:
    marker = _MARKER.match(arguments.octets, arguments.at)
    octets = next(messages, None)
    if marker is None or octets is None:
        raise Bad("Expected a literal")
    arguments.at = marker.end()
    return octets, marker[0].startswith(b"~")


def _url(arguments: Arguments) -> Url:
    arguments.expect(b"URL ")
    return parse_url(arguments.astring())


def _pieces(arguments: Arguments, messages: Iterator[bytes]) -> Pieces:
    pieces: list[bytes | Url] = []
    while not pieces or not arguments.skip(b")"):
        if pieces:
            arguments.space()
        pieces.append(_literal(arguments, messages)[0] if arguments.skip(b"TEXT ") else _url(arguments))
        if len(pieces) > MOST:
            raise No("Too many parts", "LIMIT")
    return pieces
