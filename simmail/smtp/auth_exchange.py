"""
AUTH as an exchange of lines (RFC 4954 section 4).

Knows how credentials are carried, not whether they are right: that is C{server.signin}'s, and what a mechanism's
answer holds C{server.sasl}'s.
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from typing import NamedTuple

from twisted.mail.imap4 import IllegalClientResponse

from simmail.errors import Unauthenticated
from simmail.server.sasl import Challenge, decoded
from simmail.smtp import replies
from simmail.smtp.replies import CommandRefused


class Credentials(NamedTuple):
    """What a client claims: a name, and the challenge that it has answered."""

    username: str
    challenge: Challenge


class SaslExchange:
    """One AUTH command."""

    __slots__ = ("_challenge",)

    def __init__(self, challenge: Challenge) -> None:
        self._challenge = challenge

    def prompt(self) -> bytes:
        """Return the reply that asks for what comes next."""
        return b"334 %b\r\n" % b2a_base64(self._challenge.getChallenge(), newline=False)

    def respond(self, line: bytes) -> Credentials | None:
        """
        Take the client's line; None when there is more to ask.

        @raise CommandRefused: it cancelled, or the line is not base64 or makes no credentials.
        """
        if line == b"*":
            raise CommandRefused(replies.AUTH_CANCELLED)
        try:
            octets = a2b_base64(line, strict_mode=True)
            octets.decode("utf-8")
            self._challenge.setResponse(octets)
            if self._challenge.moreChallenges():
                return None
            username, _ = decoded(self._challenge)
        except Error:
            raise CommandRefused(replies.AUTH_NOT_BASE64) from None
        except IllegalClientResponse:
            raise CommandRefused(replies.AUTH_MALFORMED) from None
        except (UnicodeDecodeError, Unauthenticated):
            raise CommandRefused(replies.WRONG_CREDENTIALS) from None
        if not username or not username.isprintable():
            raise CommandRefused(replies.WRONG_CREDENTIALS)
        return Credentials(username, self._challenge)
