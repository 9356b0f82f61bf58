"""
Searches whose results are kept up to date: what comes and goes is told as it happens.

How they are is here; L{search.updates<simmail.imap.search.updates>} finds out what changes.
Source: RFC 5267 section 4.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from simmail.core.message.sort import Criterion
from simmail.imap.wire.fetch_items import Item
from simmail.imap.wire.replies import Bad, No, shown
from simmail.imap.wire.search_keys import Age, Either, Every, Key, Messages, Not
from simmail.imap.wire.sequence import LARGEST, show_set

#: Searches that are kept up to date for one connection, and results of one that are kept in an order of their own.
MOST, MOST_SORTED = 8, 10_000


class Numbering(Protocol):
    """The sequence numbers of one client (C{Selected})."""

    @property
    def uids(self) -> Sequence[int]:
        """Those the client has been told of, ascending."""

    def sequence(self, uid: int) -> int:
        """The sequence number of a UID, 0 for one that the client does not know."""

    def chosen(self, text: bytes, uid: bool) -> list[int]:
        """The UIDs of a set."""


class SearchProgram(NamedTuple):
    """
    A search: by UID or by number, and in which order; None for that of the mailbox.

    @ivar items: what is told of messages that come into the results.
    """

    uid: bool
    key: Key
    criteria: Sequence[Criterion] | None = None
    items: tuple[Item, ...] = ()


class SearchContext:
    """One search and what its results are, as the client knows them."""

    def __init__(self, tag: bytes, program: SearchProgram, results: Iterable[int]) -> None:
        self.tag = tag
        self.program = program
        self.results = array("I", results)

    def _head(self) -> bytes:
        return b'* ESEARCH (TAG "%b")%b' % (self.tag, b" UID" if self.program.uid else b"")

    def holding(self, uids: Iterable[int]) -> list[int]:
        """Those that are among the results, ascending."""
        results = self.results
        if self.program.criteria is not None:
            return sorted(set(results).intersection(uids))
        places = ((uid, bisect_left(results, uid)) for uid in sorted(uids))
        return [uid for uid, at in places if at < len(results) and results[at] == uid]

    def without(self, selected: Numbering, uids: Sequence[int]) -> bytes:
        """These results are gone; what the client is told."""
        if not uids:
            return b""
        left = set(uids)
        shown_uids = b"(0 %b)" % self._set(selected, uids)
        if self.program.criteria is not None:
            # The last first, so that no place changes before it is named.
            places = [at for at, uid in enumerate(self.results, 1) if uid in left]
            shown_uids = b"(%b)" % b" ".join([
                b"%d %b" % (at, self._set(selected, (self.results[at - 1],))) for at in reversed(places)])
        self.results = array("I", [uid for uid in self.results if uid not in left])
        return self._head() + b" REMOVEFROM " + shown_uids + b"\r\n"

    def with_more(self, selected: Numbering, uids: Sequence[int], results: Sequence[int]) -> bytes:
        """These have come, and the results are now those; what the client is told."""
        self.results = array("I", results)
        if not uids:
            return b""
        shown_uids = b"(0 %b)" % self._set(selected, uids)
        if self.program.criteria is not None:
            fresh = set(uids)
            shown_uids = b"(%b)" % b" ".join([
                b"%d %b" % (at, self._set(selected, (uid,))) for at, uid in enumerate(results, 1) if uid in fresh])
        return self._head() + b" ADDTO " + shown_uids + b"\r\n"

    def _set(self, selected: Numbering, uids: Iterable[int]) -> bytes:
        return show_set(uids if self.program.uid else map(selected.sequence, uids))


class SearchContexts:
    """
    Those of one selected folder.

    @ivar touched: UIDs of messages that have come or changed since this was last told; arrived: of those that came.
    @ivar expecting: one is being searched for the first time.
    """

    def __init__(self, selected: Numbering) -> None:
        self._selected = selected
        self._by_tag: dict[bytes, SearchContext] = {}
        self.touched: set[int] = set()
        self.arrived: set[int] = set()
        self.expecting = False

    def __bool__(self) -> bool:
        return bool(self._by_tag) or self.expecting

    def add(self, uids: Iterable[int]) -> None:
        """The client is told that messages have come."""
        self.touched.update(uids)
        self.arrived.update(uids)

    def expect(self, tag: bytes) -> None:
        """There may soon be one with a tag: what changes while it is searched counts.  @raise Bad: there is one."""
        if tag in self._by_tag:
            raise Bad("Tag reuse")
        self.expecting = True

    def begin(self, tag: bytes, program: SearchProgram, results: Sequence[int]) -> bytes:
        """One more; what the client is told when it is one too many."""
        self.expecting = False
        why = _refused(program, results)
        if len(self._by_tag) >= MOST:
            why = "Too many contexts"
        if why:
            return _no_update(tag, why)
        self._by_tag[tag] = SearchContext(tag, program._replace(key=frozen(program.key, self._selected)), results)
        return b""

    def cancel(self, tags: Sequence[bytes]) -> None:
        """No more is told of these.  @raise No: one of them is not there."""
        for tag in tags:
            if tag not in self._by_tag:
                raise No("There is no such context", "NONEXISTENT")
        for tag in tags:
            self._by_tag.pop(tag, None)
        if not self._by_tag:
            self.touched.clear()
            self.arrived.clear()

    def expunged(self, uids: Iterable[int]) -> bytes:
        """Messages are about to be told as expunged; their numbers still hold."""
        return b"".join([
            context.without(self._selected, context.holding(uids)) for context in self._by_tag.values()])

    def all(self) -> list[SearchContext]:
        """Those there are."""
        return list(self._by_tag.values())

    def has(self, context: SearchContext) -> bool:
        """Whether it is still kept up to date."""
        return self._by_tag.get(context.tag) is context

    def give_up(self, context: SearchContext, why: str) -> bytes:
        """It is not kept up to date any more; what the client is told."""
        self._by_tag.pop(context.tag, None)
        return _no_update(context.tag, why)


def _no_update(tag: bytes, why: str) -> bytes:
    return b'* NO [NOUPDATE "%b"] %b\r\n' % (tag, shown(why))


def _refused(program: SearchProgram, results: Sequence[int]) -> str:
    """Why a search cannot be kept up to date, if it cannot."""
    if _by_age(program.key):
        return "Results change as time goes by"
    if program.criteria is not None and len(results) > MOST_SORTED:
        return "Too many results"
    return ""


def _by_age(key: Key) -> bool:
    if isinstance(key, Every):
        return any(map(_by_age, key.keys))
    if isinstance(key, Either):
        return _by_age(key.first) or _by_age(key.second)
    return _by_age(key.key) if isinstance(key, Not) else isinstance(key, Age)


def frozen(key: Key, selected: Numbering) -> Key:
    """A key that means the same messages when numbers have changed: sets are those of now (RFC 5267 section 4.3)."""
    if isinstance(key, Every):
        return Every(tuple(frozen(one, selected) for one in key.keys))
    if isinstance(key, Either):
        return Either(frozen(key.first, selected), frozen(key.second, selected))
    if isinstance(key, Not):
        return Not(frozen(key.key, selected))
    if not isinstance(key, Messages):
        return key
    if not key.uid or key.set == b"$":
        # A UID that no message has stands for none.
        return Messages(show_set(selected.chosen(key.set, key.uid)) or b"%d" % LARGEST, True)
    last = b"%d" % (selected.uids[-1] if selected.uids else 1)
    pieces = []
    for piece in key.set.split(b","):
        low, colon, high = piece.partition(b":")
        if b"*" in piece and colon and low != high:
            # Open at the end, and the last one of now.
            pieces += [(low if high == b"*" else high) + b":%d" % LARGEST, last]
        else:
            pieces.append(piece.replace(b"*", last))
    return Messages(b",".join(pieces), True)
