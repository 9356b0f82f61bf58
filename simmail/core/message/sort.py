"""
The order of messages: by what, and which comes first.

Source: RFC 5256 section 3, RFC 5957; RFC 5051 (i;unicode-casemap).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

#: What the folder knows of a message: when it was filed, how many octets it has, and when it was sent (or filed, when
#: it has no Date; RFC 5256 section 2.2).  All else that messages are put in order by is in their digests.
OF_FOLDER = ("arrival", "size", "at")
NAMES = (*OF_FOLDER, "order_subject", "order_from", "order_to", "order_cc", "display_from", "display_to")


def collation_key(text: str) -> str:
    """
    Text as i;unicode-casemap compares it (RFC 5051 section 2): titlecase, then decomposed; by code points, which is
    the order of UTF-8 octets.
    """
    if text.isascii():
        return text.upper()
    # Titlecase is of each character by itself, and of one character only: those that would become several stay.
    return normalize("NFKD", "".join([one if len(one := char.title()) == 1 else char for char in text]))


class Criterion(NamedTuple):
    """
    One key of an order.

    @ivar name: one of C{NAMES}; reverse: the greatest first.
    """

    name: str
    reverse: bool = False


def in_order(uids: Sequence[int], criteria: Sequence[Criterion], columns: Mapping[str, Sequence[Any]]) -> list[int]:
    """
    UIDs in the order of some keys, then of themselves.

    @param columns: for each key one value for each UID.
    """
    places = sorted(range(len(uids)), key=uids.__getitem__)
    for name, reverse in reversed(criteria):
        places.sort(key=columns[name].__getitem__, reverse=reverse)
    return [uids[at] for at in places]
