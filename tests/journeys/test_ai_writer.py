"""A model that words mail: a service killed while it thinks, and a conversation again without it."""

from __future__ import annotations

import contextlib
from threading import Thread
from typing import Any
from urllib.parse import quote

from tests.journeys.model import Model
from tests.journeys.running import JourneyCase, Service, message, until

NINE = "2026-03-02T09:00:00Z"
APP = "app@shop.test"
TEXTS = (
    "Hi,\r\n\r\nhow many chairs do you need, and when can we deliver them?\r\n\r\nDana",
    "Hi,\r\n\r\nwhich address shall we deliver them to? Could you confirm it by Friday?\r\n\r\nDana",
    "Hi,\r\n\r\nthank you. May I send the invoice to you as well?\r\n\r\nDana",
)


class WriterTests(JourneyCase):
    """From outside."""

    def model(self) -> Model:
        """A model, closed at the end."""
        made = Model()
        self.addCleanup(made.close)
        return made

    def lab(self, ai: dict[str, Any], people: int = 1) -> tuple[Service, str]:
        """A service whose writer is on in a frozen universe with people who always answer, and its key."""
        service = self.service({"ai": ai})
        service.start()
        key = service.universe("lab", NINE, seed="words")
        service.good("PUT", "/api/ai", {"mode": "on"}, key=key)
        for n in range(people):
            service.good("POST", "/api/personas", {
                "name": f"Maria {n}", "addresses": [f"maria{n}@acme.test"], "temperament": "responsive",
                "style": {"links": "never"}, "timing": {"reply_rate": 1}}, key=key)
        return service, key

    def mail(self, service: Service, text: str, nth: int, n: int = 0) -> None:
        """A mail of the application."""
        with service.smtp() as session:
            to = f"maria{n}@acme.test"
            session.sendmail(APP, [to], message(
                APP, to, f"Chairs {nth}", text, Message_ID=f"<{nth}.{n}@shop.test>",
                Date="Mon, 02 Mar 2026 09:00:00 +0000"))

    def used(self, service: Service, key: str) -> int:
        """Credits that are used up."""
        return int(service.good("GET", "/api/plan", key=key)["used"]["ai_credits"])

    def test_killed_while_asked(self) -> None:
        """Killed while a model thinks about three mails: each is sent once, and each question is counted once."""
        model = self.model()
        service, key = self.lab({"base_url": model.base_url, "model": "tiny"}, people=3)
        until(lambda: service.good("GET", "/api/ai", key=key)["level"] == "schema")
        model.free.clear()
        for n in range(3):
            self.mail(service, TEXTS[0], 0, n)

        def move() -> None:
            with contextlib.suppress(OSError):
                service.call("POST", "/api/clock/advance", {"by": "5d"}, key=key)

        moving = Thread(target=move, daemon=True)
        moving.start()
        until(lambda: len(model.letters) == 3)
        self.assertEqual(service.events("persona.sent", key), [])
        service.kill()
        moving.join(10)
        model.free.set()
        service.start()
        self.assertEqual(self.used(service, key), 3)
        service.good("POST", "/api/clock/advance", {"by": "5d"}, key=key)
        replies = [one["data"] for one in service.events("persona.sent", key) if one["data"]["kind"] == "reply"]
        self.assertEqual(sorted(one["persona"] for one in replies), ["Maria 0", "Maria 1", "Maria 2"])
        self.assertEqual({one["by"] for one in replies}, {"tiny"})
        self.assertEqual(self.used(service, key), len(model.letters))

    def conversation(self, service: Service, key: str) -> list[str]:
        """What came back for three mails, octet for octet, and whose words it is."""
        for nth, text in enumerate(TEXTS):
            self.mail(service, text, nth)
            service.good("POST", "/api/clock/advance", {"until": "idle"}, key=key)
        box = f"/api/mailboxes/{quote(APP)}"
        listed = service.good("GET", f"{box}/messages", key=key)
        raws = [service.get(f"{box}/messages/{one['folder']}/{one['uid']}/raw", key=key).body.decode()
                for one in listed]
        return raws + [one["data"]["by"] for one in service.events("persona.sent", key)]

    def test_again_offline(self) -> None:
        """A recorded conversation is the same octet for octet with nobody to ask, and costs nothing."""
        model, folder = self.model(), str(self.folder() / "answers")
        service, key = self.lab({"base_url": model.base_url, "model": "tiny", "record": folder})
        first = self.conversation(service, key)
        asked = len(model.letters)
        self.assertGreaterEqual(asked, 3)
        self.assertEqual(self.used(service, key), asked)
        self.assertIn("tiny", first)
        service.kill()
        model.close()
        again, key = self.lab({"model": "tiny", "replay": folder})
        self.assertEqual(again.good("GET", "/api/ai", key=key)["level"], "replay")
        self.assertEqual(self.conversation(again, key), first)
        self.assertEqual((len(model.letters), self.used(again, key)), (asked, 0))
