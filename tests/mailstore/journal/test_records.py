"""What the journal says, encoded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Delivery, DeliveryPart, Placement, ReplacedMessage
from simmail.mailstore.journal.records import (
    DEPARTED, Departure, Destination, FILED, FiledAt, Id, SETTLED, decode_departures, decode_described, decode_filed,
    decode_ids, delivery_of, describe, record,
)

INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
PLACEMENTS = st.lists(st.builds(Placement, st.text(max_size=20), st.text(max_size=20), st.lists(
    st.text(max_size=9), max_size=2).map(tuple)), max_size=3).map(tuple)
DELIVERIES = st.builds(
    Delivery, st.text(max_size=20), st.text(max_size=9), PLACEMENTS, st.binary(max_size=30), INSTANTS,
    st.binary(max_size=20), st.lists(st.builds(DeliveryPart, st.integers(0, 2**40), INSTANTS), max_size=2).map(tuple),
    st.none() | st.builds(ReplacedMessage, st.text(max_size=9), st.text(max_size=9), st.integers(1, 2**32 - 1),
                          st.text(max_size=20)), st.none() | INSTANTS)


class RecordTests(SynchronousTestCase):
    """Records there and back."""

    @given(DELIVERIES)
    def test_delivery(self, delivery: Delivery) -> None:
        """A delivery is the same again, its octets apart."""
        described = describe(delivery)
        self.assertEqual(delivery_of(decode_described(described), delivery.octets), delivery)

    def test_octets_apart(self) -> None:
        """The description has nothing of the message."""
        delivery = Delivery("d", "main", (), b"the message" * 100, datetime(2026, 3, 1, tzinfo=UTC))
        self.assertNotIn(b"message", describe(delivery))

    def test_short(self) -> None:
        """What an earlier version wrote, without what came since, can be read."""
        whole = msgspec.msgpack.decode(describe(Delivery("d", "main", (), b"", datetime(2026, 3, 1, tzinfo=UTC))))
        found = decode_described(msgspec.msgpack.encode(whole[:5]))
        self.assertEqual((found.id, found.parts, found.replaces, found.saved), ("d", (), None, None))

    @given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=5))
    def test_ids(self, pairs: list[tuple[str, str]]) -> None:
        """Deliveries by universe and id."""
        kind, description, octets = record(SETTLED, [Id(*pair) for pair in pairs])
        self.assertEqual((kind, decode_ids(description), octets), (SETTLED, [Id(*pair) for pair in pairs], b""))

    def test_places(self) -> None:
        """Where messages are, and where they went."""
        filed = [FiledAt("main", "d", ((1, 7), (2**32 - 1, 8)))]
        self.assertEqual(decode_filed(record(FILED, filed)[1]), filed)
        for to in (None, Destination("a@b", "Sent", 9, (4,))):
            departures = [Departure("main", "a@b", "INBOX", 7, (3,), to)]
            self.assertEqual(decode_departures(record(DEPARTED, departures)[1]), departures)

    def test_instants(self) -> None:
        """An instant is kept to the microsecond."""
        later = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(microseconds=1)
        delivery = Delivery("d", "main", (), b"", later)
        self.assertEqual(decode_described(describe(delivery)).at, later)
