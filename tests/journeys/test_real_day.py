"""The same mail on another real day: a universe has one clock, and it is not that of the programs around it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

from tests.journeys.running import JourneyCase, Service, message

NINE = "2026-03-02T09:00:00Z"
APP = "app@shop.test"

#: Two days on which a test may run, in the zone of the program.
ZONE = timezone(timedelta(hours=1))
DAYS = (datetime(2026, 3, 2, 10, 0, tzinfo=ZONE), datetime(2031, 11, 21, 23, 41, 7, tzinfo=ZONE))

TEMPERAMENTS = ("responsive", "busy", "procedural", "skeptical", "flaky", "difficult", "ghost")
CLIENTS = ("gmail", "outlook", "apple", "iphone", "android", "plain")

TEXTS = (
    ("Call {n}", "Hi,\r\n\r\ncould we talk tomorrow at 10:00 CET, or on Thursday at 14:00?\r\n\r\nSam"),
    ("Offer {n}", "Hello,\r\n\r\nplease send me the signed offer {n} by Friday.\r\n\r\nSam"),
    ("Plans {n}", "Hi,\r\n\r\nI will send you the plans in two weeks. Is the 10th of next month early enough?"),
    ("Invoice INV-{n}", "Hello,\r\n\r\ninvoice INV-{n} over EUR {n}.50 was due last Tuesday. When will you pay it?"),
    ("Termin {n}", "Hallo,\r\n\r\npasst dir morgen um 15:00 Uhr oder am Mittwoch um 9:30 Uhr?\r\n\r\nSam"),
)


class RealDayTests(JourneyCase):
    """C{Date} counts for its offset alone."""

    def universe(self, service: Service, day: datetime) -> tuple[list[bytes], dict[str, Any]]:
        """Have 200 mails dated on a real day answered; what came back, octet for octet, and the fingerprint."""
        service.start()
        key = service.universe("lab", NINE)
        for n in range(24):
            service.good("POST", "/api/personas", {
                "name": f"Person {n}", "addresses": [f"person{n}@acme.test"], "temperament": TEMPERAMENTS[n % 7],
                "style": {"client": CLIENTS[n % 6]}, "behaviors": {"cc_someone": 0.2, "double_reply": 0.2},
                "timing": {"reply_rate": 0.9, "hours": {
                    "tz": "America/New_York", "days": "mon-fri", "from": "09:00", "to": "17:30"}},
            }, key=key)
        with service.smtp() as session:
            for n in range(200):
                to, (subject, text) = f"person{n * 7 % 24}@acme.test", TEXTS[n % 5]
                # Every other mail leaves the Message-ID to the service.
                own = {"Message_ID": f"<{n}@shop.test>"} if n % 2 else {}
                session.sendmail(APP, [to], message(
                    APP, to, subject.format(n=n), text.format(n=n),
                    Date=format_datetime(day + timedelta(seconds=n)), **own))
        service.good("POST", "/api/clock/advance", {"by": "30d"}, key=key)
        box = f"/api/mailboxes/{APP}/messages"
        raw = [service.get(f"{box}/INBOX/{one['uid']}/raw", key=key).body
               for one in service.good("GET", f"{box}?limit=1000", key=key)[::-1]]
        return raw, service.good("GET", "/api/fingerprint", key=key)

    def test_another_day(self) -> None:
        """The answers are the same octet for octet, and so is the fingerprint."""
        with ThreadPoolExecutor(2) as pool:
            (one, first), (other, second) = pool.map(self.universe, [self.service(), self.service()], DAYS)
        self.assertGreater(len(one), 150)
        for n, (answer, again) in enumerate(zip(one, other)):
            self.assertEqual(answer.decode(), again.decode(), n)
        self.assertEqual(len(one), len(other))
        self.assertEqual(first, second)
