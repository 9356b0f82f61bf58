"""The contract of C{IDatabase}: the one in memory and the one on Redis keep the same promises of each commit."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from random import Random

from zope.interface.verify import verifyObject

from simmail.core.records.commit import Commit, EventQuery, JobQuery
from simmail.core.records.event import Event, PersonaTag, TYPES, matches
from simmail.core.records.job import Job
from simmail.errors import Invalid
from simmail.interfaces import IDatabase
from tests.contracts.databases import (
    Contract, InMemory, KINDS, NINE, OnAnotherRedis, OnCluster, OnRedis, OnSmallPages, STATES, arrival, at, event, job,
    numbers,
)


class CommitContract(Contract):
    """What a commit may hold, and how it is asked for."""

    def test_interface(self) -> None:
        """It provides all of IDatabase."""
        verifyObject(IDatabase, self.database)
        self.assertTrue(self.database.healthy)

    async def test_nothing_yet(self) -> None:
        """A universe nobody wrote to is empty, in every answer."""
        db = self.database
        self.assertEqual(await db.table("main", "personas"), {})
        self.assertEqual(await db.get("main", "personas", ["a", "b"]), [None, None])
        self.assertEqual(await db.get("main", "personas", []), [])
        self.assertEqual(await db.events("main", EventQuery()), [])
        self.assertEqual(await db.events("main", EventQuery(persona_id="x", since=NINE, until=NINE)), [])
        self.assertEqual(await db.last_event("main"), 0)
        self.assertEqual(await db.pending("main"), [])
        self.assertEqual(await db.jobs("main", JobQuery()), [])
        self.assertIsNone(await db.job("main", "job_1"))
        self.assertEqual(await db.arrivals("main"), [])
        self.assertEqual(await db.seen("main", ["a"]), set())
        self.assertEqual(await db.seen("main", []), set())
        self.assertIs(await db.retire("main", ["a"], 1), False)
        self.assertIs(await db.retire("main", [], 0), False)
        self.assertEqual(await db.prune("main", NINE), (0, 0))
        self.assertIsNone(await db.erase("main"))
        self.assertEqual(await db.universes(), [])

    async def test_empty_commit(self) -> None:
        """A commit of nothing is fresh and has no event."""
        done = await self.commit()
        self.assertEqual((done.fresh, done.first, done.counts), (True, 0, ()))

    async def test_documents(self) -> None:
        """Documents are kept byte for byte, replaced, dropped, and told in the order asked."""
        octets = bytes(range(256)) * 3
        await self.commit(puts=(("personas", "a", octets), ("personas", "b", b""), ("settings", "a", b"s")))
        self.assertEqual(await self.database.table("main", "personas"), {"a": octets, "b": b""})
        self.assertEqual(await self.database.get("main", "personas", ["b", "x", "a"]), [b"", None, octets])
        await self.commit(puts=(("personas", "a", b"new"),), drops=(("personas", "b"), ("personas", "none")))
        self.assertEqual(await self.database.table("main", "personas"), {"a": b"new"})
        self.assertEqual(await self.database.table("main", "settings"), {"a": b"s"})

    async def test_drops_before_puts(self) -> None:
        """A document that one commit drops and puts is there."""
        await self.commit(puts=(("t", "k", b"1"),))
        await self.commit(puts=(("t", "k", b"2"),), drops=(("t", "k"),))
        self.assertEqual(await self.database.get("main", "t", ["k"]), [b"2"])

    async def test_large(self) -> None:
        """A document of megabytes and a table of thousands come back whole."""
        big = Random(1).randbytes(3_000_000)
        await self.commit(puts=(("files", "big", big),))
        self.assertEqual(await self.database.get("main", "files", ["big"]), [big])
        rows = {f"key-{i}": b"value %d" % i for i in range(3000)}
        await self.commit(puts=tuple(("many", key, value) for key, value in rows.items()))
        self.assertEqual(await self.database.table("main", "many"), rows)
        self.assertEqual(await self.database.get("main", "many", list(rows)), list(rows.values()))

    async def test_long_rows(self) -> None:
        """Events and jobs that are long come all, however many answers that takes."""
        text = "x" * 300_000
        for i in range(20):
            await self.commit(
                events=(event(persona_id="p", text=text, i=i),), jobs=(job(f"j{i:02}", i, data={"text": text}),),
            )
        for query in ({}, {"persona_id": "p"}):
            up = await self.bodies(**query)
            self.assertEqual([body["data"]["i"] for body in up], list(range(20)))
            down = await self.bodies(**query, descending=True, limit=19)
            self.assertEqual([body["data"]["i"] for body in down], list(range(19, 0, -1)))
        self.assertEqual([one.id for one in await self.database.pending("main")], [f"j{i:02}" for i in range(20)])

    async def test_counts(self) -> None:
        """Counts answer their new values, in order, and read as digits."""
        done = await self.commit(counts=(("n", "a", 1), ("n", "b", 5), ("n", "a", 2)))
        self.assertEqual(done.counts, (1, 5, 3))
        done = await self.commit(counts=(("n", "a", -10), ("n", "big", 10**15)))
        self.assertEqual(done.counts, (-7, 10**15))
        self.assertEqual(await self.database.table("main", "n"), {"a": b"-7", "b": b"5", "big": b"1000000000000000"})

    async def test_count_of_a_document(self) -> None:
        """Adding to what is no integer fails, and changes nothing."""
        await self.commit(puts=(("t", "k", b"text"),))
        failure = None
        try:
            await self.commit(counts=(("t", "k", 1),), puts=(("t", "other", b"1"),), events=(event(),), once="o")
        except Exception as error:
            failure = error
        self.assertIsNotNone(failure)
        self.assertEqual(await self.database.table("main", "t"), {"k": b"text"})
        self.assertEqual(await self.database.last_event("main"), 0)
        self.assertEqual(await self.database.seen("main", ["o"]), set())

    async def test_once(self) -> None:
        """A second commit of the same id changes nothing and answers what the first did."""
        first = await self.commit(once="d1", counts=(("n", "k", 4),), events=(event(), event()))
        self.assertEqual((first.fresh, first.first, first.counts), (True, 1, (4,)))
        await self.commit(counts=(("n", "k", 1),), events=(event(),))
        again = await self.commit(
            once="d1", counts=(("n", "k", 4),), events=(event(), event()), puts=(("t", "k", b""),),
            jobs=(job("j"),), arrive=(arrival("d1.1"),),
        )
        self.assertEqual((again.fresh, again.first, again.counts), (False, 1, (4,)))
        self.assertEqual(await self.database.last_event("main"), 3)
        self.assertEqual(await self.database.table("main", "n"), {"k": b"5"})
        self.assertEqual(await self.database.table("main", "t"), {})
        self.assertEqual(await self.database.pending("main"), [])
        self.assertEqual(await self.database.arrivals("main"), [])

    async def test_once_is_of_one_universe(self) -> None:
        """The same id in another universe is another commit."""
        await self.commit("main", once="d1")
        self.assertTrue((await self.commit("other", once="d1")).fresh)

    async def test_seen_and_retired(self) -> None:
        """What was committed is seen, and answered as at first, until the second retirement after it."""
        done = [await self.commit(once=id, events=(event(),)) for id in ("d1", "d2", "d3")]
        ids = ["d1", "x", "d3", "d2", "d4"]
        self.assertEqual(await self.database.seen("main", ids), {"d1", "d2", "d3"})
        # Too few.
        self.assertIs(await self.database.retire("main", [], 4), False)
        self.assertIs(await self.database.retire("main", [], 3), True)
        self.assertIs(await self.database.retire("main", [], 1), False)
        await self.commit(once="d4")
        self.assertEqual(await self.database.seen("main", ids), {"d1", "d2", "d3", "d4"})
        again = await self.commit(once="d3", events=(event(),))
        self.assertEqual((again.fresh, again.first), (False, done[2].first))
        # What is kept is kept as often as it is said.
        self.assertIs(await self.database.retire("main", ["d2", "d4", "x"], 1), True)
        self.assertEqual(await self.database.seen("main", ids), {"d2", "d4"})
        self.assertTrue((await self.commit(once="d1")).fresh)
        self.assertIs(await self.database.retire("main", ["d2"], 1), True)
        self.assertEqual(await self.database.seen("main", ids), {"d1", "d2"})
        self.assertFalse((await self.commit(once="d2")).fresh)

    async def test_retired_and_whole(self) -> None:
        """Of a copy, and of a universe that is erased, older outcomes are a part too; another's stay."""
        for universe in ("main", "other"):
            await self.commit(universe, once="d1")
            await self.database.retire(universe, [], 1)
            await self.commit(universe, once="d2")
        await self.database.copy("main", "copy")
        await self.database.erase("main")
        self.assertEqual(await self.database.seen("main", ["d1", "d2"]), set())
        for universe in ("copy", "other"):
            self.assertEqual(await self.database.seen(universe, ["d1", "d2"]), {"d1", "d2"})

    async def test_event_numbers(self) -> None:
        """Numbers have no gaps, are of their universe, and begin with 1."""
        self.assertEqual((await self.commit(events=(event(), event()))).first, 1)
        self.assertEqual((await self.commit("other", events=(event(),))).first, 1)
        self.assertEqual((await self.commit(events=(event(),))).first, 3)
        self.assertEqual(await self.database.last_event("main"), 3)
        self.assertEqual(await self.numbers(), [1, 2, 3])

    async def test_commits_without_waiting(self) -> None:
        """Commits are done in the order they were made, though none is waited for."""
        waiting = [
            self.database.commit("main", Commit(once=f"d{i}", events=(event(minutes=i),), counts=(("n", "k", 1),)))
            for i in range(200)
        ]
        done = [await one for one in waiting]
        self.assertEqual([one.first for one in done], list(range(1, 201)))
        self.assertEqual([one.counts for one in done], [(i,) for i in range(1, 201)])

    async def test_body(self) -> None:
        """An event reads as the body of the contract, octet for octet."""
        tag = PersonaTag("per_1", "María", ("maria@acme.test",), {"crm": "7"})
        data = {"persona_id": "per_1", "persona": "María", "case_id": "c1", "to": ["a@b.test"], "n": 1.5, "none": None}
        await self.commit(events=(Event("persona.sent", NINE + timedelta(microseconds=120000), data, tag),))
        [body] = await self.database.events("main", EventQuery())
        self.assertEqual(body.decode(), (
            '{"type":"persona.sent","id":1,"at":"2026-03-01T09:00:00.120000Z","source":"simmail","data":'
            '{"persona_id":"per_1","persona":"María","case_id":"c1","to":["a@b.test"],"n":1.5,"none":null},"persona":'
            '{"id":"per_1","name":"María","addresses":["maria@acme.test"],"external_ids":{"crm":"7"}},"case_id":"c1"}'
        ))

    async def test_plain_body(self) -> None:
        """Without persona and case neither field is there; any offset is told as UTC."""
        east = timezone(timedelta(hours=2))
        await self.commit(events=(Event("clock", NINE.astimezone(east), {"case_id": ""}),))
        self.assertEqual(await self.database.events("main", EventQuery()), [
            b'{"type":"clock","id":1,"at":"2026-03-01T09:00:00Z","source":"simmail","data":{"case_id":""}}'
        ])

    async def test_half_a_character(self) -> None:
        """Half a surrogate pair in a mail's text does not keep its event, job or arrival from being recorded."""
        await self.commit(
            events=(event(text="a\ud800b", rows=[{"\udc00": "x"}]),), jobs=(job("j", plan="\ud800!"),),
            arrive=(arrival("a", sender="\ud800"),),
        )
        [body] = await self.bodies()
        self.assertEqual(body["data"], {"text": "a?b", "rows": [{"?": "x"}]})
        self.assertEqual([(one.plan, one.due) for one in await self.database.pending("main")], [("?!", NINE)])
        self.assertEqual([(one.sender, one.at) for one in await self.database.arrivals("main")], [("?", NINE)])

    async def test_unknown_type(self) -> None:
        """An event of a type that is not in the list is refused, and nothing of its commit is done."""
        waiting = self.database.commit("main", Commit(events=(event("no.such"),), puts=(("t", "k", b""),)))
        with self.assertRaises(ValueError):
            await waiting
        self.assertEqual(await self.database.table("main", "t"), {})

    async def test_at_never_falls(self) -> None:
        """An event recorded late gets the instant of the one before it."""
        await self.commit(events=(event(minutes=5), event(minutes=3), event(minutes=6)))
        await self.commit(events=(event(minutes=0),))
        await self.commit("other", events=(event(minutes=0),))
        self.assertEqual([body["at"][14:16] for body in await self.bodies()], ["05", "05", "06", "06"])
        self.assertEqual([body["at"][14:16] for body in await self.bodies("other")], ["00"])
        await self.database.prune("main", at(60))
        await self.commit(events=(event(minutes=1),))
        self.assertEqual([body["at"][14:16] for body in await self.bodies()], ["06"])

    async def test_far_instants(self) -> None:
        """Instants of any year are kept to the microsecond, in order."""
        last = datetime(2026, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc)
        years = [last.replace(year=year) for year in (1, 1969, 2026, 2300, 9999)]
        await self.commit(events=tuple(Event("clock", when, {}) for when in years))
        self.assertEqual([body["at"] for body in await self.bodies()], [
            f"{when.year:04}-12-31T23:59:59.999999Z" for when in years
        ])
        self.assertEqual(await self.numbers(since=years[3]), [4, 5])
        self.assertEqual(await self.numbers(until=years[3] - timedelta(microseconds=1)), [1, 2, 3])
        await self.commit(jobs=tuple(
            Job(f"j{i}", "reply", "pending", NINE, years[4] - timedelta(microseconds=i)) for i in range(4)
        ))
        self.assertEqual([one.id for one in await self.database.pending("main")], ["j3", "j2", "j1", "j0"])

    async def test_bounds(self) -> None:
        """After and before leave out their number; since and until take in their instant."""
        await self.commit(events=tuple(event(minutes=i // 2) for i in range(10)))
        self.assertEqual(await self.numbers(after=7), [8, 9, 10])
        self.assertEqual(await self.numbers(before=3), [1, 2])
        self.assertEqual(await self.numbers(after=0, before=100, limit=3), [1, 2, 3])
        self.assertEqual(await self.numbers(descending=True, limit=3), [10, 9, 8])
        self.assertEqual(await self.numbers(descending=True, before=3), [2, 1])
        self.assertEqual(await self.numbers(since=at(1), until=at(2)), [3, 4, 5, 6])
        self.assertEqual(await self.numbers(since=at(4.5)), [])
        self.assertEqual(await self.numbers(until=at(-1)), [])
        self.assertEqual(await self.numbers(since=at(0.5), until=at(1)), [3, 4])
        self.assertEqual(await self.numbers(after=10), [])
        self.assertEqual(await self.numbers(after=5, before=6), [])
        self.assertEqual(await self.numbers(limit=0), [])

    async def test_filters(self) -> None:
        """Types, prefixes, persona and case narrow together."""
        await self.commit(events=(
            event("mail.delivered"),
            event("persona.received", persona_id="p1", case_id="c1"),
            event("persona.sent", persona_id="p1"),
            event("persona.sent", persona_id="p2", case_id="c1"),
            event("job.done", persona_id="p1", case_id="c1"),
            event("mail.delivered"),
        ))
        self.assertEqual(await self.numbers(types=("mail.delivered",)), [1, 6])
        self.assertEqual(await self.numbers(types=("persona.*",)), [2, 3, 4])
        self.assertEqual(await self.numbers(types=("persona.*", "mail.delivered", "persona.sent")), [1, 2, 3, 4, 6])
        self.assertEqual(await self.numbers(types=("*",)), [1, 2, 3, 4, 5, 6])
        self.assertEqual(await self.numbers(types=("nothing", "no.*")), [])
        self.assertEqual(await self.numbers(persona_id="p1"), [2, 3, 5])
        self.assertEqual(await self.numbers(persona_id="p1", case_id="c1"), [2, 5])
        self.assertEqual(await self.numbers(persona_id="p1", case_id="c1", types=("job.*",)), [5])
        self.assertEqual(await self.numbers(case_id="c1", descending=True, limit=2), [5, 4])
        self.assertEqual(await self.numbers(persona_id="p3"), [])

    async def test_mail(self) -> None:
        """What tells of one mail, as its own or as what is answered, also after the oldest is gone."""
        for n in range(2):
            await self.commit(events=(
                event("mail.delivered", n, message_id="<m>"), event("mail.delivered", n, message_id="<o>"),
                event("persona.received", n, persona_id="p1", message_id="<m>"),
                event("persona.sent", n, persona_id="p1", message_id="<a>", answers=["<m>", "<o>"]),
                event("persona.ignored", n, persona_id="p2", message_id="<m>"),
            ))
        self.assertEqual(await self.numbers(message_id="<m>"), [1, 3, 4, 5, 6, 8, 9, 10])
        self.assertEqual(await self.numbers(message_id="<m>", descending=True, before=9, limit=3), [8, 6, 5])
        self.assertEqual(await self.numbers(message_id="<m>", persona_id="p1", types=("persona.*",)), [3, 4, 8, 9])
        self.assertEqual(await self.numbers(message_id="<a>", after=4), [9])
        self.assertEqual(await self.numbers(message_id="m"), [])
        await self.database.prune("main", at(0.5))
        self.assertEqual(await self.numbers(message_id="<o>"), [7, 9])
        await self.database.copy("main", "other")
        self.assertEqual(await self.database.events("other", EventQuery(message_id="<o>")),
                         await self.database.events("main", EventQuery(message_id="<o>")))
        await self.database.erase("main")
        await self.commit(events=(event("mail.delivered", message_id="<o>"),))
        self.assertEqual(await self.numbers(message_id="<o>"), [11])

    async def test_any_query(self) -> None:
        """Whatever is asked, the answer is what a walk over all events gives."""
        random = Random(20260301)
        kept = []
        for start in range(0, 300, 30):
            events = tuple(
                event(
                    random.choice(TYPES[:6] + ("persona.sent", "persona.received")), (start + i) // 7,
                    **({"persona_id": f"p{random.randrange(4)}"} if random.random() < 0.7 else {}),
                    **({"case_id": f"c{random.randrange(3)}"} if random.random() < 0.5 else {}),
                    **({"message_id": f"<{random.randrange(9)}@\ud800>"} if random.random() < 0.5 else {}),
                    **({"answers": [f"<{n}@\ud800>" for n in random.sample(range(9), 2)]}
                       if random.random() < 0.3 else {}),
                ) for i in range(30)
            )
            await self.commit(events=events)
            kept += events
        await self.database.prune("main", at(3))
        for _ in range(250):
            query = EventQuery(
                after=random.choice((None, None, 0, random.randrange(300))),
                before=random.choice((None, None, random.randrange(310))),
                types=random.choice(((), (), ("persona.sent",), ("persona.*", "clock"), (TYPES[0], "auth.*"))),
                persona_id=random.choice((None, None, "p0", "p3", "p9")),
                case_id=random.choice((None, None, "c0", "c2")),
                message_id=random.choice((None, None, "<0@\ud800>", "<8@\ud800>", "<9@\ud800>")),
                since=random.choice((None, at(random.randrange(45)))),
                until=random.choice((None, at(random.randrange(45)))),
                descending=random.random() < 0.5, limit=random.choice((1, 5, 1000)),
            )
            expected = [
                number for number, one in enumerate(kept, 1)
                if one.at >= at(3)
                and (query.after is None or number > query.after) and (query.before is None or number < query.before)
                and matches(query.types, one.type)
                and query.persona_id in (None, one.persona_id) and query.case_id in (None, one.case_id)
                and (query.message_id is None or query.message_id in one.message_ids)
                and (query.since is None or one.at >= query.since) and (query.until is None or one.at <= query.until)
            ]
            expected = (expected[::-1] if query.descending else expected)[:query.limit]
            self.assertEqual(numbers(await self.database.events("main", query)), expected, repr(query))

    async def test_jobs_kept_whole(self) -> None:
        """A job comes back as it was committed, data and all."""
        one = job(
            "job_1", 1.5, "failed", "link", persona_id="p1", case_id="c1", message_id="<m@x>", plan="Writes.",
            note="why", attempts=3, thread="<t@x>", data={"a": [1, {"b": b"\0\xff"}], "at": NINE},
        )
        await self.commit(jobs=(one,))
        self.assertEqual(await self.database.job("main", "job_1"), one)
        self.assertEqual(await self.database.jobs("main", JobQuery()), [one])
        self.assertIsNone(await self.database.job("main", "job_2"))
        self.assertIsNone(await self.database.job("other", "job_1"))

    async def test_pending(self) -> None:
        """Pending and running jobs come in (due, id) order; others not at all."""
        await self.commit(jobs=(
            job("b", 5), job("c", 5, "running"), job("a", 5), job("z", 1), job("y", 0, "done"), job("x", 9, "skipped"),
        ))
        self.assertEqual([one.id for one in await self.database.pending("main")], ["z", "a", "b", "c"])

    async def test_job_rewritten(self) -> None:
        """A job written again is found where it is now, and nowhere else."""
        await self.commit(jobs=(job("j", 5, persona_id="p1", case_id="c1"), job("k", 6)))
        await self.commit(jobs=(job("j", 7, "running", "link", persona_id="p2"),))
        self.assertEqual([one.id for one in await self.database.pending("main")], ["k", "j"])
        for query in (JobQuery(persona_id="p1"), JobQuery(case_id="c1"), JobQuery(kind="reply", persona_id="p2")):
            self.assertEqual(await self.database.jobs("main", query), [])
        await self.commit(jobs=(job("j", 7, "done", "link", persona_id="p2"),))
        self.assertEqual([one.id for one in await self.database.pending("main")], ["k"])
        [one] = await self.database.jobs("main", JobQuery(state="done", persona_id="p2"))
        self.assertEqual((one.id, one.due), ("j", at(7)))
        await self.commit(drop_jobs=("j", "none"))
        self.assertEqual([one.id for one in await self.database.jobs("main", JobQuery())], ["k"])
        self.assertIsNone(await self.database.job("main", "j"))

    async def test_any_job_query(self) -> None:
        """Whatever is asked of jobs, the answer is what a walk over all jobs gives, page by page."""
        random = Random(7)
        kept = [
            job(
                f"job_{random.getrandbits(40):010x}", random.randrange(20), random.choice(STATES), random.choice(KINDS),
                persona_id=random.choice((None, "p1", "p2")), case_id=random.choice((None, "c1", "c2")),
            ) for _ in range(150)
        ]
        await self.commit(jobs=tuple(kept))
        kept.sort(key=lambda one: (one.due, one.id))
        for _ in range(120):
            query = JobQuery(
                state=random.choice((None, *STATES)), kind=random.choice((None, *KINDS)),
                persona_id=random.choice((None, None, "p1", "p2", "p3")), case_id=random.choice((None, None, "c1")),
                after=random.choice((None, random.choice(kept).id)), limit=random.choice((1, 4, 1000)),
            )
            after = next((i + 1 for i, one in enumerate(kept) if one.id == query.after), 0)
            expected = [
                one.id for one in kept[after:]
                if query.state in (None, one.state) and query.kind in (None, one.kind)
                and query.persona_id in (None, one.persona_id) and query.case_id in (None, one.case_id)
            ][:query.limit]
            self.assertEqual([one.id for one in await self.database.jobs("main", query)], expected, repr(query))

    async def test_jobs_after_nothing(self) -> None:
        """To go on after a job that is not there is refused, naming the field."""
        waiting = self.database.jobs("main", JobQuery(after="gone"))
        with self.assertRaises(Invalid) as raised:
            await waiting
        self.assertEqual(raised.exception.field, "after")
        self.assertEqual(await self.database.jobs("main", JobQuery(limit=0)), [])

    async def test_arrivals(self) -> None:
        """Arrivals wait in the order committed, until decided about."""
        await self.commit(arrive=(arrival("d9.1", 1), arrival("d9.2", 2)))
        await self.commit(arrive=(arrival("d1.1", 3),))
        await self.commit(arrive=(arrival("d9.2", 4), arrival("d5.1", 5)))
        self.assertEqual(
            [(one.id, one.copy.uid) for one in await self.database.arrivals("main")],
            [("d9.1", 1), ("d9.2", 2), ("d1.1", 3), ("d5.1", 5)],
        )
        await self.commit(leave=("d9.1", "d1.1", "none"), arrive=(arrival("d7.1", 6),))
        self.assertEqual([one.id for one in await self.database.arrivals("main")], ["d9.2", "d5.1", "d7.1"])
        self.assertEqual((await self.database.arrivals("main"))[0], arrival("d9.2", 2))


class MemoryTests(InMemory, CommitContract):
    """The contract, in memory."""

    def test_at_once(self) -> None:
        """Its Deferreds have fired when they are returned."""
        self.successResultOf(self.database.commit("main", Commit(events=(event(),))))
        self.assertEqual(len(self.successResultOf(self.database.events("main", EventQuery()))), 1)

    def test_back_again(self) -> None:
        """After an absence all is there again, and listeners are told of changes only."""
        heard: list[bool] = []
        end = self.database.on_health(heard.append)
        self.successResultOf(self.database.commit("main", Commit(puts=(("t", "k", b"1"),))))
        self.database.set_healthy(False)
        self.database.set_healthy(False)
        self.database.set_healthy(True)
        self.assertEqual(heard, [False, True])
        end()
        self.database.set_healthy(False)
        self.database.set_healthy(True)
        self.assertEqual(heard, [False, True])
        self.assertEqual(self.successResultOf(self.database.get("main", "t", ["k"])), [b"1"])


class RedisTests(OnRedis, CommitContract):
    """The contract, on a private Redis."""


class SmallPagesTests(OnSmallPages, CommitContract):
    """The contract again, in many pages and slices."""


class OtherRedisTests(OnAnotherRedis, CommitContract):
    """The contract on another Redis."""


class ClusterTests(OnCluster, CommitContract):
    """The contract on a cluster."""
