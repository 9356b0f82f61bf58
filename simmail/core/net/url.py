"""
Web addresses, read strictly: one notation for each place, everything else refused.

Browsers forgive much (C{http:\\\\127.1}, C{http://2130706433/}, percent signs in
a host, credentials); each kindness is a way past a check, so none is
granted: a host is a name, a dotted quad of four plain decimal numbers, or an
IPv6 address in brackets, and what comes out of here reads the same to
everybody.  Sources: RFC 3986 section 3; RFC 9110 section 4.2; WHATWG URL for
what is forgiven elsewhere.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import quote, urljoin

import idna

#: Characters of an address, and of a host that is not in ASCII (mapping those costs); longer ones are refused.
LONGEST, LONGEST_FOREIGN = 8000, 64

#: What may stand unencoded in a path or a query (C{%} for what is encoded already).
_PLAIN = "/?:@!$&'()*+,;=-._~%[]|"

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_NUMBER = re.compile(r"([0-9]+|0x[0-9a-f]*)\Z")


class BadUrl(ValueError):
    """It is no proper web address: why, in a few words."""


class WebUrl(NamedTuple):
    """
    A web address.

    @ivar scheme: C{http} or C{https}.
    @ivar host: lower case, ASCII; an IPv6 address without its brackets.
    @ivar target: path and query as they are sent, ASCII; the fragment is left out.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def literal(self) -> bool:
        """Whether the host is a number."""
        return ":" in self.host or self.host.rpartition(".")[2].isdigit()

    @property
    def place(self) -> str:
        """Host and port, as C{lab_hosts} lists them."""
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def authority(self) -> str:
        """What the C{Host} field says (RFC 9110 section 7.2)."""
        return _bracketed(self.host) if self.port == _PORTS[self.scheme] else self.place

    def __str__(self) -> str:
        """The address as text."""
        return f"{self.scheme}://{self.authority}{self.target}"


_PORTS = {"http": 80, "https": 443}


def parse(text: str) -> WebUrl:
    """
    An absolute address.

    @raise BadUrl: it is none, or is written in a way that others might read differently.
    """
    if len(text) > LONGEST:
        raise BadUrl("the address is too long")
    if any(one < " " or one == "\x7f" for one in text):
        raise BadUrl("a control character in the address")
    scheme, found, rest = text.partition("://")
    scheme = scheme.lower()
    if not found or scheme not in _PORTS:
        raise BadUrl("only http and https are opened")
    end = min((at for at in (rest.find(one) for one in "/?#") if at >= 0), default=len(rest))
    authority, target = rest[:end], rest[end:].partition("#")[0]
    if "@" in authority:
        raise BadUrl("a name or password in the address")
    host, port = _split(authority)
    if not target.startswith("/"):
        target = "/" + target
    try:
        return WebUrl(scheme, host, _PORTS[scheme] if port is None else port, quote(target, safe=_PLAIN))
    except UnicodeEncodeError:
        raise BadUrl("a character that is none") from None


def join(base: WebUrl, location: str) -> WebUrl:
    """
    Where a redirect leads (RFC 9110 section 10.2.2).

    @raise BadUrl: nowhere proper.
    """
    if len(location) > LONGEST:
        raise BadUrl("the address is too long")
    location = location.strip(" ")
    if "\\" in location.partition("?")[0]:
        raise BadUrl("a backslash in the address")
    if location.partition(":")[0].lower() in _PORTS:
        return parse(location)
    try:
        return parse(urljoin(str(base), location))
    except BadUrl:
        raise
    except ValueError:
        raise BadUrl("not a proper address") from None


def place(text: str) -> str:
    """
    A C{host:port} entry of C{lab_hosts}, as L{WebUrl.place} writes it.

    @raise BadUrl: it is none.
    """
    host, port = _split(text.strip())
    if port is None:
        raise BadUrl("must be host:port")
    return f"{_bracketed(host)}:{port}"


def _split(authority: str) -> tuple[str, int | None]:
    """Host and port, None for none."""
    if authority.startswith("["):
        inside, closed, rest = authority[1:].partition("]")
        if not closed or rest and not rest.startswith(":"):
            raise BadUrl("not a proper host")
        return _v6(inside), _port(rest[1:]) if rest[1:] else None
    name, _, port = authority.partition(":")
    return _name(name), _port(port) if port else None


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536):
        raise BadUrl("not a proper port")
    return int(text)


def _v6(text: str) -> str:
    try:
        # Python takes a zone after "%"; an address in a URL has none that means anything to us.
        if "%" in text or not text.isascii():
            raise ValueError
        return str(IPv6Address(text))
    except ValueError:
        raise BadUrl("not a proper host") from None


def _name(text: str) -> str:
    if not text or len(text) > (253 if text.isascii() else LONGEST_FOREIGN):
        raise BadUrl("not a proper host")
    if not text.isascii():
        try:
            text = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
        except (idna.IDNAError, UnicodeError, IndexError):
            raise BadUrl("not a proper host") from None
    host = text.lower().removesuffix(".")
    labels = host.split(".")
    if _NUMBER.match(labels[-1]):
        # What ends in a number is an IPv4 address, in one form only: not octal, not hexadecimal, not shortened.
        try:
            if str(IPv4Address(host)) != host:
                raise ValueError
        except ValueError:
            raise BadUrl("not a proper host") from None
        return host
    if len(host) > 253 or not all(_LABEL.match(one) for one in labels):
        raise BadUrl("not a proper host")
    return host


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
