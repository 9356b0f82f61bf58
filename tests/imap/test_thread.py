"""Threads: the algorithm of RFC 5256 section 3 on rows."""

from __future__ import annotations

from array import array
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.digesting import base_subject
from simmail.imap.thread import Node, Row, by_references, by_subject, shown


async def breathe() -> None:
    """Nobody else is here."""


def row(uid: int, message_id: str, *references: str, subject: str = "", at: float | None = None) -> Row:
    """A message; its date is its UID unless given."""
    subject = subject or f"subject of {uid}"
    return (uid, float(uid) if at is None else at,
            (None, base_subject(subject), subject, message_id, references, ""))


def result(coroutine: Any) -> list[Node]:
    """What a coroutine that never waits returns."""
    found: list[Any] = []
    Deferred.fromCoroutine(coroutine).addBoth(found.append)
    if not isinstance(found[0], list):
        found[0].raiseException()
    nodes: list[Node] = found[0]
    return nodes


def text(roots: list[Node]) -> bytes:
    """As a client sees it."""
    selected: Any = SimpleNamespace(uids=array("I"))
    return b"".join(shown(root, selected, True) for root in roots)


def uids(roots: list[Node]) -> list[int]:
    """Every UID that is in there."""
    waiting, found = list(roots), []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children)
        if node.uid:
            found.append(node.uid)
    return sorted(found)


class ReferencesTests(SynchronousTestCase):
    """THREAD=REFERENCES."""

    def expect(self, rows: list[Row], expected: bytes) -> None:
        """Rows make these conversations."""
        self.assertEqual(text(result(by_references(rows, breathe))), expected)

    def test_chain(self) -> None:
        """A chain is a row; a fork is parenthesised."""
        self.expect([row(1, "a"), row(2, "b", "a"), row(3, "c", "a", "b")], b"(1 2 3)")
        self.expect([row(1, "a"), row(2, "b", "a"), row(3, "c", "a")], b"(1 (2)(3))")

    def test_missing(self) -> None:
        """Children of a message that is not here stand side by side; an only child stands alone."""
        self.expect([row(1, "a", "x"), row(2, "b", "x")], b"((1)(2))")
        self.expect([row(1, "a", "x")], b"(1)")
        self.expect([row(1, "a", "x", "y"), row(2, "b", "x", "y", "z")], b"((1)(2))")

    def test_circle(self) -> None:
        """Messages that refer to one another in a circle lose nobody."""
        rows = [row(1, "a", "c"), row(2, "b", "a"), row(3, "c", "b")]
        self.assertEqual(uids(result(by_references(rows, breathe))), [1, 2, 3])

    def test_same_id(self) -> None:
        """A Message-ID used twice makes two messages."""
        self.expect([row(1, "a"), row(2, "a"), row(3, "b", "a")], b"(1 3)(2)")

    def test_no_id(self) -> None:
        """Messages without any Message-ID are by themselves."""
        self.expect([row(1, ""), row(2, "")], b"(1)(2)")

    def test_subjects(self) -> None:
        """Conversations with one base subject are joined: a reply below, equals side by side."""
        self.expect([row(1, "a", subject="hello"), row(2, "b", subject="Re: hello")], b"(1 2)")
        self.expect([row(1, "a", subject="hello"), row(2, "b", subject="hello"), row(3, "c", subject="hello")],
                    b"((1)(2)(3))")
        self.expect([row(1, "a", subject="Re: hello"), row(2, "b", subject="hello")], b"(2 1)")

    def test_order(self) -> None:
        """Siblings and conversations are ordered by date, not by number."""
        self.expect([row(1, "a"), row(2, "b", "a", at=9.0), row(3, "c", "a")], b"(1 (3)(2))")
        self.expect([row(1, "a", at=9.0), row(2, "b")], b"(2)(1)")

    def test_large(self) -> None:
        """Chains and pairs by the ten thousand take seconds at most, and nothing recurses."""
        start = perf_counter()
        count = 50_000
        chain = [row(1, "1")] + [row(n, str(n), str(n - 1)) for n in range(2, count)]
        self.assertTrue(text(result(by_references(chain, breathe))).startswith(b"(1 2 3 "))
        pairs = [row(n, str(n), subject=f"s{n // 2}") for n in range(2, count)]
        self.assertEqual(len(uids(result(by_references(pairs, breathe)))), count - 2)
        self.assertLess(perf_counter() - start, 20)

    @given(st.lists(st.tuples(st.sampled_from("abcde"), st.lists(st.sampled_from("abcdefg"), max_size=4),
                              st.sampled_from(["x", "Re: x", "y", "Re: y", "[Fwd: y]"])), max_size=12))
    def test_any(self, messages: list[tuple[str, list[str], str]]) -> None:
        """Whatever refers to whatever, every message is there once."""
        rows = [row(uid, message_id, *references, subject=subject)
                for uid, (message_id, references, subject) in enumerate(messages, 1)]
        for algorithm in (by_references, by_subject):
            roots = result(algorithm(rows, breathe))
            self.assertEqual(uids(roots), list(range(1, len(messages) + 1)))
            shown = text(roots)
            self.assertEqual(shown.count(b"("), shown.count(b")"))


class SubjectTests(SynchronousTestCase):
    """THREAD=ORDEREDSUBJECT."""

    def test_groups(self) -> None:
        """The first of a subject is the root, all others its children, by date."""
        rows = [row(1, "a", subject="b"), row(2, "b", subject="a"), row(3, "c", subject="Re: B"),
                row(4, "d", subject="b", at=2.5)]
        self.assertEqual(text(result(by_subject(rows, breathe))), b"(1 (4)(3))(2)")
