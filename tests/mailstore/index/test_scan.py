"""Searches of what the index does not know yet."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.search_match import Sought
from simmail.core.message.summarize import digest
from simmail.errors import Unavailable
from simmail.mailstore.index import scan
from simmail.mailstore.maildir import files
from simmail.mailstore.writer import requests
from tests.contracts.mailstores import AT, DiskProvider, a_mail, result_of

MARIA = "maria@acme.test"
EVERYWHERE = ("in_header", "in_body", "in_parts")


class ScanningTests(SynchronousTestCase):
    """One folder."""

    def setUp(self) -> None:
        self.asked: list[Any] = []
        self.provider = DiskProvider(self.mktemp(), digest=digest, shown=None, sought=Sought)
        self.addCleanup(self.provider.stop)
        self.store = self.provider.store
        self.store.index.readers = self.store.index.readers._replace(sought=self.sought)
        result_of(self.store.create(MARIA))
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.patch(scan, "_MANY", 4)
        self.patch(scan, "_FEW", 2)
        self.patch(scan, "_SLICE", 7)

    def sought(self, wanted: Any) -> Sought:
        self.asked.append(wanted)
        return Sought(wanted)

    def append(self, octets: bytes) -> int:
        uid: int = result_of(self.folder.append(octets, [], AT))
        return uid

    def missing(self) -> list[int]:
        """UIDs of which the index has no digest."""
        index = self.store.index.tables
        number = index.folder(MARIA, "INBOX", self.folder.uidvalidity)
        uids: list[int] = index.digests.missing(number, list(self.folder.uids))
        return uids

    def found(self, text: str) -> list[int]:
        uids: list[int] = result_of(self.folder.containing(EVERYWHERE, text))
        return uids

    def test_not_learned(self) -> None:
        """A search answers though the index knows nothing; what a look cannot tell is taken, the rest right after."""
        for n in range(1, 21):
            self.append(a_mail(f"mail {n}", f"about a {'zebra' if n % 10 == 0 else 'horse'}\r\n"))
        odd = self.append(b"Subject: =?utf-8?b?WmVicmE=?=\r\n\r\nx =?\r\n")
        self.assertEqual(self.found("ZEBRA"), [10, 20, odd])
        self.assertEqual(self.missing(), list(range(1, 21)))
        self.assertEqual(self.found("mail 1"), [1, *range(10, 20)])
        self.assertEqual(self.missing(), list(range(1, 21)))
        result_of(self.folder.expunge([10]))
        # Nobody has to be idle first.
        self.provider.clock.advance(0)
        self.assertEqual(self.missing(), [])
        self.assertEqual(self.found("zebra"), [20, odd])
        self.assertEqual([wanted[0][1] for wanted in self.asked], ["zebra", "mail 1"])

    def test_remembered(self) -> None:
        """Asked again only what came since is looked at."""
        looked: list[int] = []
        read = files.read_files
        self.patch(files, "read_files", lambda root, directory, paths: looked.append(len(paths)) or read(
            root, directory, paths))
        for n in range(10):
            self.append(a_mail(f"mail {n}"))
        self.assertEqual(self.found("mail 7"), [8])
        self.assertEqual(sum(looked), 10)
        self.append(a_mail("mail 7 again"))
        self.assertEqual(self.found("MAIL 7"), [8, 11])
        self.assertEqual(sum(looked), 11)
        self.patch(scan, "_REMEMBERED", 5)
        self.assertEqual(self.found("mail 8"), [9])
        self.assertEqual(self.found("mail 7"), [8, 11])
        self.assertEqual(sum(looked), 33)

    def test_gone_meanwhile(self) -> None:
        """A file that is not where it was is looked for."""
        uid = self.append(a_mail("zebra"))
        paths = self.folder.paths
        self.patch(self.folder, "paths", lambda uids: [f"{path}x" for path in paths(uids)])
        real = self.store.index.take

        def taken(*args: Any) -> Any:
            self.patch(self.folder, "paths", paths)
            return real(*args)

        self.patch(self.store.index, "take", taken)
        self.assertEqual(self.found("zebra"), [uid])

    def test_writer_away(self) -> None:
        """What the writer cannot look at is looked at here."""
        for n in range(1, 9):
            self.append(a_mail(f"mail {n}"))

        def refuse(*_: Any) -> Any:
            raise Unavailable("the disk is away")

        self.patch(requests, "verdicts_of", refuse)
        self.assertEqual(self.found("mail 8"), [8])

    def test_two_terms(self) -> None:
        """Many folders, several texts; those that are known and those that are not."""
        result_of(self.store.create("joe@acme.test"))
        other = result_of(self.store.folder("joe@acme.test", "INBOX"))
        for folder in (self.folder, other):
            for n in range(6):
                result_of(folder.append(a_mail(f"mail {n}", f"text {n % 2}\r\n"), [], AT))
        result_of(self.folder.digests([1, 2, 3, 4]))
        wanted = [(("in_body",), "TEXT 1"), (("in_subject", "in_to"), "mail")]
        found = result_of(self.store.containing([self.folder, other], wanted))
        self.assertEqual([list(one) for one in found], [[2, 4, 6], [2, 4, 6]])
        # Where the subject has it, that it is the subject takes a closer look.
        self.assertEqual(self.missing(), [5])
