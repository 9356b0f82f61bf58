"""Order of messages that the index has not learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.search_match import Sought
from simmail.core.message.sort import Criterion
from simmail.core.message.summarize import digest
from simmail.core.message.summary import Digest
from simmail.core.mime.bodystructure import shown
from simmail.mailstore.index import messages, scan
from simmail.mailstore.index.messages import SHOWN
from tests.contracts.mailstores import AT, DiskProvider, result_of

MARIA = "maria@acme.test"
MAILS = (
    b"Subject: Re: pears\r\nDate: Wed, 4 Mar 2026 09:00:00 +0000\r\nFrom: c@x.test\r\n\r\n1",
    b"Subject: =?utf-8?q?=C3=84pfel?=\r\nDate: Tue, 3 Mar 2026 09:00:00 +0000\r\nFrom: b@x.test\r\n\r\n22",
    b"From: d@x.test\r\n\r\n333",
    b"Subject: \xc3\x84pfel \"x\"\r\nDate: Tue, 3 Mar 2026 08:00:00 +0000\r\nFrom: a@x.test\r\n\r\n4444",
    b"Subject: [list] pears\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\nFrom: e@x.test\r\n\r\n55555",
)
#: By subject, by date, by author, by size from the largest.
ORDERS = {
    (Criterion("order_subject"),): [3, 2, 4, 1, 5], (Criterion("at"),): [3, 5, 4, 2, 1],
    (Criterion("order_subject"), Criterion("at", True)): [3, 2, 4, 1, 5],
    (Criterion("size", True),): [2, 5, 4, 1, 3], (Criterion("order_from"),): [4, 2, 1, 3, 5],
}


class EnvelopesTests(SynchronousTestCase):
    """One folder of mail in every way of telling a subject."""

    def setUp(self) -> None:
        self.digested: list[bytes] = []
        self.provider = DiskProvider(self.mktemp(), digest=self.digest, shown=shown, sought=Sought)
        self.addCleanup(self.provider.stop)
        self.store = self.provider.store
        result_of(self.store.create(MARIA))
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        for octets in MAILS:
            result_of(self.folder.append(octets, [], AT))
        self.digested.clear()

    def digest(self, octets: bytes) -> Digest:
        self.digested.append(octets)
        return digest(octets)

    def ordered(self, criteria: Any) -> list[int]:
        uids: list[int] = result_of(self.folder.ordered(list(self.folder.uids), criteria))
        return uids

    def test_by_envelopes(self) -> None:
        """Subjects, dates and sizes need no digests but for subjects that are no ASCII; the others are taken behind."""
        result_of(self.folder.digested(list(self.folder.uids), SHOWN))
        self.assertEqual(self.digested, [])
        for criteria, expected in list(ORDERS.items())[:4]:
            self.assertEqual(self.ordered(criteria), expected, criteria)
            self.assertLessEqual(set(self.digested), {MAILS[3]})
        self.provider.clock.advance(0)
        self.assertEqual(sorted(self.digested), sorted(MAILS))
        for criteria, expected in ORDERS.items():
            self.assertEqual(self.ordered(criteria), expected, criteria)
        self.assertEqual(len(self.digested), len(MAILS))

    def test_kept(self) -> None:
        """An order that envelopes told is asked for again without sorting, until a message comes or goes."""
        self.patch(messages, "_FEW", 1)
        result_of(self.folder.digested(list(self.folder.uids), SHOWN))
        # Of an umlaut its envelope does not tell the order.
        result_of(self.folder.digests([4]))
        by_subject, some = (Criterion("order_subject"),), [1, 2, 5]
        self.assertEqual(result_of(self.folder.ordered(some, by_subject)), [2, 1, 5])
        self.assertEqual(self.ordered(by_subject), [3, 2, 4, 1, 5])
        sorts: list[str] = []
        self.store.index.tables._file.sql.set_trace_callback(
            lambda sql: sorts.append(sql) if "order_subject" in sql and "order by" in sql else None)
        self.provider.clock.advance(0)
        self.assertEqual(sorted(self.digested), sorted(MAILS))
        self.assertEqual(self.ordered(by_subject), [3, 2, 4, 1, 5])
        self.assertEqual(result_of(self.folder.ordered(some, by_subject)), [2, 1, 5])
        self.assertEqual(sorts, [])
        result_of(self.folder.append(MAILS[2], [], AT))
        self.assertEqual(self.ordered(by_subject), [3, 6, 2, 4, 1, 5])
        result_of(self.folder.expunge([2]))
        self.assertEqual(self.ordered(by_subject), [3, 6, 4, 1, 5])

    def test_unreadable_not_kept(self) -> None:
        """The place of a message that cannot be read is not remembered."""
        self.patch(messages, "_FEW", 1)
        (path,) = self.folder.paths([1])
        cannot = Path(self.provider.path, "mail", "main", self.folder.directory, path)
        octets = cannot.read_bytes()
        cannot.unlink()
        cannot.mkdir()
        by_subject = (Criterion("order_subject"),)
        self.assertEqual(self.ordered(by_subject), [3, 2, 4, 5, 1])
        cannot.rmdir()
        cannot.write_bytes(octets)
        self.provider.clock.advance(0)
        self.assertEqual(self.ordered(by_subject), [3, 2, 4, 1, 5])

    def test_without_envelopes(self) -> None:
        """Nor need they if nobody has asked for envelopes, which then are there."""
        self.assertEqual(self.ordered((Criterion("order_subject"),)), [3, 2, 4, 1, 5])
        self.assertEqual(self.digested, [MAILS[3]])
        index = self.store.index.tables
        number = index.folder(MARIA, "INBOX", self.folder.uidvalidity)
        self.assertEqual(index.digests.columns(number, list(self.folder.uids), SHOWN)[0], [1, 2, 3, 4, 5])

    def test_searched(self) -> None:
        """A search for subjects looks at no more than envelopes, but where these do not tell them."""
        result_of(self.folder.digested(list(self.folder.uids), SHOWN))
        read: list[Any] = []
        self.patch(scan, "verdicts_of", lambda *args: read.extend(args[-1]) or [None] * len(args[-1]))
        for text, expected in (("PEARS", [1, 5]), ("äpfel", [2, 4]), ("x", [4]), ("[list] p", [5])):
            self.assertEqual(result_of(self.folder.containing(("in_subject",), text)), expected, text)
            self.assertLessEqual(set(self.digested), {MAILS[3]})
        # The one of which its envelope does not tell it was learned with the first.
        self.assertEqual(len(read), 1)
        self.provider.clock.advance(0)
        self.assertEqual(sorted(self.digested), sorted(MAILS))
        self.assertEqual(result_of(self.folder.containing(("in_subject",), "pears")), [1, 5])

    def test_others(self) -> None:
        """Other orders are those of digests; who is gone is left out."""
        result_of(self.folder.expunge([2]))
        self.assertEqual(self.ordered((Criterion("order_from"),)), [4, 1, 3, 5])
        self.assertEqual(len(self.digested), 4)
        self.assertEqual(self.ordered((Criterion("at"),)), [3, 5, 4, 1])
