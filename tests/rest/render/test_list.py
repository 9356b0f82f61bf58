"""Lists of messages, kept at hand and never stale."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import CancelledError, Deferred

from simmail.rest.render.list import Listings
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase


class ListingTests(ServedTestCase):
    """What is kept of lists."""

    def setUp(self) -> None:
        """Five messages, and a count of what the index is asked."""
        super().setUp()
        for n in range(1, 6):
            self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": f"s{n}"})
        self.folder = now(self.universe.mailboxes.folder("app@sim.test", "INBOX"))
        self.asked: list[list[int]] = []
        digests = self.folder.digests

        def counted(uids: Any) -> Any:
            self.asked.append(list(uids))
            return digests(uids)

        self.patch(self.folder, "digests", counted)

    def page(self, listings: Listings, limit: int = 100, before: int | None = None) -> list[int]:
        """The UIDs of a page."""
        uids, octets = now(listings.page("main", self.folder, limit, before))
        self.assertEqual(len(uids), len(octets))
        return uids

    def test_asked_once(self) -> None:
        """The index is asked once for each message and each state of its flags."""
        listings = Listings(self.server.reactor)
        self.assertEqual(self.page(listings, 3), [5, 4, 3])
        self.assertEqual(self.page(listings), [5, 4, 3, 2, 1])
        self.assertEqual(self.page(listings), [5, 4, 3, 2, 1])
        self.assertEqual(self.asked, [[5, 4, 3], [2, 1]])
        now(self.folder.flag([4], ["\\Seen"], "+", None))
        self.page(listings)
        self.assertEqual(self.asked[2:], [[4]])

    def test_changes_show(self) -> None:
        """Flags, moves and deletions are seen at once through the API."""
        path = "/api/mailboxes/app@sim.test/messages"
        self.good("GET", path)
        self.good("PATCH", path + "/INBOX/5", {"seen": True})
        self.good("PATCH", path + "/INBOX/3", {"move_to": "Archive"})
        self.good("DELETE", path + "/INBOX/1")
        self.assertEqual([(one["uid"], one["flags"]) for one in self.good("GET", path)],
                         [(5, ["\\Seen"]), (4, []), (2, [])])
        self.assertEqual([one["folder"] for one in self.good("GET", path + "?folder=Archive")], ["Archive"])

    def test_universes_apart(self) -> None:
        """The same mailbox in another universe is another mailbox."""
        other = self.server.universe("other")
        now(other.mailboxes.inject("app@sim.test", "INBOX", b"Subject: private\r\n\r\n"))
        key = now(self.server.roster.create_key("other", "viewer", "x"))
        path = "/api/mailboxes/app@sim.test/messages"
        self.good("GET", path)
        self.assertEqual([one["subject"] for one in self.good("GET", path, role=key)], ["private"])
        self.assertEqual(len(self.good("GET", path)), 5)

    def test_before(self) -> None:
        """A cursor need not be there any more."""
        listings = Listings(self.server.reactor)
        now(self.folder.expunge([3]))
        for before, uids in ((3, [2, 1]), (4, [2, 1]), (0, []), (1, []), (99, [5, 4, 2, 1])):
            self.assertEqual(self.page(listings, before=before), uids)

    def test_at_once(self) -> None:
        """Those who ask for the same at once have it asked of the index once, also when the first of them leaves."""
        listings, waiting = Listings(self.server.reactor), []
        digests = self.folder.digests

        def later(uids: Any) -> Deferred[Any]:
            waiting.append(Deferred().addCallback(lambda _: digests(uids)))
            return waiting[-1]

        self.patch(self.folder, "digests", later)
        asking = [Deferred.fromCoroutine(listings.page("main", self.folder, 3, None)) for _ in range(4)]
        self.assertEqual(len(waiting), 1)
        asking[1].cancel()
        self.failureResultOf(asking.pop(1), CancelledError)
        asking[0].cancel()
        self.failureResultOf(asking.pop(0), CancelledError)
        self.server.reactor.advance(0)
        self.assertEqual((len(waiting), self.asked), (2, []))
        waiting[1].callback(None)
        self.server.reactor.advance(0)
        for one in asking:
            self.assertEqual(self.successResultOf(one)[0], [5, 4, 3])
        self.assertEqual(self.asked, [[5, 4, 3]])

    def test_bounded(self) -> None:
        """No more is kept than the most."""
        listings = Listings(self.server.reactor, 2)
        self.assertEqual(self.page(listings), [5, 4, 3, 2, 1])
        self.assertEqual(len(listings._kept), 2)
