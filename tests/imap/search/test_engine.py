"""Searching: what the index narrows is what looking at every message finds."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.search import engine
from tests.imap.play import Connection, House

WORDS = ["red", "Blue", "grün", "=?", "acme", "Müller <a", "x y", "%", "_"]
HEADERS = st.sampled_from([
    "Subject: Red blue", "Subject: =?utf-8?q?gr=C3=BCn?=", "From: Müller <a@acme.test>", "From: red@acme.test",
    "To: =?utf-8?q?M=C3=BCller?= <a@acme.test>", "X-Note: x\r\n y", "X-Note: =?utf-8?q?red?=", "X-Note: 100%_",
    "Cc: \"x \\\"y\\\"\" <red@b>"])
KEYS = st.builds(
    lambda key, word: key + ' "' + word.replace('"', '\\"') + '"',
    st.sampled_from(["SUBJECT", "FROM", "TO", "CC", "BODY", "TEXT", "HEADER X-Note", "HEADER Subject", "BCC"]),
    st.sampled_from([*WORDS, ""]))


class NarrowTests(SynchronousTestCase):
    """With the index and without."""

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.lists(HEADERS, max_size=3), st.sampled_from(WORDS)), min_size=1, max_size=5),
           st.lists(KEYS, min_size=1, max_size=4))
    def test_same(self, messages: list[tuple[list[str], str]], keys: list[str]) -> None:
        """Any messages, any key: the answers are the same."""
        house = House()
        for headers, text in messages:
            house.file("\r\n".join([*headers, "", text, ""]).encode())
        client = house.signed_in("INBOX")
        for key in keys:
            self.assertEqual(self.found(client, key, 0), self.found(client, key, 100), key)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.lists(HEADERS, max_size=3), st.sampled_from(WORDS)), min_size=1, max_size=5),
           st.lists(st.tuples(st.sampled_from(["", "NOT "]), KEYS).map("".join), min_size=2, max_size=6),
           st.sampled_from([0, 8 << 20]))
    def test_together(self, messages: list[tuple[list[str], str]], keys: list[str], octets: int) -> None:
        """Keys of one search share what was read, as far as there is room, and are each asked for."""
        house = House()
        for headers, text in messages:
            house.file("\r\n".join([*headers, "", text, ""]).encode())
        client = house.signed_in("INBOX")
        each = [self.numbers(self.found(client, key, 100)) for key in keys]
        with patch.object(engine, "OCTETS", octets):
            together = self.numbers(self.found(client, " ".join([*keys, *keys]), 0))
        self.assertEqual(together, set.intersection(*each), keys)

    def test_equal_as_tuples(self) -> None:
        """Keys that only look alike are different keys."""
        house = House()
        house.file(b"Subject: Seen\r\n\r\nSeen\r\n")
        client = house.signed_in("INBOX")
        client.do("a STORE 1 -FLAGS (Seen)")
        self.assertEqual(self.numbers(client.do("a SEARCH BODY Seen KEYWORD Seen")), set())

    def test_bounded(self) -> None:
        """A search that would take minutes is given up; one that has few keys never."""
        house = House()
        for n in range(20):
            house.file(b"Subject: =?utf-8?q?n%d?=\r\n\r\nx\r\n" % n)
        client = house.signed_in("INBOX")
        for few in (0, 100):
            with patch.object(engine, "MOST", 20 * 40), patch.object(engine, "FEW", few):
                self.assertIn(b"a OK", client.do("a SEARCH " + " ".join(f"NOT TEXT w{n}" for n in range(2)))[-1])
                self.assertIn(b"a NO [LIMIT]", client.do("a SEARCH " + " ".join(
                    f"NOT TEXT w{n}" for n in range(100)))[-1])
                # What finds nothing more is not looked for.
                self.assertIn(b"a OK", client.do("a SEARCH " + " ".join(f"TEXT w{n}" for n in range(100)))[-1])
        self.assertIn(b"a OK", client.do("a SEARCH " + " ".join(f"NOT TEXT w{n}" for n in range(1000)))[-1])

    def numbers(self, said: Any) -> set[int]:
        """The numbers of an answer."""
        return {int(word) for line in said if line.startswith(b"* SEARCH") for word in line.split()[2:]}

    def found(self, client: Connection, key: str, few: int) -> Any:
        """The answer when so many messages are looked at one by one."""
        with patch.object(engine, "FEW", few):
            return client.do(f"a SEARCH {key}")
