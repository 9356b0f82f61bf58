"""
Addresses: parse, compare, show.

Source: RFC 5321 section 4.1.2, RFC 5322 section 3.4, RFC 6531; decisions,
section 23 ("Addresses are compared and stored in lower case").
"""

from __future__ import annotations

from typing import NamedTuple


class Address(NamedTuple):
    """A mailbox of a header: its display name (decoded, C{""} for none) and addr-spec."""

    name: str
    address: str
