"""Message-IDs."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.message_id import message_id
from simmail.core.message.parse import message_ids
from simmail.core.rng import Dice

CLIENTS = ("gmail", "outlook", "apple", "iphone", "android", "plain")


class IdentityTests(SynchronousTestCase):
    """The forms, and that they are one's own."""

    def test_forms(self) -> None:
        """Each client's own form."""
        uuid = r"<[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}@acme\.test>"
        for client, form in (
            ("gmail", r"<CA[\w-]{50}@mail\.gmail\.com>"), ("apple", uuid), ("iphone", uuid), ("android", uuid),
            ("outlook", r"<([A-Z0-9]{3}P\d{3}MB\d{4})[A-Z0-9]{26}@\1\.prod\.outlook\.com>"),
            ("plain", r"<[a-z0-9]{24}@acme\.test>"), ("unknown", r"<[a-z0-9]{24}@acme\.test>"),
        ):
            self.assertRegex(message_id(Dice("main"), client, "maria@acme.test", 1), re.compile(f"^{form}$"))

    def test_repeatable(self) -> None:
        """Seed, sender and number decide; another of any gives another."""
        def one(seed: str, sender: str, n: int) -> str:
            return message_id(Dice(seed), "plain", sender, n)

        self.assertEqual(one("main", "a@b.test", 1), one("main", "a@b.test", 1))
        self.assertEqual(len({one("main", "a@b.test", 1), one("main", "a@b.test", 2), one("main", "c@b.test", 1),
                              one("other", "a@b.test", 1)}), 4)

    def test_unique(self) -> None:
        """Thousands of each client's are all different."""
        for client in CLIENTS:
            self.assertEqual(len({message_id(Dice("main"), client, "a@b.test", n) for n in range(3000)}), 3000)

    @given(st.text(max_size=60), st.sampled_from(CLIENTS))
    @settings(max_examples=150)
    def test_any_sender(self, sender: str, client: str) -> None:
        """Whatever the domain, the id is printable ASCII without blanks and reads back as one."""
        made = message_id(Dice("main"), client, sender, 1)
        self.assertTrue(made.isascii() and made.isprintable() and " " not in made)
        self.assertEqual(message_ids(made), (made,))
