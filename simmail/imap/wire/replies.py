"""
What is said when something is not done: the only place with IMAP's response codes for refusals.

Source: RFC 3501 section 7.1, RFC 5530.
"""

from __future__ import annotations

from simmail import errors


class Bad(Exception):
    """The command is malformed, or out of place: tagged BAD.  C{code} is a response code without brackets."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.line = b"BAD " + (b"[%b] " % code.encode("ascii") if code else b"") + shown(text)


class No(Exception):
    """The command is refused: tagged NO.  C{code} is a response code without brackets."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.line = b"NO " + (b"[%b] " % code.encode("ascii") if code else b"") + shown(text)


class ClientGone(Exception):
    """The client has left; there is nobody to answer."""


def shown(text: str) -> bytes:
    """Text for a response line: ASCII, one line, of modest length."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text[:400]).encode("ascii") or b"?"


_CODES: tuple[tuple[type[errors.Refusal], str], ...] = (
    (errors.NotFound, "NONEXISTENT"), (errors.Conflict, "CANNOT"), (errors.Invalid, "CANNOT"),
    (errors.TooLarge, "TOOBIG"), (errors.OverAllowance, "OVERQUOTA"), (errors.OverMailLimit, "OVERQUOTA"),
    (errors.Unavailable, "UNAVAILABLE"), (errors.Unauthenticated, "AUTHENTICATIONFAILED"),
    (errors.Forbidden, "CONTACTADMIN"), (errors.TooMany, "LIMIT"), (errors.TimedOut, "UNAVAILABLE"),
)


def refusal(error: errors.Refusal) -> No:
    """A refusal in domain words as a NO."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return No(str(error), code)
    return No(str(error))
