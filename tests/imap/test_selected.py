"""The selected state."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import House


class SharingTests(SynchronousTestCase):
    """What many sessions on one folder have in memory."""

    def test_shared(self) -> None:
        """Sessions that know the same have one list; what one is told changes no other's."""
        house = House()
        for _ in range(3):
            house.deliver()
        clients = [house.signed_in("INBOX") for _ in range(3)]
        lists = [client.protocol.selected.uids for client in clients]
        self.assertTrue(all(one is lists[0] for one in lists))
        house.deliver()
        clients[0].do("a NOOP")
        self.assertEqual(
            [list(client.protocol.selected.uids) for client in clients], [[1, 2, 3, 4], [1, 2, 3], [1, 2, 3]])
        clients[1].do("a NOOP")
        self.assertIs(clients[1].protocol.selected.uids, clients[0].protocol.selected.uids)

    def test_many_vanish(self) -> None:
        """Hundreds that vanish together are told with the right numbers, in time."""
        house = House()
        for _ in range(800):
            house.deliver()
        client = house.signed_in("INBOX")
        house.folder().expunge([uid for uid in house.folder().uids if uid % 3])
        lines = client.do("a NOOP")
        left = list(range(1, 801))
        for line in lines[:-1]:
            del left[int(line.split()[1]) - 1]
        self.assertEqual(left, [uid for uid in range(1, 801) if not uid % 3])
