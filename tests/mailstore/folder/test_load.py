"""When a folder has to be listed, and when the index will do."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.folder.folder import snapshot_of
from simmail.mailstore.maildir import filename
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class LoadingTests(SynchronousTestCase):
    """A folder of five messages, saved when the files had been as they are for a while."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.provider.clock.rightNow = time.time() + 10
        self.box = Path(self.path, "mail", "main", MARIA)
        self.addCleanup(lambda: self.provider.stop())
        self.listed: list[Any] = []
        real = filename.listing
        self.patch(filename, "listing", lambda *args: (self.listed.append(args[3:4]), real(*args))[1])
        for number in range(5):
            result_of(self.provider.store.accept(a_delivery(number, MARIA)))
        folder = result_of(self.provider.store.folder(MARIA, "INBOX"))
        result_of(folder.flag([1, 2], ["\\Seen", "Key"], "+"))
        self.before = self.described(folder)

    def described(self, folder: Any) -> Any:
        return folder.entries(folder.uids), folder.status(), folder.keywords

    def again(self, orderly: bool = True) -> Any:
        """The folder in the next process."""
        store = self.provider.restart() if orderly else self.provider.crash()
        self.listed.clear()
        return result_of(store.folder(MARIA, "INBOX"))

    def test_as_it_was(self) -> None:
        """Nothing has changed: nothing is listed, and everything is as it was, MODSEQs too."""
        for _ in range(3):
            self.assertEqual(self.described(self.again()), self.before)
            self.assertEqual(self.listed, [])

    def test_new_mail(self) -> None:
        """Mail that came while the folder was not loaded: only new/ is listed."""
        self.provider.restart()
        result_of(self.provider.store.accept(a_delivery(9, MARIA)))
        folder = self.again()
        self.assertEqual(self.listed, [((filename.NEW,),)])
        self.assertEqual(folder.entries(range(1, 6)), self.before[0])
        self.assertEqual(list(folder.uids), [1, 2, 3, 4, 5, 6])
        self.assertGreater(folder.entry(6).modseq, self.before[1].highestmodseq)

    def test_changed(self) -> None:
        """Files were renamed: all is listed, and what was renamed has another MODSEQ."""
        self.provider.stop()
        name = next((self.box / "cur").glob("d-1,*"))
        name.rename(str(name).replace(":2,S", ":2,FS"))
        self.provider.start()
        folder = self.again(orderly=False)
        self.assertEqual(self.listed, [((filename.NEW, filename.CUR),)])
        self.assertEqual(folder.changed(self.before[1].highestmodseq), [2])
        self.assertEqual(folder.entry(2).flags, {"\\Seen", "\\Flagged", "Key"})

    def test_only_what_changed(self) -> None:
        """Of a folder that is listed again only those names are taken apart that were not there."""
        folder = self.again()
        found: list[filename.Listing] = []
        real = filename.listing
        self.patch(filename, "listing", lambda *args: (found.append(real(*args)), found[-1])[1])
        name = next((self.box / "cur").glob("d-1,*"))
        name.rename(str(name).replace(":2,S", ":2,FS"))
        result_of(folder.poll())
        self.assertEqual([(list(one.rows), len(one.same)) for one in found], [([2], 4)])
        self.assertEqual(folder.entry(2).flags, {"\\Seen", "\\Flagged", "Key"})

    def test_just_now(self) -> None:
        """What was changed a moment before it was saved cannot be trusted: it is listed."""
        self.provider.clock.rightNow = time.time() - 1
        self.assertEqual(self.described(self.again()), self.before)
        self.assertEqual(len(self.listed), 1)

    def test_damaged(self) -> None:
        """What is saved and makes no sense is as if it were not there."""
        store = self.provider.store
        snapshot = snapshot_of(result_of(store.folder(MARIA, "INBOX")))
        self.provider.restart()
        store = self.provider.store
        for rows in (b"", b"rubbish", snapshot.rows[:-1]):
            store.index.tables.save(MARIA, "INBOX", snapshot._replace(rows=rows))
            folder = result_of(store.folder(MARIA, "INBOX"))
            self.assertEqual([entry._replace(modseq=0) for entry in folder.entries(folder.uids)],
                             [entry._replace(modseq=0) for entry in self.before[0]])
            store.cache.drop(folder)

    def test_dates_are_not_asked_again(self) -> None:
        """A folder that is listed again asks only new files for their dates."""
        self.provider.restart()
        asked: list[str] = []
        real = os.stat

        def stat(path: Any, *args: Any, **kwargs: Any) -> Any:
            if str(path).startswith("d-"):
                asked.append(str(path).partition(",")[0])
            return real(path, *args, **kwargs)
        result_of(self.provider.store.accept(a_delivery(9, MARIA)))
        os.utime(self.box / "cur")
        self.patch(os, "stat", stat)
        self.again()
        self.assertEqual(asked, ["d-9"])


class ArrivingTests(SynchronousTestCase):
    """Mail comes while a folder is read: a name that comes meanwhile may be among the others or not."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(lambda: self.provider.stop())
        for number in range(5):
            result_of(self.provider.store.accept(a_delivery(number, MARIA)))

    def coming(self, store: Any) -> list[DeliveryResult]:
        """While the next folder is read the writer puts two messages in, and the second of them is seen."""
        filed: list[DeliveryResult] = []
        begun = []
        read = os.listdir

        def names(place: Any) -> list[str]:
            found = read(place)
            if begun or not os.readlink(f"/proc/self/fd/{place}").endswith("/new"):
                return found
            begun.append(place)
            maildirs = store.writer.handler.delivery(store.at)
            filed.extend(maildirs.file(a_delivery(number, MARIA)) for number in (5, 6))
            return [name for name in read(place) if ",U=6," not in name]

        self.patch(filename.os, "listdir", names)
        return filed

    def seen(self, store: Any, folder: Any, filed: list[DeliveryResult]) -> None:
        """The writer tells of them a little later; none has another UID by then, and none is another program's."""
        for _ in range(2):
            result_of(folder.poll())
        for one in filed:
            store.apply(one.added)
        result_of(folder.poll())
        self.assertEqual([one.copies[0].uid for one in filed], [6, 7])
        self.assertEqual(list(folder.uids), [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual([len(result_of(folder.read(uid))) > 0 for uid in (6, 7)], [True, True])
        store.watch(lambda foreign, copy: self.fail(f"{foreign} is no other program's"))

    def test_loaded(self) -> None:
        """The folder is read for the first time."""
        store = self.provider.crash()
        filed = self.coming(store)
        folder = result_of(store.folder(MARIA, "INBOX"))
        self.assertEqual(len(filed), 2)
        self.seen(store, folder, filed)

    def test_told_meanwhile(self) -> None:
        """The writer tells of them before the folder is known."""
        store = self.provider.crash()
        filed = self.coming(store)
        listing = filename.listing

        def told(*arguments: Any) -> Any:
            found = listing(*arguments)
            for one in filed:
                store.apply(one.added)
            return found

        self.patch(filename, "listing", told)
        folder = result_of(store.folder(MARIA, "INBOX"))
        self.seen(store, folder, filed)

    def test_looked_at(self) -> None:
        """It is known, and looked at again."""
        store = self.provider.store
        folder = result_of(store.folder(MARIA, "INBOX"))
        filed = self.coming(store)
        os.utime(Path(store.layout.base, "main", MARIA, "new"))
        result_of(folder.poll())
        self.assertEqual(len(filed), 2)
        self.seen(store, folder, filed)
