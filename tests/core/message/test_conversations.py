"""Conversations."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.conversations import group, thread_key
from simmail.core.message.parse import read_headers
from tests.core.hostile import seconds

START = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


class Note(NamedTuple):
    """A message, as far as threading goes; hours after the start."""

    message_id: str
    references: tuple[str, ...] = ()
    in_reply_to: str = ""
    hours: int = 0
    subject: str = "Hello"

    @property
    def date(self) -> datetime:
        return START + timedelta(hours=self.hours)


class KeyTests(SynchronousTestCase):
    """The key of one message."""

    def test_first_reference(self) -> None:
        """The first of the References, else what it answers, else itself."""
        for header, key in (
            ("Message-ID: <3@a>\nReferences: <1@a> <2@a>\nIn-Reply-To: <2@a>\n", "<1@a>"),
            ("Message-ID: <3@a>\nIn-Reply-To: <2@a>\n", "<2@a>"), ("Message-ID: <3@a>\n", "<3@a>"), ("", ""),
        ):
            self.assertEqual(thread_key(read_headers(header.encode())), key)


class GroupTests(SynchronousTestCase):
    """Putting together."""

    def test_conversations(self) -> None:
        """Messages oldest first, conversations latest first; the subject is the first message's."""
        one, answer = Note("<1@a>", hours=1, subject="Offer"), Note("<2@a>", ("<1@a>",), hours=5, subject="Re: Offer")
        other = Note("<3@a>", hours=3, subject="Other")
        threads = group([answer, other, one])
        self.assertEqual([(t.root, t.subject, t.last, t.messages) for t in threads], [
            ("<1@a>", "Offer", answer.date, (one, answer)), ("<3@a>", "Other", other.date, (other,))])

    def test_missing_root(self) -> None:
        """Answers to a message that is not here belong together and name it."""
        (thread,) = group([Note("<2@a>", ("<1@a>",)), Note("<3@a>", ("<1@a>",), hours=1)])
        self.assertEqual(thread.root, "<1@a>")

    def test_only_in_reply_to(self) -> None:
        """Without References the chain is followed from one to the next."""
        (thread,) = group([Note("<3@a>", in_reply_to="<2@a>", hours=2), Note("<2@a>", in_reply_to="<1@a>", hours=1),
                           Note("<1@a>")])
        self.assertEqual((thread.root, len(thread.messages)), ("<1@a>", 3))

    def test_subjects_do_not_join(self) -> None:
        """Two mails of one subject are two conversations; so are two without an id."""
        self.assertEqual(len(group([Note("<1@a>"), Note("<2@a>", subject="Re: Hello"), Note(""), Note("")])), 4)

    def test_copies(self) -> None:
        """The copy in Sent and that in INBOX are one conversation."""
        (thread,) = group([Note("<1@a>"), Note("<1@a>")])
        self.assertEqual(len(thread.messages), 2)

    def test_filed(self) -> None:
        """Records that hold a digest and an entry are put together by these."""
        class Entry(NamedTuple):
            date: datetime

        class Filed(NamedTuple):
            entry: Entry
            digest: Note

        # The Date field says one thing, the folder another: the folder counts.
        one = Filed(Entry(START), Note("<1@a>", hours=9))
        two = Filed(Entry(START + timedelta(hours=1)), Note("<2@a>", ("<1@a>",)))
        (thread,) = group([two, one])
        self.assertEqual((thread.messages, thread.last), ((one, two), two.entry.date))

    def test_rings(self) -> None:
        """Messages that answer each other, or themselves, end."""
        ring = [Note("<1@a>", ("<2@a>",)), Note("<2@a>", ("<1@a>",), hours=1), Note("<3@a>", ("<3@a>",), "<3@a>")]
        self.assertEqual(sorted(len(thread.messages) for thread in group(ring)), [1, 2])

    @given(st.lists(st.builds(
        Note, st.integers(0, 15).map("<{}@a>".format),
        st.lists(st.integers(0, 15).map("<{}@a>".format), max_size=3).map(tuple),
        st.sampled_from(["", "<1@a>", "<9@a>"]), st.integers(0, 50)), max_size=25))
    @settings(max_examples=200)
    def test_partition(self, notes: list[Note]) -> None:
        """Every message is in one conversation, whoever refers to another is with it, and the order is as promised."""
        threads = group(notes)
        self.assertEqual(sorted(note for thread in threads for note in thread.messages), sorted(notes))
        where = {note.message_id: n for n, thread in enumerate(threads) for note in thread.messages}
        for note in notes:
            for named in (*note.references, note.in_reply_to):
                if named in where:
                    self.assertEqual(where[named], where[note.message_id])
        for thread in threads:
            self.assertEqual([n.date for n in thread.messages], sorted(n.date for n in thread.messages))
        self.assertEqual([t.last for t in threads], sorted((t.last for t in threads), reverse=True))

    def test_cost(self) -> None:
        """One chain of ten thousand, and messages with a thousand references each, take seconds at most."""
        chain = [Note(f"<{n}@a>", in_reply_to=f"<{n - 1}@a>", hours=n) for n in range(10_000)]
        self.assertLess(seconds(group, chain), 3.0)
        self.assertLess(seconds(group, list(reversed(chain))), 3.0)
        many = tuple(f"<{n}@b>" for n in range(1000))
        self.assertLess(seconds(group, [Note(f"<{n}@a>", many) for n in range(3000)]), 5.0)
