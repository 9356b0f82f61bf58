"""
The fold: events one after another into the state.

Pure: the same events, with the same people, give the same state, whether they come as they are committed or from the
log later.
"""

from __future__ import annotations

from simmail.core.insights.events import COUNTED, CountedEvent
from simmail.core.insights.received import ReceivedFold
from simmail.core.insights.sent import Directory, SentFold
from simmail.core.insights.state import State

_COUNTED = frozenset(COUNTED)


class Fold:
    """
    Takes events into a state.

    @param people: whose names are taken out of subjects, and whose temperaments are counted.
    """

    def __init__(self, state: State, people: Directory) -> None:
        self.state = state
        self._received = ReceivedFold(state, people)
        self._sent = SentFold(state, people)

    def take(self, row: CountedEvent) -> None:
        """Take the next event; one that was taken before is passed over."""
        state = self.state
        if row.number <= state.through:
            return
        if row.type in _COUNTED:
            # An answer is looked for among what came before.
            self._received.take(row)
            self._sent.take(row)
        state.through, state.latest = row.number, row.at
