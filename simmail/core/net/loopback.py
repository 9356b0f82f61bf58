"""
Which addresses are this machine's own (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3), and how it reaches them.
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


def reached(host: object, port: object) -> str:
    """Return C{host:port} as this machine reaches what listens there, for a URL (RFC 3986 section 3.2.2)."""
    # What listens everywhere is reached here.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(str(host), str(host))
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
