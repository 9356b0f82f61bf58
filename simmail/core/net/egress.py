"""
Where requests of ours may go: addresses, names and ports.

Python's own tables (C{ipaddress.is_global}) have been wrong more than once
and say "global" of some tunnels, so these are our own, from IANA's registries
of special-purpose addresses (RFC 6890, both families): of IPv4 everything
listed is refused; of IPv6 everything outside 2000::/3, and what is listed
inside.  Addresses that carry another one (v4-mapped, NAT64, 6to4, Teredo,
ISATAP) are refused whatever they carry: nobody's public web site is there.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_V4 = tuple(IPv4Network(one) for one in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    # Not IANA's: where a cloud's machines find their host (metadata, keys).
    "168.63.129.16/32",
))

#: The only unicast addresses that are given out, RFC 4291 section 2.4.
_GIVEN_OUT = IPv6Network("2000::/3")

_V6 = tuple(IPv6Network(one) for one in (
    # IETF protocol assignments: Teredo, benchmarking, ORCHID, DRIP ...
    "2001::/23",
    "2001:db8::/32",
    # 6to4.
    "2002::/16",
    "2620:4f:8000::/48", "3fff::/20",
))

#: The second half of an ISATAP address without its last 32 bits (RFC 5214 section 6.1), both values of the u bit.
_ISATAP = (0x00005EFE, 0x02005EFE)

#: Names that are never in the public DNS: RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal, and usual ones.
_RESERVED = (
    "alt", "corp", "example", "home", "home.arpa", "internal", "intranet", "invalid", "lan", "local", "localdomain",
    "localhost", "onion", "private", "test",
)

#: What is said of everything that must not be reached, and of names that do not exist: nobody can tell which.
NOWHERE = "there is no public web server at this address"

#: Ports of mail and of other services that are no web (WHATWG Fetch, "port blocking", and databases).
BAD_PORTS = frozenset((
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2143, 2375, 2376,
    2379, 2465, 2525, 2587, 2993, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665, 6666,
    6667, 6668, 6669, 6679, 6697, 9042, 10080, 10250, 11211, 27017,
))


def web_port(port: int) -> bool:
    """Whether a web server may be on a port: 80, 443, and those from 1024 that nothing else is known to be on."""
    return port in (80, 443) or port >= 1024 and port not in BAD_PORTS


def public_address(text: str) -> bool:
    """Whether a number is one that anybody's public site may have; not for what is no number at all."""
    try:
        number = ip_address(text)
    except ValueError:
        return False
    if isinstance(number, IPv4Address):
        return not any(number in one for one in _V4)
    if number not in _GIVEN_OUT or any(number in one for one in _V6):
        return False
    return not _isatap(number)


def _isatap(number: IPv6Address) -> bool:
    return int(number) >> 32 & 0xFFFFFFFF in _ISATAP


def public_name(host: str) -> bool:
    """Whether a host name may be in the public DNS: it has a dot, and does not end in a name set aside."""
    if "." not in host:
        return False
    return not any(host.endswith("." + one) for one in _RESERVED)
