"""What is done about each request."""

from __future__ import annotations

import os
from typing import Any, get_type_hints

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy
from simmail.errors import Conflict
from simmail.mailstore.delivery.external import foreign_id
from simmail.mailstore.delivery.request import Into, StoreId, WriterRequest
from simmail.mailstore.journal.sync import Disks, Hands
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.writer import requests as asked
from simmail.mailstore.writer.client import InlineWriter
from simmail.mailstore.writer.requests import Looks, REQUESTS, answer_of, core_looks
from tests.contracts.mailstores import a_delivery, a_mail, result_of, tiny_shown

MARIA = "maria@acme.test"


def kinds(base: type[Any] = WriterRequest) -> set[type[Any]]:
    """All kinds of requests that there are; those that others are made of answer nothing certain."""
    found = {base} if not getattr(base, "__parameters__", ()) else set()
    return found.union(*(kinds(one) for one in base.__subclasses__()))


class TableTests(SynchronousTestCase):
    """The requests."""

    def test_complete(self) -> None:
        """Each that there is can be asked, once; how deliveries are filed comes with these."""
        self.assertEqual(kinds() - {Into}, set(REQUESTS))
        self.assertEqual(len(set(REQUESTS)), len(REQUESTS))

    def test_answers(self) -> None:
        """Each is answered what it says that it is."""
        for kind in REQUESTS:
            self.assertEqual(get_type_hints(kind.do)["return"], self.plain(answer_of(kind)), kind.__name__)

    def plain(self, answer: Any) -> Any:
        return type(None) if answer is None else answer


class HandlerTests(SynchronousTestCase):
    """A writer in this thread, with the Maildirs of one universe."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.at = StoreId(f"{self.path}/mail", "main")
        self.opened: list[StoreId] = []
        self.searched: list[Any] = []
        os.makedirs(self.path)
        self.writer = InlineWriter(
            f"{self.path}/journal", 1 << 20, Disks(), Hands(float, self.later, self.later, lambda: None),
            lambda condition: None, self.open, lambda: Looks(tiny_shown, self.sought))
        self.addCleanup(lambda: result_of(self.writer.call(asked.Shut(True))))
        self.into = Into(self.at)

    def open(self, at: StoreId) -> Layout:
        self.opened.append(at)
        return Layout(*at, lambda: 77)

    def later(self, *args: Any) -> None:
        raise AssertionError("the disk is not synced")

    def sought(self, wanted: Any) -> Any:
        self.searched.append(wanted)
        return core_looks().sought(wanted)

    def ask(self, request: WriterRequest[Any]) -> Any:
        return result_of(self.writer.call(request))

    def deliver(self, *numbers: int) -> list[int]:
        return [result_of(self.writer.file(a_delivery(number, MARIA), self.into)).copies[0].uid for number in numbers]

    def paths(self) -> bytes:
        directory = f"{self.at.path}/main/{MARIA}/new"
        return packed(sorted(f"new/{name}" for name in os.listdir(directory)))

    def test_opened_once(self) -> None:
        """The Maildirs of a universe are opened when they are first asked for, and again after they were closed."""
        self.assertEqual(self.deliver(1, 2), [1, 2])
        self.assertEqual(self.opened, [self.at])
        for _ in range(2):
            self.ask(asked.CloseStore(self.at))
        self.assertEqual((self.deliver(3), self.opened), ([3], [self.at, self.at]))

    def test_runs(self) -> None:
        """For the same way of filing there is one batch, encoded or not, until they are closed."""
        handler = self.writer.handler
        batch = handler.batch(self.into)
        self.assertIs(handler.batch_of(asked.msgspec.msgpack.encode(self.into)), batch)
        self.assertIsNot(handler.batch(Into(self.at, create=False)), batch)
        handler.close(self.at)
        self.assertIsNot(handler.batch(self.into), batch)

    def test_begun(self) -> None:
        """What a crash left is answered when a universe begins, as it is on disk."""
        self.deliver(1)
        os.mkdir(os.fsencode(f"{self.at.path}/main/.gone/") + b"\xff")
        self.assertEqual(self.ask(asked.Begin(self.at)), b".gone/\xff\0")

    def test_refused(self) -> None:
        """A refusal is one, and nothing has changed."""
        self.deliver(1)
        self.assertRaises(Conflict, self.ask, asked.MakeFolder(self.at, MARIA, "Sent", ""))
        self.assertEqual(self.ask(asked.CountMailboxes(self.at, [MARIA])), [(MARIA, {"INBOX": (1, 1)})])

    def test_looked_at(self) -> None:
        """What FETCH shows, and whether a text is there, which is made ready once for a question."""
        self.deliver(1, 2)
        paths = self.paths()
        self.assertEqual(self.ask(asked.ReadShown(self.at, MARIA, paths)), [
            tiny_shown(a_mail(f"mail {number}")) for number in (1, 2)])
        for text, verdicts in (("mail 2", [False, True]), ("mail 2", [False, True]), ("mail", [True, True])):
            self.assertEqual(self.ask(asked.ScanFiles(self.at, [(["in_header"], text)], MARIA, paths)), verdicts)
        self.assertEqual([wanted[0][1] for wanted in self.searched], ["mail 2", "mail"])
        self.assertIsNone(self.ask(asked.PrepareToLook()))

    def test_adopted(self) -> None:
        """Mail of another program is owed a commit until it is made."""
        self.deliver(1)
        with open(f"{self.at.path}/main/{MARIA}/new/1772.host", "wb") as file:
            file.write(a_mail("foreign"))
        found = self.ask(asked.Adopt(self.at, MARIA, "INBOX", packed(["new/1772.host"]), True, 1 << 20))
        self.assertEqual((found.uids, found.shown), ([2], {2: tiny_shown(a_mail("foreign"))}))
        name = foreign_id(Copy(MARIA, "INBOX", 2, 77))
        self.assertEqual(self.ask(asked.ListForeign("main")), [name])
        self.ask(asked.NoteCommitted([asked.Id("main", name)]))
        self.assertEqual(self.ask(asked.ListForeign("main")), [])

    def test_uncommitted(self) -> None:
        """What is owed is found and replayed, until a universe is erased."""
        self.deliver(1, 2)
        self.assertEqual(self.ask(asked.FindUncommitted(self.at)).ids, ["d-1", "d-2"])
        self.ask(asked.NoteCommitted([asked.Id("main", "d-1")]))
        self.assertEqual(self.ask(asked.FindUncommitted(self.at)).ids, ["d-2"])
        self.ask(asked.KeepUniverses(frozenset({"main"})))
        self.assertEqual(self.ask(asked.Replay(self.at, frozenset(), None)).left, [])
        self.ask(asked.EraseUniverse("main"))
        self.assertEqual(self.ask(asked.FindUncommitted(self.at)).ids, [])

    def test_stopped(self) -> None:
        """Afterwards nothing is done."""
        result_of(self.writer.stop())
        for deferred in (self.writer.call(asked.IsReady()), self.writer.file(a_delivery(1, MARIA), self.into)):
            self.assertIn("closed", str(self.failureResultOf(deferred).value))
        self.writer._stopped = False
