"""
Several messages that are filed into one folder together: all of them or none.

They are one record of the journal.  Each is called after the delivery and its
place in it, so that filing again after a crash finds those that are there.
Done by the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING

from simmail.core.records.delivery import Copy, Delivery
from simmail.mailstore.delivery import delivery as filing
from simmail.mailstore.delivery.folders import Place, Share, key_of
from simmail.mailstore.maildir.flags import microseconds

if TYPE_CHECKING:
    from simmail.mailstore.delivery.delivery import Added, Filer


def messages(delivery: Delivery) -> list[Delivery]:
    """The messages of a delivery, each as a delivery of its own."""
    found, at = [], 0
    for number, (part, one) in enumerate(zip(delivery.parts, delivery.filings), 1):
        octets = delivery.octets[at:at + part.size]
        at += part.size
        found.append(Delivery(
            f"{delivery.id}-{number}", delivery.universe, (one,), octets, part.at, saved=delivery.saved))
    return found


def file(
    filer: Filer, delivery: Delivery, create: bool, shares: Mapping[tuple[str, str], Share]
) -> tuple[tuple[Copy, ...], list[Added]]:
    """
    Make all messages of a delivery visible.

    @raise OSError: the disk refused; none is visible (new).
    """
    singles = messages(delivery)
    key = key_of(delivery.filings[0])
    written: list[str] = []
    try:
        for one in singles:
            written.append(filer.temporary(one))
            filer.write(written[-1], one.octets, microseconds(one.at))
        share = shares.get(key)
        if share is not None:
            return _appear(filer, share.place, singles, written, share.take)
        try:
            return _locked(filer, filer.place(*key, create), singles, written)
        except FileNotFoundError:
            # Another program removed the folder under our hands.
            filer.forget(*key)
            return _locked(filer, filer.place(*key, create), singles, written)
    except BaseException:
        for path in written:
            filer.discard(path)
        raise


def _locked(
    filer: Filer, place: Place, singles: list[Delivery], written: list[str]
) -> tuple[tuple[Copy, ...], list[Added]]:
    with place.uids.locked() as changed:
        if changed or place.sorted is None:
            place.learn(filer.root)
        uid, modseq = place.uids.take(len(singles), len(singles))
        return _appear(filer, place, singles, written, zip(count(uid), count(modseq)).__next__)


def _appear(
    filer: Filer, place: Place, singles: list[Delivery], written: list[str], take: Callable[[], tuple[int, int]]
) -> tuple[tuple[Copy, ...], list[Added]]:
    copies: list[Copy] = []
    added: list[Added] = []
    sheets: list[filing.Sheet] = []
    uids = place.uids
    try:
        for one, temporary in zip(singles, written):
            # Linked, so that a second attempt has what it needs.
            saved = microseconds(one.saved) if one.saved is not None else None
            sheets.append(filing.Sheet(one.id, len(one.octets), microseconds(one.at), saved, temporary, 2))
            uid, row = filer.appear(sheets[-1], place, one.filings[0].flags, take)
            copies.append(Copy(place.mailbox, place.name, uid, uids.uidvalidity))
            if row is not None:
                added.append(filing.Added(place.mailbox, place.name, row, uids.keywords))
    except BaseException:
        for sheet in sheets:
            for path in sheet.placed:
                filer.discard(path)
        raise
    for temporary in written:
        filer.discard(temporary)
    return tuple(copies), added
