"""SORT of many messages."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import House


class ManyTests(SynchronousTestCase):
    """Many messages, several keys."""

    def test_same_as_sorted(self) -> None:
        """The order is that of sorting everything at once: later keys first, numbers last."""
        draw = Random(1)
        house = House()
        facts: dict[int, tuple[str, str, int]] = {}
        for uid in range(1, 1301):
            subject, author = f"s{draw.randrange(30):02d}", f"u{draw.randrange(9)}"
            octets = f"Subject: {subject}\r\nFrom: {author}@x.y\r\n\r\n{'x' * draw.randrange(99)}".encode()
            facts[uid] = subject, author, len(octets)
            house.file(octets)
        client = house.signed_in("INBOX")
        for criteria, key, reverse in (
            ("SUBJECT", 0, False), ("REVERSE SUBJECT", 0, True), ("FROM", 1, False), ("REVERSE SIZE", 2, True),
        ):
            expected = sorted(facts, key=lambda uid: facts[uid][key], reverse=reverse)
            found = client.do(f"a SORT ({criteria}) UTF-8 ALL")[0].split()[2:]
            self.assertEqual([int(number) for number in found], expected, criteria)
        expected = sorted(facts, key=lambda uid: (facts[uid][1], -facts[uid][2]))
        found = client.do("a UID SORT (FROM REVERSE SIZE) UTF-8 ALL")[0].split()[2:]
        self.assertEqual([int(number) for number in found], expected)
