"""The keywords of one folder, and flags as bits and as names."""

from __future__ import annotations

from collections.abc import Iterable

from simmail.mailstore.maildir.filename import bit_of_keyword
from simmail.mailstore.maildir.flags import SYSTEM

_SYSTEM_BITS = {name.lower(): 1 << at for at, (name, _) in enumerate(SYSTEM)}


class KeywordTable:
    """
    Which keyword has which bit.

    @ivar places: the keywords by their places in the table; C{""} for a free one.
    @ivar known: flags by mask, of masks that C{flags_of} was asked for.
    """

    __slots__ = ("places", "known")

    def __init__(self) -> None:
        self.places: tuple[str, ...] = ()
        self.known: dict[int, frozenset[str]] = {}

    def learn(self, places: tuple[str, ...]) -> None:
        """Take the table as it is on disk now."""
        if places is not self.places and places != self.places:
            self.known.clear()
        self.places = places

    def keywords_of(self, mask: int) -> tuple[str, ...]:
        """Return the keywords in a mask."""
        return tuple(keyword for at, keyword in enumerate(self.places) if keyword and mask & bit_of_keyword(at))

    def flags_of(self, mask: int) -> frozenset[str]:
        """Return all flags in a mask."""
        flags = self.known.get(mask)
        if flags is None:
            system = (name for at, (name, _) in enumerate(SYSTEM) if mask >> at & 1)
            flags = self.known[mask] = frozenset((*system, *self.keywords_of(mask)))
        return flags

    def bit(self, flag: str) -> int:
        """Return the bit of a flag, 0 for a keyword that no message can have."""
        flag = flag.lower()
        bit = _SYSTEM_BITS.get(flag)
        if bit is None:
            at = next((at for at, keyword in enumerate(self.places) if keyword.lower() == flag), None)
            bit = 0 if at is None else bit_of_keyword(at)
        return bit

    def mask(self, flags: Iterable[str]) -> int:
        """Return the bits of flags."""
        mask = 0
        for flag in flags:
            mask |= self.bit(flag)
        return mask
