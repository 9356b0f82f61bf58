"""The process that writes mail: what is said to it and back, and what happens when it dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.task import deferLater
from twisted.logger import LogLevel, capturedLogs

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.changes import NoteFlags
from simmail.mailstore.delivery.mailboxes import MakeMailbox
from simmail.mailstore.journal import journal
from simmail.mailstore.mailstore import MailStore
from simmail.mailstore.writer.client import Writer
from simmail.mailstore.writer.protocol import FILED, WriterDefect
from simmail.mailstore.writer.requests import ReadShown
from tests.contracts.mailstores import a_delivery, a_mail, tiny_digest
from tests.mailstore.stores import StoreTestCase

MARIA = "maria@acme.test"


class WriterTestCase(StoreTestCase):
    """A store, the process that writes for it, and what fails there."""

    @property
    def pid(self) -> int:
        """Of the process."""
        writer = self.journal.writer
        assert isinstance(writer, Writer)
        return writer._process.pid

    async def failing(self, deferred: Deferred[Any], kind: type[Exception] = Exception) -> Exception:
        try:
            await deferred
        except kind as error:
            return error
        raise AssertionError("it did not fail")


class WriterTests(WriterTestCase):
    """What is said, and what happens when it dies."""

    async def test_refusals(self) -> None:
        """What the writer refuses is refused here."""
        for name, refusal in (("INBOX", "exists"), ("x" * 300, "")):
            error = await self.failing(self.store.create_folder(MARIA, name), NotFound)
            self.assertIn("no mailbox", str(error))
            await self.store.create(MARIA)
            error = await self.failing(self.store.create_folder(MARIA, name))
            self.assertIn(refusal, str(error))
            await self.store.delete(MARIA)
        writer, at = self.journal.writer, self.store.at
        error = await self.failing(writer.call(ReadShown(at, "\0", b"a\0b\0")), WriterDefect)
        self.assertIn("embedded null byte", str(error))
        self.assertIn("in outcome", str(error))
        # What cannot be asked is not asked.
        await self.failing(writer.call(MakeMailbox(at, "\udcff")), UnicodeEncodeError)
        await self.failing(writer.call(NoteFlags(at, MARIA, "INBOX", None, 1)), WriterDefect)  # type: ignore[arg-type]

    async def test_nobody_waits(self) -> None:
        """What goes wrong in the process is in the log of this one."""
        with capturedLogs() as events:
            self.journal.writer.send(ReadShown(self.store.at, "\0", b"a\0b\0"))
            await self.journal.ready
        self.assertEqual([event["log_level"] for event in events], [LogLevel.critical])
        self.assertIn("nobody waited for this", events[0]["text"])
        self.assertIn("ValueError", events[0]["text"])

    async def test_signals(self) -> None:
        """What a terminal or an init system sends to everybody is not meant for it."""
        await self.journal.ready
        pid = self.pid
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(pid, number)
        await self.store.accept(a_delivery(1, MARIA))
        self.assertEqual(self.pid, pid)

    async def test_at_once(self) -> None:
        """A delivery goes to an idle process at once; those that come while it works go together."""
        writer: Any = self.journal.writer
        await self.journal.ready
        first = self.store.accept(a_delivery(1, MARIA))
        self.assertEqual(writer._out, [])
        others = [self.store.accept(a_delivery(number, MARIA)) for number in (2, 3)]
        self.assertTrue(writer._out)
        self.assertEqual([(await one)[0].uid for one in (first, *others)], [1, 2, 3])

    async def test_killed(self) -> None:
        """It dies: what it had not answered is refused and stays so, what was promised stays, and it goes on."""
        await self.store.accept(a_delivery("before", MARIA))
        inbox = await self.store.folder(MARIA, "INBOX")
        waiting = [self.store.accept(a_delivery(number, MARIA)) for number in range(200)]
        await waiting[20]
        os.kill(self.pid, signal.SIGSTOP)
        waiting += [self.store.accept(a_delivery(number, MARIA)) for number in range(200, 220)]
        with capturedLogs() as events:
            os.kill(self.pid, signal.SIGKILL)
            taken, refused = [], []
            for number, one in enumerate(waiting):
                try:
                    await one
                    taken.append(f"d-{number}")
                except Unavailable:
                    refused.append(f"d-{number}")
        self.assertTrue(refused)
        self.assertIn("has died", events[0]["log_format"])
        while True:
            try:
                await self.store.accept(a_delivery("after", MARIA))
                break
            except Unavailable:
                await deferLater(reactor, 0.05, lambda: None)  # type: ignore[arg-type]
        owed = await self.store.uncommitted()
        self.assertEqual(owed, ["d-before", *taken, "d-after"])
        await inbox.poll()
        keys = list(inbox.column("key", inbox.uids))
        self.assertEqual(len(keys), len(set(keys)))
        self.assertLessEqual({"d-before", *taken, "d-after"}, set(keys))
        # A client tries again.
        await self.store.accept(a_delivery(refused[-1][2:], MARIA))
        self.store.committed([*owed, refused[-1]])
        await self.stop()
        self.start()
        self.assertEqual(await self.store.uncommitted(), [])

    async def test_killed_twice(self) -> None:
        """Stopping works while there is none."""
        await self.journal.ready
        os.kill(self.pid, signal.SIGKILL)
        await self.failing(self.journal.ready, Unavailable)
        await self.failing(self.journal.ready, Unavailable)

    def test_large(self) -> Deferred[None]:
        """Messages larger than all buffers arrive whole, small ones behind them in order."""
        async def large() -> None:
            octets = a_mail("large", "0123456789abcde\r\n" * 300_000)
            waiting = [self.store.accept(a_delivery(number, MARIA, octets=octets if number % 3 else b""))
                       for number in range(9)]
            uids = [(await one)[0].uid for one in waiting]
            self.assertEqual(uids, list(range(1, 10)))
            folder = await self.store.folder(MARIA, "INBOX")
            self.assertEqual(await folder.read(9), octets)
            self.assertEqual(await folder.read(1), a_mail("mail 0"))
        return ensureDeferred(large())

    async def test_opened_again(self) -> None:
        """A universe that was closed can be opened again, beside others."""
        await self.store.accept(a_delivery(1, MARIA))
        await self.store.close()
        self.store = MailStore("main", f"{self.path}/mail", self.journal, f"{self.path}/index", reactor, tiny_digest)
        self.assertEqual((await self.store.accept(a_delivery(2, MARIA)))[0].uid, 2)


class PromiseTests(WriterTestCase):
    """Mail is promised when it is durable and becomes visible afterwards."""

    def setUp(self) -> None:
        super().setUp()
        self.patch(journal, "_AGAIN", 0.05)
        self.durable: list[str] = []

    def promise(self, name: str, then: Callable[[], None] = lambda: None) -> Deferred[Any]:
        def durable() -> None:
            self.durable.append(name)
            then()
        return self.store.accept(a_delivery(name, MARIA), durable)  # type: ignore[no-any-return]

    def refuse(self, refuse: bool) -> None:
        """Whether the disk refuses files."""
        tmp = f"{self.path}/mail/main/.tmp"
        os.rename(*((tmp, f"{tmp}.away") if refuse else (f"{tmp}.away", tmp)))

    async def refused(self) -> list[Deferred[Any]]:
        """A message that was promised and that the disk refuses, behind one that is there."""
        await self.store.accept(a_delivery("first", MARIA))
        self.refuse(True)
        promised = self.promise("promised")
        while not self.journal.late:
            await deferLater(reactor, 0.01, lambda: None)  # type: ignore[arg-type]
        return [promised]

    async def keys(self) -> list[str]:
        inbox = await self.store.folder(MARIA, "INBOX")
        await inbox.poll()
        return list(inbox.column("key", inbox.uids))

    async def test_before_it_is_visible(self) -> None:
        """Who looks as soon as it is promised waits until it is there."""
        seen: list[list[str]] = []

        async def look() -> None:
            visible = self.store.when_visible()
            self.assertIsNotNone(visible)
            await visible
            inbox = await self.store.folder(MARIA, "INBOX")
            seen.append(list(inbox.column("key", inbox.uids)))

        await self.store.accept(a_delivery("first", MARIA))
        await self.keys()
        looks: list[Deferred[None]] = []
        waiting = [self.promise(str(number), lambda: looks.append(ensureDeferred(look()))) for number in range(20)]
        order: list[int] = []
        for number, one in enumerate(waiting):
            one.addCallback(lambda copies, number=number: order.append(number))
        for look_ in waiting:
            await look_
        for done in looks:
            await done
        self.assertEqual(order, list(range(20)))
        self.assertEqual(self.durable, [str(number) for number in range(20)])
        for number, keys in enumerate(seen):
            self.assertIn(f"d-{number}", keys)
        self.assertIsNone(self.store.when_visible())

    async def test_disk_refuses(self) -> None:
        """What was promised is filed when the disk is back; until then nothing more is promised."""
        promised = (await self.refused())[0]
        self.assertEqual(self.durable, ["promised"])
        self.assertIsNone(self.store.when_visible())
        await self.failing(self.promise("refused"), Unavailable)
        self.assertEqual(self.durable, ["promised"])
        self.assertEqual(await self.keys(), ["d-first"])
        self.refuse(False)
        (copy,) = await promised
        self.assertEqual(await self.keys(), ["d-first", "d-promised"])
        self.assertEqual(copy.uid, 2)
        self.assertFalse(self.journal.late)
        self.assertEqual(await self.store.uncommitted(), ["d-first", "d-promised"])

    async def test_closed_meanwhile(self) -> None:
        """The next start finds it."""
        promised = (await self.refused())[0]
        failing = ensureDeferred(self.failing(promised, Unavailable))
        await self.stop()
        self.assertIn("next start", str(await failing))
        self.refuse(False)
        self.start()
        self.assertEqual(await self.store.uncommitted(), ["d-first", "d-promised"])
        replayed = await self.store.replay(["d-first"])
        self.assertEqual([delivery.id for delivery, _ in replayed], ["d-promised"])
        self.assertEqual(await self.keys(), ["d-first", "d-promised"])

    async def test_erased_meanwhile(self) -> None:
        """Its universe is erased: it is filed nowhere, and does not keep others from being promised."""
        promised = (await self.refused())[0]
        failing = ensureDeferred(self.failing(promised, Unavailable))
        await self.store.erase()
        self.assertIn("erased", str(await failing))
        self.assertFalse(self.journal.late)
        self.refuse(False)
        self.assertEqual(await self.store.uncommitted(), [])
        # Another one of that name has nothing of it.
        await self.promise("second")
        self.assertEqual(await self.keys(), ["d-second"])

    async def test_erased_at_once(self) -> None:
        """The same when the universe is erased before it is known that the disk refused."""
        await self.store.accept(a_delivery("first", MARIA))
        self.refuse(True)
        erased: list[Deferred[None]] = []
        promised = self.promise("promised", lambda: erased.append(self.store.erase()))
        self.assertIn("erased", str(await self.failing(promised, Unavailable)))
        await erased[0]
        self.refuse(False)
        self.assertFalse(self.store.exists(MARIA))
        self.assertEqual(await self.store.uncommitted(), [])

    async def test_killed_before_it_is_told(self) -> None:
        """Who looks waits for what was promised by a writer that has died, and sees it once."""
        await self.store.accept(a_delivery("first", MARIA))
        writer: Any = self.journal.writer
        tell, pid = writer._tell, self.pid

        def hear(frame: Any) -> None:
            if frame[0] != FILED:
                tell(frame)
            else:
                os.kill(pid, signal.SIGKILL)

        self.patch(writer, "_tell", hear)
        with capturedLogs():
            promised = self.promise("promised")
            while writer.alive:
                await deferLater(reactor, 0.01, lambda: None)  # type: ignore[arg-type]
            self.patch(writer, "_tell", tell)
            visible = self.store.when_visible()
            self.assertIsNotNone(visible)
            await visible
            self.assertEqual(await self.keys(), ["d-first", "d-promised"])
            await promised
        self.assertIsNone(self.store.when_visible())

    async def test_killed(self) -> None:
        """Another writer files it, once."""
        promised = (await self.refused())[0]
        with capturedLogs():
            os.kill(self.pid, signal.SIGKILL)
            await self.failing(self.journal.ready, Unavailable)
            self.refuse(False)
            await promised
        self.assertEqual(await self.keys(), ["d-first", "d-promised"])
        self.assertEqual(await self.store.uncommitted(), ["d-first", "d-promised"])

    async def test_killed_once_more(self) -> None:
        """What was promised is not taken back by the death of a writer that was asked to file it again."""
        failing = ensureDeferred(self.failing((await self.refused())[0], Unavailable))
        os.kill(self.pid, signal.SIGSTOP)
        writer: Any = self.journal.writer
        again, stopped = writer._again, Deferred[None]()

        def stop(refused: Any) -> None:
            # At once: another writer makes the directory that was moved away, and the next attempt would succeed.
            again(refused)
            ensureDeferred(self.stop()).chainDeferred(stopped)

        self.patch(writer, "_again", stop)
        while not any(asked.key is not None for asked in writer._waiting):
            await deferLater(reactor, 0.01, lambda: None)  # type: ignore[arg-type]
        with capturedLogs():
            os.kill(self.pid, signal.SIGKILL)
            await self.failing(self.journal.ready, Unavailable)
            await stopped
            await failing
        self.refuse(False)
        self.start()
        self.assertEqual(await self.store.uncommitted(), ["d-first", "d-promised"])
