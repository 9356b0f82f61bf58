"""What the server announces, by state: nothing that it does not serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twisted.internet.interfaces import ITLSTransport

from simmail.imap.command.metadata import Following
from simmail.imap.wire.parser import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_BEFORE = (b"IMAP4rev1", b"IMAP4rev2", b"LITERAL+", b"SASL-IR", b"ID", b"ENABLE", b"IDLE")
_AFTER = (
    b"IMAP4rev1", b"IMAP4rev2", b"LITERAL+", b"ID", b"ENABLE", b"IDLE", b"NAMESPACE", b"UIDPLUS", b"MOVE", b"UNSELECT",
    b"CHILDREN", b"SPECIAL-USE", b"LIST-EXTENDED", b"LIST-STATUS", b"STATUS=SIZE",
    b"CONDSTORE", b"QRESYNC", b"ESEARCH", b"SEARCHRES", b"WITHIN", b"SORT", b"SORT=DISPLAY",
    b"THREAD=ORDEREDSUBJECT", b"THREAD=REFERENCES", b"BINARY", b"UTF8=ACCEPT", b"OBJECTID", b"PREVIEW",
    b"QUOTA", b"QUOTA=RES-STORAGE", b"QUOTA=RES-MESSAGE", b"MULTIAPPEND", b"ESORT", b"PARTIAL",
    b"REPLACE", b"SAVEDATE", b"CONTEXT=SEARCH", b"CONTEXT=SORT", b"METADATA", b"INPROGRESS", b"CATENATE", b"UIDONLY",
    b"NOTIFY",
)


def can_start_tls(imap: ImapServer) -> bool:
    """Whether STARTTLS is possible now."""
    return (
        imap.ctx is not None and not imap.tls and imap.state == "unauth"
        and ITLSTransport(imap.transport, None) is not None)


def may_sign_in(imap: ImapServer) -> bool:
    """Whether a password may come over this connection."""
    return imap.tls or imap.factory.plain_auth_allowed


def capabilities(imap: ImapServer) -> list[bytes]:
    """What is announced in this state."""
    if imap.login is not None:
        compress = [b"COMPRESS=DEFLATE"] if imap.inflater is None else []
        return [*_AFTER, b"APPENDLIMIT=%d" % imap.config.limits.message, *compress]
    found = list(_BEFORE)
    if can_start_tls(imap):
        found.append(b"STARTTLS")
    if may_sign_in(imap):
        found += [b"AUTH=PLAIN", b"AUTH=LOGIN"]
    else:
        found.append(b"LOGINDISABLED")
    return found


async def capability(imap: ImapServer, arguments: Arguments) -> None:
    """CAPABILITY."""
    arguments.end()
    imap.write(b"* CAPABILITY %b\r\n" % b" ".join(capabilities(imap)))


#: What ENABLE takes (RFC 5161).
_CAN_BE_ENABLED = frozenset((b"CONDSTORE", b"QRESYNC", b"UTF8=ACCEPT", b"IMAP4REV2", b"METADATA", b"UIDONLY"))


async def enable(imap: ImapServer, arguments: Arguments) -> None:
    """ENABLE."""
    wanted: list[bytes] = []
    while not arguments.at_end():
        arguments.space()
        wanted.append(arguments.word())
    if not wanted:
        arguments.space()
    # What is on already is named too: a client that asks wants to hear that it is (RFC 5161 section 3.2).
    added = [name for name in dict.fromkeys(wanted) if name in _CAN_BE_ENABLED]
    follows = b"METADATA" in added and b"METADATA" not in imap.enabled
    imap.enabled.update(added)
    if b"QRESYNC" in added:
        # RFC 7162 section 3.2.3.
        imap.enabled.add(b"CONDSTORE")
    if follows:
        imap.news.until(Following(imap).stop)
    imap.write(b"* ENABLED%b\r\n" % b"".join(b" " + _SHOWN.get(name, name) for name in added))


_SHOWN = {b"IMAP4REV2": b"IMAP4rev2"}
