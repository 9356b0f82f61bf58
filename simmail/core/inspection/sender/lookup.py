"""
What rules about senders ask the name system, and records that are given with the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

from simmail.core.net.egress import public_name
from simmail.errors import Invalid

Kind = Literal["A", "AAAA", "MX", "PTR", "TXT"]

#: The values of a name: addresses; exchangers in order of preference; texts, each joined.  Empty where there are none.
Lookup = Callable[[str, Kind], tuple[str, ...]]

#: By name, then kind.
Records = Mapping[str, Mapping[Kind, tuple[str, ...]]]


class NoAnswer(Exception):
    """The name system did not answer: nobody can tell whether there is such a record."""


def nowhere(name: str, kind: Kind) -> tuple[str, ...]:
    """Answer nothing.  @raise NoAnswer: always."""
    raise NoAnswer("no name system is asked")


def given(records: Records, otherwise: Lookup) -> Lookup:
    """
    Return a look-up that answers with records where a name is among them, and asks C{otherwise} where it is not.

    Of names that nobody may be asked for, those below an ending that records tell of have what is told and no more.
    """
    known = {name.lower().rstrip("."): {kind: _values(name, kind, values) for kind, values in kinds.items()}
             for name, kinds in records.items()}
    told = {name.rpartition(".")[2] for name in known if not public_name(name)}

    def look(name: str, kind: Kind) -> tuple[str, ...]:
        name = name.lower().rstrip(".")
        if name in known:
            return known[name].get(kind, ())
        return () if name.rpartition(".")[2] in told and not public_name(name) else otherwise(name, kind)

    return look


def _values(name: str, kind: Kind, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a record; exchangers may have their preference before them, as in a zone file."""
    field = f"dns.{name[:60]}.{kind}"
    if kind in ("A", "AAAA"):
        for value in values:
            try:
                (IPv4Address if kind == "A" else IPv6Address)(value)
            except ValueError:
                raise Invalid(field, f"must be an IPv{'4' if kind == 'A' else '6'} address") from None
    if kind != "MX":
        return tuple(values)
    preferred = []
    for nth, value in enumerate(values):
        preference, *host = value.split() if " " in value else (str(nth), value)
        if len(host) != 1 or not (preference.isascii() and preference.isdecimal() and len(preference) < 6):
            raise Invalid(field, "must be a host name, or a preference and a host name")
        preferred.append((int(preference), nth, host[0].rstrip(".")))
    return tuple(host for _, _, host in sorted(preferred))
