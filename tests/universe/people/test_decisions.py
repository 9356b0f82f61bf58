"""What a persona makes of one mail."""

from __future__ import annotations

from datetime import timedelta

from simmail.core.language import intents, reader
from simmail.core.language.reader import Findings
from simmail.testing.universe import now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


class OneReadingTests(RoadTestCase):
    """A mail is read once."""

    def test_shared(self) -> None:
        """Who decides and who answers take one reading, and weigh it once."""
        weighed, read = list[Findings](), list[Findings]()
        weigh, Reading = intents._scored, reader.Findings

        def weighing(found: Findings, somebody_else: bool) -> object:
            weighed.append(found)
            return weigh(found, somebody_else)

        def reading(*arguments: object) -> Findings:
            read.append(Reading(*arguments))  # type: ignore[arg-type]
            return read[-1]

        self.patch(intents, "_scored", weighing)
        self.patch(reader, "Findings", reading)
        reader._kept.cache_clear()
        for zone in ("Asia/Tokyo", "UTC"):
            address = f"maria@{zone[:2]}.test".lower()
            now(self.universe.people.create(persona(addresses=[address], timing={
                "reply_rate": 1.0, "hours": {"tz": zone, "days": "mon-sun", "from": "00:00", "to": "23:59"}})))
            self.server.send(self.universe, "app@sim.test", address, MAIL.replace(b"one@", zone[:2].encode() + b"@"))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=3)))
        self.assertEqual(len(self.inbox()), 2)
        self.assertEqual(len(read), 2)
        self.assertCountEqual(weighed, read)
