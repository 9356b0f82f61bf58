"""The activity log."""

from __future__ import annotations

from typing import Any

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase


class EventsTestCase(ServedTestCase):
    """A universe in which things happen on request."""

    def happen(self, *types: str, **data: Any) -> None:
        """Record one commit of events."""
        now(self.universe.committer.commit(Commit(events=tuple(
            Event(type, self.universe.clock.now(), data or {"n": n}) for n, type in enumerate(types)))))


class ListTests(EventsTestCase):
    """The log."""

    def test_order(self) -> None:
        """Newest first, ascending behind after, or as asked."""
        self.happen(*["pace"] * 5)
        for query, expected in (("", [5, 4, 3, 2, 1]), ("?after=2", [3, 4, 5]), ("?after=2&order=desc", [5, 4, 3]),
                                ("?before=3", [2, 1]), ("?order=asc&limit=2", [1, 2]), ("?limit=2", [5, 4]),
                                ("?after=1&before=4", [2, 3])):
            self.assertEqual([one["id"] for one in self.good("GET", "/api/events" + query, role="viewer")], expected,
                             query)

    def test_pages(self) -> None:
        """The next page of either order is linked."""
        self.happen(*["pace"] * 5)
        for query, expected in (("?limit=2", [5, 4, 3, 2, 1]), ("?limit=2&after=0", [1, 2, 3, 4, 5])):
            seen, path = [], "/api/events" + query
            while path:
                answer = self.ask("GET", path)
                seen += [one["id"] for one in answer.json()]
                link = answer.headers.get("link", "")
                path = link[1:link.index(">")] if link else ""
            self.assertEqual(seen, expected)

    def test_filters(self) -> None:
        """By type (also a prefix), persona, case and time."""
        self.happen("pace", "persona.sent", "persona.ignored", persona_id="p_1")
        self.happen("persona.sent", persona_id="p_2", case_id="c_1")
        self.happen("mail.delivered", message_id="<m@a.test>")
        self.happen("persona.sent", message_id="<n@a.test>", answers=["<m@a.test>"])
        for query, expected in (
            ("type=persona.*", [6, 4, 3, 2]), ("type=pace,persona.ignored", [3, 1]), ("persona_id=p_2", [4]),
            ("case_id=c_1", [4]),
            ("since=2026-03-02T09:00:00Z", [6, 5, 4, 3, 2, 1]), ("since=2026-03-02T09:00:01Z", []),
            ("until=2026-03-02T08:59:59Z", []), ("message_id=%3Cm@a.test%3E", [6, 5]),
        ):
            self.assertEqual([one["id"] for one in self.good("GET", "/api/events?" + query)], expected, query)
        for query, text in (("type=person.sent", "type"), ("since=yesterday", "since"), ("after=x", "after"),
                            ("limit=1001", "limit"), ("order=up", "order"), ("persona=p", "persona: unknown")):
            self.assertIn(text, self.bad(400, "GET", "/api/events?" + query))

    def test_one(self) -> None:
        """One event by its number, in the webhook's form."""
        self.happen("pace", factor=1)
        self.assertEqual(self.good("GET", "/api/events/1", role="viewer"), {
            "type": "pace", "id": 1, "at": "2026-03-02T09:00:00Z", "source": "simmail", "data": {"factor": 1}})
        for number in ("2", "0", "x", "-1", "9" * 30):
            self.bad(404, "GET", "/api/events/" + number)
