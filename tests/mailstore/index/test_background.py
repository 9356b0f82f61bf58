"""What is done when there is nothing else to do."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class IdleTests(SynchronousTestCase):
    """Digests of new messages."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.store = self.provider.store
        self.addCleanup(self.provider.stop)
        result_of(self.store.accept(a_delivery(0, MARIA)))
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))

    def missing(self) -> list[int]:
        """UIDs of which the index has no digest."""
        index = self.store.index.tables
        number = index.folder(MARIA, "INBOX", self.folder.uidvalidity)
        uids: list[int] = index.digests.missing(number, list(self.folder.uids))
        return uids

    def accept(self, begin: int, end: int) -> None:
        for number in range(begin, end):
            result_of(self.store.accept(a_delivery(number, MARIA)))

    def test_taken_when_quiet(self) -> None:
        """Digests of new messages are taken when no more come, all of them."""
        self.accept(1, 200)
        self.assertEqual(len(self.missing()), 200)
        self.provider.clock.advance(0.2)
        self.accept(200, 202)
        self.provider.clock.advance(0.2)
        self.assertEqual(len(self.missing()), 202)
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual(self.missing(), [1])
        self.accept(202, 203)
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual(self.missing(), [1])

    def test_text_kept(self) -> None:
        """Nobody who asks for a text that would have to be taken first sets that off."""
        self.accept(1, 3)
        self.assertEqual([result_of(self.folder.kept_text(uid)) for uid in (1, 2, 3)], [None] * 3)
        self.assertEqual(len(self.missing()), 3)
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual([result_of(self.folder.kept_text(uid)) for uid in (1, 2, 3)], [None, "Hello\r\n", "Hello\r\n"])
        self.assertEqual(self.missing(), [1])

    def test_others_first(self) -> None:
        """While mail is taken, for whomever, nothing is looked at."""
        self.accept(1, 3)
        for number in range(5):
            self.provider.clock.advance(0.2)
            result_of(self.store.accept(a_delivery(f"x{number}", "tom@acme.test")))
        self.assertEqual(len(self.missing()), 3)
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual(self.missing(), [1])

    def test_put_off(self) -> None:
        """Whoever is about to ask for something does not find it at work."""
        self.accept(1, 3)
        for _ in range(20):
            self.provider.clock.advance(0.2)
            self.assertIsNone(self.store.when_visible())
            self.assertEqual(len(self.missing()), 3)
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual(self.missing(), [1])

    def test_searched(self) -> None:
        """What somebody has searched is looked at at once, also while others keep the store busy."""
        self.accept(1, 50)
        self.store.index.background.look_now(self.folder, 2)
        self.provider.clock.advance(0)
        self.assertEqual(self.missing(), [1])
        self.accept(50, 52)
        self.assertEqual(len(self.missing()), 3)
        self.store.index.background.look_now(self.folder, 1)
        self.store.index.background.stop()
        self.provider.clock.advance(1)
        self.assertEqual(len(self.missing()), 3)

    def test_searched_on_and_on(self) -> None:
        """The words of what is searched are learned to the last also while searches follow one another."""
        self.accept(1, 300)
        wanted = [(("in_subject",), "mail 7")]
        for _ in range(30):
            result_of(self.store.containing([self.folder], wanted))
            self.provider.clock.advance(0.01)
        (left,) = self.store.index.tables._file.sql.execute("select count(*) from unsearched").fetchone()
        self.assertEqual((self.missing(), left), ([], 0))

    def test_searched_alone(self) -> None:
        """Of the folder that is searched all is done at once, of others nothing while there is something else to do."""
        result_of(self.store.accept(a_delivery("x", "tom@acme.test")))
        result_of(self.store.folder("tom@acme.test", "INBOX"))
        for number in range(150):
            result_of(self.store.accept(a_delivery(f"t{number}", "tom@acme.test")))
        self.provider.clock.pump([0.2] * 4)
        for number in range(150, 160):
            result_of(self.store.accept(a_delivery(f"t{number}", "tom@acme.test")))
        result_of(self.folder.digests(self.folder.uids))
        self.accept(1, 150)
        result_of(self.folder.digests(self.folder.uids))
        for _ in range(30):
            result_of(self.folder.containing(("in_subject",), "mail 7"))
            self.provider.clock.advance(0.01)
        sql = self.store.index.tables._file.sql
        inbox = self.store.index.tables.folder(MARIA, "INBOX", self.folder.uidvalidity)
        tom = result_of(self.store.folder("tom@acme.test", "INBOX"))
        number = self.store.index.tables.folder("tom@acme.test", "INBOX", tom.uidvalidity)
        self.assertEqual(sql.execute("select count(*) from unsearched where id >> 32 = ?", (inbox,)).fetchone(), (0,))
        self.assertEqual(len(self.store.index.tables.digests.missing(number, list(tom.uids))), 11)

    def test_held(self) -> None:
        """While a search looks at files nothing is looked at here, for a second in all; then it goes on at once."""
        self.accept(1, 50)
        with self.store.index.background.paused():
            self.store.index.background.look_now(self.folder, 1)
            self.provider.clock.pump([0, 0.4])
            self.assertEqual(len(self.missing()), 50)
        self.provider.clock.advance(0)
        self.assertEqual(self.missing(), [])
        self.provider.clock.pump([0.4] * 3)
        self.accept(50, 100)
        for passed in (0.6, 0.6, 0.0):
            self.assertEqual(len(self.missing()), 50)
            with self.store.index.background.paused():
                self.store.index.background.look_now(self.folder, 1)
                self.provider.clock.advance(passed)
        self.assertEqual(self.missing(), [])

    def test_nobody_looks(self) -> None:
        """Nothing is done for folders that nobody has loaded, nor for one that is gone."""
        calls: list[Any] = []
        self.patch(self.store.index.tables.digests, "_digest", calls.append)
        result_of(self.store.accept(a_delivery("x", "tom@acme.test")))
        self.accept(1, 3)
        result_of(self.store.delete(MARIA))
        self.provider.clock.pump([0.2] * 5)
        self.assertEqual(calls, [])
        self.assertEqual(self.provider.clock.getDelayedCalls(), [
            call for call in self.provider.clock.getDelayedCalls() if "_write_lazily" in str(call)])
