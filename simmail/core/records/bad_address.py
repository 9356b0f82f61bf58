"""
What can be wrong with an address, and what a server says of it.

Sources: API contract, "SMTP reply per bad kind"; RFC 3463.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

BadKind = Literal["unknown", "domain", "full", "disabled", "blocked"]

#: API contract, "SMTP reply per bad kind": code, enhanced code, text.
REPLIES: Mapping[BadKind, tuple[int, str, str]] = MappingProxyType({
    "unknown": (550, "5.1.1", "User unknown"),
    "domain": (550, "5.1.2", "Domain not found"),
    "full": (552, "5.2.2", "Mailbox full"),
    "disabled": (550, "5.2.1", "Mailbox disabled"),
    "blocked": (554, "5.7.1", "Rejected under policy"),
})

#: The same of an address that is good.
ACCEPTED = (250, "2.1.5", "Recipient OK")

#: What is wrong with an address of which a server says this (RFC 3463 section 3.2 to 3.5), where it is not policy.
_KIND_OF_STATUS: Mapping[str, BadKind] = MappingProxyType({
    "1.1": "unknown", "1.6": "unknown", "1.10": "unknown", "4.1": "unknown",
    "1.2": "domain", "1.3": "domain", "1.8": "domain", "4.4": "domain", "4.6": "domain",
    "2.2": "full", "3.1": "full", "2.1": "disabled",
})


def kind_of(enhanced: str) -> BadKind:
    """What is wrong with an address that is refused with an enhanced status code (RFC 3463)."""
    return _KIND_OF_STATUS.get(enhanced.partition(".")[2], "blocked")
