"""
What the server says, with the SMTP numbers.

Those of bad addresses are C{core.records.bad_address}'s, those of fault rules
C{core.rules.fault_rule}'s and C{core.rules.fault_library}'s.

Each reply is the octets of one whole answer, enhanced status code included
(RFC 3463, RFC 2034; the greeting and the answers to HELO and EHLO carry
none).  Sources: RFC 5321 section 4.2, RFC 4954 section 6, RFC 3207 section 4,
RFC 6531 section 3.5; API contract, "SMTP reply per bad kind"; decisions,
section 21.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType

from simmail.core.records.bad_address import ACCEPTED, BadKind, REPLIES
from simmail.errors import (
    Forbidden, of_disk, OverMailLimit, Refusal, TooLarge, TooMany, Unauthenticated, Unavailable,
)


def reply(code: int, enhanced: str, *lines: str) -> bytes:
    """One answer; line ends become blanks, and C{?} what ASCII cannot print."""
    start = f"{code}%s{enhanced} " if enhanced else f"{code}%s"
    texts = ["".join(c if " " <= c <= "~" else "?" for c in " ".join(line.split())) for line in lines] or [""]
    said = [start % "-" + text for text in texts[:-1]] + [start % " " + texts[-1]]
    return "".join(line.rstrip() + "\r\n" for line in said).encode("ascii")


class CommandRefused(Exception):
    """A command is answered with C{reply} and has changed nothing."""

    def __init__(self, reply: bytes) -> None:
        super().__init__(reply)
        self.reply = reply


OK = reply(250, "2.0.0", "OK")
SENDER_OK = reply(250, "2.1.0", "Sender OK")
RECIPIENT_OK = reply(*ACCEPTED)
RESET = reply(250, "2.0.0", "Reset")
GO_AHEAD = reply(354, "", "End data with <CR><LF>.<CR><LF>")
BYE = reply(221, "2.0.0", "Bye")
CANNOT_VERIFY = reply(252, "2.0.0", "Cannot verify, but will accept the message and attempt delivery")
HELP = reply(
    214, "2.0.0", "Commands: HELO EHLO MAIL RCPT DATA BDAT RSET NOOP VRFY HELP STARTTLS AUTH QUIT",
    "See RFC 5321; /docs on the HTTP port tells of the rest")

START_TLS = reply(220, "2.0.0", "Ready to start TLS")
NO_TLS = reply(454, "4.7.0", "TLS not available")
TLS_ALREADY = reply(503, "5.5.1", "TLS is on already")

SIGNED_IN = reply(235, "2.7.0", "Authentication successful")
WRONG_CREDENTIALS = reply(535, "5.7.8", "Authentication credentials invalid")
SUSPENDED = reply(535, "5.7.13", "The account is suspended")
AUTH_AWAY = reply(454, "4.7.0", "Temporary authentication failure")
AUTH_CANCELLED = reply(501, "5.7.0", "Authentication cancelled")
AUTH_NOT_BASE64 = reply(501, "5.5.2", "Cannot decode base64")
AUTH_MALFORMED = reply(501, "5.5.2", "Malformed authentication response")
AUTH_UNKNOWN = reply(504, "5.5.4", "Unrecognized authentication mechanism")
AUTH_NEEDS_TLS = reply(538, "5.7.11", "Encryption required for requested authentication mechanism")
AUTH_ALREADY = reply(503, "5.5.1", "Already authenticated")
AUTH_IN_TRANSACTION = reply(503, "5.5.1", "AUTH is not permitted during a mail transaction")
AUTH_FIRST = reply(530, "5.7.0", "Authentication required")
TOO_MANY_LOGINS = reply(421, "4.7.0", "Too many failed logins; closing connection")

HELLO_FIRST = reply(503, "5.5.1", "Send EHLO or HELO first")
MAIL_FIRST = reply(503, "5.5.1", "Need MAIL command")
RECIPIENT_FIRST = reply(503, "5.5.1", "Need RCPT command")
NO_VALID_RECIPIENTS = reply(554, "5.5.1", "No valid recipients")
NESTED_MAIL = reply(503, "5.5.1", "Nested MAIL command")
BDAT_BEGUN = reply(503, "5.5.1", "Only BDAT and RSET may follow BDAT")

UNKNOWN_COMMAND = reply(500, "5.5.1", "Command not recognized")
NOT_IMPLEMENTED = reply(502, "5.5.1", "Command not implemented")
BAD_SYNTAX = reply(500, "5.5.2", "Syntax error: CR, LF and NUL have no place in a command")
BARE_LF = reply(500, "5.5.2", "Syntax error: lines end with CR LF; closing connection")
LINE_TOO_LONG = reply(500, "5.5.2", "Line too long; closing connection")
NEED_ARGUMENT = reply(501, "5.5.4", "Argument required")
NO_ARGUMENT = reply(501, "5.5.4", "No argument allowed")
BAD_MAIL = reply(501, "5.5.4", "Syntax: MAIL FROM:<address>")
BAD_RCPT = reply(501, "5.5.4", "Syntax: RCPT TO:<address>")
BAD_BDAT = reply(501, "5.5.4", "Syntax: BDAT count [LAST]")
BAD_SENDER = reply(501, "5.1.7", "Bad sender address syntax")
BAD_RECIPIENT = reply(501, "5.1.3", "Bad recipient address syntax")
NEEDS_SMTPUTF8 = reply(553, "5.6.7", "Non-ASCII address not permitted without SMTPUTF8")
NOT_YOUR_ADDRESS = reply(553, "5.7.1", "Sender address is not one of yours")

TOO_MANY_RECIPIENTS = reply(452, "4.5.3", "Too many recipients")
TOO_LARGE = reply(552, "5.3.4", "Message size exceeds limit")
HEADER_TOO_LARGE = reply(552, "5.3.4", "Message header size exceeds limit")
BARE_LINE_END = reply(550, "5.6.11", "Bare CR or LF in message")
BODY_LINE_TOO_LONG = reply(554, "5.6.0", "Line too long in message")
OVER_MAIL_LIMIT = reply(550, "5.4.5", "Monthly mail limit of the plan reached")

AWAY = reply(451, "4.3.0", "Temporarily unavailable, try again later")
NOWHERE = reply(451, "4.3.5", "No universe takes this mail; see smtp.default_universe")
DISK_FULL = reply(452, "4.3.1", "Insufficient system storage")

TOO_MANY_CONNECTIONS = reply(421, "4.7.0", "Too many connections, try again later")
TOO_MANY_COMMANDS = reply(421, "4.7.0", "Too many commands without effect; closing connection")
NOT_SMTP = reply(421, "4.7.0", "This is an SMTP server; closing connection")
TIMED_OUT = reply(421, "4.4.2", "Timeout; closing connection")
TOO_SLOW = reply(421, "4.4.2", "Data came too slowly; closing connection")
TOO_LONG = reply(421, "4.4.2", "The session has lasted too long; closing connection")
MOVED = reply(421, "4.3.2", "Your mailbox is at another server now; connect again")
SHUTTING_DOWN = reply(421, "4.3.2", "Shutting down; closing connection")

#: What is said to a bad address, by what is wrong with it.
BAD: Mapping[BadKind, bytes] = MappingProxyType({kind: reply(*said) for kind, said in REPLIES.items()})


def greeting(domain: str) -> bytes:
    """The first words of a connection."""
    return reply(220, "", f"{domain} ESMTP simmail")


def accepted(delivery_id: str) -> bytes:
    """A message is stored."""
    return b"250 2.0.0 OK: accepted as %b\r\n" % delivery_id.encode("ascii", "replace")


def chunk(octets: int) -> bytes:
    """A chunk that is not the last one is here (RFC 3030 section 2)."""
    return b"250 2.0.0 %d octets received\r\n" % octets


def parameter_unknown(name: str) -> bytes:
    """RFC 5321 section 4.1.1.11: a parameter of MAIL or RCPT that was not announced."""
    return reply(555, "5.5.4", f"Unsupported option: {name[:40]}")


def parameter_bad(name: str) -> bytes:
    """A parameter of MAIL or RCPT with a value it cannot have."""
    return reply(501, "5.5.4", f"Bad value of option {name[:40]}")


def internal(log_id: str) -> bytes:
    """A defect of ours, told in the log under an id: never a permanent refusal."""
    return reply(451, "4.3.0", f"Internal error {log_id}, try again later")


def of_error(error: BaseException) -> bytes | None:
    """The answer to a message or command that was refused; None for a defect."""
    if isinstance(error, Unavailable):
        return AWAY
    if isinstance(error, TooLarge):
        return TOO_LARGE
    if isinstance(error, OverMailLimit):
        return OVER_MAIL_LIMIT
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DISK_FULL
    if of_disk(error) is not None:
        return AWAY
    if isinstance(error, TooMany):
        return reply(451, "4.7.1", str(error))
    if isinstance(error, Forbidden):
        return reply(550, "5.7.1", str(error))
    if isinstance(error, Refusal):
        return reply(554, "5.6.0", str(error))
    return None


def of_login(error: BaseException) -> bytes | None:
    """The answer to a login that was refused; None for a defect."""
    if isinstance(error, Unauthenticated):
        return WRONG_CREDENTIALS
    if isinstance(error, Forbidden):
        return SUSPENDED
    if isinstance(error, TooMany):
        return TOO_MANY_LOGINS
    if isinstance(error, (Unavailable, OSError)):
        return AUTH_AWAY
    return None
