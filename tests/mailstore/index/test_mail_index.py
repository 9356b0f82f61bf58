"""The index of one store, as folders ask it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail

from simmail.errors import Unavailable
from simmail.mailstore.index import mail_index
from simmail.mailstore.index.folder import key_of
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.messages import SHOWN
from tests.contracts.mailstores import a_delivery, a_mail, result_of, tiny_digest, tiny_shown
from tests.mailstore.folders import MARIA, FolderCase
from tests.mailstore.test_by_hand import DamageCase


class MailIndexTests(FolderCase):
    """C{MailIndex}."""

    def missing(self) -> list[int]:
        index = self.store.index.tables
        uids: list[int] = index.digests.missing(index.folder(*key_of(self.folder)), list(self.folder.uids))
        return uids

    def test_call(self) -> None:
        """A function gets the index first; asked while it is away, nobody is hurt."""
        index = self.store.index
        self.assertIs(result_of(index.call(lambda tables: tables)), index.tables)
        self.assertEqual(result_of(index.ask(Index.recall, MARIA, "Never", 1)), (0, None))

        def away(*args: Any) -> Deferred[Any]:
            return fail(Unavailable("the disk is away"))

        self.patch(index, "call", away)
        self.assertIsNone(result_of(index.ask(Index.recall, MARIA, "Never", 1)))

    def test_in_slices(self) -> None:
        """What is missing is taken a slice at a time, by count or by octets, and only that."""
        self.patch(mail_index, "_SLICE", 4)
        self.fill(10)
        result_of(self.folder.digests([3]))
        slices: list[int] = []

        async def take() -> None:
            async for some in self.store.index.take(self.folder, key_of(self.folder), self.missing(), ("subject",)):
                slices.append(len(some))

        result_of(take())
        self.assertEqual((slices, self.missing()), ([4, 4, 1], []))
        result_of(self.store.index.take_missing(self.folder, list(self.folder.uids)))
        self.assertEqual(len(slices), 3)

    def test_by_octets(self) -> None:
        """Large messages come in smaller slices."""
        self.patch(mail_index, "_OCTETS", 2 * len(a_mail("mail 0")))
        self.fill(5)
        slices: list[list[int]] = []

        async def take() -> None:
            async for some in self.store.index.take(self.folder, key_of(self.folder), self.missing(), ()):
                slices.append(list(some))

        result_of(take())
        self.assertEqual(slices, [[1, 2], [3, 4], [5]])

    def test_envelopes(self) -> None:
        """What FETCH shows can be had, or kept, apart from the rest."""
        self.fill(2)
        result_of(self.store.index.take_envelopes(self.folder, [1]))
        result_of(self.store.index.keep_envelopes(self.folder, [(2, tiny_shown(a_mail("mail 1")))]))
        self.assertEqual(self.missing(), [1, 2])
        index = self.store.index.tables
        found = index.digests.fetch(index.folder(*key_of(self.folder)), [1, 2], SHOWN)
        self.assertEqual(sorted(found), [1, 2])

    def test_while_anew(self) -> None:
        """A question is asked again when the index was lost meanwhile, but not for ever."""
        async def rounds(lost: int) -> int:
            count = 0
            async for _ in self.store.index.while_anew():
                count += 1
                if count <= lost:
                    self.store.index.tables.erase()
            return count

        self.assertEqual([result_of(rounds(lost)) for lost in (0, 1, 9)], [1, 2, 3])

    def test_forget(self) -> None:
        """What is known of a folder, or of all of a mailbox, is dropped."""
        self.fill(2)
        result_of(self.folder.digests([1, 2]))
        self.assertEqual(self.missing(), [])
        self.store.index.forget(MARIA, "INBOX")
        self.assertEqual(self.missing(), [1, 2])
        result_of(self.folder.digests([1, 2]))
        self.store.index.forget(MARIA)
        self.assertEqual(self.missing(), [1, 2])


class DamageTests(DamageCase):
    """The file of the index, under the store that uses it."""

    def files(self) -> list[Path]:
        return sorted(Path(self.path, "index").iterdir())

    def overwrite(self, path: Path) -> None:
        with open(path, "r+b") as file:
            file.write(os.urandom(path.stat().st_size))

    def nothing_known(self, spoil: Callable[[Path], None]) -> None:
        """After damage to each file, and to all, everything is answered, and the index is used again."""
        result_of(self.folder().digests([1]))
        files = self.files()
        for some in [[path] for path in files] + [files]:
            folder = self.folder()
            self.assertEqual(result_of(folder.digests([1])), {1: tiny_digest(a_mail("mail 0"))})
            for path in some:
                if path.exists():
                    spoil(path)
            for _ in range(2):
                self.assertEqual(result_of(folder.digests([1, 2, 3])), {
                    uid: tiny_digest(a_mail(f"mail {uid - 1}")) for uid in (1, 2, 3)})
                self.assertEqual(result_of(folder.containing(("in_subject",), "mail 2")), [3])
            result_of(self.store.accept(a_delivery(10 + len(folder.uids), MARIA)))
            result_of(self.store.cache.save())
            folder = None
            self.store = self.provider.restart()
            again = self.folder()
            missing = result_of(self.store.index.call(
                lambda index: index.digests.missing(index.folder(MARIA, "INBOX", again.uidvalidity), [1, 2])))
            self.assertEqual(missing, [])
            self.assertIsNotNone(result_of(self.store.index.call(
                Index.load, MARIA, "INBOX", again.uidvalidity)))

    def test_overwritten(self) -> None:
        """Overwritten with what is no database."""
        self.nothing_known(self.overwrite)

    def test_truncated(self) -> None:
        """Cut to nothing, or in the middle: the process lives."""
        self.nothing_known(lambda path: os.truncate(path, 0))
        self.nothing_known(lambda path: os.truncate(path, path.stat().st_size // 2))

    def test_content(self) -> None:
        """What SQLite cannot know to be wrong is found out where it is read."""
        folder = self.folder()
        result_of(folder.digests([1]))
        for field, value in (("subject", b"\xff\xff"), ('"to"', b"[")):
            self.store.index.tables._file.sql.execute(f"update fields set {field} = ?", (value,))
            self.assertEqual(result_of(folder.digests([1])), {1: tiny_digest(a_mail("mail 0"))})

    def test_in_its_place(self) -> None:
        """A directory in the place of the index is put aside, not removed."""
        self.provider.stop()
        Path(self.path, "index").mkdir()
        Path(self.path, "index", "main.sqlite").mkdir()
        Path(self.path, "index", "main.sqlite", "mine").write_bytes(b"keep")
        self.store = self.provider.start()
        folder = self.folder()
        result_of(folder.digests([1]))
        self.assertTrue(any((path / "mine").exists() for path in self.files() if path.is_dir()))
        self.assertTrue(Path(self.path, "index", "main.sqlite").is_file())
