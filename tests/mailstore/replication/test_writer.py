"""Tests of the writer of a replicated universe where the store of objects is away, slow, or another's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Fenced, Unavailable
from tests.contracts.mailstores import AT, a_delivery, a_mail, result_of
from tests.mailstore.replication.providers import ReplicatedProvider

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class ReplicatedCase(SynchronousTestCase):
    """A store with one message in Maria's INBOX."""

    def setUp(self) -> None:
        """It is in the store of objects too."""
        self.provider = ReplicatedProvider(self.mktemp())
        self.objects = self.provider.objects
        self.store = self.provider.store
        self.addCleanup(self.provider.stop)
        result_of(self.store.accept(a_delivery(1, MARIA)))

    def folder(self, name: str = "INBOX", mailbox: str = MARIA) -> Any:
        """One folder."""
        return result_of(self.store.folder(mailbox, name))

    def uids(self, name: str = "INBOX", mailbox: str = MARIA) -> list[int]:
        """What is in it, as whoever looks sees it."""
        folder = self.folder(name, mailbox)
        result_of(folder.poll())
        return list(folder.uids)

    def lose(self) -> None:
        """The machine is lost, and the universe restored."""
        self.store = self.provider.lose()


class AwayTests(ReplicatedCase):
    """The store of objects is away."""

    def test_refused(self) -> None:
        """What cannot be put is not acknowledged, and not there twice when it is sent again."""
        self.objects.trouble = "gone"
        for number in (2, 3):
            self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(number, MARIA, TOM)))
        self.assertEqual(self.uids(), [1])
        self.assertIn("gone", self.provider.replicas.trouble)
        self.objects.trouble = ""
        self.provider.clock.advance(1)
        self.assertEqual(self.provider.replicas.trouble, "")
        result_of(self.store.accept(a_delivery(2, MARIA)))
        self.assertEqual(len(self.uids()), 2)
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1", "d-2"])
        before = self.uids()
        self.lose()
        self.assertEqual(self.uids(), before)
        self.assertEqual(self.uids(mailbox=TOM), [])
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1", "d-2"])

    def test_reading(self) -> None:
        """Reading goes on; changes are refused."""
        folder = self.folder()
        self.objects.trouble = "gone"
        self.assertRaises(Unavailable, result_of, folder.flag([1], ["\\Seen"], "+"))
        self.assertRaises(Unavailable, result_of, folder.append(a_mail("more"), (), AT))
        self.assertRaises(Unavailable, result_of, self.store.create("new@acme.test"))
        self.assertRaises(Unavailable, result_of, self.store.held.keep(["job"], b"octets"))
        self.assertEqual(result_of(folder.read(1)), a_mail("mail 1"))
        self.assertEqual(result_of(folder.take_recent()), [1])

    def test_lost_answer(self) -> None:
        """What is there though nobody said so is put once."""
        self.objects.losing = True
        self.assertRaises(Unavailable, result_of, self.folder().flag([1], ["\\Flagged"], "+"))
        self.objects.losing = False
        self.provider.clock.advance(1)
        self.assertEqual(self.provider.lost, [])
        self.assertEqual(self.provider.replicas.trouble, "")
        self.lose()
        self.assertIn("\\Flagged", self.folder().entry(1).flags)


class SlowTests(ReplicatedCase):
    """The store of objects is slow."""

    def test_together(self) -> None:
        """Nothing is answered, or told to who looks, before it is there; what comes meanwhile goes together."""
        self.objects.held = []
        told: list[str] = []
        first: Deferred[Any] = self.store.accept(a_delivery(2, MARIA), lambda: told.append("durable"))
        others = [self.store.accept(a_delivery(number, MARIA)) for number in range(3, 9)]
        flagged = self.folder().flag([1], ["\\Seen"], "+")
        self.assertEqual(len(self.objects.held), 1)
        for one in (first, *others, flagged):
            self.assertNoResult(one)
        self.assertEqual(told, [])
        self.objects.held.pop()()
        self.successResultOf(first)
        for one in (*others, flagged):
            self.assertNoResult(one)
        self.assertEqual(len(self.objects.held), 1)
        self.objects.held.pop()()
        for one in (*others, flagged):
            self.successResultOf(one)
        self.objects.held = None

    def test_lost_before(self) -> None:
        """What was not answered may be missing on another machine; its UID is not used again."""
        self.objects.held = []
        waiting: Deferred[Any] = self.store.accept(a_delivery(2, MARIA))
        waiting.addErrback(lambda failure: None)
        self.objects.held = None
        self.lose()
        self.assertEqual(self.uids(), [1])
        self.assertGreater(self.folder().uidnext, 2)


class FencedTests(ReplicatedCase):
    """Another server takes the universe."""

    def test_fenced(self) -> None:
        """It has all that was acknowledged; from then on nothing is acknowledged here, and that is told once."""
        other = ReplicatedProvider(self.mktemp(), self.objects)
        self.addCleanup(other.stop)
        self.assertEqual(result_of(result_of(other.store.folder(MARIA, "INBOX")).read(1)), a_mail("mail 1"))
        self.assertRaises(Fenced, result_of, self.store.accept(a_delivery(2, MARIA)))
        self.assertRaises(Fenced, result_of, self.folder().flag([1], ["\\Seen"], "+"))
        self.assertEqual(self.provider.lost, ["main"])
        result_of(other.store.accept(a_delivery(3, MARIA)))
        self.assertEqual(other.lost, [])
        self.assertEqual(other.objects.objects.keys() & {"nothing"}, set())

    def test_back(self) -> None:
        """Whoever takes it back has what the other one did, not its own of before."""
        other = ReplicatedProvider(self.mktemp(), self.objects)
        result_of(result_of(other.store.folder(MARIA, "INBOX")).expunge([1]))
        result_of(other.store.accept(a_delivery(3, TOM)))
        other.stop()
        self.store = self.provider.restart()
        self.assertEqual(self.uids(), [])
        self.assertEqual(len(self.uids(mailbox=TOM)), 1)


class KeptTests(ReplicatedCase):
    """What is there again besides messages and flags."""

    def test_all(self) -> None:
        """Annotations, subscriptions, what is kept for jobs, dates, keywords."""
        store, inbox = self.store, self.folder()
        result_of(store.annotations.write(MARIA, "INBOX", {"/private/comment": b"\0one"}))
        result_of(store.annotations.write(MARIA, "", {"/shared/vendor/x": b"two"}))
        result_of(store.subscribe(MARIA, "News", True))
        result_of(store.held.keep(["job-1", "job-2"], b"octets"))
        result_of(store.held.drop(["job-2"]))
        result_of(store.create_folder(MARIA, "Work", "\\Archive"))
        result_of(inbox.flag([1], ["Urgent", "$Forwarded"], "+"))
        later = AT + timedelta(days=1)
        result_of(inbox.copy([1], self.folder("Work"), later))
        uid = result_of(inbox.append(a_mail("appended"), ("\\Draft",), AT, later))
        self.provider.later()
        self.lose()
        store, inbox = self.store, self.folder()
        self.assertEqual(result_of(store.annotations.read(MARIA, "INBOX")), {"/private/comment": b"\0one"})
        self.assertEqual(result_of(store.annotations.read(MARIA, "")), {"/shared/vendor/x": b"two"})
        self.assertIn("News", result_of(store.subscribed(MARIA)))
        self.assertEqual(result_of(store.held.keys()), ["job-1"])
        self.assertEqual(result_of(store.held.read("job-1")), b"octets")
        self.assertEqual(set(self.folder("Work").entry(1).flags), {"Urgent", "$Forwarded"})
        self.assertEqual(self.folder("Work").special_use, "\\Archive")
        self.assertEqual(result_of(self.folder("Work").saved([1])), [later])
        self.assertEqual(result_of(inbox.saved([1, uid])), [AT, later])
        self.assertEqual(inbox.entry(uid).date, AT)

    def test_owed(self) -> None:
        """What is not committed is replayed with its octets and copies, each once."""
        result_of(self.folder().move([1], self.folder("Archive")))
        self.store.committed([])
        self.provider.later()
        self.lose()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1"])
        (delivery, copies), = result_of(self.store.replay(set()))
        self.assertEqual((delivery.id, delivery.octets, delivery.commit), ("d-1", a_mail("mail 1"), b"owed"))
        self.assertEqual([(copy.mailbox, copy.folder, copy.uid) for copy in copies], [(MARIA, "INBOX", 1)])
        self.store.committed(["d-1"])
        self.provider.later()
        self.lose()
        self.assertEqual(result_of(self.store.uncommitted()), [])
