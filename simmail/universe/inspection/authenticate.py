"""
Everything that the name system knows about who vouches for a mail, asked for once.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from simmail.core.inspection.authentication import Authentication
from simmail.core.inspection.sender.dmarc import check_bimi, check_dmarc, check_mta_sts
from simmail.core.inspection.sender.lookup import Kind, Lookup, NoAnswer
from simmail.core.inspection.sender.spf import check
from simmail.core.inspection.subject import Envelope
from simmail.core.message.parse import read_headers
from simmail.core.mime.address import domain_of

#: Names asked for one mail; silences after which nothing more is asked.
MOST_ASKED, MOST_SILENT = 80, 2

_PRIVATE = tuple(ip_network(one) for one in (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "::1/128", "fc00::/7",
    "fe80::/10"))


def authenticate(octets: bytes, envelope: Envelope, lookup: Lookup) -> Authentication:
    """Ask about a message; blocks."""
    # Late, for it takes the library of names with it, which nothing else at a start needs.
    from simmail.universe.inspection.signatures import check_signatures

    asked = _Asking(lookup)
    mail = read_headers(octets)
    address = mail.from_.address
    author = domain_of(address) if "@" in address else ""
    sender = address if envelope.sender is None else envelope.sender
    spf = check("" if _private(envelope.ip) else envelope.ip, envelope.helo, sender, asked.look)
    dkim = check_signatures(octets, asked.look)
    dmarc = check_dmarc(author, spf, dkim, asked.look)
    bimi, mta_sts = check_bimi(author, dmarc, asked.look), check_mta_sts(author, asked.look)
    return Authentication(spf, dkim, dmarc, bimi, mta_sts, True)


class _Asking:
    """A look-up that keeps what was answered, and stops asking a name system that does not answer."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._known: dict[tuple[str, Kind], tuple[str, ...]] = {}
        self._silent = 0

    def look(self, name: str, kind: Kind) -> tuple[str, ...]:
        """Return the values of a name."""
        key = name.lower().rstrip("."), kind
        if key not in self._known:
            if self._silent >= MOST_SILENT:
                raise NoAnswer("the name system does not answer")
            if len(self._known) >= MOST_ASKED:
                raise NoAnswer(f"more than {MOST_ASKED} names would have to be asked")
            try:
                self._known[key] = self._lookup(*key)
            except NoAnswer:
                self._silent += 1
                raise
        return self._known[key]


def _private(ip: str) -> bool:
    """Tell whether an address is of this machine or a private network, of which SPF says nothing."""
    try:
        address = ip_address(ip)
    except ValueError:
        return True
    return any(address in one for one in _PRIVATE)
