"""
Finding messages: a search is worked out on sets of UIDs, cheap keys first.

Flags, sizes and dates are answered from the folder at once; header and text
from the index, which compares as C{core.message.folding} has it.
Source: RFC 3501 section 6.4.4.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from simmail.concurrency import portions
from simmail.core.message.folding import fold
from simmail.core.message.search_text import header_text
from simmail.core.mime.address import parse_all
from simmail.core.mime.headers import fields, value
from simmail.imap.selected import Selected
from simmail.imap.wire.objectid import THREAD_FIELDS, email_id, thread_id
from simmail.imap.wire.replies import No
from simmail.imap.wire.search_keys import (
    Age, Either, Every, Flagged, Header, Key, Messages, Modseq, Named, Not, ObjectId, Recent, Saved, Size, Text, When,
)

#: Rows of the index looked at between two turns of the reactor, and messages of which the folder knows enough.
SLICE, STATE = 200, 4000
#: Octets of rows in memory at once, and of one row at most.
OCTETS, HEAVIEST = 8 << 20, 1 << 20
#: So few messages are looked at one by one; of more, the index is asked first which may fit.
FEW = 100
#: What one search may cost: a message the index is asked about counts once, one that is looked at itself so many times
#: more.  It takes some ten seconds, and is twenty texts in 100,000 messages.
MOST, LOOK = 5_000_000, 10

Rows = Callable[[tuple[Any, ...]], bool]


class SearchEngine:
    """
    One search in one folder.

    @param now: the simulated instant, for YOUNGER and OLDER.
    @param yield_to_reactor: gives the reactor a turn when it is time.
    """

    def __init__(self, selected: Selected, now: datetime, yield_to_reactor: Callable[[], Awaitable[None]]) -> None:
        self.selected = selected
        self.folder = selected.folder
        self.now = now
        self.yield_to_reactor = yield_to_reactor
        self._left = MOST
        self._looked = self._goal = 0

    def progress(self) -> tuple[int, int]:
        """How many messages were looked at that had to be, and of how many so far."""
        return self._looked, self._goal

    async def find(self, key: Key) -> Sequence[int]:
        """
        The UIDs that fit, ascending; none that the client was not told of.

        @raise No: it is too much to ask.
        """
        return await self.among(key, self.selected.present())

    async def among(self, key: Key, uids: Sequence[int]) -> Sequence[int]:
        """Those of some ascending UIDs that the client knows that fit.  @raise No: it is too much to ask."""
        if not uids:
            return uids
        await self.yield_to_reactor()
        if isinstance(key, Every):
            # Keys of two kinds may be equal as tuples.
            for one in sorted({repr(one): one for one in key.keys}.values(), key=_cost):
                uids = await self.among(one, uids)
            return uids
        if isinstance(key, Either):
            found = set(await self.among(key.first, uids))
            found.update(await self.among(key.second, [uid for uid in uids if uid not in found]))
            return [uid for uid in uids if uid in found]
        if isinstance(key, Not):
            left = set(await self.among(key.key, uids))
            return [uid for uid in uids if uid not in left]
        if _cost(key) > 1:
            return await self._by_index(key, uids)
        if isinstance(key, Messages):
            return _both(uids, self.selected.sought(key.set, key.uid))
        if isinstance(key, Flagged):
            return self._of_folder(uids, self.folder.having(key.flag, key.on))
        if isinstance(key, Modseq):
            return self._of_folder(uids, self.folder.changed(key.least - 1))
        if isinstance(key, Saved):
            return _on_days(key, uids, await self.folder.saved(uids))
        fitting: list[int] = []
        for begin in range(0, len(uids), STATE):
            fitting += self._cheap(key, uids[begin:begin + STATE])
            await self.yield_to_reactor()
        return fitting

    def _of_folder(self, uids: Sequence[int], found: Sequence[int]) -> Sequence[int]:
        """Those of some UIDs that are among some of the folder's."""
        there = self.folder.uids
        if len(uids) == len(there) and uids[-1] == there[-1]:
            # New UIDs are greater than all, so these are the folder's own.
            return found
        return _both(uids, found)

    def _cheap(self, key: Key, uids: Sequence[int]) -> list[int]:
        """What the folder knows of each message decides."""
        folder = self.folder
        if isinstance(key, Recent):
            recent = self.selected.recent
            return [uid for uid in uids if (uid in recent) is key.on]
        if isinstance(key, ObjectId):
            wanted = key.value.encode("ascii")
            return [uid for uid, one in zip(uids, folder.column("key", uids)) if email_id(one) == wanted]
        if isinstance(key, Size):
            sizes = folder.column("size", uids)
            if key.larger:
                return [uid for uid, size in zip(uids, sizes) if size is not None and size > key.octets]
            return [uid for uid, size in zip(uids, sizes) if size is not None and size < key.octets]
        dates = folder.column("date", uids)
        if isinstance(key, Age):
            edge = self.now - timedelta(seconds=min(key.seconds, 10**10))
            return [uid for uid, at in zip(uids, dates) if at is not None and (at >= edge) is key.younger]
        assert isinstance(key, When)
        return _on_days(key, uids, dates)

    async def _by_index(self, key: Key, uids: Sequence[int]) -> list[int]:
        self._pay(len(uids))
        searched = _searched(key)
        if isinstance(key, Text) and not key.text:
            return list(uids)
        if searched and len(uids) > FEW:
            assert isinstance(key, (Named, Text))
            return _both(uids, await self.folder.containing(searched, key.text))
        if isinstance(key, (Header, Named)) and len(uids) > FEW:
            # Addresses are not compared as they stand in the header, and an empty text is in any value.
            text = key.text if isinstance(key, Header) else ""
            uids = _both(uids, await self.folder.containing(("in_header",), text or key.name))
        self._pay(LOOK * len(uids))
        self._goal += len(uids)
        columns, fits = _rule(key)
        found: list[int] = []
        # What a row may weigh; one of nothing heavy weighs so much that SLICE of them make a portion.
        costs = [OCTETS // SLICE] * len(uids)
        if not {"in_body", "in_header", "header"}.isdisjoint(columns):
            costs = [max(OCTETS // SLICE, min(size or 0, HEAVIEST)) for size in self.folder.column("size", uids)]
        begin = 0
        for end in portions(costs, OCTETS):
            rows = await self.folder.digested(uids[begin:end], columns)
            self._looked += end - begin
            for at, uid in enumerate(uids[begin:end]):
                if uid in rows and fits(rows[uid]):
                    found.append(uid)
                if not at % 10:
                    await self.yield_to_reactor()
            begin = end
            await self.yield_to_reactor()
        return found

    def _pay(self, cost: int) -> None:
        if self._left < 0:
            raise No("Too much to look for in so many messages", "LIMIT")
        self._left -= cost


def _on_days(key: When | Saved, uids: Sequence[int], dates: Sequence[datetime | None]) -> list[int]:
    """The messages whose dates are on the days of a key."""
    begin = datetime(key.day.year, key.day.month, key.day.day, tzinfo=UTC)
    day = timedelta(days=1)
    last = datetime.max.replace(tzinfo=UTC)
    end = begin + day if begin < last - day else last
    if key.how == "<":
        return [uid for uid, at in zip(uids, dates) if at is not None and at < begin]
    if key.how == ">=":
        return [uid for uid, at in zip(uids, dates) if at is not None and at >= begin]
    return [uid for uid, at in zip(uids, dates) if at is not None and begin <= at < end]


def _both(uids: Sequence[int], found: Sequence[int]) -> list[int]:
    wanted = set(found)
    return [uid for uid in uids if uid in wanted]


def _cost(key: Key) -> int:
    """What comes first: the set, then what the folder knows, then the index, then text."""
    if isinstance(key, (Either, Every)):
        return max([_cost(one) for one in (key if isinstance(key, Either) else key.keys)], default=0)
    if isinstance(key, Not):
        return _cost(key.key)
    if isinstance(key, Messages):
        return 0
    if isinstance(key, Text):
        return 3
    if isinstance(key, ObjectId):
        return 2 if key.kind == "THREADID" else 1
    return 2 if isinstance(key, (Header, Named)) or (isinstance(key, When) and key.sent) else 1


def _rule(key: Key) -> tuple[tuple[str, ...], Rows]:
    """The columns that decide, and how."""
    if isinstance(key, (Header, Named, Text)):
        searched = _searched(key)
        if searched:
            wanted = fold(key.text)
            return searched, lambda row: any([wanted in one for one in row])
        assert isinstance(key, (Header, Named))
        return _header_rule(key) if isinstance(key, Header) else _named_rule(key)
    if isinstance(key, ObjectId):
        wanted_id = key.value.encode("ascii")
        return THREAD_FIELDS, lambda row: thread_id(row, 0) == wanted_id
    if isinstance(key, When):
        day, how = key.day.toordinal(), key.how

        def sent(row: tuple[Any, ...]) -> bool:
            # The day the header names, in its own zone (RFC 3501: "disregarding time and timezone").
            on: int = row[0]
            return on > 0 and (on < day if how == "<" else on >= day if how == ">=" else on == day)

        return ("sent_day",), sent
    raise AssertionError(key)


_NAMED = {"subject": ("in_subject",), "from": ("in_from",), "to": ("in_to",), "cc": ("in_cc",)}
# As other servers do: headers within the body are found by TEXT only.
_BODY, _ANYWHERE = ("in_body",), ("in_header", "in_body", "in_enclosed", "in_parts")


def _searched(key: Key) -> tuple[str, ...]:
    """The fields of the index that alone decide, none where they do not."""
    if isinstance(key, Text):
        return _BODY if key.body_only else _ANYWHERE
    return _NAMED.get(key.name, ()) if isinstance(key, Named) else ()


def _named_rule(key: Named) -> tuple[tuple[str, ...], Rows]:
    wanted, name = fold(key.text), key.name.encode("ascii")
    return ("header",), lambda row: any(
        wanted in fold(f"{each.name} <{each.address}>")
        for one, raw in fields(row[0]) if one == name for each in parse_all(value(raw)))


def _header_rule(key: Header) -> tuple[tuple[str, ...], Rows]:
    wanted, name = fold(key.text), key.name.encode("latin-1", "replace")

    def fits(row: tuple[Any, ...]) -> bool:
        if name not in row[0].lower():
            return False
        return any(wanted in fold(header_text(raw).partition(":")[2].strip()) for one, raw in fields(row[0])
                   if one == name)

    return ("header",), fits
