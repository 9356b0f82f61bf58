"""All rows of a universe, read out of Redis and put into it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from simmail.core.records.commit import Commit, EventQuery, JobQuery
from simmail.core.records.event import Event, PersonaTag, Recorded
from simmail.database.stored import STORED, StoredArrival, StoredNumbers, StoredRow
from simmail.errors import Invalid
from tests.contracts.databases import arrival, at, event, job, NINE
from tests.database.running import RedisTestCase


class TransferTests(RedisTestCase):
    """C{dump} and C{load}."""

    async def dumped(self, universe: str) -> list[StoredRow]:
        """All rows, in a sure order where they come in none."""
        rows = [row async for page in self.database.dump(universe) for row in page]
        return sorted(rows, key=lambda row: (
            list(STORED.values()).index(type(row)),
            b"" if isinstance(row, (Recorded, StoredArrival)) else msgspec.json.encode(row)))

    async def filled(self) -> None:
        """A universe with something of all kinds, and events that are gone."""
        for n in range(1200):
            await self.database.commit("main", Commit(once=f"d{n}", events=(event("mail.delivered", n, n=n),)), True)
        await self.database.prune("main", at(10))
        await self.database.commit("main", Commit(
            once="more", puts=(("personas", "per_1", b'{"name":"Zo\xc3\xab"}'), ("odd %t", "a/b", b"[1]")),
            counts=(("counters", "mails", 7),), arrive=(arrival("b.1"), arrival("a.1", 2, "käthe@sim.test")),
            jobs=(job("j1"), job("j2", 5, "done", persona_id="per_1", data={"at": NINE, "octets": b"\xff", "n": [1]})),
            events=(Event("persona.received", at(5000), {
                "persona_id": "per_1", "case_id": "cs_1", "message_id": "<a@b>", "answers": ["<c@d>"], "subject": "ü",
                "score": 0.1}, PersonaTag("per_1", "Zoë", ("z@acme.test",))),)))

    async def test_once_more(self) -> None:
        """By way of lines of JSON all is as it was, and is found by all that it was found by."""
        await self.filled()
        rows = await self.dumped("main")
        lines = [(type(row), msgspec.json.encode(row)) for row in rows]

        async def pages() -> AsyncIterator[Sequence[StoredRow]]:
            for kind in STORED.values():
                yield [msgspec.json.decode(line, type=kind) for one, line in lines if one is kind]

        await self.database.load("shop", pages())
        self.assertEqual(await self.dumped("shop"), rows)
        for query in (EventQuery(limit=5000), EventQuery(message_id="<c@d>"), EventQuery(persona_id="per_1"),
                      EventQuery(case_id="cs_1"), EventQuery(types=("mail.*",), since=at(1000), limit=5000)):
            found = await self.database.events("main", query)
            self.assertTrue(found)
            self.assertEqual(await self.database.events("shop", query), found)
        self.assertEqual(await self.database.jobs("shop", JobQuery()), await self.database.jobs("main", JobQuery()))
        self.assertEqual(await self.database.arrivals("shop"), await self.database.arrivals("main"))
        self.assertEqual(await self.database.table("shop", "odd %t"), {"a/b": b"[1]"})
        self.assertIn("shop", await self.database.universes())
        again = await self.database.commit("shop", Commit(once="more", events=(event(),)))
        self.assertFalse(again.fresh)
        following = await self.database.commit("shop", Commit(events=(event("clock", 6000),)))
        self.assertEqual(following.first, 1202)

    async def test_numbers_go_on(self) -> None:
        """No number that either has used is used again."""
        await self.database.commit("shop", Commit(events=(event(),) * 50))
        await self.database.erase("shop")
        await self.database.load("shop", _pages([_event(3)], [StoredNumbers(3, 1)]))
        self.assertEqual((await self.database.commit("shop", Commit(events=(event(),)))).first, 51)

    async def test_wrong(self) -> None:
        """Numbers that do not ascend, instants without a zone and types that are none are told."""
        for rows, text in (
            ([_event(3), _event(2)], "id: event 2 comes after event 3"),
            ([_event(3, datetime(2026, 3, 1))], "at: event 3 cannot be"),
            ([_event(3, type="no.such")], "type: event 3 cannot be"),
        ):
            error = await self.assertFailure(self.database.load("shop", _pages(rows)), Invalid)
            self.assertEqual(str(error), text)


def _event(number: int, at: datetime = NINE + timedelta(1), type: str = "clock") -> Recorded:
    return Recorded(type, number, at, "simmail", {})


async def _pages(*pages: Any) -> AsyncIterator[Sequence[StoredRow]]:
    for page in pages:
        yield page
