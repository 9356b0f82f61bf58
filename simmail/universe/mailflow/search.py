"""
Finding mail in folders by the terms of a query.

A search is worked out on sets of UIDs: what folders know narrows them first,
then the index of text, asked once for all folders.  What is left is looked at
one by one, the newest first, until there is enough of it.  Text is compared as
C{core.message.folding} has it, as IMAP's SEARCH does, by the same index.
Source: decisions, section 5.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import LongWork
from simmail.core.message.conversations import thread_key
from simmail.core.message.folding import fold
from simmail.core.message.query import Term
from simmail.core.message.search_text import header_text
from simmail.core.mime.headers import fields, value
from simmail.core.records.commit import EventQuery
from simmail.errors import NotFound
from simmail.interfaces import IDatabase, IFolder, IMailStore
from simmail.universe.eventlog import EventLog
from simmail.universe.people.cases import Cases
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, THREADS

#: Rows of the index looked at between two looks at the clock, and messages that are put in order.
SLICE, ORDERED = 200, 10_000

#: Where the index of text looks for words (C{core.message.summary.SEARCHED}).
_WORDS = ("in_subject", "in_body", "in_enclosed", "in_from", "in_to", "in_cc")
_COLUMNS = {"from": ("in_from",), "to": ("in_to",), "cc": ("in_cc",), "subject": ("in_subject",), "text": _WORDS}
#: What folders know of their messages.
_KNOWN = frozenset(("folder", "flag", "larger", "smaller", "after", "before"))

#: Events that tell which personas a case concerns.
LOGGED = ("persona.received", "persona.sent")

#: Mailboxes and folders that are asked at once: each answer of the mail store costs a change of threads, many together
#: hardly more.
TOGETHER = 16

Row = tuple[Any, ...]


class _Data(Struct):
    persona_id: str = ""


class _Logged(Struct):
    data: _Data


_decode = msgspec.json.Decoder(_Logged).decode


class MessageHit(NamedTuple):
    """Where a message was found; those that came later are greater.  C{arrival}: microseconds since 1970."""

    arrival: int
    mailbox: str
    folder: str
    uid: int


class _Headed(NamedTuple):
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]


class MailSearch:
    """Finds mail in one universe."""

    def __init__(
        self, universe: str, database: IDatabase, store: IMailStore, people: Personas, memories: Memories, cases: Cases,
        events: EventLog, reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._database = database
        self._store = store
        self._people = people
        self._memories = memories
        self._cases = cases
        self._events = events
        self._reactor = reactor

    async def newest(self, terms: Sequence[Term], most: int, behind: MessageHit | None = None) -> list[MessageHit]:
        """Find the newest C{most} messages of the universe that fit, of those before C{behind}; the newest first."""
        return await _Search(self, terms, self._store, self._people, self._cases, self._reactor).newest(most, behind)

    async def among(self, folder: IFolder, terms: Sequence[Term]) -> list[int]:
        """Find the UIDs of one folder that fit, ascending."""
        return await _Search(self, terms, self._store, self._people, self._cases, self._reactor).among(folder)

    async def linked(self, case_id: str) -> dict[str, str]:
        """Return the keys of the threads that personas have linked to a case, each with one of those personas."""
        keys: dict[str, str] = {}
        for persona_id in await self._concerned(case_id):
            table = await self._database.table(self._universe, THREADS + persona_id)
            for key, octets in sorted(table.items()):
                # Few of many name the case: only those are read.
                if case_id.encode() in octets and key not in keys:
                    state = await self._memories.thread(persona_id, key)
                    if state is not None and state.case_id == case_id:
                        keys[key] = persona_id
        return keys

    async def _concerned(self, case_id: str) -> list[str]:
        """Return the personas on a case, and those its events tell of."""
        found: dict[str, None] = {}
        case = self._cases.get(case_id)
        for one in (case.people or ()) if case is not None else ():
            persona = self._people.known(one.persona_id or "") or self._people.at(one.address or "")
            if persona is not None:
                found[persona.id] = None
        for octets in await self._events.query(EventQuery(case_id=case_id, types=LOGGED, descending=True, limit=1000)):
            persona = self._people.known(_decode(octets).data.persona_id)
            if persona is not None:
                found[persona.id] = None
        return list(found)


class _Search:
    """One search: its terms, and what is known of them by now."""

    def __init__(
        self, service: MailSearch, terms: Sequence[Term], store: IMailStore, people: Personas, cases: Cases,
        reactor: IReactorTime,
    ) -> None:
        self._service = service
        self._terms = terms
        self._store = store
        self._people = people
        self._cases = cases
        self._work = LongWork(reactor)
        self._linked: dict[str, frozenset[str]] = {}
        # Whether the index of text was asked of all folders, and what it said of one, by field and text.
        self._asked = False
        self._holding: dict[tuple[str, str, str, str], list[int]] = {}

    async def newest(self, most: int, behind: MessageHit | None = None) -> list[MessageHit]:
        """The newest C{most} messages of the universe that fit, of those before C{behind}; the newest first."""
        folders = await self._folders()
        rest = sorted([term for term in self._terms if not _is_sure(term)], key=_cost)
        rows = []
        for folder, uids in zip(folders, await self._likely(folders)):
            if uids:
                rows.append(await self._in_order(folder, uids, behind, None if rest else most))
        merged = heapq.merge(*rows, reverse=True)
        if not rest:
            return list(islice(merged, most))
        places = {(folder.mailbox, folder.name): folder for folder in folders}
        found: list[MessageHit] = []
        while len(found) < most and (some := list(islice(merged, max(most, SLICE)))):
            found += await self._those_that_fit(places, some, rest)
            await self._work.yield_to_reactor()
        return found[:most]

    async def _folders(self) -> list[IFolder]:
        """All folders that may hold what is looked for."""
        found = list[IFolder]()
        places = [place for place in await self._store.places() if self._may_be_in(place[1])]
        for begin in range(0, len(places), TOGETHER):
            some = await together([self._store.folder(*place) for place in places[begin:begin + TOGETHER]])
            found += [folder for folder in some if folder is not None]
            await self._work.yield_to_reactor()
        return found

    async def _likely(self, folders: Sequence[IFolder]) -> list[Sequence[int]]:
        """The UIDs, of each folder, of messages that fit as far as folders and the index of text know."""
        words = [(_COLUMNS[term.field], term.text) for term in self._terms
                 if term.field in _COLUMNS and term.wanted and term.text]
        # Where the value of a field is, its header section has it.
        words += [(("in_header",), term.text) for term in self._terms
                  if term.field == "header" and term.wanted and term.text]
        likely: list[Sequence[int]] = (
            list(await self._store.containing(folders, words)) if words else [one.uids for one in folders])
        self._asked = True
        known = [term for term in self._terms if term.field in _KNOWN]
        for at, folder in enumerate(folders) if known else ():
            if likely[at]:
                likely[at] = await self._fit(folder, list(likely[at]), known)
                await self._work.yield_to_reactor()
        return likely

    async def _in_order(
        self, folder: IFolder, uids: Sequence[int], behind: MessageHit | None, most: int | None
    ) -> Iterator[MessageHit]:
        """Messages of a folder, the newest first; the first C{most} of those before C{behind} are enough."""
        pairs: list[tuple[int, int]] = []
        for begin in range(0, len(uids), ORDERED):
            some = uids[begin:begin + ORDERED]
            pairs += [(arrival, uid) for arrival, uid in zip(folder.column("arrival", some), some)
                      if arrival is not None and (
                          behind is None or (arrival, folder.mailbox, folder.name, uid) < behind)]
            pairs.sort()
            if most is not None:
                del pairs[:-most]
            await self._work.yield_to_reactor()
        return (MessageHit(arrival, folder.mailbox, folder.name, uid) for arrival, uid in reversed(pairs))

    async def _those_that_fit(
        self, places: Mapping[tuple[str, str], IFolder], hits: Sequence[MessageHit], terms: Sequence[Term]
    ) -> list[MessageHit]:
        some: dict[tuple[str, str], list[int]] = {}
        for hit in hits:
            some.setdefault((hit.mailbox, hit.folder), []).append(hit.uid)
        fitting = await together([Deferred.fromCoroutine(self._fit(places[place], sorted(uids), terms))
                                  for place, uids in some.items()])
        fits = {place: set(uids or ()) for place, uids in zip(some, fitting)}
        return [hit for hit in hits if hit.uid in fits[hit.mailbox, hit.folder]]

    async def among(self, folder: IFolder) -> list[int]:
        """The UIDs of one folder that fit, ascending."""
        return await self._fit(folder, list(folder.uids), sorted(self._terms, key=_cost))

    async def _fit(self, folder: IFolder, uids: list[int], terms: Sequence[Term]) -> list[int]:
        """Those of some ascending UIDs that fit."""
        for term in terms:
            if not uids:
                break
            fits = set(await self._fitting(folder, term, uids))
            uids = [uid for uid in uids if (uid in fits) is term.wanted]
        return uids

    def _may_be_in(self, folder: str) -> bool:
        return all((term.text == fold(folder)) is term.wanted for term in self._terms if term.field == "folder")

    async def _fitting(self, folder: IFolder, term: Term, uids: list[int]) -> Iterable[int]:
        kind = term.field
        if kind == "folder":
            return uids if term.text == fold(folder.name) else ()
        if kind == "flag":
            having: Iterable[int] = folder.having(term.text, term.on)
            return having
        if kind in ("larger", "smaller"):
            sizes = zip(uids, folder.column("size", uids))
            return [uid for uid, size in sizes if size is not None and
                    (size > term.size if kind == "larger" else size < term.size)]
        if kind in ("after", "before"):
            assert term.at is not None
            dates = zip(uids, folder.column("date", uids))
            return [uid for uid, at in dates if at is not None and
                    (at >= term.at if kind == "after" else at < term.at)]
        if kind in _COLUMNS:
            return await self._having(folder, term, uids)
        columns, fits = await self._rule(term, folder)
        found: list[int] = []
        for begin in range(0, len(uids), SLICE):
            part = uids[begin:begin + SLICE]
            rows = await folder.digested(part, columns)
            found += [uid for uid in part if uid in rows and fits(rows[uid])]
            await self._work.yield_to_reactor()
        return found

    async def _having(self, folder: IFolder, term: Term, uids: list[int]) -> Iterable[int]:
        """Those of some UIDs that the index of text says."""
        if not term.text or (term.wanted and self._asked):
            return uids
        key = folder.mailbox, folder.name, term.field, term.text
        if key not in self._holding:
            self._holding[key] = await folder.containing(_COLUMNS[term.field], term.text)
        return self._holding[key]

    async def _rule(self, term: Term, folder: IFolder) -> tuple[tuple[str, ...], Callable[[Row], bool]]:
        """The fields of a digest that decide, and how."""
        wanted, kind = term.text, term.field
        if kind == "message-id":
            bare = wanted.strip("<>")
            return ("message_id",), lambda row: fold(row[0]).strip("<>") == bare
        if kind == "filename":
            return ("filenames",), lambda row: any(wanted in fold(one) for one in row[0])
        if kind == "attachment":
            return ("attachments",), lambda row: any(not one.inline for one in row[0])
        if kind == "persona":
            return self._of_persona(wanted, folder)
        if kind == "case":
            return await self._of_case(wanted)
        name = term.name.encode("latin-1", "replace")
        return ("header",), lambda row: any(
            wanted in fold(header_text(raw).partition(":")[2].strip()) for one, raw in fields(row[0]) if one == name)

    def _of_persona(self, wanted: str, folder: IFolder) -> tuple[tuple[str, ...], Callable[[Row], bool]]:
        people = self._people.everyone()
        addresses = {address for one in people if wanted in (one.id, fold(one.name), *one.addresses)
                     for address in one.addresses}
        if folder.mailbox in addresses:
            return ("message_id",), lambda row: True
        return ("from_", "to", "cc"), lambda row: any(
            one.address.lower() in addresses for part in row for one in part)

    async def _of_case(self, wanted: str) -> tuple[tuple[str, ...], Callable[[Row], bool]]:
        case = next((one for one in self._cases.all()
                     if wanted in (fold(one.id), fold(str(one.external_id or "")))), None)
        names = {wanted} if case is None else {fold(case.id), fold(str(case.external_id or case.id))}
        if case is None:
            keys: frozenset[str] = frozenset()
        else:
            if case.id not in self._linked:
                self._linked[case.id] = frozenset(await self._service.linked(case.id))
            keys = self._linked[case.id]

        def fits(row: Row) -> bool:
            if keys and thread_key(_Headed(*row[:3])) in keys:
                return True
            return any(fold(value(raw).strip().decode("utf-8", "replace")) in names
                       for one, raw in fields(row[3]) if one == b"x-service-case")

        return ("message_id", "in_reply_to", "references", "header"), fits


async def together(under_way: Sequence[Deferred[Any]]) -> list[Any]:
    """
    What they answer, in order; None for what is gone meanwhile.

    @raise Exception: as the first that fails otherwise, when all have ended.
    """
    answers = await DeferredList(list(under_way), consumeErrors=True)
    for good, answer in answers:
        if not good and not answer.check(NotFound):
            answer.raiseException()
    return [answer if good else None for good, answer in answers]


def _is_sure(term: Term) -> bool:
    """Whether nothing is left to be looked at behind what folders and the index of text say."""
    return term.field in _KNOWN or (term.field in _COLUMNS and term.wanted)


def _cost(term: Term) -> int:
    if term.field in _KNOWN:
        return 0
    return 2 if term.field in ("text", "case", "header") else 1
