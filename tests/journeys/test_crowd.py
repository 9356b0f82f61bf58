"""Five hundred who ask for one thing at once: each is answered, and everything is alive afterwards."""

from __future__ import annotations

import asyncio
from collections import Counter

from tests.journeys.crowd import Crowd, Told
from tests.journeys.running import LOGIN, JourneyCase, Service

COUNT = 500

ROOM = {
    "http": {"rate": 0, "connections": 4 * COUNT},
    "imap": {"connections": 4 * COUNT, "connections_per_address": 4 * COUNT},
}


class CrowdTests(JourneyCase):
    """Far more at once than a stack has frames for."""

    def crowd(self) -> tuple[Service, Crowd]:
        """A service and those who come to it."""
        service = self.service(ROOM)
        service.start()
        return service, Crowd(service, COUNT)

    def alive(self, service: Service) -> None:
        """Folder, clock and lists do what they did before, and nothing is held."""
        with service.imap() as session:
            self.assertEqual(session.store("1", "+FLAGS", "(\\Flagged)")[0], "OK")
        service.good("POST", "/api/clock/advance", {"by": "1h"})
        service.good("GET", f"/api/mailboxes/{LOGIN}/messages")
        self.assertEqual(service.get("/readyz").json()["warnings"], [])
        self.assertEqual(service.stop(), 0)

    def all_got(self, told: Told, answer: str) -> None:
        """Each was answered so."""
        self.assertEqual(told.answers, Counter({answer: COUNT}))

    def test_imap(self) -> None:
        """Sessions that sign in, idle, select, store, copy and expunge in one folder."""
        service, crowd = self.crowd()

        async def journey() -> None:
            self.all_got(await crowd.enter(), "OK")
            for number in range(3):
                await asyncio.to_thread(crowd.send, LOGIN, f"mail {number}")
            self.all_got(await crowd.command("SELECT INBOX"), "OK")
            for number in range(2):
                told = await crowd.idle(f"while idle {number}")
                self.all_got(told, "OK")
                self.assertLess(told.seconds, 2.0)
            for line in ("UID STORE 1:* +FLAGS (\\Seen)", "UID STORE 1:* FLAGS (\\Answered)", "UID COPY 1 Archive",
                         "STATUS INBOX (MESSAGES UNSEEN)", "UID STORE 1:2 +FLAGS.SILENT (\\Deleted)", "EXPUNGE",
                         "NOOP", "CLOSE", "SELECT INBOX"):
                self.all_got(await crowd.command(line), "OK")
            crowd.leave()

        asyncio.run(journey())
        with service.imap("Archive") as session:
            self.assertEqual(session.search(None, "ALL")[1][0].split()[-1], str(COUNT).encode())
        self.alive(service)

    def test_http(self) -> None:
        """Calls that list, change, delete and wait, with a clock to be moved and without."""
        service, crowd = self.crowd()
        service.good("PUT", "/api/clock", {"frozen": True})
        messages = f"/api/mailboxes/{LOGIN}/messages"

        async def journey() -> None:
            for number in range(3):
                await asyncio.to_thread(crowd.send, LOGIN, f"mail {number}")
            self.all_got(await crowd.call("GET", messages), "200")
            self.all_got(await crowd.call("PATCH", f"{messages}/INBOX/1", {"seen": True}), "200")
            self.assertEqual((await crowd.call("DELETE", f"{messages}/INBOX/1")).answers,
                             Counter({"200": 1, "404": COUNT - 1}))
            await asyncio.to_thread(crowd.send, "maria@acme.test", "Lunch on Friday?")
            waits = await asyncio.gather(
                crowd.call("GET", "/api/wait?to=else@app.test&advance=1&timeout=5s"),
                crowd.call("GET", "/api/wait/reply?persona=maria@acme.test&advance=1&timeout=5s"))
            for told in waits:
                self.all_got(told, "200")
            self.all_got(await crowd.call("POST", "/api/clock/advance", {"by": "1m"}), "200")

        asyncio.run(journey())
        self.alive(service)
