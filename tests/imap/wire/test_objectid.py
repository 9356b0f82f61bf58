"""Object identifiers, across folders and commands."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import Connection, House


def ids(client: Connection, kind: str) -> list[bytes]:
    """The identifiers of all messages of the selected folder."""
    lines = client.do(f"a FETCH 1:* ({kind})")
    return [match[1] for line in lines if (match := re.search(rb"ID \(([A-Za-z0-9_-]{1,255})\)", line))]


class ObjectIdTests(SynchronousTestCase):
    """EMAILID and THREADID (RFC 8474)."""

    def test_email_id(self) -> None:
        """Copies and moved messages keep it; others have others; a search finds it."""
        house = House()
        house.deliver("plain")
        house.deliver("plain")
        client = house.signed_in("INBOX")
        first, second = ids(client, "EMAILID")
        self.assertNotEqual(first, second)
        client.do("b COPY 1 Archive")
        client.do("c MOVE 1 Archive")
        self.assertEqual(client.do(f"d SEARCH EMAILID {second.decode()}")[0], b"* SEARCH 1")
        client.do("e SELECT Archive")
        self.assertEqual(ids(client, "EMAILID"), [first, first])

    def test_thread_id(self) -> None:
        """A conversation has one, whoever writes; a search finds all of it."""
        house = House()
        for name in ("plain", "mixed", "reply", "reply2"):
            house.deliver(name)
        client = house.signed_in("INBOX")
        plain, mixed, reply, reply2 = ids(client, "THREADID")
        self.assertEqual((plain, plain), (reply, reply2))
        self.assertNotEqual(plain, mixed)
        self.assertEqual(client.do(f"d SEARCH THREADID {plain.decode()}")[0], b"* SEARCH 1 3 4")
