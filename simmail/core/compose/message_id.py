"""
Message-IDs as each client forms them.

An identity is drawn from dice alone, keyed by who sends and by how many were
sent before: the same universe names the n-th mail of a sender the same way
in every run (decisions, "Conventions").
"""

from __future__ import annotations

import re

from simmail.core.mime.address import ascii_form, domain_of
from simmail.core.rng import Dice, Key

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,200}[a-z0-9])?")


def message_id(dice: Dice, client: str, sender: str, *key: Key) -> str:
    """
    A Message-ID with its angle brackets: printable ASCII, no blanks, its own for each (C{sender}, C{key}).

    @param client: C{core.records.persona.Client}; any other is formed as C{plain}.
    @param sender: the address (or domain) that sends; its domain is used where the client would.
    @param key: what tells the message from the sender's others, such as its number.
    """
    drawn = dice.on("message-id", sender, *key)
    domain = domain_of(ascii_form(f"x@{domain_of(sender)}"))
    if not _HOST.fullmatch(domain):
        # Address literals have no place in an id.
        domain = f"host-{Dice('host').token(8, domain)}.invalid"
    if client == "gmail":
        return f"<CA{_base64(drawn, 5)}{_base64(drawn, 45, 1)}@mail.gmail.com>"
    if client == "outlook":
        server = (f"{drawn.token(2, 'site').upper()}{drawn.below(10, 'x')}P{drawn.below(900, 'y') + 100}"
                  f"MB{drawn.below(9000, 'z') + 1000}")
        return f"<{server}{drawn.token(26, 'id').upper()}@{server}.prod.outlook.com>"
    if client in ("apple", "iphone", "android"):
        digits = f"{drawn.bits('high'):016X}{drawn.bits('low'):016X}"
        return f"<{'-'.join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))}@{domain}>"
    return f"<{drawn.token(24, 'id')}@{domain}>"


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def _base64(dice: Dice, length: int, *key: Key) -> str:
    """Characters of the URL-safe base 64 alphabet."""
    number = 0
    for n in range(-(-length // 10)):
        number = number << 60 | dice.bits("base64", *key, n) >> 4
    return "".join(_ALPHABET[number >> (6 * i) & 63] for i in range(length))
