"""
Who signs in over SMTP and IMAP, in the terms of twisted.cred: SASL challengers, and a portal to logins.

The challengers are those of twisted.mail with what servers on the Internet say and take: the prompts of LOGIN, and the
authorization identity of PLAIN.  A session signs in with any portal whose avatars for L{ILogin} are
C{simmail.server.signin.Login}.
Source: RFC 4616 (PLAIN), RFC 4954 section 4, RFC 3501 section 6.2.2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from twisted.cred.credentials import UsernamePassword
from twisted.cred.error import LoginFailed
from twisted.internet.defer import Deferred
from twisted.mail.imap4 import LOGINCredentials, PLAINCredentials
from zope.interface import Attribute, Interface

from simmail.errors import Unauthenticated
from simmail.server.signin import Login, Proto


class ILogin(Interface):
    """Who has signed in, and where."""

    universe = Attribute("the universe it belongs to")
    address = Attribute("its mailbox")
    username = Attribute("the name it signed in with")


class PlainChallenge(PLAINCredentials):
    """
    PLAIN.

    Who signs in to act for another has the name C{other*name}, as a master user has (decisions, section 23).
    """

    def setResponse(self, response: bytes) -> None:
        """Take the client's response.  @raise IllegalClientResponse: it is none."""
        super().setResponse(response)
        authorize = response.partition(b"\0")[0]
        if authorize and authorize.lower() != self.username.lower():
            self.username = authorize + b"*" + self.username


class LoginChallenge(LOGINCredentials):
    """LOGIN, with the prompts that clients know."""

    def __init__(self) -> None:
        super().__init__()
        self.challenges = [b"Password:", b"Username:"]


Challenge = PlainChallenge | LoginChallenge

#: What makes a challenge, by the mechanism; in the order they are announced.
CHALLENGERS: Mapping[bytes, Callable[[], Challenge]] = MappingProxyType({
    b"PLAIN": PlainChallenge, b"LOGIN": LoginChallenge})


class Portal(Protocol):
    """What is needed of a C{twisted.cred.portal.Portal}."""

    def login(self, credentials: Any, mind: Any, *interfaces: Any) -> Deferred[Any]:
        """Deferred of C{(interface, avatar, logout)}; it fails with C{LoginFailed}, or with a Refusal."""


class LoginPortal:
    """
    The portal to the logins of an installation.

    @param sign_in: C{await sign_in(username, password, protocol, remote)} gives a Login or raises a Refusal.
    @param protocol: C{"smtp"} or C{"imap"}.
    """

    def __init__(self, sign_in: Callable[[str, str, Proto, str], Awaitable[Login]], protocol: Proto) -> None:
        self._sign_in = sign_in
        self._protocol = protocol

    def login(self, credentials: UsernamePassword, mind: str, *interfaces: Any) -> Deferred[Any]:
        """Sign in; C{mind} is the address of the client."""
        return Deferred.fromCoroutine(self._login(credentials, mind))

    async def _login(self, credentials: UsernamePassword, remote: str) -> tuple[Any, Login, Callable[[], None]]:
        name, password = decoded(credentials)
        return ILogin, await self._sign_in(name, password, self._protocol, remote), _nothing


def decoded(credentials: UsernamePassword) -> tuple[str, str]:
    """
    Return the name and the password as text.

    @raise Unauthenticated: they are no UTF-8, or hold NUL: nobody has such ones.
    """
    try:
        name, password = credentials.username.decode("utf-8"), credentials.password.decode("utf-8")
    except UnicodeDecodeError:
        raise Unauthenticated("authentication failed") from None
    if "\0" in name or "\0" in password:
        raise Unauthenticated("authentication failed")
    return name, password


async def log_in(portal: Portal, credentials: UsernamePassword, remote: str) -> Login:
    """
    Sign in at a portal.

    @raise Unauthenticated: nobody has these credentials.
    @raise Refusal: what else the portal says.
    """
    try:
        _, login, _ = await portal.login(credentials, remote, ILogin)
    except LoginFailed:
        raise Unauthenticated("authentication failed") from None
    found: Login = login
    return found


def _nothing() -> None:
    """Nothing is kept for a login that would have to be let go."""
