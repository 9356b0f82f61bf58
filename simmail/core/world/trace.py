"""
What the receiving server puts in front of mail from outside.

Sources: RFC 5321 section 4.4 (C{Return-Path}, C{Received}), RFC 8601 (C{Authentication-Results}).
"""

from __future__ import annotations

from datetime import datetime

from simmail.core.mime.address import ascii_form, domain_of
from simmail.core.rng import Dice
from simmail.core.time.instant import email_date

#: Networks for documentation (RFC 5737): nobody's.
_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")


def traced(
    octets: bytes, reverse_path: str, to: str, server: str, now: datetime, dice: Dice, author: str,
    authentic: bool = True,
) -> bytes:
    """
    Return a message as the server files it that it came to.

    @param reverse_path: C{""} for the null one; author: the address in From, the domain of which is looked at.
    @param authentic: whether the domain vouches for it; else neither its addresses nor a signature do.
    """
    domain = domain_of(ascii_form(author))
    origin = domain_of(ascii_form(reverse_path)) if reverse_path else domain
    address = f"{dice.choice(_NETWORKS, 'network')}.{1 + dice.below(254, 'host')}"
    host = f"mail.{origin}" if authentic else f"host-{address.replace('.', '-')}.dynamic.example"
    spf = "pass" if authentic else dice.choice(("softfail", "none", "fail"), "spf")
    dkim = f"pass header.d={domain}" if authentic else "none"
    dmarc = "pass" if authentic else dice.choice(("none", "fail"), "dmarc")
    return (f"Return-Path: <{ascii_form(reverse_path) if reverse_path else ''}>\r\n"
            f"Received: from {host} ({host} [{address}])\r\n"
            f"\tby mx.{server} with ESMTPS id {dice.token(12, 'queue')}\r\n"
            f"\tfor <{ascii_form(to)}>; {email_date(now)}\r\n"
            f"Authentication-Results: mx.{server};\r\n\tspf={spf} smtp.mailfrom={origin};\r\n\tdkim={dkim};\r\n"
            f"\tdmarc={dmarc} header.from={domain}\r\n").encode() + octets
