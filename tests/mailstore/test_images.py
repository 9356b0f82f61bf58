"""Images of mail on disk: what they cost, what is shared for how long, and what a crash leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.inspection import Inspection
from simmail.mailstore.journal.records import Id
from simmail.mailstore.journal.sync import Condition, NotSynced
from simmail.mailstore.maildir import image, sharing
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of
from tests.mailstore.contracts.contract import MARIA, TOM
from tests.mailstore.contracts.test_images import ImagesContract, contents


class BorrowedPartsTests(ImagesContract, SynchronousTestCase):
    """The same where directories of messages are borrowed as soon as they hold any."""

    provider_of = DiskProvider

    def setUp(self) -> None:
        self.patch(sharing, "FEW", 0)
        super().setUp()


class NothingBorrowedTests(ImagesContract, SynchronousTestCase):
    """The same on a disk that cannot exchange names: all is made at once."""

    provider_of = DiskProvider

    def setUp(self) -> None:
        self.patch(image, "can_exchange", lambda directory: False)
        super().setUp()

    def test_made_at_once(self) -> None:
        """No link leads anywhere."""
        self.fill()
        result_of(self.images.copy("main", "kept"))
        result_of(self.images.copy("kept", "fork"))
        self.assertFalse(os.path.islink(f"{self.provider.path}/mail/fork/{MARIA}"))
        self.assertFalse(os.path.exists(f"{self.provider.path}/mail/.shared"))


class MailImagesTests(SynchronousTestCase):
    """C{MailImages}, and stores that are opened on what was made."""

    def setUp(self) -> None:
        self.patch(sharing, "FEW", 3)
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(lambda: self.provider.stop())
        self.mail = Path(self.provider.path) / "mail"
        for number in range(10):
            self.accept(self.provider.store, number, MARIA, (TOM, "Sent", ("\\Seen",)))

    def accept(self, store: Any, *args: Any, **kwargs: Any) -> Any:
        """Something is delivered."""
        return result_of(store.accept(a_delivery(*args, **kwargs)))

    def fork(self) -> Any:
        """One of an image of what there is."""
        result_of(self.provider.images.copy("main", "kept"))
        result_of(self.provider.images.copy("kept", "fork"))
        return self.provider.open("fork")

    def uids(self, store: Any, mailbox: str = MARIA, name: str = "INBOX") -> list[int]:
        """Those of a folder."""
        return list(result_of(store.folder(mailbox, name)).uids)

    def is_borrowed(self, path: str) -> bool:
        """Whether the fork has a link there."""
        return (self.mail / "fork" / path).is_symlink()

    def test_links_only(self) -> None:
        """A fork is links until something is done in it, and answers without being changed."""
        fork = self.fork()
        self.assertTrue(self.is_borrowed(MARIA) and self.is_borrowed(TOM))
        self.assertEqual(fork.mailboxes(), [MARIA, TOM])
        self.assertEqual(result_of(fork.totals()), {"INBOX": 10, "Sent": 10})
        self.assertEqual([one.total for one in result_of(fork.folders(MARIA)) if one.name == "INBOX"], [10])
        self.assertIn((TOM, "Sent"), result_of(fork.places()))
        result_of(fork.events.listen(MARIA, lambda event: None))
        self.provider.later()
        self.assertTrue(self.is_borrowed(MARIA) and self.is_borrowed(TOM))

    def test_first_delivery(self) -> None:
        """What is delivered takes only the directory that it comes into."""
        fork = self.fork()
        self.accept(fork, "new", MARIA)
        self.assertFalse(self.is_borrowed(MARIA) or self.is_borrowed(f"{MARIA}/new"))
        self.assertTrue(self.is_borrowed(TOM))
        self.accept(fork, "sent", (TOM, "Sent"))
        self.assertTrue(self.is_borrowed(f"{TOM}/.Sent/cur"))
        self.accept(fork, "seen", (TOM, "Sent", ("\\Seen",)))
        self.assertFalse(self.is_borrowed(f"{TOM}/.Sent/cur"))
        self.assertEqual(self.uids(fork), list(range(1, 12)))
        self.assertEqual(self.uids(fork, TOM, "Sent"), list(range(1, 13)))
        self.assertEqual(self.uids(self.provider.open("kept")), list(range(1, 11)))
        self.assertEqual(self.uids(self.provider.store), list(range(1, 11)))

    def test_loaded(self) -> None:
        """A folder that somebody holds stays the same as its files become the fork's own."""
        fork = self.fork()
        inbox, changes = result_of(fork.folder(MARIA, "INBOX")), []
        inbox.listen(changes.append)
        self.assertTrue(self.is_borrowed(f"{MARIA}/new"))
        self.accept(fork, "new", MARIA)
        result_of(inbox.flag([1, 2], ["\\Seen"], "+"))
        self.provider.later()
        result_of(inbox.poll())
        self.assertEqual([(one.kind, one.uids) for one in changes], [("added", (11,)), ("flags", (1, 2))])
        self.assertEqual(result_of(inbox.expunge([1])), [1])
        self.assertEqual(len(os.listdir(self.mail / "fork" / MARIA / "cur")), 1)
        self.assertEqual(self.uids(self.provider.open("kept")), list(range(1, 11)))

    def test_restarted(self) -> None:
        """All of it is there after an orderly end, and after a crash."""
        fork = self.fork()
        self.accept(fork, "new", MARIA)
        before = contents(fork)
        for again in (self.provider.restart, self.provider.crash):
            again()
            fork = self.provider.open("fork")
            self.assertEqual(contents(fork), before)
        self.assertEqual(self.uids(self.provider.open("kept")), list(range(1, 11)))

    def test_machine_down(self) -> None:
        """When UIDNEXT is raised after the machine went down what is shared stays as it was."""
        fork = self.fork()
        self.accept(fork, "new", TOM)
        shared = [path.read_bytes() for path in sorted((self.mail / ".shared").glob("*/*/simmail-uids"))]
        self.provider.stop()
        journal = Path(self.provider.path) / "journal"
        for segment in journal.glob("*.journal"):
            segment.unlink()
        self.provider.start()
        self.provider.journal.commit._pool.rebooted = True
        fork = self.provider.open("fork")
        after = [path.read_bytes() for path in sorted((self.mail / ".shared").glob("*/*/simmail-uids"))]
        self.assertEqual(after, shared)
        self.assertEqual(self.accept(fork, "one", MARIA)[0].uid, 11)
        self.assertGreater(self.accept(fork, "another", TOM)[0].uid, 10_000)

    def test_not_shared_any_more(self) -> None:
        """What is shared goes with the last who may have borrowed of it."""
        fork = self.fork()
        shared = self.mail / ".shared"
        self.assertEqual(len(os.listdir(shared)), 1)
        result_of(self.provider.images.erase("kept"))
        self.assertEqual(len(os.listdir(shared)), 1)
        self.assertEqual(len(result_of(result_of(fork.folder(MARIA, "INBOX")).reads(range(1, 11)))), 10)
        result_of(fork.erase())
        self.accept(fork, "new", MARIA)
        result_of(self.provider.images.erase("nobody"))
        self.assertEqual(os.listdir(shared), [])
        self.assertEqual(self.uids(fork), [1])

    def test_deleted(self) -> None:
        """A mailbox that is borrowed can be deleted and made again, its folders renamed and deleted."""
        fork = self.fork()
        before = contents(self.provider.store)
        uidvalidity = result_of(self.provider.store.folder(MARIA, "INBOX")).uidvalidity
        result_of(fork.delete(MARIA))
        self.assertEqual(os.listdir(self.mail / "fork" / ".gone"), [])
        self.accept(fork, "new", MARIA)
        self.assertGreater(result_of(fork.folder(MARIA, "INBOX")).uidvalidity, uidvalidity)
        result_of(fork.rename_folder(TOM, "Sent", "Old"))
        self.accept(fork, "old", (TOM, "Old", ("\\Seen",)))
        self.assertEqual(len(self.uids(fork, TOM, "Old")), 11)
        self.assertEqual(self.uids(fork, TOM, "Sent"), [])
        result_of(fork.delete_folder(TOM, "Old"))
        self.assertEqual(contents(self.provider.store), before)
        self.assertEqual(contents(self.provider.open("kept")), before)

    def test_prepared(self) -> None:
        """After it was prepared only what has changed since is looked at."""
        result_of(self.provider.images.copy("main", "none"))
        self.provider.clock.advance(10 * 365 * 86400)
        result_of(self.provider.images.prepare("main", "kept"))
        self.accept(self.provider.store, "late", TOM)
        linked: list[str] = []
        link = sharing.link
        self.patch(image, "link", lambda name, *places: (linked.append(name), link(name, *places)))
        result_of(self.provider.images.copy("main", "kept"))
        self.assertEqual([name.partition(",")[0] for name in linked], ["d-late"])
        self.assertEqual(self.uids(self.provider.open("kept"), TOM), [1])

    def test_late(self) -> None:
        """While something that was taken has no file there is no image that would lack it."""
        self.provider.journal._late[Id("main", "late")] = True
        self.assertRaises(Unavailable, result_of, self.provider.images.copy("main", "kept"))
        self.provider.journal._late.clear()
        self.assertEqual(result_of(self.provider.images.universes()), ["main"])
        result_of(self.provider.images.copy("main", "kept"))
        self.assertEqual(os.listdir(self.mail / ".making"), [])

    def test_not_synced(self) -> None:
        """What is perhaps not on the disk is not there, nor is anything made while the disk is in doubt."""
        def failing() -> None:
            raise NotSynced(5, "it is broken")

        journal = self.provider.journal
        sync = journal._sync_disks
        journal._sync_disks = failing
        self.assertRaises(Unavailable, result_of, self.provider.images.copy("main", "kept"))
        self.assertEqual(result_of(self.provider.images.universes()), ["main"])
        journal._sync_disks, journal.condition = sync, Condition("it is broken")
        self.assertRaises(Unavailable, result_of, self.provider.images.copy("main", "kept"))
        journal.condition = Condition()
        self.assertEqual(len(self.uids(self.fork())), 10)

    def test_inspected(self) -> None:
        """Whoever looks for damage finds none in what is shared, and counts it where it is borrowed."""
        self.accept(self.fork(), "new", MARIA)
        inspection = Inspection(Path(self.provider.path))
        self.assertEqual(list(inspection.findings()), [])
        self.assertEqual(inspection.messages, 61)

    def test_disk_refuses(self) -> None:
        """When the disk refuses there is nothing of it, and the next attempt makes it."""
        def full(name: str, source: int, target: int) -> None:
            raise OSError(28, "no room")

        link = image.link
        self.patch(image, "link", full)
        self.assertRaises(Unavailable, result_of, self.provider.images.copy("main", "kept"))
        self.assertEqual(result_of(self.provider.images.universes()), ["main"])
        self.patch(image, "link", link)
        self.assertEqual(len(self.uids(self.fork())), 10)
        self.assertEqual(os.listdir(self.mail / ".making"), [])

    def test_many_names(self) -> None:
        """A file that has as many names as it can have is copied."""
        link = os.link

        def too_many(*args: Any, **kwargs: Any) -> None:
            if kwargs.get("src_dir_fd") and args[0].startswith("d-3"):
                raise OSError(31, "too many links")
            link(*args, **kwargs)

        self.patch(os, "link", too_many)
        before = contents(self.provider.store)
        self.assertEqual(contents(self.fork()), before)

    def test_foreign(self) -> None:
        """A file without a UID, which was not taken yet, is not in an image."""
        path = self.mail / "main" / MARIA / "new" / "1234.somebody"
        path.write_bytes(a_mail("foreign"))
        fork = self.fork()
        self.assertEqual(self.uids(fork), list(range(1, 11)))
        self.assertEqual(len(os.listdir(self.mail / "fork" / MARIA / "new")), 10)

    def test_appended(self) -> None:
        """What is put into a fork's folder together is there together, and nowhere else."""
        fork = self.fork()
        sent = result_of(fork.folder(TOM, "Sent"))
        uids = result_of(sent.append_all([(a_mail(str(at)), ["\\Seen"], AT) for at in range(3)], AT))
        self.assertEqual(uids, [11, 12, 13])
        self.assertEqual(result_of(sent.replace(11, sent, a_mail("another"), [], AT)), 14)
        self.assertEqual(len(self.uids(self.provider.open("kept"), TOM, "Sent")), 10)
        self.assertEqual(len(os.listdir(self.mail / "main" / TOM / ".Sent" / "cur")), 10)
