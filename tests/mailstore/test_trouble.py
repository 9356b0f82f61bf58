"""Disks that are full or broken: what is refused has not happened, and it goes on when the trouble is over."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import force_setattr
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.sort import Criterion
from simmail.errors import Unavailable
from simmail.mailstore.folder import changes
from simmail.mailstore.journal import groupcommit
from simmail.mailstore.journal.groupcommit import PendingDelivery
from simmail.mailstore.journal.records import DELIVERY
from simmail.mailstore.journal.segment import Segment
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of, tiny_digest

MARIA, TOM = "maria@acme.test", "tom@acme.test"


def refusing(append: Any) -> Any:
    """To C{append} nothing but deliveries: the process was killed before it could note what became of them."""
    return lambda segment, records: append(segment, [one for one in records if one[0] == DELIVERY])


class Trouble(SynchronousTestCase):
    """Calls of the system that fail for a while."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.store = self.provider.store
        result_of(self.store.accept(a_delivery(0, MARIA, TOM)))

    def tearDown(self) -> None:
        self.provider.stop()

    def failing(self, name: str, when: Callable[..., bool] = lambda *args: True, number: int = errno.ENOSPC) -> Any:
        """Make a call of C{os} fail for some arguments; answers what ends that."""
        real = getattr(os, name)

        def fail(*args: Any, **kwargs: Any) -> Any:
            if when(*args):
                raise OSError(number, os.strerror(number))
            return real(*args, **kwargs)
        return self.patch(os, name, fail)

    def messages(self) -> list[str]:
        """All files of messages, in places and on their way."""
        return sorted(path.name for part in ("new", "cur", ".tmp") for path in Path(self.path).rglob(f"{part}/*")
                      if path.is_file())

    def keys(self) -> list[str]:
        """Keys of what is in Maria's INBOX, once looked at from scratch."""
        self.store = self.provider.crash()
        result_of(self.store.replay(result_of(self.store.uncommitted())))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        return list(folder.column("key", folder.uids))

    def refused(self, number: int, *places: Any) -> None:
        """A delivery is refused and visible nowhere."""
        before = self.messages()
        self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(number, *places)))
        self.assertEqual(self.messages(), before)

    def test_journal_full(self) -> None:
        """No room in the journal: refused; afterwards all is well."""
        trouble = self.failing("pwritev")
        self.refused(1, MARIA)
        self.refused(2, MARIA)
        trouble.restore()
        self.assertEqual(result_of(self.store.accept(a_delivery(3, MARIA)))[0].uid, 2)
        self.assertEqual(result_of(self.store.uncommitted()), ["d-0", "d-3"])
        self.assertEqual(self.keys(), ["d-0", "d-3"])

    def test_journal_half_written(self) -> None:
        """A record that was written in part is taken back."""
        def part(fd: int, pieces: Any, at: int) -> int:
            os.pwrite(fd, b"".join(pieces)[:50], at)
            raise OSError(errno.ENOSPC, "full")
        trouble = self.patch(os, "pwritev", part)
        self.refused(1, MARIA)
        trouble.restore()
        result_of(self.store.accept(a_delivery(2, MARIA)))
        self.assertEqual(self.keys(), ["d-0", "d-2"])

    def test_sync_fails(self) -> None:
        """When the disk does not say that it has it, it is refused, and does not come to life later."""
        trouble = self.failing("fdatasync", number=errno.EIO)
        self.refused(1, MARIA)
        trouble.restore()
        # That the next sync succeeds proves nothing.
        self.refused(2, MARIA)
        self.provider.clock.advance(1)
        result_of(self.store.accept(a_delivery(2, MARIA)))
        self.assertEqual(self.keys(), ["d-0", "d-2"])
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-0", "d-2"])

    def test_full_at_the_start(self) -> None:
        """What the disk refuses when it is replayed stays owed, and is filed when it is asked for again with room."""
        batch = self.store.writer.handler.batch(self.store.into)
        self.store.journal.commit.before([PendingDelivery(a_delivery(number, MARIA), batch) for number in (1, 2)])
        troubles = [self.failing("link"), self.failing("rename")]
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-0", "d-1", "d-2"])
        self.assertEqual(result_of(self.store.replay({"d-0", "d-2"})), [])
        self.assertEqual(self.store.unfiled, ["d-1", "d-2"])
        for one in troubles:
            one.restore()
        replayed = result_of(self.store.replay({"d-0", "d-2"}, {"d-1", "d-2"}))
        self.assertEqual(([delivery.id for delivery, _ in replayed], self.store.unfiled), (["d-1"], []))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(list(folder.column("key", folder.uids)), ["d-0", "d-1", "d-2"])

    def test_mail_full(self) -> None:
        """No room for the file: refused, nothing half written stays, nothing comes to life later."""
        for name in ("write", "utime", "rename"):
            with self.subTest(name):
                trouble = self.failing(name)
                self.refused(1, MARIA)
                trouble.restore()
        self.assertEqual(self.keys(), ["d-0"])

    def test_several_full(self) -> None:
        """Of several messages appended together none is there when one cannot be written, or cannot appear."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        messages = [(a_mail(f"mine {n}"), (), AT) for n in range(3)]
        before = self.messages()
        troubles: list[tuple[str, Callable[..., bool]]] = [
            ("write", lambda fd, octets: b"mine 2" in bytes(octets)),
            ("link", lambda source, target, **_: "-3,U=" in target)]
        for name, when in troubles:
            with self.subTest(name):
                trouble = self.failing(name, lambda *args, when=when: when(*args))
                self.assertRaises(Unavailable, result_of, folder.append_all(messages))
                trouble.restore()
                self.assertEqual(self.messages(), before)
        self.assertEqual(len(self.keys()), 1)
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(len(result_of(folder.append_all(messages))), 3)
        self.assertEqual(len(self.keys()), 4)

    def test_several_cut_short(self) -> None:
        """Killed when one of several was there: all are after the start, each once."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))

        class Killed(BaseException):
            pass

        real = os.link

        def dies(source: str, target: str, **kwargs: Any) -> None:
            if "-2,U=" in target:
                raise Killed
            real(source, target, **kwargs)

        self.patch(os, "link", dies)
        # What tidies up does not come to it either.
        gone = self.failing("unlink")
        messages = [(a_mail(f"mine {n}"), ("\\Seen",), AT) for n in range(3)]
        try:
            folder.append_all(messages).addErrback(lambda failure: failure.trap(Killed))
        except Killed:
            pass
        gone.restore()
        self.patch(os, "link", real)
        keys = self.keys()
        self.assertEqual((len(keys), len(set(keys))), (4, 4))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(sorted(one for _, one in result_of(folder.reads(folder.uids)))[1:], sorted(
            octets for octets, _, _ in messages))

    def test_replace_refused(self) -> None:
        """Where the new message cannot be written, or the old one not removed, all is as before."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        before = self.messages()
        troubles: list[tuple[str, Callable[..., bool]]] = [
            ("write", lambda *args: True), ("rename", lambda *args: True),
            ("unlink", lambda path: ",U=1," in path)]
        for name, when in troubles:
            with self.subTest(name):
                trouble = self.failing(name, when)
                self.assertRaises(Unavailable, result_of, folder.replace(1, folder, a_mail("mine"), (), AT))
                trouble.restore()
                self.assertEqual((self.messages(), list(folder.uids)), (before, [1]))
        self.assertEqual(self.keys(), ["d-0"])

    def test_replace_cut_short(self) -> None:
        """Killed when the new message was there and the old one too: after the start the old one is gone."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        gone = self.failing("unlink", number=errno.EIO)
        append = self.patch(Segment, "append", refusing(Segment.append))
        self.assertRaises(Unavailable, result_of, folder.replace(1, folder, a_mail("mine"), (), AT))
        gone.restore()
        append.restore()
        self.assertEqual(len(self.messages()), 3)
        keys = self.keys()
        self.assertEqual((len(keys), "d-0" in keys), (1, False))

    def test_replace_renamed(self) -> None:
        """The old message is found where a change of flags, here or by another program, has put its file."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        old = next(Path(self.path).rglob(f"{MARIA}/new/*"))
        old.rename(old.parents[1] / "cur" / f"{old.name}:2,FS")
        result_of(folder.replace(1, folder, a_mail("mine"), (), AT))
        self.assertEqual((list(folder.uids), len(self.messages())), ([2], 2))

    def test_one_place_full(self) -> None:
        """When one place cannot be had, the others are taken back."""
        trouble = self.failing("rename", lambda source, target, *args: target.startswith(f"{TOM}/new"))
        self.refused(1, MARIA, TOM)
        trouble.restore()
        self.assertEqual(self.keys(), ["d-0"])
        self.assertEqual(result_of(self.store.accept(a_delivery(1, MARIA, TOM)))[0].uid, 3)

    def test_new_mailbox_full(self) -> None:
        """No room for a new mailbox: refused, and there is no half mailbox."""
        trouble = self.failing("mkdir")
        self.refused(1, "new@acme.test")
        trouble.restore()
        self.assertFalse(self.store.exists("new@acme.test"))
        result_of(self.store.accept(a_delivery(2, "new@acme.test")))

    def test_reading_goes_on(self) -> None:
        """A full disk does not keep anybody from reading."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        for name in ("pwritev", "pwrite", "write", "rename", "link", "mkdir"):
            self.failing(name)
        self.assertEqual(result_of(folder.read(1)), a_mail("mail 0"))
        self.assertEqual(result_of(self.store.counts())[MARIA][:2], (1, 1))

    def test_flags_not_noted(self) -> None:
        """Flags that cannot be noted are not changed."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        real = os.write

        def part(fd: int, octets: bytes) -> int:
            real(fd, octets[:3])
            raise OSError(errno.ENOSPC, "full")
        result_of(folder.flag([1], ["\\Flagged"], "+"))
        trouble = self.patch(os, "write", part)
        self.assertRaises(Unavailable, result_of, folder.flag([1], ["\\Seen"], "+"))
        self.assertEqual(folder.entry(1).flags, {"\\Flagged"})
        trouble.restore()
        result_of(folder.flag([1], ["\\Draft"], "+"))
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.folder(MARIA, "INBOX")).entry(1).flags, {"\\Flagged", "\\Draft"})

    def test_files_not_renamed(self) -> None:
        """Files that cannot be renamed now are renamed when the trouble is over; flags are true meanwhile."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(folder.flag([1], ["\\Seen"], "+"))
        trouble = self.failing("rename")
        self.provider.clock.advance(3)
        self.assertEqual((list(folder.having("\\Seen")), result_of(folder.read(1))), ([1], a_mail("mail 0")))
        self.assertFalse(any(name.endswith("S") for name in self.messages()))
        trouble.restore()
        self.provider.clock.advance(3)
        self.assertTrue(any(name.endswith(":2,S") for name in self.messages()))

    def test_flags_half_done(self) -> None:
        """Where flags are in the names of files at once, a change that failed half way shows what is on disk."""
        for number in range(1, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        force_setattr(folder.context, "shared", True)
        changes: list[Any] = []
        folder.listen(changes.append)
        trouble = self.failing("rename", lambda source, target, *args: "d-3," in source)
        self.assertRaises(Unavailable, result_of, folder.flag(range(1, 7), ["\\Seen"], "+"))
        self.assertEqual(list(folder.having("\\Seen")), [1, 2, 3])
        self.assertEqual([(change.kind, change.uids) for change in changes], [("flags", (1, 2, 3))])
        trouble.restore()
        self.assertEqual(result_of(folder.flag(range(1, 7), ["\\Seen"], "+")), ([4, 5, 6], []))

    def third_cannot_be_copied(self) -> tuple[Any, Any, Any]:
        """Five messages, a folder with a copy of the first, and a link that fails; copies go by twos."""
        for number in range(1, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        folder, target = (result_of(self.store.folder(MARIA, name)) for name in ("INBOX", "Archive"))
        result_of(folder.copy([1], target))
        self.patch(changes, "SLICE", 2)
        return folder, target, self.failing("link", lambda source, target, *args: "d-3," in source)

    def test_copy_is_all_or_nothing(self) -> None:
        """A copy that failed half way leaves nothing in the target (RFC 3501 section 6.4.7)."""
        folder, target, trouble = self.third_cannot_be_copied()
        self.assertRaises(Unavailable, result_of, folder.copy(range(1, 7), target))
        self.assertEqual(list(target.uids), [1])
        self.assertEqual(len([name for name in self.messages() if name.startswith(("d-1,", "d-2,"))]), 2)
        trouble.restore()
        self.assertEqual([source for source, _ in result_of(folder.copy(range(1, 7), target))], [1, 2, 3, 4, 5, 6])

    def test_copy_fails_while_more_is_copied(self) -> None:
        """Slices are begun before those before them are done; one that fails takes back those too."""
        folder, target, trouble = self.third_cannot_be_copied()
        call_writer, asked = self.store.writer.call, list[Any]()

        def call(*args: Any) -> Deferred[Any]:
            asked.append((done := Deferred[Any](), args))
            return done

        self.patch(self.store.writer, "call", call)
        before, told = self.messages(), list[Any]()
        copying = folder.copy(range(1, 7), target)
        target.listen(lambda change: told.append((change.kind, change.uids)))
        self.assertEqual(len(asked), 3)
        while asked:
            self.assertNoResult(copying)
            done, args = asked.pop(0)
            call_writer(*args).chainDeferred(done)
            self.provider.clock.advance(0)
        self.assertRaises(Unavailable, result_of, copying)
        self.assertEqual(told, [("added", (2, 3)), ("added", (6, 7)), ("expunged", (2, 3, 6, 7))])
        self.assertEqual((self.messages(), list(target.uids)), (before, [1]))
        trouble.restore()

    def test_slice_half_copied(self) -> None:
        """The same within a slice of which a file is gone; without trouble the others are copied."""
        for number in range(1, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        folder, target = (result_of(self.store.folder(MARIA, name)) for name in ("INBOX", "Archive"))
        next(Path(self.path, "mail", "main", MARIA, "new").glob("d-2,*")).unlink()
        trouble = self.failing("link", lambda source, target, *args: "d-4," in source)
        before = self.messages()
        self.assertRaises(Unavailable, result_of, folder.copy(range(1, 7), target))
        self.assertEqual(self.messages(), before)
        trouble.restore()
        self.assertEqual([source for source, _ in result_of(folder.copy(range(1, 7), target))], [1, 2, 4, 5, 6])
        self.assertEqual(list(target.column("key", target.uids)), ["d-0", "d-1", "d-3", "d-4", "d-5"])

    def kept(self, folder: Any) -> list[int]:
        """What of the first UIDs of a folder is in the index."""
        index = self.store.index.tables
        number = index.folder(folder.mailbox, folder.name, folder.uidvalidity)
        uids: list[int] = index.digests.columns(number, range(1, 9), ("subject", "text", "envelope"))[0]
        return uids

    def test_expunge_half_done(self) -> None:
        """An expunge that failed half way has removed what it says, from the index too, and goes on afterwards."""
        for number in range(1, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(folder.digests(range(1, 7)))
        self.patch(changes, "SLICE", 2)
        told: list[Any] = []
        folder.listen(lambda change: told.append((change.kind, change.uids)))
        trouble = self.failing("unlink", lambda path, *args, **more: "d-2," in path)
        self.assertRaises(Unavailable, result_of, folder.expunge(range(1, 6)))
        self.assertEqual(told, [("expunged", (1, 2)), ("expunged", (5,))])
        self.assertEqual((list(folder.uids), self.kept(folder)), ([3, 4, 6], [3, 4, 6]))
        trouble.restore()
        self.assertEqual(result_of(folder.expunge(range(1, 6))), [3, 4])
        self.assertEqual((list(folder.uids), self.kept(folder)), ([6], [6]))

    def test_slices(self) -> None:
        """Of many messages a few go first, so that the writer begins early, then more and more up to a slice."""
        for number in range(1, 21):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        self.patch(changes, "SLICE", 8)
        self.patch(changes, "FIRST", 3)
        folder, target = (result_of(self.store.folder(MARIA, name)) for name in ("INBOX", "Archive"))
        told: list[int] = []
        target.listen(lambda change: told.append(len(change.uids)))
        folder.listen(lambda change: told.append(len(change.uids)))
        result_of(folder.copy(range(1, 22), target))
        self.assertEqual(told, [3, 6, 8, 4])
        told.clear()
        result_of(folder.expunge(range(1, 22)))
        self.assertEqual(told, [3, 6, 8, 4])

    def test_nothing_kept_of_what_moved(self) -> None:
        """What the index knows of a message moves with it, wherever its neighbours go."""
        for number in range(1, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        folder, target = (result_of(self.store.folder(MARIA, name)) for name in ("INBOX", "Archive"))
        result_of(folder.digests(range(1, 7)))
        result_of(folder.move([1, 2, 4, 6], target))
        self.assertEqual((self.kept(folder), self.kept(target)), ([3, 5], [1, 2, 3, 4]))
        self.assertEqual([one.subject for one in result_of(target.digests([4, 1])).values()], ["mail 5", "mail 0"])

    def test_index_is_a_convenience(self) -> None:
        """Without the index everything still answers."""
        self.provider.stop()
        index = Path(self.path, "index", "main.sqlite")
        index.parent.mkdir(exist_ok=True)
        index.write_bytes(b"this is no database " * 1000)
        self.store = self.provider.start()
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(result_of(folder.digests([1])), {1: tiny_digest(a_mail("mail 0"))})
        self.provider.stop()
        index.unlink()
        index.mkdir()
        self.store = self.provider.start()
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(result_of(folder.digests([1])), {1: tiny_digest(a_mail("mail 0"))})
        result_of(folder.append(a_mail("more"), [], AT - timedelta(hours=1)))
        self.assertEqual(list(folder.uids), [1, 2])
        for criterion, expected in (
            (Criterion("arrival"), [2, 1]), (Criterion("at", True), [1, 2]), (Criterion("order_subject", True), [2, 1]),
            (Criterion("size"), [2, 1]),
        ):
            self.assertEqual(result_of(folder.ordered([1, 2], [criterion])), expected)

    def test_index_deleted(self) -> None:
        """Without its index a folder has the same UIDs, flags and dates, and a greater HIGHESTMODSEQ."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(folder.flag([1], ["Key", "\\Seen"], "+"))
        before = folder.entry(1), folder.uidvalidity, folder.uidnext
        modseq = folder.highestmodseq
        self.provider.stop()
        Path(self.path, "index", "main.sqlite").unlink()
        self.store = self.provider.start()
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertEqual(folder.entry(1)._replace(modseq=0), before[0]._replace(modseq=0))
        self.assertEqual((folder.uidvalidity, folder.uidnext), before[1:])
        self.assertGreater(folder.entry(1).modseq, modseq)
        self.assertIsNone(result_of(folder.vanished(1)))

    def test_journal_in_use(self) -> None:
        """A second process with the same journal is told so, and cannot accept."""
        second = DiskProvider(self.path)
        self.assertRaises(Unavailable, result_of, second.journal.ready)
        self.assertRaises(Unavailable, result_of, second.store.accept(a_delivery(1, MARIA)))
        self.assertRaises(Unavailable, result_of, second.store.uncommitted())
        result_of(self.store.accept(a_delivery(2, MARIA)))


class RebootTests(SynchronousTestCase):
    """The machine itself went down: what was not synced may be gone."""

    def reboot(self, provider: DiskProvider) -> Any:
        """The process ends at once, and the next one starts on a machine that was down."""
        provider.die()
        self.patch(groupcommit, "boot_id", lambda: "another")
        return provider.start()

    def test_filed_again(self) -> None:
        """What is journalled is filed again, settled or not; UIDs that may have been given are not used again."""
        path = self.mktemp()
        provider = DiskProvider(path)
        store = provider.store
        for number in range(4):
            result_of(store.accept(a_delivery(number, MARIA, (TOM, "Sent", ("\\Seen", "Key")))))
        store.committed(["d-0", "d-1"])
        self.assertEqual(result_of(store.uncommitted()), ["d-2", "d-3"])
        uids = [path for path in Path(path).rglob(f"{MARIA}/new/*")]
        for name in sorted(uids)[:3]:
            name.unlink()
        next(Path(path).rglob(f"{TOM}/.Sent/cur/d-1,*")).write_bytes(b"")
        store = self.reboot(provider)
        self.assertEqual(result_of(store.uncommitted()), ["d-2", "d-3"])
        replayed = result_of(store.replay({"d-2"}))
        self.assertEqual([delivery.id for delivery, _ in replayed], ["d-3"])
        inbox, sent = result_of(store.folder(MARIA, "INBOX")), result_of(store.folder(TOM, "Sent"))
        self.assertEqual(sorted(inbox.column("key", inbox.uids)), ["d-0", "d-1", "d-2", "d-3"])
        self.assertEqual(list(inbox.uids), [1, 2, 3, 4])
        self.assertGreater(inbox.uidnext, 10_000)
        self.assertEqual(list(sent.uids), [1, 2, 3, 4])
        self.assertEqual(sent.entry(2).flags, {"\\Seen", "Key"})
        self.assertEqual(result_of(sent.read(2)), a_mail("mail 1"))
        store.committed(["d-2", "d-3"])
        result_of(store.uncommitted())
        provider.stop()
        self.assertEqual([name for name in os.listdir(f"{path}/journal") if name != "lock"], [])

    def test_orderly_end(self) -> None:
        """After an orderly end nothing is done again."""
        provider = DiskProvider(self.mktemp())
        result_of(provider.store.accept(a_delivery(1, MARIA, commit=b"")))
        provider.stop()
        self.patch(groupcommit, "boot_id", lambda: "another")
        store = provider.start()
        result_of(store.accept(a_delivery(2, MARIA, commit=b"")))
        self.assertEqual(list(result_of(store.folder(MARIA, "INBOX")).uids), [1, 2])
        provider.stop()
