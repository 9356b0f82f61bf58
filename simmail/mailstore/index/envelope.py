"""
What envelopes tell of messages while the index does not have their digests yet: subjects, and when they were sent.

Clients ask for envelopes first of all, so these are there long before the rest is learned; who sorts by that or
searches it need not wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simmail.core.message.envelope_read import keys_of, subject_of
from simmail.core.message.folding import fold
from simmail.core.message.sort import Criterion
from simmail.core.time.instant import microseconds
from simmail.mailstore.index.index import Index

#: What folders and envelopes tell of a message.
_TOLD = frozenset(("arrival", "size", "at", "order_subject"))
#: The fields of a digest that tell the same.
OF_DIGEST = ("order_subject", "sent")

#: The subject as it is compared, and when it was sent, in microseconds since 1970 (None: it does not say).
Keys = tuple[str, "int | None"]


def are_told(criteria: Sequence[Criterion]) -> bool:
    """Whether envelopes tell an order."""
    return _TOLD.issuperset([one.name for one in criteria])


def keys(
    index: Index, key: tuple[str, str, int], uids: Sequence[int], criteria: Sequence[Criterion]
) -> tuple[dict[int, Keys], list[int]]:
    """
    The keys of those messages of which digests or envelopes tell them, and the messages without digests.

    @param key: mailbox, folder, UIDVALIDITY; criteria: what the keys are for.
    """
    dated = any([one.name == "at" for one in criteria])
    number = index.folder(*key)
    found = of_digests(index.digests.fetch(number, uids, OF_DIGEST))
    missing = [uid for uid in uids if uid not in found]
    for uid, (envelope,) in (index.digests.fetch(number, missing, ("envelope",)) if missing else {}).items():
        told = keys_of(envelope, dated)
        if told is not None:
            found[uid] = told.order_subject, None if told.sent is None else microseconds(told.sent)
    return found, missing


def of_digests(rows: Mapping[int, tuple[Any, ...]]) -> dict[int, Keys]:
    """The keys by C{OF_DIGEST}."""
    return {uid: (subject, None if sent is None else microseconds(sent)) for uid, (subject, sent) in rows.items()}


def subjects(index: Index, key: tuple[str, str, int], uids: Sequence[int]) -> dict[int, str]:
    """The subjects, folded, of those messages of which envelopes tell them."""
    rows = index.digests.fetch(index.folder(*key), uids, ("envelope",))
    return {uid: fold(subject) for uid, (envelope,) in rows.items() if (subject := subject_of(envelope)) is not None}
