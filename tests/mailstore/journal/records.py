"""Records of a journal, written into a segment of its own for a test to read."""

from __future__ import annotations

import os
from collections.abc import Iterable

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Delivery
from simmail.mailstore.journal.records import (
    DELIVERY, DEPARTED, Departure, Destination, ERASED, FILED, FOREIGN, FiledAt, Id, Octets, REFUSED, SETTLED, describe,
    record,
)
from simmail.mailstore.journal.segment import Record, Segment

MARIA, TOM = "maria@acme.test", "tom@acme.test"


def delivered(delivery: Delivery) -> Octets:
    """A delivery is accepted."""
    return DELIVERY, describe(delivery), delivery.octets


def filed(name: str, *places: tuple[int, int], universe: str = "main") -> Octets:
    """It is visible."""
    return record(FILED, [FiledAt(universe, name, places)])


def committed(*names: str) -> Octets:
    """Commits are made."""
    return record(SETTLED, [Id("main", name) for name in names])


def refused(*names: str) -> Octets:
    """They were refused after all."""
    return record(REFUSED, [Id("main", name) for name in names])


def foreign(*names: str) -> Octets:
    """Another program delivered them."""
    return record(FOREIGN, [Id("main", name) for name in names])


def erased(universe: str) -> Octets:
    """A universe is no more."""
    return record(ERASED, universe)


def departed(mailbox: str, folder: str, *uids: int, uidvalidity: int = 0, to: Destination | None = None) -> Octets:
    """Messages have left a folder."""
    return record(DEPARTED, [Departure("main", mailbox, folder, uidvalidity, uids, to)])


class RecordsTestCase(SynchronousTestCase):
    """Has a segment."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)

    def records(self, *written: Octets) -> Iterable[Record]:
        """What a journal with these records says."""
        path = f"{self.path}/{len(os.listdir(self.path)):010d}.journal"
        segment = Segment.create(path, "")
        self.addCleanup(lambda: segment.fd < 0 or segment.close())
        segment.append(written)
        return list(segment.records())
