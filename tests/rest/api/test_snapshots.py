"""Reset, snapshots and forks, as a client sees them."""

from __future__ import annotations

from typing import Any

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.server import snapshots
from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase


class SnapshotTests(ServedTestCase):
    """A universe that is kept, put back, forked and reset."""

    def setUp(self) -> None:
        """Somebody who answers, a login, a mail on its way."""
        super().setUp()
        self.persona()
        self.good("POST", "/api/accounts", {"address": "app@sim.test", "password": "correct horse"})
        self.write()
        self.keys["root"] = now(self.server.roster.create_key("main", "admin", "root", administrator=True))

    def state(self, key: str = "admin") -> Any:
        """A fingerprint."""
        return self.good("GET", "/api/fingerprint", role=key)["fingerprint"]

    def test_back_and_forth(self) -> None:
        """Kept, changed, put back: the same mail leads to the same; then it is deleted."""
        made = self.good("POST", "/api/snapshots", {"name": "before"}, "member")
        self.assertEqual((made["name"], made["messages"], made["personas"], made["pending_jobs"], made["at"]),
                         ("before", 2, 1, 2, "2026-03-02T09:00:00Z"))
        self.assertEqual(made["fingerprint"], self.state())
        self.assertEqual(self.good("GET", "/api/snapshots", role="viewer"), [made])
        states = []
        for _ in range(2):
            self.write(subject="And then?")
            self.good("POST", "/api/clock/advance", {"by": "1d"})
            states.append(self.state())
            self.assertEqual(self.good("POST", f"/api/snapshots/{made['id']}/restore"), made)
            self.assertEqual(self.state(), made["fingerprint"])
        self.assertEqual(states[0], states[1])
        self.good("DELETE", f"/api/snapshots/{made['id']}")
        self.assertEqual(self.good("GET", "/api/snapshots"), [])

    def test_fork(self) -> None:
        """A fork answers all that gets into it, from a snapshot or from what is there; its key is for it alone."""
        made = self.good("POST", "/api/snapshots", {})
        fork = self.good("POST", f"/api/snapshots/{made['id']}/fork", {"ttl": "1h", "id": "try"})
        self.assertEqual((fork["universe"], fork["fingerprint"], fork["ends"]),
                         ("try", made["fingerprint"], "2026-03-02T10:00:00Z"))
        self.assertEqual(fork["logins"], [{"username": "app@sim.test%try", "address": "app@sim.test"}])
        self.assertEqual(self.state(fork["key"]), made["fingerprint"])
        self.good("POST", "/api/clock/advance", {"by": "1d"}, fork["key"])
        self.assertEqual(self.state(), made["fingerprint"])
        self.write(subject="And then?")
        current = self.good("POST", "/api/snapshots/now/fork", {})
        self.assertEqual(self.state(current["key"]), self.state())
        self.assertEqual(current["fingerprint"], self.state())
        self.assertEqual(len(self.good("GET", "/api/snapshots")), 1)
        self.assertEqual(self.good("GET", "/api/snapshots", role=current["key"]), [])
        self.bad(409, "POST", f"/api/snapshots/{made['id']}/fork", {"id": "try"})
        self.server.reactor.advance(3601)
        self.assertEqual(ask(self.site, "GET", "/api/me", key=fork["key"]).status, 401)

    def test_large(self) -> None:
        """The fingerprint of one that is too large to be read in passing is null; the fork itself tells it."""
        self.patch(snapshots, "FEW_MESSAGES", 1)
        made = self.good("POST", "/api/snapshots", {})
        fork = self.good("POST", f"/api/snapshots/{made['id']}/fork", {})
        self.assertEqual((made["fingerprint"], fork["fingerprint"]), (None, None))
        self.assertEqual(self.state(fork["key"]), self.state())

    def test_reset(self) -> None:
        """What is removed is counted; seed and clock may be others; the fingerprint is that of what is left."""
        self.good("POST", "/api/clock/advance", {"by": "1d"})
        removed = self.good("POST", "/api/reset", {})
        self.assertEqual((removed["messages"], removed["personas"], removed["mailboxes"]), (4, 1, 1))
        self.assertGreater(removed["events"], 5)
        self.assertEqual(removed["fingerprint"], self.state())
        self.assertEqual(self.good("GET", "/api/clock")["now"], "2026-03-02T09:00:00Z")
        self.good("POST", "/api/reset", {"keep": [], "seed": "other", "clock": "2026-07-01T08:00:00Z"})
        self.assertEqual(self.good("GET", "/api/accounts"), [])
        clock = self.good("GET", "/api/clock")
        self.assertEqual((clock["now"], clock["frozen"]), ("2026-07-01T08:00:00Z", True))
        self.good("POST", "/api/reset", {"clock": {"now": "2026-07-01T08:00:00Z", "speed": 60, "frozen": False}})
        self.server.reactor.advance(60)
        self.assertEqual(self.good("GET", "/api/clock")["now"], "2026-07-01T09:00:00Z")
        self.assertEqual(self.good("GET", "/api/admin/universes", role="root")[0]["seed"], "other")

    def test_refused(self) -> None:
        """Roles, what is not there, what cannot be, and the plan's limits; nothing changes."""
        before = self.state()
        for method, path, body, role in (
            ("POST", "/api/reset", {}, "member"), ("POST", "/api/snapshots", {}, "viewer"),
            ("POST", "/api/snapshots/x/restore", None, "member"), ("POST", "/api/snapshots/x/fork", {}, "member"),
            ("DELETE", "/api/snapshots/x", None, "member"),
            ("POST", "/api/admin/universes/main/snapshots", {}, "admin"),
        ):
            self.assertIn("role", self.bad(403, method, path, body, role))
        for method, path in (("POST", "/api/snapshots/x/restore"), ("POST", "/api/snapshots/x/fork"),
                             ("DELETE", "/api/snapshots/x"), ("POST", "/api/snapshots/now/restore")):
            self.bad(404, method, path, {"odd": 1} if path.endswith("fork") else None)
        for body, text in (({"keep": ["mail"]}, "keep"), ({"keep": "all"}, "keep"), ({"clock": "noon"}, "clock"),
                           ({"clock": {"speed": 0}}, "clock.speed"), ({"odd": 1}, "odd"), ({"seed": ""}, "seed"),
                           ({"seed": 7}, "seed")):
            self.assertIn(text, self.bad(400, "POST", "/api/reset", body))
        for body, text in (({"id": "A b"}, "id"), ({"ttl": "soon"}, "ttl"), ({"ttl": "0s"}, "ttl"),
                           ({"seed": ""}, "seed")):
            self.assertIn(text, self.bad(400, "POST", "/api/snapshots/now/fork", body))
        for name in ("x" * 201, "two\nlines"):
            for path in ("/api/snapshots", "/api/snapshots/now/fork"):
                self.assertIn("name", self.bad(400, "POST", path, {"name": name}))
        self.server.plans["self-hosted"] = Plan("self-hosted", limits=Allowances(universes=1, snapshots=0))
        self.assertIn("the plan self-hosted allows 1 universes", self.bad(400, "POST", "/api/snapshots/now/fork", {}))
        self.assertIn("the plan self-hosted allows 0 snapshots", self.bad(400, "POST", "/api/snapshots", {}))
        self.assertEqual(self.good("GET", "/api/plan")["used"]["snapshots"], 0)
        self.assertEqual(self.state(), before)

    def test_of_any_universe(self) -> None:
        """An administrator does the same with a universe that the path names."""
        shop = self.server.universe("shop")
        now(shop.store.create("here@shop.test"))
        path = "/api/admin/universes/shop/snapshots"
        made = self.good("POST", path, {"name": "x"}, "root")
        self.assertEqual(self.good("GET", path, role="root"), [made])
        now(shop.store.create("there@shop.test"))
        fork = self.good("POST", f"{path}/now/fork", {}, "root")
        self.assertEqual(len(self.good("GET", "/api/mailboxes", role=fork["key"])), 2)
        self.good("POST", f"{path}/{made['id']}/restore", role="root")
        self.assertEqual(now(self.server.roster.universe("shop").mailboxes.list())[0].address, "here@shop.test")
        self.assertEqual(self.good("POST", f"{path}/{made['id']}/fork", {"id": "x"}, "root")["universe"], "x")
        for method, one in (("POST", "/api/admin/universes/nope/snapshots"), ("POST", f"{path}/nope/restore"),
                            ("POST", f"{path}/now/restore"), ("POST", "/api/admin/universes/nope/snapshots/now/fork")):
            self.bad(404, method, one, {} if "restore" not in one else None, "root")

    def test_who_waits(self) -> None:
        """A stream and a wait end when another universe is in the place of theirs."""
        made = self.good("POST", "/api/snapshots", {})
        waiting = self.begin("GET", "/api/wait?to=nobody@sim.test&timeout=60s")
        stream = self.begin("GET", "/api/events/stream")
        self.good("POST", f"/api/snapshots/{made['id']}/restore")
        told = waiting.answer()
        self.assertEqual(told.status, 503)
        self.assertIn("ask again", told.error)
        self.assertTrue(stream.received().endswith(b"\r\n0\r\n\r\n"))
