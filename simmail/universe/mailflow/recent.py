"""What was filed lately, and to whom somebody wrote, for those who wait for mail."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence

from twisted.internet.interfaces import IReactorTime

from simmail.core.records.delivery import Copy
from simmail.universe.eventlog import EventLog

#: Copies noted for each folder; a wait looks no further back.
MOST_NOTED = 1000

#: Addresses of which it is known when somebody last wrote to them.
MOST_WRITTEN = 10_000


class RecentCopy:
    """A copy that was filed; C{number}: where the event log stood, with what was recorded of the message."""

    __slots__ = ("uid", "real", "number")

    def __init__(self, uid: int, real: float, number: int) -> None:
        self.uid = uid
        self.real = real
        self.number = number


class RecentMail:
    """
    The copies that were filed in one universe, as far as this process knows.

    @ivar filed: called with mailbox and folder after a copy was noted and what follows from it was recorded.
    """

    def __init__(self, reactor: IReactorTime, events: EventLog) -> None:
        self._reactor = reactor
        self._events = events
        self._copies: dict[tuple[str, str], deque[RecentCopy]] = {}
        self._written: OrderedDict[str, int] = OrderedDict()
        self.filed: Callable[[str, str], None] = lambda mailbox, folder: None

    def note(self, copy: Copy) -> None:
        """A copy was filed just now that is no delivery."""
        self.noted((copy,))
        self.filed(copy.mailbox, copy.folder)

    def noted(self, copies: Sequence[Copy]) -> list[RecentCopy]:
        """Copies were filed just now; their numbers are to be raised to what is recorded of them."""
        real, number, known = self._reactor.seconds(), self._events.last, self._copies
        noted = [RecentCopy(copy.uid, real, number) for copy in copies]
        for copy, one in zip(copies, noted):
            there = known.get((copy.mailbox, copy.folder))
            if there is None:
                there = known[copy.mailbox, copy.folder] = deque(maxlen=MOST_NOTED)
            there.append(one)
        return noted

    def since(self, mailbox: str, folder: str, real: float) -> set[int]:
        """UIDs filed in a folder after a real time."""
        return {one.uid for one in self._copies.get((mailbox, folder), ()) if one.real >= real}

    def numbers(self, mailbox: str, folder: str) -> dict[int, int]:
        """The event number at which each UID was filed."""
        return {one.uid: one.number for one in self._copies.get((mailbox, folder), ())}

    def wrote(self, addresses: Iterable[str], number: int) -> None:
        """Somebody who is no persona wrote to some addresses; C{number}: of the event that says so."""
        written = self._written
        for address in addresses:
            written[address] = number
            written.move_to_end(address)
        while len(written) > MOST_WRITTEN:
            written.popitem(last=False)

    def written(self, addresses: Iterable[str]) -> int | None:
        """The number of the event of the last mail to any of these addresses; None: none is known of."""
        return max((self._written[one] for one in addresses if one in self._written), default=None)
