"""Messages read piece by piece from their files."""

from __future__ import annotations

import os
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.listening.descriptors import held
from simmail.errors import Unavailable
from tests.contracts.mailstores import DiskProvider, a_delivery, a_mail, result_of

MARIA = "maria@acme.test"


class OpenedTests(SynchronousTestCase):
    """One file for all who read a message, and what is worked out from it."""

    def setUp(self) -> None:
        """A store with one mail."""
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(self.provider.stop)
        self.store = self.provider.store
        result_of(self.store.accept(a_delivery(1, MARIA)))
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))

    def open(self) -> Any:
        return result_of(self.folder.open(1))

    def test_shared(self) -> None:
        """All have one descriptor, which is given back with the last of them."""
        before = held()
        many = [self.open() for _ in range(40)]
        self.assertEqual((held() - before, len(self.store.openings)), (1, 1))
        for one in many[1:]:
            one.close()
        self.assertEqual(result_of(many[0].read(0, 4)), b"From")
        many[0].close()
        self.assertEqual((held() - before, len(self.store.openings)), (0, 0))

    def test_broken_off(self) -> None:
        """Who is broken off while it is being opened leaves nothing open."""
        before, asked = held(), []
        opening = self.store.openings
        reader, opening._reader = opening._reader, Later(asked)
        waiting, other = self.folder.open(1), self.folder.open(1)
        waiting.addErrback(lambda failure: None).cancel()
        opening._reader = reader
        for done, call, args in asked:
            done.callback(call(*args))
        self.assertEqual(held() - before, 1)
        result_of(other).close()
        self.assertEqual((held() - before, len(self.store.openings)), (0, 0))

    def test_derived_once(self) -> None:
        """Forty who want the same have it worked out once, though the first of them leaves; then it is given back."""
        many, calls, done = [self.open() for _ in range(40)], [], Deferred[Any]()

        def in_thread(call: Any) -> Any:
            calls.append(call)
            return done

        answers: list[Deferred[Any]] = [one.derive("size", len, in_thread) for one in many]
        answers[0].addErrback(lambda failure: None).cancel()
        many.pop().close()
        self.assertEqual(len(calls), 1)
        done.callback(calls.pop()())
        self.provider.clock.advance(0)
        self.assertEqual([result_of(one) for one in answers[1:]], [len(a_mail("mail 1"))] * 39)
        self.assertEqual(result_of(many[0].derive("size", len, in_thread)), len(a_mail("mail 1")))
        self.assertEqual(calls, [])
        for one in many:
            one.close()
        self.assertEqual(many[0]._derived, {})

    def test_few_whole(self) -> None:
        """No more than two messages are in memory as a whole at once."""
        for number in range(2, 6):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        opened = [result_of(self.folder.open(uid)) for uid in range(1, 6)]
        begun: list[Deferred[Any]] = []

        def in_thread(call: Any) -> Any:
            begun.append(Deferred())
            return begun[-1]

        answers = [one.derive("size", len, in_thread) for one in opened]
        for count in (2, 3, 4, 5, 5):
            self.assertEqual(len(begun), count)
            next(one for one in begun if not one.called).callback(count)
            self.provider.clock.advance(0)
        self.assertEqual([result_of(one) for one in answers], [2, 3, 4, 5, 5])
        for one in opened:
            one.close()

    def test_odd_files(self) -> None:
        """What is no plain file is not opened like this, and nobody waits for it; a file cut short is told."""
        one = self.open()
        directory = f"{self.store.layout.path}/{self.folder.directory}"
        path = f"{directory}/{self.folder.paths([1])[0]}"
        os.truncate(path, 10)
        self.assertRaises(Unavailable, result_of, one.read(0, 1000))
        one.close()
        os.rename(path, path + ".away")
        for make in (os.mkfifo, lambda path: os.symlink(path + ".away", path), os.mkdir):
            make(path)
            self.assertIs(self.open(), None)
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)


class Later:
    """A thread that has not got to it yet."""

    def __init__(self, asked: list[tuple[Deferred[Any], Any, Any]]) -> None:
        self.asked = asked

    def call(self, function: Any, *args: Any) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.asked.append((done, function, args))
        return done
