"""
The trace a message carries from the door: Return-Path and Received.

Pure.  All recipients share one file, and this server is the last one on the
way, so both fields are put in front once, when the message is taken in (RFC
5321 section 4.4); mail sent through the API has neither.  Names of the peer
are what it said, so only harmless characters of them are repeated.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from simmail.core.compose.complete import header_end, without
from simmail.core.time.instant import email_date

#: What a HELO name may look like to be repeated; anything else is C{unknown}.
_HARMLESS = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")

#: How a header field begins (RFC 5322 sections 2.2 and 4.5).
FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")


class Peer(NamedTuple):
    """Who hands a message in, and how (RFC 3848, RFC 6531 section 4.3)."""

    helo: str
    remote: str
    extended: bool = True
    tls: bool = False
    signed_in: bool = False


def trace(
    path: str, recipients: tuple[str, ...], peer: Peer, server: str, message_id: str, utf8: bool, now: datetime
) -> bytes:
    """
    The fields to put in front of a message.

    @param path: the reverse-path as spelled.
    @param recipients: a single one is named; of several none, for some may be Bcc.
    @param message_id: our name for the message, the one that the 250 tells.
    """
    helo = peer.helo if _HARMLESS.fullmatch(peer.helo) else "unknown"
    if utf8:
        protocol = "UTF8SMTP"
    else:
        protocol = "ESMTP" if peer.extended else "SMTP"
    protocol += "S" * peer.tls + "A" * peer.signed_in
    remote = f"IPv6:{peer.remote}" if ":" in peer.remote else peer.remote
    named = f"\r\n\tfor <{recipients[0]}>" if len(recipients) == 1 and (utf8 or recipients[0].isascii()) else ""
    return (
        f"Return-Path: <{path}>\r\n"
        f"Received: from {helo} ([{remote}])\r\n\tby {server} with {protocol} id {message_id}{named};\r\n"
        f"\t{email_date(now)}\r\n"
    ).encode()


def traced(fields: bytes, message: bytes) -> bytes:
    """
    A message with its trace in front.

    A Return-Path it brought along goes (RFC 5321 section 4.4 forbids it on the way); text that does not begin
    with a header field gets the blank line it lacks.
    """
    if FIELD.match(message, 0, 1000) is None and not message.startswith(b"\r\n"):
        return b"%b\r\n%b" % (fields, message)
    end = header_end(message)
    header = message[:end]
    if (b"\n" + header.lower()).find(b"\nreturn-path") >= 0:
        return b"%b%b%b" % (fields, without(header, (b"return-path",)), message[end:] or b"\r\n")
    return fields + message
