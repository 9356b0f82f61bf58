"""The live stream of events, at the pace of its reader."""

from __future__ import annotations

import json

from simmail.rest.http.sse import BATCH, PATIENCE, PING
from simmail.testing.universe import now
from tests.rest.api.test_events import EventsTestCase
from tests.rest.client import Connection, request


class Reader:
    """A client that reads a stream."""

    def __init__(self, case: EventsTestCase, path: str = "/api/events/stream", **headers: str) -> None:
        self.connection = Connection(case.site)
        key = {"Authorization": f"Bearer {case.keys['viewer']}"}
        self.connection.send(request("GET", path, headers={**key, **headers}))
        head, _, rest = self.connection.received().partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode().lower()
        self.connection.read -= len(rest)

    def octets(self) -> bytes:
        """What came since the last look, unchunked."""
        data, whole = self.connection.received(), b""
        while data:
            size, _, data = data.partition(b"\r\n")
            length = int(size, 16)
            whole, data = whole + data[:length], data[length + 2:]
        return whole

    def events(self) -> list[dict[str, str]]:
        """The events that came since the last look."""
        found = []
        for block in self.octets().decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
            if fields:
                found.append(fields)
        return found

    def ids(self) -> list[int]:
        """Their numbers."""
        return [int(one["id"]) for one in self.events()]


class StreamTests(EventsTestCase):
    """The live stream."""

    def setUp(self) -> None:
        """What a universe begins with is done; its insights watch as long as it lives."""
        super().setUp()
        self.server.reactor.advance(0)
        self.watchers = len(self.universe.log._watchers)

    def test_live(self) -> None:
        """Events come as they happen, in the form the list has."""
        self.happen("pace")
        reader = Reader(self)
        self.assertEqual(reader.status, 200)
        self.assertIn("content-type: text/event-stream", reader.head)
        self.assertIn("cache-control: no-store", reader.head)
        self.assertEqual(reader.events(), [])
        self.happen("persona.sent", "pace", persona_id="p_1", text="a\nb")
        events = reader.events()
        self.assertEqual([(one["id"], one["event"]) for one in events], [("2", "persona.sent"), ("3", "pace")])
        self.assertEqual([json.loads(one["data"]) for one in events], self.good("GET", "/api/events?after=1"))

    def test_filters(self) -> None:
        """Only what was asked for, live and from the log."""
        self.happen("pace", "persona.sent", persona_id="p_1")
        reader = Reader(self, "/api/events/stream?type=persona.*&persona_id=p_1&after=0")
        self.assertEqual(reader.ids(), [2])
        self.happen("persona.sent", persona_id="p_2")
        self.happen("persona.ignored", "pace", persona_id="p_1")
        self.assertEqual(reader.ids(), [4])
        self.bad(400, "GET", "/api/events/stream?type=odd")

    def test_resume(self) -> None:
        """Behind Last-Event-ID, in header or query, without a gap or a repeat, across pages of the log."""
        self.happen(*["pace"] * (2 * BATCH + 5))
        for path, headers in (("?Last-Event-ID=3", {}), ("", {"Last-Event-ID": "3"}), ("?after=3", {}),
                              ("?Last-Event-ID=99", {"Last-Event-ID": "3"})):
            reader = Reader(self, "/api/events/stream" + path, **headers)
            self.assertEqual(reader.ids(), list(range(4, 2 * BATCH + 6)))
        self.happen("pace")
        self.assertEqual(reader.ids(), [2 * BATCH + 6])
        self.bad(400, "GET", "/api/events/stream?Last-Event-ID=x")

    def test_future(self) -> None:
        """A number that was never given out is as the last one."""
        self.happen("pace")
        reader = Reader(self, "/api/events/stream?after=99")
        self.assertEqual(reader.ids(), [])
        self.happen("pace")
        self.assertEqual(reader.ids(), [2])

    def test_gap(self) -> None:
        """When what was asked for was removed, the stream says so first."""
        self.happen(*["pace"] * 5)
        self.good("POST", "/api/clock/advance", {"by": "10d"})
        now(self.server.database.prune("main", self.universe.clock.now()))
        self.happen("pace")
        remaining = [one["id"] for one in self.good("GET", "/api/events?order=asc")]
        events = Reader(self, "/api/events/stream?after=2").events()
        self.assertEqual((events[0]["event"], json.loads(events[0]["data"])),
                         ("gap", {"after": 2, "next": remaining[0]}))
        self.assertEqual([int(one["id"]) for one in events[1:]], remaining)
        events = Reader(self, f"/api/events/stream?after={remaining[0]}").events()
        self.assertNotIn("gap", [one["event"] for one in events])

    def test_ping(self) -> None:
        """A comment every 15 s keeps the line open."""
        reader = Reader(self)
        reader.octets()
        for _ in range(3):
            self.server.reactor.advance(PING)
            self.assertEqual(reader.octets(), b": ping\n\n")

    def test_slow_reader(self) -> None:
        """For a reader that stops nothing is kept; when it reads again in time it misses nothing."""
        reader = Reader(self)
        reader.octets()
        stream = reader.connection.transport.producer
        stream.pauseProducing()
        self.happen(*["pace"] * 300)
        self.server.reactor.advance(PATIENCE - 1)
        self.assertEqual(reader.octets(), b"")
        stream.resumeProducing()
        self.assertEqual(reader.ids(), list(range(1, 301)))
        self.server.reactor.advance(PATIENCE + 1)
        self.assertFalse(reader.connection.transport.aborted)

    def test_dropped(self) -> None:
        """A reader that stays away is dropped; no timer and no watcher is left behind."""
        timers = len(self.server.reactor.getDelayedCalls())
        reader = Reader(self)
        reader.connection.transport.producer.pauseProducing()
        self.server.reactor.advance(PATIENCE)
        self.assertTrue(reader.connection.transport.aborted)
        reader.connection.close()
        self.assertEqual(len(self.server.reactor.getDelayedCalls()), timers)
        self.happen("pace")

    def test_left(self) -> None:
        """A reader that leaves is forgotten."""
        before = len(self.server.reactor.getDelayedCalls())
        reader = Reader(self)
        reader.connection.close()
        self.assertEqual(len(self.server.reactor.getDelayedCalls()), before)
        self.assertEqual(len(self.universe.log._watchers), self.watchers)

    def test_head(self) -> None:
        """HEAD answers and ends."""
        self.assertEqual(self.ask("HEAD", "/api/events/stream").status, 200)
        self.assertEqual(len(self.universe.log._watchers), self.watchers)

    def test_redis_away(self) -> None:
        """While Redis is away a stream that reads the log waits, and goes on afterwards."""
        self.happen(*["pace"] * 3)
        reader = Reader(self)
        reader.octets()
        reader.connection.transport.producer.pauseProducing()
        self.happen("pace")
        self.server.database.set_healthy(False)
        reader.connection.transport.producer.resumeProducing()
        self.assertEqual(reader.ids(), [])
        self.server.database.set_healthy(True)
        self.server.reactor.advance(1)
        self.assertEqual(reader.ids(), [4])
