"""
GETMETADATA and SETMETADATA: annotations of mailboxes, and of the server.

Mailboxes have private and shared entries, the server has private ones, which
are those of the client's own mailbox.  Names are kept in lower case.
Source: RFC 5464.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from simmail.core.mime.bodystructure import string
from simmail.errors import NotFound, OverAllowance
from simmail.imap.command.quota import check_room
from simmail.imap.fetch.sections import binary
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Octets of a value, and of the name of an entry; entries of one command.
LARGEST, LONGEST, MOST = 64 * 1024, 255, 200
_ANY_DEPTH = 1000

_NAME = re.compile(r"/(?:private|shared)(?:/[^/*%\x00-\x1f\x7f-\U0010ffff]+)*")


async def get_metadata(imap: ImapServer, arguments: Arguments) -> bytes:
    """GETMETADATA."""
    arguments.space()
    most, depth = _options(arguments)
    folder = _mailbox(arguments)
    arguments.space()
    if arguments.octets[arguments.at:arguments.at + 4].upper() in (b"(MAX", b"(DEP"):
        # Where the examples of the RFC have it.
        most, depth = _options(arguments)
    names = _names(arguments)
    arguments.end()
    entries = await _read(imap, folder)
    found: dict[str, bytes | None] = {}
    longest = 0
    for name in names:
        below = [one for one in entries if one.startswith(name + "/") and one[len(name) + 1:].count("/") < depth]
        for one in [name, *sorted(below)]:
            value = entries.get(one)
            if value is not None and most is not None and len(value) > most:
                longest = max(longest, len(value))
            elif value is not None or not depth:
                found[one] = value
    if found:
        shown = [b"%b %b" % (_shown(name), b"NIL" if value is None else binary(value) if b"\0" in value
                             else string(value)) for name, value in found.items()]
        await imap.send(b"* METADATA %b (%b)\r\n" % (_shown_mailbox(imap, folder), b" ".join(shown)))
    if longest:
        return b"[METADATA LONGENTRIES %d] GETMETADATA completed" % longest
    return b"GETMETADATA completed"


async def set_metadata(imap: ImapServer, arguments: Arguments) -> None:
    """SETMETADATA: all entries or none."""
    arguments.space()
    folder = _mailbox(arguments)
    arguments.space()
    arguments.expect(b"(")
    changes: dict[str, bytes | None] = {}
    while not changes or not arguments.skip(b")"):
        if changes:
            arguments.space()
        name = _name(arguments)
        if name.count("/") < 2:
            raise Bad("An entry has a name below /private or /shared")
        arguments.space()
        changes[name] = arguments.nstring()
        if len(changes) > MOST:
            raise Bad("Too many entries")
    arguments.end()
    if not folder and any(name.startswith("/shared/") for name in changes):
        raise No("Shared annotations of the server cannot be changed", "NOPERM")
    if any(value is not None and len(value) > LARGEST for value in changes.values()):
        raise No("An annotation is too large", f"METADATA MAXSIZE {LARGEST}")
    if any(value is not None for value in changes.values()):
        check_room(imap)
    try:
        await imap.login.universe.store.annotations.write(imap.login.address, folder, changes, imap)
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    except OverAllowance:
        raise No("There are too many annotations", "METADATA TOOMANY") from None


async def _read(imap: ImapServer, folder: str) -> dict[str, bytes]:
    try:
        found: dict[str, bytes] = await imap.login.universe.store.annotations.read(imap.login.address, folder)
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    return found


def _options(arguments: Arguments) -> tuple[int | None, int]:
    """MAXSIZE and DEPTH, where they are next."""
    most: int | None = None
    depth = 0
    if not arguments.skip(b"("):
        return most, depth
    first = True
    while not arguments.skip(b")"):
        if not first:
            arguments.space()
        first = False
        word = arguments.word()
        arguments.space()
        if word == b"MAXSIZE":
            most = arguments.number()
        elif word == b"DEPTH":
            value = arguments.word()
            if value not in (b"0", b"1", b"INFINITY"):
                raise Bad("Expected 0, 1 or infinity")
            depth = _ANY_DEPTH if value == b"INFINITY" else int(value)
        else:
            raise Bad(f"Unknown option {word.decode('ascii', 'replace')[:50]}")
    arguments.space()
    return most, depth


def _mailbox(arguments: Arguments) -> str:
    """A mailbox name, C{""} for the server."""
    octets = arguments.astring()
    return arguments.named(octets) if octets else ""


def _names(arguments: Arguments) -> Iterable[str]:
    if not arguments.skip(b"("):
        return [_name(arguments)]
    names = [_name(arguments)]
    while not arguments.skip(b")"):
        arguments.space()
        names.append(_name(arguments))
        if len(names) > MOST:
            raise Bad("Too many entries")
    return dict.fromkeys(names)


def _name(arguments: Arguments) -> str:
    name = arguments.astring().decode("latin-1").lower()
    if len(name) > LONGEST or not _NAME.fullmatch(name):
        raise Bad("Not the name of an entry such as /private/comment")
    return name


def _shown(name: str) -> bytes:
    return quoted_name(name, True)


def _shown_mailbox(imap: ImapServer, folder: str) -> bytes:
    return quoted_name(folder, imap.utf8) if folder else b'""'


class Following:
    """
    Tells a client that has enabled METADATA, or asked for it with NOTIFY, of what others change.

    @param wants: whether it wants to hear of a mailbox, C{""} for the server.
    """

    def __init__(self, imap: ImapServer, wants: Callable[[str], bool] = lambda folder: True) -> None:
        self._imap = imap
        self._wants = wants
        self._annotations = imap.login.universe.store.annotations
        self._annotations.listen(self._heard)

    def stop(self) -> None:
        """Nothing more is to be told."""
        self._annotations.unlisten(self._heard)

    def _heard(self, mailbox: str, folder: str, names: tuple[str, ...], origin: object) -> None:
        imap = self._imap
        if origin is imap or mailbox != imap.login.address or not self._wants(folder):
            return
        for name in names:
            imap.news.put(("METADATA", folder, name), b"* METADATA %b %b\r\n" % (
                _shown_mailbox(imap, folder), _shown(name)))
