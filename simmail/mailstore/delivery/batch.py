"""
Deliveries that wait together are filed together: each folder is locked once for all of them.

What goes wrong with one of them does not touch the others: it is taken back
and filed alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simmail.core.records.delivery import Delivery
from simmail.mailstore.delivery.delivery import Filed, Filer
from simmail.mailstore.delivery.folders import NO_SHARES, Place, Share, key_of
from simmail.mailstore.maildir.uidlist import Uids


class Files:
    """
    How what comes to one universe is filed, for the journal.

    @param create: whether mailboxes and folders that are not there are made.
    """

    def __init__(self, filer: Filer, create: bool = True) -> None:
        self._filer = filer
        self._create = create

    def __call__(self, deliveries: Sequence[Delivery]) -> list[Filed | Exception]:
        """File them."""
        return file_all(self._filer, deliveries, self._create)

    def begin(self, delivery: Delivery) -> None:
        """As much as can be done before it is durable."""
        self._filer.begin(delivery)

    def abandon(self) -> None:
        """What was begun is not to be filed."""
        self._filer.abandon()


def file_all(filer: Filer, deliveries: Sequence[Delivery], create: bool = True) -> list[Filed | Exception]:
    """
    What C{Filer.file} does, for each; by the writer.

    @return: for each what it answered or raised.
    """
    outcomes: list[Filed | Exception] = [_NOT_YET] * len(deliveries)
    # What removes something in another folder is filed alone: no lock is held while another is waited for.
    if len(deliveries) > 1 and all([delivery.replaces is None for delivery in deliveries]):
        try:
            held: list[Uids] = []
            try:
                shares = _shares(filer, deliveries, create, held)
                outcomes = [_file(filer, delivery, create, shares) for delivery in deliveries]
            finally:
                for uids in held:
                    uids.unlock()
        except Exception:
            # Which folder it was is found out one by one.
            pass
    return [_file(filer, delivery, create) if isinstance(outcome, Exception) else outcome
            for delivery, outcome in zip(deliveries, outcomes)]


_NOT_YET = Exception("not filed yet")


def _file(
    filer: Filer, delivery: Delivery, create: bool, shares: Mapping[tuple[str, str], Share] = NO_SHARES
) -> Filed | Exception:
    try:
        return filer.file(delivery, create, shares)
    except Exception as error:
        return error


def _shares(
    filer: Filer, deliveries: Sequence[Delivery], create: bool, held: list[Uids]
) -> dict[tuple[str, str], Share]:
    """Every folder that is filed into, with UIDs for all; what is locked is C{held}, until the caller unlocks it."""
    wanted: dict[tuple[str, str], int] = {}
    for delivery in deliveries:
        keys = list(map(key_of, delivery.filings))
        for key in keys if delivery.parts else set(keys):
            wanted[key] = wanted.get(key, 0) + 1
    places = [(filer.place(*key, create), key) for key in wanted]
    # In one order in all processes, so that no two wait for each other.
    places.sort(key=_directory)
    shares = {}
    for place, key in places:
        changed = place.uids.lock()
        held.append(place.uids)
        if changed or place.sorted is None:
            place.learn(filer.root)
        shares[key] = Share(place, *place.uids.take(wanted[key], wanted[key]))
    return shares


def _directory(placed: tuple[Place, tuple[str, str]]) -> str:
    return placed[0].directory
