"""An index that is damaged while it is used is made anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from simmail.mailstore.index.index import Index
from tests.contracts.mailstores import a_delivery, a_mail, result_of, tiny_digest
from tests.mailstore.test_by_hand import MARIA, DamageCase


class IndexTests(DamageCase):
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
