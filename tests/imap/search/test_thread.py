"""Threads: the algorithm of RFC 5256 section 3 on rows."""

from __future__ import annotations

from array import array
from random import Random
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.base_subject import base_subject, is_reply
from simmail.imap.search import thread
from simmail.imap.search.thread import Node, Slices, ThreadMessage, by_references, by_subject, related, shown
from tests.core.hostile import seconds
from tests.imap.play import Connection, House, now


async def yield_to_reactor() -> None:
    """Nobody else is here."""


def row(
    uid: int, message_id: str, *references: str, subject: str | None = None, at: int | None = None,
) -> ThreadMessage:
    """A message; its date is its UID unless given."""
    subject = f"subject of {uid}" if subject is None else subject
    base = base_subject(subject)
    return ThreadMessage(
        uid, uid if at is None else at, base.casefold(), is_reply(subject), message_id, references)


def returned(coroutine: Any) -> Any:
    """What a coroutine that never waits returns."""
    found: list[Any] = []
    Deferred.fromCoroutine(coroutine).addBoth(found.append)
    if isinstance(found[0], Failure):
        found[0].raiseException()
    return found[0]


def result(coroutine: Any) -> list[Node]:
    """Conversations that a coroutine finds, by their places."""
    found: dict[int, Node] = returned(coroutine)
    return [found[place] for place in sorted(found)]


def sliced(rows: list[ThreadMessage], *names: str) -> Slices:
    """Rows as the index keeps them, two at a time."""
    return [([row.uid for row in some], [[getattr(row, name) for row in some] for name in names])
            for some in (rows[at:at + 2] for at in range(0, len(rows), 2))][::-1]


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

    def expect(self, rows: list[ThreadMessage], expected: bytes) -> None:
        """Rows make these conversations."""
        self.assertEqual(text(result(by_references(rows, yield_to_reactor))), expected)

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
        self.assertEqual(uids(result(by_references(rows, yield_to_reactor))), [1, 2, 3])

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
        self.expect([row(1, "a"), row(2, "b", "a", at=9), row(3, "c", "a")], b"(1 (3)(2))")
        self.expect([row(1, "a", at=9), row(2, "b")], b"(2)(1)")

    def test_large(self) -> None:
        """Chains and pairs by the ten thousand take seconds at most, and nothing recurses."""
        def threaded() -> None:
            count = 50_000
            chain = [row(1, "1")] + [row(n, str(n), str(n - 1)) for n in range(2, count)]
            self.assertTrue(text(result(by_references(chain, yield_to_reactor))).startswith(b"(1 2 3 "))
            pairs = [row(n, str(n), subject=f"s{n // 2}") for n in range(2, count)]
            self.assertEqual(len(uids(result(by_references(pairs, yield_to_reactor)))), count - 2)

        self.assertLess(seconds(threaded), 20)

    def test_own_parent_wins(self) -> None:
        """What a message says of its parent counts more than what others say; without a parent it has none."""
        self.assertEqual(text(result(by_references(
            [row(1, "a"), row(2, "b"), row(3, "x", "a", "c"), row(4, "c", "b")], yield_to_reactor))), b"(1)(2 4 3)")
        self.assertEqual(text(result(by_references(
            [row(1, "a"), row(2, "x", "a", "c"), row(3, "c")], yield_to_reactor))), b"(1)(3 2)")

    def test_circle_of_others(self) -> None:
        """A parent that would close a circle is none; the one that others gave goes all the same (step 1 B)."""
        # The first says that c is below b; c says that it is below d, which is below c already.
        rows = [row(1, "b"), row(2, "x", "b", "c"), row(3, "d", "c"), row(4, "c", "d")]
        self.assertEqual(text(result(by_references(rows, yield_to_reactor))), b"(1)(4 (2)(3))")

    def test_many_broken(self) -> None:
        """Tens of thousands that lose the place others gave them take seconds at most."""
        def threaded() -> None:
            count = 20_000
            rows = [row(n, f"r{n}", "top", f"m{n}") for n in range(1, count)]
            rows += [row(count + n, f"m{n}", "other") for n in range(1, count)]
            self.assertEqual(len(uids(result(by_references(rows, yield_to_reactor)))), 2 * count - 2)

        self.assertLess(seconds(threaded), 10)

    @given(st.lists(st.tuples(st.sampled_from("abcdehijk"), st.lists(st.sampled_from("abcdefg"), max_size=4),
                              st.sampled_from(["x", "Re: x", "y", "Re: y", "[Fwd: y]", "", "Re: "])), max_size=12),
           st.randoms(use_true_random=False))
    def test_any(self, messages: list[tuple[str, list[str], str]], draw: Random) -> None:
        """Whatever refers to whatever, every message is there once; those looked at alone would have been alone."""
        dates = draw.sample(range(len(messages)), len(messages))
        rows = [row(uid, message_id, *references, subject=subject, at=at)
                for (uid, (message_id, references, subject)), at in zip(enumerate(messages, 1), dates)]
        places = {one.uid: one.at for one in rows}
        some = returned(related(
            sliced(rows, "subject", "is_reply", "message_id", "chain"), places, yield_to_reactor))
        parted = {place: text([root]) for place, root in returned(by_references(some, yield_to_reactor)).items()}
        parted.update({one.at: b"(%d)" % one.uid for one in rows if one not in some})
        roots = result(by_references(rows, yield_to_reactor))
        self.assertEqual(text(roots), b"".join(parted[place] for place in sorted(parted)))
        for one in (roots, result(by_subject(sliced(rows, "subject"), places, yield_to_reactor))):
            self.assertEqual(uids(one), list(range(1, len(messages) + 1)))
            shown = text(one)
            self.assertEqual(shown.count(b"("), shown.count(b")"))


class KeptTests(SynchronousTestCase):
    """What is answered to who asks the same of the same messages."""

    def setUp(self) -> None:
        self.house = House()
        for number in range(3):
            above = b"References: <%d@x>\r\n" % (number - 1) if number else b""
            self.house.file(b"Message-ID: <%d@x>\r\n%bSubject: %d\r\n\r\n" % (number, above, number))
        self.house.file(b"Subject: alone\r\n\r\n")
        self.asked = 0
        folder = self.house.folder()
        self.threaded = folder.threaded

        def counted(*args: Any) -> Any:
            self.asked += 1
            return self.threaded(*args)

        self.patch(folder, "threaded", counted)

    def expect(self, client: Connection, command: str, *answer: str, asked: int) -> None:
        """A command is answered, and so often was asked what the index keeps."""
        self.asked = 0
        self.assertEqual(client.do(f"a {command}")[:-1], [one.encode() for one in answer])
        self.assertEqual(self.asked, asked, command)

    def test_same(self) -> None:
        """It is worked out once for everybody, as long as the messages and their numbers are the same."""
        client, other = self.house.signed_in("INBOX"), self.house.signed_in("INBOX")
        references, subject = "THREAD REFERENCES UTF-8 ALL", "THREAD ORDEREDSUBJECT UTF-8 ALL"
        threads = "* THREAD (1 2 3)(4)"
        self.expect(client, references, threads, asked=1)
        self.expect(client, references, threads, asked=0)
        self.expect(other, f"UID {references}", threads, asked=0)
        self.expect(client, subject, "* THREAD (1)(2)(3)(4)", asked=1)
        self.expect(client, references, threads, asked=0)
        self.expect(client, "THREAD REFERENCES UTF-8 2:4", "* THREAD (2 3)(4)", asked=1)
        self.house.file(b"References: <0@x>\r\n\r\n")
        client.do("n NOOP")
        self.expect(client, references, "* THREAD (1 (2 3)(5))(4)", asked=1)
        now(self.house.folder().expunge([2]))
        client.do("n NOOP")
        self.expect(client, references, "* THREAD (1 4)(2)(3)", asked=1)
        self.expect(client, f"UID {references}", "* THREAD (1 5)(3)(4)", asked=1)
        self.expect(client, f"UID {references}", "* THREAD (1 5)(3)(4)", asked=0)
        self.expect(client, references, "* THREAD (1 4)(2)(3)", asked=1)

    def test_none(self) -> None:
        """Nor is nothing."""
        client = self.house.signed_in("INBOX")
        for asked in (0, 0):
            self.expect(client, "THREAD REFERENCES UTF-8 SUBJECT none", "* THREAD", asked=asked)

    def test_other_folder(self) -> None:
        """The same numbers in another folder are other messages."""
        now(self.house.store.create_folder("app@sim.test", "Work"))
        for _ in range(4):
            self.house.file(b"Subject: same\r\n\r\n", "Work")
        client = self.house.signed_in("INBOX")
        self.expect(client, "THREAD REFERENCES UTF-8 ALL", "* THREAD (1 2 3)(4)", asked=1)
        client.do("s SELECT Work")
        # Asked of that folder, which nobody counts.
        self.expect(client, "THREAD REFERENCES UTF-8 ALL", "* THREAD ((1)(2)(3)(4))", asked=0)

    def test_for_now(self) -> None:
        """What is told of a message that cannot be read is not kept."""
        counted = self.house.folder().threaded
        self.patch(self.house.folder(), "threaded", lambda *args: counted(*args).addCallback(
            lambda found: (found[0], False)))
        client = self.house.signed_in("INBOX")
        for asked in (1, 1):
            self.expect(client, "THREAD REFERENCES UTF-8 ALL", "* THREAD (1 2 3)(4)", asked=asked)

    def test_long(self) -> None:
        """Nor is an answer that is too long."""
        self.patch(thread, "LONGEST", 10)
        client = self.house.signed_in("INBOX")
        for asked in (1, 1):
            self.expect(client, "THREAD REFERENCES UTF-8 ALL", "* THREAD (1 2 3)(4)", asked=asked)


class SubjectTests(SynchronousTestCase):
    """THREAD=ORDEREDSUBJECT."""

    def test_groups(self) -> None:
        """The first of a subject is the root, all others its children, by date."""
        rows = [row(1, "a", subject="b"), row(2, "b", subject="a"), row(3, "c", subject="Re: B"),
                row(4, "d", subject="b"), row(5, "e", subject="b")]
        found = by_subject(sliced(rows, "subject"), {1: 0, 2: 3, 3: 2, 4: 1}, yield_to_reactor)
        self.assertEqual(text(result(found)), b"(1 (4)(3))(2)")
