"""
What a host name says by itself: whether it is the sender's own machine, a mail provider's, or one of a list.
"""

from __future__ import annotations

from ipaddress import ip_address

#: Whose domain tells nothing about who writes from it, nor about where somebody works.
MAIL_PROVIDERS = frozenset((
    "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "icloud.com",
    "me.com", "mac.com", "aol.com", "proton.me", "protonmail.com", "gmx.de", "gmx.net", "gmx.com", "web.de", "mail.com",
    "email.com", "posteo.de", "t-online.de", "freenet.de", "yandex.ru", "mail.ru", "qq.com", "163.com", "zoho.com",
    "fastmail.com",
))

_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def is_address(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_local(host: str) -> bool:
    """Whether a host name or address literal is on the sender's own machine or network."""
    if host == "localhost" or host.endswith(_LOCAL_SUFFIXES) or "." not in host and ":" not in host:
        return True
    try:
        number = ip_address(host)
    except ValueError:
        return False
    return not number.is_global


def matches(host: str, patterns: tuple[str, ...]) -> bool:
    """Whether a host is one of the patterns: exact, or below C{*.domain}."""
    return any(
        host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in (p.lower() for p in patterns)
    )
