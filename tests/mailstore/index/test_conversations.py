"""What messages are threaded by, known or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.summarize import digest
from simmail.core.message.summary import Digest
from simmail.core.message.thread_keys import ThreadKeys, thread_keys
from simmail.core.records.folder import Columns
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.index import conversations
from tests.contracts.mailstores import AT, DiskProvider, result_of

MARIA = "maria@acme.test"
NAMES = ThreadKeys._fields


def mail(number: int) -> bytes:
    """One that answers the one before it."""
    return b"Message-ID: <%d@x>\r\nReferences: <%d@x>\r\nSubject: Re: s%d\r\n\r\nx" % (number, number - 1, number)


def row(number: int) -> tuple[Any, ...]:
    """What is known of it."""
    return f"S{number}", True, f"<{number}@x>", (f"<{number - 1}@x>",)


class ThreadedTests(SynchronousTestCase):
    """C{threaded}."""

    def setUp(self) -> None:
        self.patch(conversations, "FEW", 3)
        self.patch(conversations, "_SLICE", 4)
        self.digested: list[bytes] = []
        self.provider = DiskProvider(self.mktemp(), digest=self.digest)
        self.addCleanup(self.provider.stop)
        self.store = self.provider.store
        self.store.index.readers = self.store.index.readers._replace(threaded=thread_keys)
        result_of(self.store.create(MARIA))
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        for number in range(1, 11):
            result_of(self.folder.append(mail(number), [], AT))
        self.digested.clear()

    def digest(self, octets: bytes) -> Digest:
        self.digested.append(octets)
        return digest(octets)

    def expect(self, uids: list[int], expected: list[int], lasting: bool) -> None:
        """Of those that are there what is known is told."""
        found: Columns
        found, stays = result_of(self.folder.threaded(uids, NAMES))
        self.assertEqual(found[0], expected)
        self.assertEqual(list(zip(*found[1])), list(map(row, expected)))
        self.assertEqual(stays, lasting)

    def test_unknown(self) -> None:
        """Nothing is learned for it, but at once behind it; then all is known."""
        uids = list(range(1, 11))
        self.expect(uids, uids, True)
        self.expect([7, 2, 5, 99, 9, 1], [7, 2, 5, 9, 1], True)
        self.assertEqual(self.digested, [])
        self.provider.clock.advance(0)
        self.assertEqual(sorted(self.digested), sorted(map(mail, uids)))
        self.digested.clear()
        self.expect(uids, uids, True)
        self.expect([], [], True)
        self.assertEqual(self.digested, [])

    def test_few(self) -> None:
        """A few are learned, as are those of which not enough is read."""
        result_of(self.folder.digests(range(1, 8)))
        self.digested.clear()
        self.expect([*range(1, 11)], [*range(1, 11)], True)
        self.assertEqual(self.digested, list(map(mail, (8, 9, 10))))
        self.assertEqual(result_of(self.folder.threaded([3], ("chain",))), (([3], [[("<2@x>",)]]), True))

    def test_some_known(self) -> None:
        """Some are known, the others are read, in the order that was asked for."""
        result_of(self.folder.digests([2, 9]))
        self.digested.clear()
        self.expect([*range(10, 0, -1)], [*range(10, 0, -1)], True)
        self.assertEqual(self.digested, [])

    def test_unreadable(self) -> None:
        """What cannot be read is told of as it is shown, and that does not last."""
        (path,) = self.folder.paths([4])
        file = Path(self.provider.path, "mail", "main", self.folder.directory, path)
        octets = file.read_bytes()
        file.unlink()
        file.mkdir()
        found, lasting = result_of(self.folder.threaded([*range(1, 11)], NAMES))
        self.assertEqual(found[0], [*range(1, 11)])
        self.assertEqual([column[3] for column in found[1]], ["THIS MESSAGE CANNOT BE READ", False, "", ()])
        self.assertFalse(lasting)
        file.rmdir()
        file.write_bytes(octets)
        self.expect([*range(1, 11)], [*range(1, 11)], True)

    def test_by_another_program(self) -> None:
        """What another program renames is read, what it removes is left out, what it adds is there."""
        home = Path(self.provider.path, "mail", "main", self.folder.directory)
        one, two = self.folder.paths([4, 5])
        (home / one).rename(home / "cur" / (Path(one).name.partition(":")[0] + ":2,S"))
        (home / two).unlink()
        (home / "new" / "1.other").write_bytes(mail(11))
        there = [1, 2, 3, 4, 6, 7, 8, 9, 10]
        found, _ = result_of(self.folder.threaded([*range(1, 11)], NAMES))
        self.assertEqual((found[0], list(zip(*found[1]))), (there, list(map(row, there))))
        result_of(self.folder.poll())
        self.expect(list(self.folder.uids), [*there, 11], True)

    def test_index_away(self) -> None:
        """Without the index each message is looked at."""
        def away(*args: Any) -> Deferred[Any]:
            return fail(Unavailable("the index is away"))

        self.patch(self.store.index, "call", away)
        self.expect([2, 3, 4, 5], [2, 3, 4, 5], False)

    def test_folder_gone(self) -> None:
        """Of a folder that is gone nothing is told."""
        result_of(self.store.create_folder(MARIA, "Work"))
        work = result_of(self.store.folder(MARIA, "Work"))
        result_of(self.store.delete_folder(MARIA, "Work"))
        self.assertRaises(NotFound, result_of, work.threaded([1], NAMES))
