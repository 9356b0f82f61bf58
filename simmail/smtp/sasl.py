"""
AUTH PLAIN and LOGIN as an exchange of lines (RFC 4954, RFC 4616).

Knows how credentials are carried, not whether they are right.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from typing import NamedTuple

from simmail.smtp import replies
from simmail.smtp.replies import Refused

MECHANISMS = (b"PLAIN", b"LOGIN")


class Credentials(NamedTuple):
    """What a client claims."""

    username: str
    password: str


class Exchange:
    """
    One AUTH command.

    @param mechanism: one of L{MECHANISMS}.
    """

    __slots__ = ("_plain", "_username")

    def __init__(self, mechanism: bytes) -> None:
        self._plain = mechanism == b"PLAIN"
        self._username: str | None = None

    def challenge(self) -> bytes:
        """What to ask for next."""
        if self._plain:
            return replies.ASK_PLAIN
        return replies.ASK_USERNAME if self._username is None else replies.ASK_PASSWORD

    def respond(self, line: bytes) -> Credentials | None:
        """
        Take the client's line; None when there is more to ask.

        @raise Refused: it cancelled, or the line is not base64 or makes no credentials.
        """
        if line == b"*":
            raise Refused(replies.AUTH_CANCELLED)
        try:
            octets = a2b_base64(line, strict_mode=True)
            text = octets.decode("utf-8")
        except Error:
            raise Refused(replies.AUTH_NOT_BASE64) from None
        except UnicodeDecodeError:
            raise Refused(replies.WRONG_CREDENTIALS) from None
        if self._plain:
            parts = text.split("\0")
            if len(parts) != 3:
                raise Refused(replies.AUTH_MALFORMED)
            authorize, username, password = parts
            # Nobody acts for somebody else here: who tries has a name that no login has, and that is recorded.
            if authorize and authorize.lower() != username.lower():
                username = f"{authorize}*{username}"
        elif self._username is None:
            self._username = text
            return None
        else:
            username, password = self._username, text
        if not username or not username.isprintable() or "\0" in password:
            raise Refused(replies.WRONG_CREDENTIALS)
        return Credentials(username, password)
