"""
What the post office takes: a message of the application with its envelope, or one of the universe's own.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from simmail.core.rules.faults import FaultVerdict
from simmail.core.rules.recipients import RecipientVerdict


class Recipient(Struct, frozen=True):
    """
    One recipient of a message (RFC 3461 for the rest).

    @ivar address: lower case; notify: C{NEVER}, or some of C{SUCCESS}, C{FAILURE}, C{DELAY}; orcpt: as given.
    @ivar fault: what a fault rule does at stage C{deliver}, where that is not a reply.
    """

    address: str
    verdict: RecipientVerdict
    notify: tuple[str, ...] = ()
    orcpt: str = ""
    fault: FaultVerdict | None = None


class DsnRequest(Struct, frozen=True):
    """What the sender asks of delivery status notifications: C{ret} FULL or HDRS, C{envid} as given."""

    ret: str = ""
    envid: str = ""


class Submission(Struct, frozen=True):
    """
    A message from the application.

    @ivar sender: the reverse-path, C{""} for the null one.
    @ivar octets: CRLF lines; the trace field of the receiving server is in front already.
    @ivar login: the address that signed in, None when nobody did; remote: the peer's address.
    @ivar id: of the delivery, from C{unique}, where the trace names it; C{""}: the post office draws it.
    """

    sender: str
    recipients: tuple[Recipient, ...]
    octets: bytes
    via: Literal["smtp", "api"] = "smtp"
    login: str | None = None
    remote: str = ""
    dsn: DsnRequest | None = None
    save_sent: bool = True
    id: str = ""


class Outgoing(Struct, frozen=True):
    """
    A message that the universe itself sends: a persona's mail, a notice.

    @ivar sender: the reverse-path, C{""} for the null one.
    @ivar kind: of the job it comes from; sent_copy: whose Sent folder gets a copy, C{""} for nobody's.
    """

    sender: str
    recipients: tuple[str, ...]
    octets: bytes
    kind: str
    sent_copy: str = ""
