"""
Signing in: LOGIN, AUTHENTICATE PLAIN and LOGIN, STARTTLS.

Failures cost time that grows, the same for names that exist and names that do
not; after a few the connection is closed.
Source: RFC 3501 section 6.2, RFC 4616, RFC 4959 (SASL-IR), RFC 5530; promises, S2, S3.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64

from twisted.cred.credentials import UsernamePassword
from twisted.mail.imap4 import IllegalClientResponse

from simmail.errors import Elsewhere, Forbidden, TooMany, Unauthenticated
from simmail.imap.capability import capabilities
from simmail.imap.connection import ImapConnection
from simmail.imap.fault_injection import apply_fault
from simmail.imap.relocation import relocate
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, ClientGone, No
from simmail.server.sasl import decoded, log_in

#: Real seconds before the answer to a failed login: doubled for each failure on the connection.
FIRST_DELAY, LONGEST_DELAY = 1.0, 15.0


async def login(imap: ImapConnection, arguments: Arguments) -> bytes:
    """LOGIN."""
    arguments.space()
    username = arguments.credential()
    arguments.space()
    password = arguments.credential()
    arguments.end()
    _check_allowed(imap)
    return await _sign_in(imap, UsernamePassword(username, password))


async def authenticate(imap: ImapConnection, arguments: Arguments) -> bytes:
    """AUTHENTICATE, with an initial response or without."""
    arguments.space()
    mechanism = arguments.word()
    response: bytes | None = None
    if not arguments.at_end():
        arguments.space()
        response = arguments.rest()
    begin = imap.challengers.get(mechanism)
    if begin is None:
        raise No("Mechanism not supported")
    _check_allowed(imap)
    challenge, asking = begin(), True
    while asking:
        prompt = challenge.getChallenge()
        if response is None:
            response = await imap.ask(b2a_base64(prompt, newline=False))
        try:
            challenge.setResponse(_decoded(response))
        except IllegalClientResponse:
            raise Bad(f"Malformed {mechanism.decode('ascii')} response") from None
        response, asking = None, challenge.moreChallenges()
    return await _sign_in(imap, challenge)


def _decoded(response: bytes) -> bytes:
    if response == b"*":
        raise Bad("AUTHENTICATE cancelled")
    if response == b"=":
        return b""
    try:
        return a2b_base64(response, strict_mode=True)
    except Base64Error:
        raise Bad("Not base 64") from None


def _check_allowed(imap: ImapConnection) -> None:
    if not imap.mechanisms():
        raise No("No passwords without TLS", "PRIVACYREQUIRED")


async def _sign_in(imap: ImapConnection, credentials: UsernamePassword) -> bytes:
    try:
        name, _ = decoded(credentials)
        await apply_fault(imap, "imap_login", name)
        login = await log_in(imap.portal, credentials, imap.remote)
    except Elsewhere as elsewhere:
        await relocate(imap, elsewhere, credentials)
        raise ClientGone from None
    except Unauthenticated:
        await _failed(imap)
        raise No("Authentication failed", "AUTHENTICATIONFAILED") from None
    except TooMany as error:
        await imap.sleep(min(error.retry_after, LONGEST_DELAY))
        imap.answer(No("Too many failed logins", "LIMIT").line)
        imap.hang_up("Too many failed logins; try again later")
        raise ClientGone from None
    except Forbidden as error:
        raise No(str(error), "CONTACTADMIN") from None
    if login.universe.closed:
        raise No("The mailbox is not there now; try again", "UNAVAILABLE")
    imap.begin_session(login)
    return b"[CAPABILITY %b] Logged in" % b" ".join(capabilities(imap))


async def _failed(imap: ImapConnection) -> None:
    imap.failures += 1
    await imap.sleep(min(LONGEST_DELAY, FIRST_DELAY * 2 ** (imap.failures - 1)))
    if imap.failures >= imap.config.imap.login_attempts:
        imap.answer(No("Authentication failed", "AUTHENTICATIONFAILED").line)
        imap.hang_up("Too many failed logins")
        raise ClientGone


async def start_tls(imap: ImapConnection, arguments: Arguments) -> None:
    """STARTTLS.  What came behind it in clear text is an attack or a mistake: nobody is served on such a connection."""
    arguments.end()
    if not imap.can_start_tls():
        raise Bad("TLS is not available here" if not imap.tls else "TLS is already on")
    if imap.sent_ahead():
        imap.hang_up("Nothing may follow STARTTLS")
        raise Bad("Nothing may follow STARTTLS")
    imap.answer(b"OK Begin TLS negotiation now")
    imap.begin_tls()
