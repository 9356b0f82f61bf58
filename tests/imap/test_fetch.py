"""FETCH of many messages."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import Connection, House

_ROW = re.compile(rb"\* (\d+) FETCH \(UID (\d+)")


class ManyTests(SynchronousTestCase):
    """Large folders, in slices."""

    def setUp(self) -> None:
        """A folder of several slices, and a session on it."""
        self.house = House()
        for number in range(700):
            self.house.deliver("plain" if number % 3 else "other")
        self.client = self.house.signed_in("INBOX")

    def rows(self, client: Connection, command: str) -> list[tuple[int, int]]:
        """(number, UID) of each row of an answer."""
        client.send(command.encode() + b"\r\n")
        answer = client.taken()
        self.assertRegex(answer, rb"\r\na (OK|NO)[^\r\n]*\r\n\Z")
        return [(int(number), int(uid)) for number, uid in _ROW.findall(answer)]

    def test_whole(self) -> None:
        """Every message comes once, in order, under its own number, kept or read."""
        expected = [(number, number) for number in range(1, 701)]
        for items in ("(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)", "(UID BODY.PEEK[HEADER])"):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)

    def test_scattered(self) -> None:
        """Single messages and ranges side by side."""
        wanted = [*range(1, 100, 2), *range(120, 400), *range(450, 700, 5)]
        text = ",".join(map(str, wanted))
        for items in ("(UID FLAGS)", "(UID BODYSTRUCTURE)", "(UID RFC822.HEADER BODY.PEEK[])"):
            self.assertEqual(self.rows(self.client, f"a UID FETCH {text} {items}"), [(one, one) for one in wanted])

    def test_gone(self) -> None:
        """What vanished and was not told keeps its number free; the others keep theirs."""
        doomed = [3, *range(200, 260), 699]
        self.house.folder().expunge(doomed)
        expected = [(number, number) for number in range(1, 701) if number not in doomed]
        for items in ("(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)"):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)
        self.client.do("b NOOP")
        expected = [(at, uid) for at, (_, uid) in enumerate(expected, 1)]
        for items in ("(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)"):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)

    def test_seen(self) -> None:
        """Reading all of them marks all of them, and tells each once."""
        self.house.folder().flag(range(1, 351), ["\\Seen"], "+")
        self.client.do("b NOOP")
        self.client.send(b"a FETCH 1:* BODY[TEXT]<0.1>\r\n")
        self.assertEqual(self.client.taken().count(b"FLAGS (\\Recent \\Seen)"), 350)
        self.assertEqual(self.house.folder().unseen(), [])
