"""
SPF: whether a client may send for a domain.

Source: RFC 7208.  Terms that ask the name system are counted, as are those of them that get no answer.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple

from simmail.core.inspection.authentication import Result, SpfCheck
from simmail.core.inspection.sender.lookup import Kind, Lookup, NoAnswer
from simmail.core.mime.address import domain_of

#: RFC 7208 section 4.6.4: terms that ask, of these without an answer, and names behind one MX or PTR.
MOST_LOOKUPS, MOST_VOID, MOST_NAMES = 10, 2, 10

_TERM = re.compile(r"([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::(.*?))?((?:/[^/]{0,4})?(?://[^/]{0,4})?)",
                   re.IGNORECASE | re.DOTALL)
_MODIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,60})=(.{0,500})", re.DOTALL)
_MACRO = re.compile(r"%(?:%|_|-|\{([slodiphv])(\d{0,3})(r?)([.\-+,/_=]{0,7})\})", re.IGNORECASE)
_ANY_MACRO = re.compile(r"%(?:%|_|-|\{[slodiphcrtv]\d{0,3}r?[.\-+,/_=]{0,7}\})", re.IGNORECASE)
_PREFIX = re.compile(r"(?:/(0|[1-9]\d?))?(?://(0|[1-9]\d{0,2}))?")
#: The last label of a domain-spec that does not end in a macro (section 7.1, toplabel).
_TOP = re.compile(r"[^\s]*\.(?:[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*|[A-Za-z0-9]+-[A-Za-z0-9-]*[A-Za-z0-9])\.?")
_RESULTS: dict[str, Result] = {"": "pass", "+": "pass", "-": "fail", "~": "softfail", "?": "neutral"}


class _Broken(Exception):
    """A permanent error: nobody can evaluate the record."""


class _Term(NamedTuple):
    qualifier: str
    name: str
    domain: str
    prefix: str
    written: str


class _Record(NamedTuple):
    text: str
    terms: tuple[_Term, ...]
    redirect: str


def check(ip: str, helo: str, sender: str, lookup: Lookup) -> SpfCheck:
    """
    Return whether a client may send.

    @param ip: of the client, C{""} where it is not known: then the record is looked at only.
    @param sender: reverse-path, C{""} for the null one (then C{postmaster} of the greeting, RFC 7208 section 2.4).
    """
    domain = domain_of(sender) if "@" in sender else helo.lower().rstrip(".")
    if not domain or "." not in domain or domain.startswith("["):
        named = domain or "the null reverse-path"
        return SpfCheck("none", f"{named} is no domain that could have an SPF record", domain)
    one = _Evaluation(ip, helo, sender if "@" in sender else f"postmaster@{domain}", lookup)
    try:
        record = one.record(domain)
    except NoAnswer as error:
        return SpfCheck("temperror", f"{domain}: {error}", domain)
    except _Broken as error:
        return SpfCheck("permerror", str(error), domain, broken=str(error))
    if record is None:
        return SpfCheck("none", f"{domain} has no SPF record", domain)
    # What the record costs whoever sends: the worst case, and whether it can be evaluated at all.
    count = _Evaluation("", helo, one.sender, lookup)
    broken = ""
    try:
        count.judge(domain, record)
    except NoAnswer as error:
        return SpfCheck("temperror", f"{domain}: {error}", domain, record.text, count.lookups, count.void)
    except _Broken as error:
        broken = str(error)
    result: Result = "unseen"
    why = "the client's address is not known" if one.client is None else ""
    if one.client is not None:
        try:
            result, why = one.judge(domain, record)
        except NoAnswer as error:
            result, why = "temperror", f"{domain}: {error}"
        except _Broken as error:
            result, why = "permerror", str(error)
    return SpfCheck(result, why, domain, record.text, count.lookups, count.void, broken)


class _Evaluation:
    """One evaluation; without a client every term is walked and none matches."""

    def __init__(self, ip: str, helo: str, sender: str, lookup: Lookup) -> None:
        self.helo, self.sender, self._lookup = helo, sender, lookup
        self.client = _client(ip)
        self.lookups = self.void = 0

    def record(self, domain: str) -> _Record | None:
        """Return the SPF record of a domain, None for none."""
        found = [text for text in self._lookup(domain, "TXT") if text.lower() == "v=spf1"
                 or text[:7].lower() == "v=spf1 "]
        if len(found) > 1:
            raise _Broken(f"{domain} has {len(found)} SPF records, and there must be one (RFC 7208 section 4.5)")
        return _parsed(found[0], domain) if found else None

    def judge(self, domain: str, record: _Record) -> tuple[Result, str]:
        """Return what a record says, and which term says it."""
        for term in record.terms:
            if self._matches(term, domain):
                return _RESULTS[term.qualifier], f"{term.written} of {domain} matches"
        if record.redirect:
            self._count("redirect")
            target = self._expanded(record.redirect, domain)
            other = self.record(target)
            if other is None:
                raise _Broken(f"redirect of {domain} leads to {target}, which has no SPF record")
            return self.judge(target, other)
        return "neutral", f"no term of {domain} matches"

    def _matches(self, term: _Term, domain: str) -> bool:
        if term.name == "all":
            return self.client is not None
        if term.name in ("ip4", "ip6"):
            return self.client is not None and self.client in ip_network(term.domain + term.prefix, strict=False)
        self._count(term.written)
        target = self._expanded(term.domain, domain) if term.domain else domain
        if term.name == "include":
            return self._included(target)
        if term.name == "exists":
            return bool(self._asked(target, "A")) and self.client is not None
        if term.name == "ptr":
            return self._ptr(target)
        hosts = (target,) if term.name == "a" else self._asked(target, "MX")
        if term.name == "mx" and len(hosts) > MOST_NAMES:
            raise _Broken(f"{target} has more than {MOST_NAMES} exchangers (RFC 7208 section 4.6.4)")
        return any(self._within(address, term.prefix) for host in hosts for address in self._addresses(host, term.name))

    def _included(self, target: str) -> bool:
        other = self.record(target)
        if other is None:
            raise _Broken(f"include:{target} has no SPF record (RFC 7208 section 5.2)")
        return self.judge(target, other)[0] == "pass"

    def _addresses(self, host: str, name: str) -> tuple[str, ...]:
        kind: Kind = "AAAA" if isinstance(self.client, IPv6Address) else "A"
        return self._asked(host, kind) if name == "a" else self._lookup(host, kind)

    def _ptr(self, target: str) -> bool:
        if self.client is None:
            return False
        kind: Kind = "AAAA" if isinstance(self.client, IPv6Address) else "A"
        for host in self._asked(self.client.reverse_pointer, "PTR")[:MOST_NAMES]:
            name = host.lower().rstrip(".")
            if name == target or name.endswith("." + target):
                if any(_client(one) == self.client for one in self._lookup(name, kind)):
                    return True
        return False

    def _within(self, address: str, prefix: str) -> bool:
        if self.client is None:
            return False
        four, _, six = prefix.partition("//")
        length = f"/{six}" if isinstance(self.client, IPv6Address) and six else (
            four if isinstance(self.client, IPv4Address) else "")
        try:
            return self.client in ip_network(address + length, strict=False)
        except ValueError:
            return False

    def _count(self, what: str) -> None:
        self.lookups += 1
        if self.lookups > MOST_LOOKUPS:
            raise _Broken(f"more than {MOST_LOOKUPS} look-ups, at {what} (RFC 7208 section 4.6.4)")

    def _asked(self, name: str, kind: Kind) -> tuple[str, ...]:
        found = self._lookup(name, kind)
        if not found:
            self.void += 1
            if self.void > MOST_VOID:
                raise _Broken(f"more than {MOST_VOID} look-ups without an answer, at {name} (RFC 7208 section 4.6.4)")
        return found

    def _expanded(self, text: str, domain: str) -> str:
        """Expand macros (section 7)."""
        def filled(match: re.Match[str]) -> str:
            letter = match[1]
            if not letter:
                return {"%%": "%", "%_": " ", "%-": "%20"}[match[0]]
            parts = re.split("[" + re.escape(match[4] or ".") + "]", self._macro(letter.lower(), domain))
            if match[3]:
                parts.reverse()
            return ".".join(parts[-int(match[2]):] if match[2] and int(match[2]) else parts)
        return _MACRO.sub(filled, text).lower().rstrip(".")[-253:]

    def _macro(self, letter: str, domain: str) -> str:
        local, _, host = self.sender.rpartition("@")
        client = self.client
        dotted = "0" if client is None else ".".join(client.exploded.replace(":", "")) if isinstance(
            client, IPv6Address) else str(client)
        return {"s": self.sender, "l": local, "o": host, "d": domain, "i": dotted, "h": self.helo, "p": "unknown",
                "v": "ip6" if isinstance(client, IPv6Address) else "in-addr"}.get(letter, "unknown")


def _client(ip: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(ip)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _parsed(text: str, domain: str) -> _Record:
    """Read a record whole: one that is wrong anywhere is wrong (section 4.6)."""
    if not text.isascii() or not text.isprintable():
        raise _Broken(f"the SPF record of {domain} holds characters that are not printable ASCII")
    terms: list[_Term] = []
    once: dict[str, str] = {}
    for word in text.split(" ")[1:]:
        if not word:
            continue
        match = _TERM.fullmatch(word)
        if match is not None:
            terms.append(_term(match, word, domain))
            continue
        modifier = _MODIFIER.fullmatch(word)
        if modifier is None:
            raise _Broken(f"{word[:100]} in the SPF record of {domain} is no term (RFC 7208 section 4.6.1)")
        name, value = modifier[1].lower(), modifier[2]
        if name in ("redirect", "exp"):
            if name in once:
                raise _Broken(f"the SPF record of {domain} has {name} twice")
            once[name] = value
            _domain_spec(value, f"{word[:100]} in the SPF record of {domain}")
        elif "%" in _ANY_MACRO.sub("", value):
            raise _Broken(f"{word[:100]} in the SPF record of {domain} holds no such macro")
    # Where there is an "all", a redirect is not looked at (section 6.1).
    redirect = "" if any(term.name == "all" for term in terms) else once.get("redirect", "")
    return _Record(text, tuple(terms), redirect)


def _domain_spec(text: str, what: str) -> None:
    left = _MACRO.sub("", text)
    if "%" in left:
        raise _Broken(f"{what} holds no such macro (RFC 7208 section 7.1)")
    if not (text.endswith("}") and "%{" in text or _TOP.fullmatch(_MACRO.sub("x", text))):
        raise _Broken(f"{what} names no domain (RFC 7208 section 7.1)")


def _term(match: re.Match[str], word: str, domain: str) -> _Term:
    qualifier, name, target, prefix = match[1], match[2].lower(), match[3], match[4]
    wrong = f"{word[:100]} in the SPF record of {domain}"
    if name in ("ip4", "ip6"):
        try:
            network = ip_network((target or "") + prefix, strict=False)
        except ValueError:
            raise _Broken(f"{wrong} is no network") from None
        if (network.version == 4) != (name == "ip4") or _PREFIX.fullmatch(prefix) is None and name == "ip4" or \
                prefix.startswith("/0") and len(prefix) > 2:
            raise _Broken(f"{wrong} is no network of that family")
        return _Term(qualifier, name, target or "", prefix, word)
    lengths = _PREFIX.fullmatch(prefix)
    if lengths is None or int(lengths[1] or 0) > 32 or int(lengths[2] or 0) > 128:
        raise _Broken(f"{wrong} has a prefix length that cannot be")
    if name in ("include", "exists") and not target or name == "all" and target is not None:
        raise _Broken(f"{wrong} is not written as such a term is")
    if prefix and name not in ("a", "mx"):
        raise _Broken(f"{wrong} is a term without a prefix length")
    if target is not None:
        _domain_spec(target, wrong)
    return _Term(qualifier, name, target or "", prefix, word)
