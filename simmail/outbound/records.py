"""
Records of the name system, for checks of who vouches for a mail.

Only names that may be public are asked for, by the operator's own resolvers, each for a short time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.core.inspection.sender.lookup import Kind, NoAnswer
from simmail.core.net.egress import public_name

if TYPE_CHECKING:
    import dns.resolver

#: Real seconds for one question, all resolvers together.
PATIENCE = 3.0

#: Values kept of one answer, and characters of one.
_MOST, _LONGEST = 100, 4096


class Records:
    """Asks the name system; blocks."""

    def __init__(self, resolver: dns.resolver.Resolver | None = None) -> None:
        self._resolver = resolver

    def __call__(self, name: str, kind: Kind) -> tuple[str, ...]:
        """
        Return the values of a name, none where it has none or is not.

        @raise NoAnswer: nobody answers, or the name is none that may be asked for.
        """
        import dns.resolver

        if not public_name(name.lower().rstrip(".")) or len(name) > 253 or not name.isascii():
            raise NoAnswer(f"{name[:100]} is in no public name system")
        try:
            if self._resolver is None:
                self._resolver = dns.resolver.Resolver()
            answer = self._resolver.resolve(name + ".", kind, lifetime=PATIENCE, search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return ()
        except (dns.exception.DNSException, OSError, ValueError) as error:
            raise NoAnswer(f"the name system does not answer ({type(error).__name__})") from None
        if kind == "TXT":
            found = sorted(b"".join(one.strings).decode("utf-8", "replace") for one in answer)
        elif kind == "MX":
            found = [str(one.exchange).rstrip(".") for one in sorted(answer, key=lambda one: one.preference)]
        else:
            # Servers give them in any order; reports are to be alike.
            found = sorted(str(one).rstrip(".") for one in answer)
        return tuple(one[:_LONGEST] for one in found[:_MOST])
