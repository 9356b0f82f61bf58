"""Deliveries and arrivals survive a crash: they encode, and read back as they were."""

from __future__ import annotations

from datetime import datetime, timezone

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import (
    Arrival, Copy, Delivery, DeliveryPart, Placement, ReplacedMessage, SPECIAL_FOLDERS,
)

NOW = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


class DeliveryTests(SynchronousTestCase):
    """Values on their way."""

    @given(st.binary(max_size=200), st.lists(st.sampled_from(["\\Seen", "work", "$Junk"])).map(tuple))
    def test_round_trip(self, octets: bytes, flags: tuple[str, ...]) -> None:
        """A delivery of any octets."""
        one = Delivery(
            "d1", "main", (Placement("a@b.test", "INBOX", flags), Placement("a@b.test", "Sent")), octets, NOW, b"x",
            (DeliveryPart(len(octets), NOW),), ReplacedMessage("a@b.test", "Drafts", 7, "cur/1"), NOW)
        self.assertEqual(msgspec.msgpack.decode(msgspec.msgpack.encode(one), type=Delivery), one)

    def test_arrival(self) -> None:
        """An arrival with its score and what its sender asked for."""
        one = Arrival("d1.0", "a@b.test", "p_1", "x@y.test", NOW, Copy("a@b.test", "INBOX", 3, 1), "reply",
                      {"score": 1.5, "threshold": None, "why": ""}, {"notify": ["SUCCESS"]})
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(one), type=Arrival), one)

    def test_special_folders(self) -> None:
        """INBOX comes first and has no special use (RFC 6154); the others have one each."""
        self.assertEqual(SPECIAL_FOLDERS[0], ("INBOX", ""))
        uses = [use for _, use in SPECIAL_FOLDERS[1:]]
        self.assertEqual(len(set(uses)), len(uses))
        self.assertTrue(all(use.startswith("\\") for use in uses))
