"""The messages of one folder that were expunged, as far back as they are remembered (RFC 7162)."""

from __future__ import annotations

from collections.abc import Iterable

#: Messages that are remembered, at most.
MOST = 50_000


class Vanished:
    """
    UIDs by the MODSEQ of their removal.

    @ivar known: (MODSEQ, UID), in the order of their removal; since: all from this MODSEQ on are known.
    """

    __slots__ = ("known", "since")

    def __init__(self, known: Iterable[tuple[int, int]] = (), since: int = 1) -> None:
        self.known = list(known)
        self.since = since

    def add(self, uids: Iterable[int], modseq: int) -> None:
        """Remember messages that are gone now; of too many the oldest are forgotten."""
        self.known += [(modseq, uid) for uid in uids]
        if len(self.known) > MOST:
            dropped = self.known[:-MOST // 2]
            self.known = self.known[len(dropped):]
            self.since = dropped[-1][0]

    def after(self, modseq: int) -> list[int] | None:
        """Return the UIDs expunged after a MODSEQ, None when they are not known so far back."""
        if modseq < self.since and self.since > 1:
            return None
        return sorted(uid for at, uid in self.known if at > modseq)
