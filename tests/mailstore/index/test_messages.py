"""Digests in tables."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simmail.core.message.sort import Criterion
from simmail.core.message.summary import KEPT, SEARCHED
from simmail.mailstore.index import messages
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.messages import SHOWN, TABLES, Unread, is_shown, quoted, span
from simmail.mailstore.maildir.files import Stub
from tests.contracts.mailstores import a_mail, tiny_digest, tiny_shown
from tests.mailstore.index.test_index import IndexTestCase


class TableTests(IndexTestCase):
    """C{DigestRows}."""

    def setUp(self) -> None:
        super().setUp()
        self.rows = self.index.digests
        self.number = self.index.folder("maria@acme.test", "INBOX", 7)

    def take(self, *uids: int, names: tuple[str, ...] = (), number: int = 0) -> Any:
        return self.rows.take(number or self.number, [Unread(uid, uid, a_mail(f"mail {uid}")) for uid in uids], names)

    def subjects(self, number: int, *uids: int) -> dict[int, str]:
        return {uid: subject for uid, (subject,) in self.rows.fetch(number, uids, ("subject",)).items()}

    def test_every_field(self) -> None:
        """Each field that is kept or searched has one column, and comes back as it was."""
        columns = [name for names in TABLES.values() for name in names]
        self.assertEqual(len(columns), len(set(columns)))
        self.assertLessEqual({*KEPT, *SEARCHED}, set(columns))
        self.take(1)
        digest = tiny_digest(a_mail("mail 1"))
        self.assertEqual(self.rows.fetch(self.number, [1], KEPT)[1], tuple(getattr(digest, name) for name in KEPT))

    def test_order(self) -> None:
        """What is answered is in the order of the question, each once; what is not there is left out."""
        self.take(1, 2, 3, 400)
        found, columns = self.rows.columns(self.number, [400, 9, 1, 3, 1], ("subject", "message_id"))
        self.assertEqual((found, columns[0]), ([400, 1, 3], ["mail 400", "mail 1", "mail 3"]))
        self.assertEqual(columns[1][0], "<mail 400@acme.test>")

    def test_missing(self) -> None:
        """Of which messages digests are missing; asked of a whole folder again, only for new ones."""
        self.assertEqual(self.rows.missing(self.number, [1, 2, 3]), [1, 2, 3])
        self.take(1, 3)
        self.assertEqual((self.rows.missing(self.number, [1, 2, 3]), self.rows.missing(self.number, [])), ([2], []))
        self.assertEqual(self.rows.lacking(self.number, [1, 2, 3]), [2])
        self.take(2)
        self.assertEqual(self.rows.lacking(self.number, [1, 2, 3, 4]), [4])

    def test_envelopes_first(self) -> None:
        """What FETCH shows can be kept alone, before the rest, which is then still missing."""
        index = Index(f"{self.mktemp()}.sqlite", tiny_digest, tiny_shown)
        self.addCleanup(index.close)
        number = index.folder("maria@acme.test", "INBOX", 7)
        found = index.digests.take(number, [Unread(1, 5, a_mail("mail 1"))], SHOWN)
        self.assertEqual(found, {1: tiny_shown(a_mail("mail 1"))})
        self.assertEqual(index.digests.fetch(number, [1], SHOWN), found)
        self.assertEqual(index.digests.missing(number, [1]), [1])
        self.assertEqual((is_shown(SHOWN), is_shown((*SHOWN, "body")), is_shown(())), (True, False, False))

    def test_unreadable(self) -> None:
        """A stub is shown and not kept: whoever can read the message later finds nothing known of it."""
        found = self.rows.take(self.number, [
            Unread(1, 1, a_mail("mail 1")), Unread(2, 2, Stub(a_mail("cannot be read")))], ("subject",))
        self.assertEqual(found, {1: ("mail 1",), 2: ("cannot be read",)})
        self.assertEqual(self.rows.missing(self.number, [1, 2]), [2])

    def test_copied(self) -> None:
        """Digests go with copies, neighbours together; what had none has none there; others are not touched."""
        self.take(1, 2, 3, 7)
        other = self.index.folder("tom@acme.test", "INBOX", 8)
        self.rows.copy(self.number, other, [(1, 10), (2, 11), (4, 12), (7, 13)])
        self.assertEqual(self.subjects(other, 10, 11, 12, 13), {10: "mail 1", 11: "mail 2", 13: "mail 7"})
        self.rows.expunge(other, [10])
        self.rows.drop(self.number)
        self.assertEqual((self.subjects(other, 10, 11), self.subjects(self.number, 1, 2)), ({11: "mail 2"}, {}))

    def test_ordered_again(self) -> None:
        """An order that is kept is not kept when messages come or go."""
        self.patch(messages, "_FEW", 2)
        self.take(1, 2, 3, 4)
        newest = (Criterion("arrival", True),)
        self.assertEqual(self.rows.ordered(self.number, [1, 2, 3, 4], newest), [4, 3, 2, 1])
        self.assertEqual(self.rows.ordered(self.number, [1, 2, 4], newest), [4, 2, 1])
        self.rows.expunge(self.number, [3])
        self.take(5)
        self.assertEqual(self.rows.ordered(self.number, [1, 2, 4, 5], newest), [5, 4, 2, 1])

    def test_contained(self) -> None:
        """A text is found in the folder and the range that is asked for, or in many folders at once."""
        self.take(1, 2)
        other = self.index.folder("tom@acme.test", "INBOX", 8)
        self.take(1, 12, number=other)
        self.assertEqual(self.rows.containing(self.number, ("in_subject",), "mail 1"), [1])
        self.assertEqual(self.rows.containing(other, ("in_subject",), "mail 1", 2), [12])
        self.assertEqual(self.rows.holding(("in_subject",), "mail 1", self.number, other), {
            self.number: [1], other: [1, 12]})

    def test_names(self) -> None:
        """Words of SQL can be columns."""
        self.assertEqual(quoted("references"), '"references"')

    @settings(deadline=None, max_examples=100)
    @given(st.integers(1, 1 << 30), st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
    def test_span(self, number: int, low: int, high: int) -> None:
        """Ids of one folder are no other's, and keep the order of UIDs."""
        first, last = span(number, low, high)
        self.assertEqual((first <= last, first >> 32, last & 0xFFFFFFFF), (low <= high, number, high))
        self.assertLess(span(number)[1], span(number + 1)[0])
