"""
Which addresses are this machine's own (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address


def is_loopback(host: str) -> bool:
    """Whether what listens on C{host} is reached from this machine only, or what comes from there comes from it."""
    if host == "localhost":
        return True
    try:
        number = ip_address(host)
    except ValueError:
        return False
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        number = number.ipv4_mapped
    return number.is_loopback
