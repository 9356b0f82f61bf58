"""A month in a frozen universe: 200 mails to 50 people, and the same again elsewhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from tests.journeys.running import JourneyCase, Service, command, message

NINE = "2026-03-02T09:00:00Z"
APP = "app@shop.test"

TEMPERAMENTS = ("responsive", "busy", "procedural", "skeptical", "flaky", "difficult", "ghost")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "Australia/Sydney")

TEXTS = (
    ("Invoice INV-{n}", "Hello,\r\n\r\ninvoice INV-{n} over EUR {n}.50 was due last week. When will you pay it?"),
    ("Meeting", "Hi,\r\n\r\ncould we meet on Thursday at 14:00 or on Friday at 10:30 to talk about offer {n}?"),
    ("Newsletter {n}", "Our news of the week: there are now {n} colours."),
    ("Contract {n}", "Dear colleague,\r\n\r\nplease send me the signed contract {n} by next Friday."),
)


class MonthTests(JourneyCase):
    """Time is the universe's own."""

    def month(self, service: Service) -> dict[str, Any]:
        """Make the universe, send the mails, let a month pass; answers what there is then."""
        service.start()
        made = command("admin", "universes", "create", "lab", "--clock", NINE, "--state", str(service.state))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        key = made.stdout.strip()
        clock = service.good("GET", "/api/clock", key=key)
        self.assertEqual((clock["now"], clock["frozen"]), (NINE, True))
        for n in range(50):
            service.good("POST", "/api/personas", {
                "name": f"Person {n}", "addresses": [f"person{n}@acme{n % 3}.test"],
                "temperament": TEMPERAMENTS[n % 7],
                "timing": {"hours": {"tz": ZONES[n % 5], "days": "mon-fri", "from": "09:00", "to": "17:30"}},
            }, key=key)
        with service.smtp() as session:
            for n in range(200):
                to = f"person{n * 7 % 50}@acme{n * 7 % 50 % 3}.test"
                subject, text = TEXTS[n % 4]
                # Every other mail leaves the Message-ID to the service, as many programs do.
                own = {"Message_ID": f"<{n}@shop.test>"} if n % 2 else {}
                session.sendmail(APP, [to], message(APP, to, subject.format(n=n), text.format(n=n), **own))
        advanced = service.good("POST", "/api/clock/advance", {"by": "30d"}, key=key)
        return {
            "advanced": advanced,
            "clock": service.good("GET", "/api/clock", key=key),
            "fingerprint": service.good("GET", "/api/fingerprint", key=key),
            "inbox": service.good("GET", f"/api/mailboxes/{APP}/messages?limit=1000", key=key)[::-1],
            "sent": service.events("persona.sent", key),
            "done": service.events("job.done", key),
            "jobs": service.good("GET", "/api/jobs?limit=1000&state=done", key=key),
        }

    def test_twice(self) -> None:
        """Replies come in due order, each dated at its due time; the same seed and mails give the same universe."""
        self.twice("rules")

    def test_twice_with_model(self) -> None:
        """The same where a language model is asked what mails mean."""
        self.twice("model")

    def twice(self, reader: str) -> None:
        """Two universes, compared in everything."""
        services = [self.service({"people": {"reader": reader}}) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            one, other = pool.map(self.month, services)

        self.assertEqual(one["advanced"]["stopped_by"], "to")
        self.assertEqual(one["clock"]["now"], "2026-04-01T09:00:00Z")
        inbox = one["inbox"]
        self.assertGreater(len(inbox), 60)

        # In due order: as they were filed, as they were recorded, as they are dated.
        dates = [parsedate_to_datetime(read["date"]) if "," in read["date"] else moment(read["date"]) for read in inbox]
        self.assertEqual(dates, sorted(dates))
        to_app = [event for event in one["sent"] if event["data"]["to"] == [APP]]
        self.assertEqual([event["data"]["message_id"] for event in to_app], [read["message_id"] for read in inbox])
        self.assertEqual([second(event["at"]) for event in to_app], dates)
        due = {job["id"]: moment(job["due"]) for job in one["jobs"]}
        self.assertEqual(len(due), len(one["done"]))
        self.assertEqual([due[event["data"]["id"]] for event in one["done"]],
                         [moment(event["at"]) for event in one["done"]])

        # Again elsewhere.
        # (In-Reply-To names the application's own Message-IDs, which differ where the service gave them.)
        for field in ("message_id", "date", "subject", "text"):
            self.assertEqual([read[field] for read in inbox], [read[field] for read in other["inbox"]], field)
        self.assertEqual(one["fingerprint"], other["fingerprint"])
        self.assertEqual(one["fingerprint"]["fingerprint"], other["fingerprint"]["fingerprint"])


def moment(text: str) -> datetime:
    """An instant of the API."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def second(text: str) -> datetime:
    """An instant as mail dates it: to the second."""
    exact = moment(text)
    return exact - timedelta(microseconds=exact.microsecond)
