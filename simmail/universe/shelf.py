"""
Documents kept at hand: the last few of what was read or written.

One process decides for a universe at a time, so what it last committed is
what there is; the shelf saves asking Redis for it again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable

#: Documents kept; the oldest used goes first.
MOST = 20_000

Fetch = Callable[[str, list[str]], Awaitable[list[bytes | None]]]


class Shelf:
    """
    Documents by (table, key), as bytes.

    @param fetch: reads documents of one table.
    """

    def __init__(self, fetch: Fetch, most: int = MOST) -> None:
        self._fetch = fetch
        self._most = most
        self._documents: OrderedDict[tuple[str, str], bytes | None] = OrderedDict()

    async def get(self, wanted: Iterable[tuple[str, str]]) -> list[bytes | None]:
        """The documents, in the order asked for; all that are missing are fetched in one round trip."""
        wanted = list(wanted)
        missing = [one for one in dict.fromkeys(wanted) if one not in self._documents]
        # Issued together, awaited one after another: the connection answers them in one go.
        under_way = [(table, key, self._fetch(table, [key])) for table, key in missing]
        fetched: dict[tuple[str, str], bytes | None] = {}
        for table, key, answer in under_way:
            (fetched[table, key],) = await answer
        result = []
        for one in wanted:
            if one in fetched:
                result.append(fetched[one])
            else:
                self._documents.move_to_end(one)
                result.append(self._documents[one])
        for one, octets in fetched.items():
            self.put(*one, octets)
        return result

    def put(self, table: str, key: str, octets: bytes | None) -> None:
        """A document as it was just committed (None: dropped)."""
        self._documents[table, key] = octets
        self._documents.move_to_end((table, key))
        while len(self._documents) > self._most:
            self._documents.popitem(last=False)
