"""Searching: what the index narrows is what looking at every message finds."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap import searching
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

    def found(self, client: Connection, key: str, few: int) -> Any:
        """The answer when so many messages are looked at one by one."""
        with patch.object(searching, "FEW", few):
            return client.do(f"a SEARCH {key}")
