"""The index in SQLite."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.sort import Criterion, NAMES as NAMES_OF_ORDERS, in_order
from simmail.core.message.summary import Digest, Enclosed, KEPT
from simmail.core.mime.address import Address
from simmail.core.time.instant import microseconds
from simmail.mailstore.index import messages, sqlite as index_module
from simmail.mailstore.index.index import Index, Snapshot
from simmail.mailstore.index.messages import Unread
from tests.contracts.mailstores import a_mail, tiny_digest

NAMES = KEPT
_TEXT = st.text(max_size=20)
_ADDRESSES = st.lists(st.builds(Address, _TEXT, _TEXT), max_size=2).map(tuple)
_OCTETS = st.binary(max_size=300)
_INSTANT = st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))
_DIGESTS = st.builds(
    Digest, envelope=_OCTETS, structure=_OCTETS, body=_OCTETS, header=_OCTETS, message_id=_TEXT, in_reply_to=_TEXT,
    references=st.lists(_TEXT, max_size=3).map(tuple), subject=_TEXT, base_subject=_TEXT, from_=_ADDRESSES,
    to=_ADDRESSES, cc=_ADDRESSES, sent=_INSTANT, text=_TEXT, preview=_TEXT,
    filenames=st.lists(_TEXT, max_size=2).map(tuple),
    attachments=st.lists(st.builds(Enclosed, _TEXT, _TEXT, st.integers(0, 2**40), _TEXT, st.booleans()),
                         max_size=2).map(tuple),
    format=st.sampled_from(["text", "html", "both"]))


class IndexTestCase(SynchronousTestCase):
    """An index in a file."""

    def setUp(self) -> None:
        self.path = f"{self.mktemp()}.sqlite"
        self.index = self.opened()

    def opened(self) -> Index:
        index = Index(self.path, tiny_digest)
        self.addCleanup(index.close)
        return index


class DigestTests(IndexTestCase):
    """Digests."""

    @settings(deadline=None, max_examples=50)
    @given(st.lists(_DIGESTS, max_size=6))
    def test_there_and_back(self, digests: list[Digest]) -> None:
        """Every digest comes back as it was, whole and in any part."""
        number = self.index.folder(os.urandom(8).hex(), "INBOX", 1)
        kept = {3 * at + 1: digest for at, digest in enumerate(digests)}
        self.index.digests.put(number, [Unread(uid, uid, b"") for uid in kept], list(kept.values()))
        uids = range(1, 30)
        self.assertEqual(
            {uid: Digest(*row) for uid, row in self.index.digests.fetch(number, uids, NAMES).items()}, kept)
        for names in (("structure",), ("text", "sent", "envelope"), ("to", "cc"), ("envelope", "envelope"), ()):
            self.assertEqual(self.index.digests.fetch(number, uids, names), {
                uid: tuple(getattr(digest, name) for name in names) for uid, digest in kept.items()}, names)
        self.assertEqual(self.index.digests.missing(number, uids), [uid for uid in uids if uid not in kept])

    def test_missing(self) -> None:
        """Those not there, in whatever order they are asked for, also where others are in their place."""
        number, other = self.index.folder("a", "INBOX", 1), self.index.folder("a", "Sent", 1)
        self.index.digests.take(other, [Unread(uid, 0, a_mail("other")) for uid in range(1, 20)])
        self.index.digests.take(number, [Unread(uid, 0, a_mail("mail")) for uid in (1, 2, 3, 4, 6, 8)])
        for uids, missing in (([], []), ([1, 2, 3], []), ([3, 1], []), ([4, 5, 6], [5]), ([4, 6], []), ([6, 5], [5]),
                              ([4, 5, 6, 8], [5]), ([7], [7]), ([9, 8], [9]), ([5, 7], [5, 7])):
            self.assertEqual(self.index.digests.missing(number, uids), missing, uids)

    def test_many(self) -> None:
        """Thousands come back, dense or sparse, in any order; others are left out."""
        number, other = self.index.folder("a", "INBOX", 1), self.index.folder("a", "Sent", 1)
        self.index.digests.take(other, [Unread(5, 0, a_mail("other"))])
        self.index.digests.take(number, [Unread(uid, 0, a_mail(f"mail {uid}")) for uid in range(1, 1500)])
        for uids in (list(range(1, 1500)), list(range(1490, 2, -7)), [3, 1000, 5000], [2], []):
            self.assertEqual(self.index.digests.fetch(number, uids, ("subject",)),
                             {uid: (f"mail {uid}",) for uid in uids if uid < 1500})
        self.index.digests.expunge(number, [5, 700])
        uids = [uid for uid in range(1, 1500) if uid not in (5, 700)]
        for asked in (uids, list(range(1, 1500)), uids[::-1] + uids):
            self.assertEqual(self.index.digests.columns(number, asked, ("subject", "format", "envelope", "subject")), (
                list(dict.fromkeys(uid for uid in asked if uid not in (5, 700))),
                [list(column) for column in zip(*[
                    (f"mail {uid}", "html", tiny_digest(a_mail(f"mail {uid}")).envelope, f"mail {uid}")
                    for uid in dict.fromkeys(asked) if uid not in (5, 700)])]))
        self.index.digests.expunge(number, list(range(1, 1490)))
        self.assertEqual(list(self.index.digests.fetch(number, range(1, 1500), ("format",))), list(range(1490, 1500)))
        self.assertEqual(self.index.digests.fetch(other, [5], ("subject",)), {5: ("other",)})

    @settings(deadline=None, max_examples=100)
    @given(st.lists(_DIGESTS, max_size=8), st.lists(
        st.builds(Criterion, st.sampled_from(NAMES_OF_ORDERS), st.booleans()), max_size=3), st.sets(st.integers(1, 40)))
    def test_ordered(self, digests: list[Digest], criteria: list[Criterion], asked: set[int]) -> None:
        """The order is that of comparing the fields one after the other, then UIDs."""
        number = self.index.folder(os.urandom(8).hex(), "INBOX", 1)
        uids = [3 * at + 1 for at in range(len(digests))]
        dates = [uid * 7 % 5 for uid in uids]
        sizes = [uid * 5 % 3 for uid in uids]
        self.index.digests.put(
            number, [Unread(uid, date, b"x" * size) for uid, date, size in zip(uids, dates, sizes)], digests)
        columns: dict[str, list[Any]] = {
            "arrival": dates, "size": sizes, "at": [
                date if digest.sent is None else microseconds(digest.sent) for digest, date in zip(digests, dates)]}
        for name in NAMES_OF_ORDERS[3:]:
            columns[name] = [getattr(digest, name) for digest in digests]
        expected = in_order(uids, criteria, columns)
        for wanted in (uids, [*asked, *range(100, 100 + messages._FEW)], list(asked)):
            self.assertEqual(self.index.digests.ordered(number, wanted, criteria),
                             [uid for uid in expected if uid in wanted])
        names = ("chain", "is_reply", "order_from")
        self.assertEqual(self.index.digests.columns(number, uids, names), (
            uids, [[getattr(digest, name) for digest in digests] for name in names]))

    def test_copied(self) -> None:
        """Digests are copied with their messages; those missing are left out."""
        source, target = self.index.folder("a", "INBOX", 1), self.index.folder("b", "INBOX", 1)
        self.index.digests.take(source, [Unread(uid, 0, a_mail(f"mail {uid}")) for uid in range(1, 500)])
        self.index.digests.copy(source, target, [(uid, uid + 100) for uid in (*range(400, 480), 600)])
        self.index.digests.copy(source, source, [(1, 700), (2, 701), (3, 703), (5, 704), (700, 705)])
        self.assertEqual(self.index.digests.columns(source, range(600, 800), ("subject",)), (
            [700, 701, 703, 704, 705], [["mail 1", "mail 2", "mail 3", "mail 5", "mail 1"]]))
        self.assertEqual(self.index.digests.fetch(target, range(1, 1000), ("subject", "text")),
                         {uid + 100: (f"mail {uid}", "Hello\r\n") for uid in range(400, 480)})

    def test_containing(self) -> None:
        """Wildcards of the database's language are ordinary characters."""
        number = self.index.folder("a", "INBOX", 1)
        for uid, subject in enumerate(("100%", "100 x", "a_b", "aXb", "back\\slash", "quo'te", "ÄÖ"), 1):
            self.index.digests.take(number, [Unread(uid, 0, a_mail(subject))])
        for text, uids in (("100%", [1]), ("a_b", [3]), ("\\S", [5]), ("'", [6]), ("AXB", [4]), ("äö", [7])):
            self.assertEqual(self.index.digests.containing(number, ("in_subject",), fold(text)), uids, text)

    def test_lacking(self) -> None:
        """What is missing of a folder is looked for once, and followed from then on."""
        number, other = self.index.folder("a", "INBOX", 1), self.index.folder("b", "INBOX", 1)
        digests = self.index.digests
        digests.take(number, [Unread(uid, 0, a_mail(f"mail {uid}")) for uid in range(1, 400, 2)])
        uids = list(range(1, 401))
        self.assertEqual(digests.lacking(number, uids), list(range(2, 401, 2)))
        asked: list[str] = []
        self.index._file.sql.set_trace_callback(asked.append)
        self.assertEqual(digests.lacking(number, uids), list(range(2, 401, 2)))
        self.assertEqual(digests.lacking(number, uids[5:9]), [6, 8])
        self.assertEqual(asked, [])
        self.index._file.sql.set_trace_callback(None)
        digests.take(number, [Unread(uid, 0, a_mail(f"mail {uid}")) for uid in range(4, 401, 2)])
        self.assertEqual(digests.lacking(number, uids), [2])
        self.assertEqual(digests.lacking(number, [*uids, 401, 402]), [2, 401, 402])
        # By another process.
        self.index._file.sql.execute("insert into orders (id) values (?)", ((number << 32) + 401,))
        self.assertEqual(digests.missing(number, [401, 402]), [402])
        self.assertEqual(digests.lacking(number, [*uids, 401, 402]), [2, 402])
        self.assertEqual(digests.lacking(other, [1, 2]), [1, 2])
        digests.copy(number, other, [(1, 1), (2, 2)])
        self.assertEqual(digests.lacking(other, [1, 2]), [2])
        digests.expunge(number, [3])
        self.assertEqual(digests.lacking(number, uids[3:]), [])
        digests.drop(number)
        self.assertEqual(digests.lacking(number, uids), uids)
        self.index.erase()
        self.assertEqual(digests.lacking(self.index.folder("b", "INBOX", 1), [1, 2]), [1, 2])

    def test_order_kept(self) -> None:
        """An order that was asked for is kept until the messages change, or the index is another one."""
        self.patch(messages, "_FEW", 2)
        number, other = self.index.folder("a", "INBOX", 1), self.index.folder("b", "INBOX", 1)
        self.index.digests.take(number, [Unread(uid, 0, a_mail(f"s{9 - uid}")) for uid in range(1, 6)])
        uids, by_subject = list(range(1, 10)), [Criterion("order_subject")]
        asked: list[str] = []
        self.index._file.sql.set_trace_callback(asked.append)
        for expected, change in (
            ([5, 4, 3, 2, 1], None), ([5, 4, 3, 2, 1], lambda: self.index.digests.expunge(number, [4])),
            ([5, 3, 2, 1], lambda: self.index.digests.take(number, [Unread(6, 0, a_mail("s5"))])),
            ([5, 6, 3, 2, 1], lambda: self.index.digests.copy(number, number, [(1, 7)])),
            ([5, 6, 3, 2, 1, 7], lambda: self.index.digests.take(other, [Unread(6, 0, a_mail("s5"))])),
            ([5, 6, 3, 2, 1, 7], self.index.erase), ([], None),
        ):
            asked.clear()
            self.assertEqual(self.index.digests.ordered(number, uids, by_subject), expected)
            before = len(asked)
            self.assertEqual(self.index.digests.ordered(number, uids, by_subject), expected)
            self.assertEqual(len(asked), before)
            if change is not None:
                change()
        self.index.digests.take(number, [Unread(uid, 0, a_mail(f"s{9 - uid}")) for uid in range(1, 6)])
        self.assertEqual(self.index.digests.ordered(number, [3, 1, 5, 9], by_subject), [5, 3, 1])
        for n in range(20):
            self.index.digests.ordered(number, range(1, n + 10), by_subject)
        self.assertLessEqual(len(self.index.digests._orders), messages._ORDERS)


class FolderTests(IndexTestCase):
    """Folders as they were."""

    snapshot = Snapshot(7, 10, 20, (1, 2), 3, b"vanished", b"rows")

    def test_there_and_back(self) -> None:
        """A folder comes back as it was, after a restart too, until it is forgotten or made anew."""
        self.assertIsNone(self.index.load("a", "INBOX", 7))
        self.index.save("a", "INBOX", self.snapshot)
        self.index.close()
        again = self.opened()
        self.assertEqual(again.load("a", "INBOX", 7), self.snapshot)
        self.assertIsNone(again.load("a", "INBOX", 8))
        self.assertIsNone(again.load("a", "INBOX", 7))
        again.save("a", "INBOX", self.snapshot)
        again.save("a", "Sent", self.snapshot)
        again.forget("a", "INBOX")
        self.assertIsNone(again.load("a", "INBOX", 7))
        self.assertEqual(again.load("a", "Sent", 7), self.snapshot)
        again.forget("a")
        self.assertIsNone(again.load("a", "Sent", 7))

    def test_forgotten_digests(self) -> None:
        """With a folder its digests go."""
        number = self.index.folder("a", "INBOX", 7)
        self.index.digests.take(number, [Unread(1, 0, a_mail("x"))])
        self.index.forget("a", "INBOX")
        self.assertEqual(self.index.digests.fetch(self.index.folder("a", "INBOX", 7), [1], ("subject",)), {})
        self.assertEqual(self.index.digests.fetch(number, [1], ("subject",)), {})

    def test_not_mapped(self) -> None:
        """Reading the index maps no more of the process's memory."""
        number = self.index.folder("a", "INBOX", 7)
        self.index.digests.take(number, [Unread(n, 0, a_mail("x" * 1000)) for n in range(1, 50)])
        self.index.digests.containing(number, ("in_body",), "x")
        with open("/proc/self/maps") as maps:
            self.assertNotIn(os.path.basename(self.path), maps.read())

    def test_made_anew(self) -> None:
        """An index that is damaged, of another layout, or from before the machine went down is made anew."""
        def damage() -> None:
            with open(self.path, "r+b") as file:
                file.write(os.urandom(5000))

        def old_layout() -> None:
            connection = sqlite3.connect(self.path)
            connection.execute("update about set value = '0 x'")
            connection.commit()
            connection.close()

        def reboot() -> None:
            self.patch(index_module, "boot_id", lambda: "another")
        spoil: Any
        for spoil in (damage, old_layout, lambda: open(self.path, "wb").close(), reboot):
            index = self.opened()
            index.save("a", "INBOX", self.snapshot)
            index.close()
            spoil()
            again = self.opened()
            self.assertIsNone(again.load("a", "INBOX", 7))
            again.save("a", "INBOX", self.snapshot)
            again.close()
            self.assertEqual(self.opened().load("a", "INBOX", 7), self.snapshot)
