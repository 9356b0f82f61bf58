"""
Signing in: LOGIN, AUTHENTICATE PLAIN and LOGIN, STARTTLS.

Failures cost time that grows, the same for names that exist and names that do
not; after a few the connection is closed.
Source: RFC 3501 section 6.2, RFC 4616, RFC 4959 (SASL-IR), RFC 5530; promises, S2, S3.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING

from simmail.errors import Forbidden, TooMany, Unauthenticated
from simmail.imap.capability import can_start_tls, capabilities, may_sign_in
from simmail.imap.fault_injection import meet
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, Gone, No

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Real seconds before the answer to a failed login: doubled for each failure on the connection.
FIRST_DELAY, LONGEST_DELAY = 1.0, 15.0


async def login(imap: ImapServer, arguments: Arguments) -> bytes:
    """LOGIN."""
    arguments.space()
    username = arguments.credential()
    arguments.space()
    password = arguments.credential()
    arguments.end()
    _check_allowed(imap)
    return await _sign_in(imap, b"", username, password)


async def authenticate(imap: ImapServer, arguments: Arguments) -> bytes:
    """AUTHENTICATE, with an initial response or without."""
    arguments.space()
    mechanism = arguments.word()
    initial: bytes | None = None
    if not arguments.at_end():
        arguments.space()
        initial = arguments.rest()
    if mechanism not in (b"PLAIN", b"LOGIN"):
        raise No("Mechanism not supported")
    _check_allowed(imap)
    if mechanism == b"PLAIN":
        response = _decoded(initial) if initial is not None else await _ask(imap, b"")
        pieces = response.split(b"\0")
        if len(pieces) != 3:
            raise Bad("Malformed PLAIN response")
        return await _sign_in(imap, *pieces)
    username = _decoded(initial) if initial is not None else await _ask(imap, b"Username:")
    password = await _ask(imap, b"Password:")
    return await _sign_in(imap, b"", username, password)


async def _ask(imap: ImapServer, challenge: bytes) -> bytes:
    return _decoded(await imap.ask(b2a_base64(challenge, newline=False)))


def _decoded(response: bytes) -> bytes:
    if response == b"*":
        raise Bad("AUTHENTICATE cancelled")
    if response == b"=":
        return b""
    try:
        return a2b_base64(response, strict_mode=True)
    except Base64Error:
        raise Bad("Not base 64") from None


def _check_allowed(imap: ImapServer) -> None:
    if not may_sign_in(imap):
        raise No("No passwords without TLS", "PRIVACYREQUIRED")


async def _sign_in(imap: ImapServer, authorize: bytes, username: bytes, password: bytes) -> bytes:
    try:
        # Who signs in to act for another: written as the master login is (decisions, section 23).
        name = username.decode("utf-8")
        if authorize and authorize != username:
            name = f"{authorize.decode('utf-8')}*{name}"
        secret = password.decode("utf-8")
        if "\0" in name or "\0" in secret:
            raise Unauthenticated("authentication failed")
        await meet(imap, "imap_login", name)
        found = await imap.factory.sign_in(name, secret, "imap", imap.remote)
    except (Unauthenticated, UnicodeDecodeError):
        await _failed(imap)
        raise No("Authentication failed", "AUTHENTICATIONFAILED") from None
    except TooMany as error:
        await imap.sleep(min(error.retry_after, LONGEST_DELAY))
        imap.answer(No("Too many failed logins", "LIMIT").line)
        imap.hang_up("Too many failed logins; try again later")
        raise Gone from None
    except Forbidden as error:
        raise No(str(error), "CONTACTADMIN") from None
    imap.sign_in(found)
    return b"[CAPABILITY %b] Logged in" % b" ".join(capabilities(imap))


async def _failed(imap: ImapServer) -> None:
    imap.failures += 1
    await imap.sleep(min(LONGEST_DELAY, FIRST_DELAY * 2 ** (imap.failures - 1)))
    if imap.failures >= imap.config.imap.login_attempts:
        imap.answer(No("Authentication failed", "AUTHENTICATIONFAILED").line)
        imap.hang_up("Too many failed logins")
        raise Gone


async def start_tls(imap: ImapServer, arguments: Arguments) -> None:
    """STARTTLS.  What came behind it in clear text is an attack or a mistake: nobody is served on such a connection."""
    arguments.end()
    if not can_start_tls(imap):
        raise Bad("TLS is not available here" if not imap.tls else "TLS is already on")
    if imap.clearLineBuffer():
        imap.hang_up("Nothing may follow STARTTLS")
        raise Bad("Nothing may follow STARTTLS")
    imap.answer(b"OK Begin TLS negotiation now")
    imap.transport.startTLS(imap.ctx)
    imap.tls = imap.startedTLS = True
