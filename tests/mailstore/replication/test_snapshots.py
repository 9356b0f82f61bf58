"""Tests for C{simmail.mailstore.replication.snapshots}: mail of snapshots that outlives the disk."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.export import carrying
from simmail.mailstore.replication import snapshots
from tests.contracts.mailstores import a_delivery, a_mail, AT, result_of
from tests.mailstore.contracts.test_images import contents, uidvalidities
from tests.mailstore.replication.providers import clear, ReplicatedProvider

IMAGE, ANN = "main!s_0a", "ann@acme.test"


class StoredImagesTests(SynchronousTestCase):
    """A universe with mail, and a snapshot of it."""

    def setUp(self) -> None:
        self.patch(snapshots, "LARGEST", 20_000)
        self.patch(carrying, "PAGE", 8000)
        self.path = tempfile.mkdtemp()
        self.provider = ReplicatedProvider(self.path)
        self.addCleanup(clear, self.path)
        self.addCleanup(lambda: self.provider.stop())
        store = self.provider.store
        result_of(store.create(ANN))
        inbox = result_of(store.folder(ANN, "INBOX"))
        for at in range(12):
            result_of(inbox.append(a_mail(str(at)) + b"x" * 5000, ["\\Seen", "Urgent"][:at % 3], AT))
        result_of(inbox.copy([2, 4], result_of(store.folder(ANN, "Archive")), AT))
        result_of(store.annotations.write(ANN, "INBOX", {"/private/comment": b"mine"}))
        result_of(store.create("empty@acme.test"))
        result_of(store.held.keep(["job-1"], a_mail("later")))
        result_of(self.provider.images.copy("main", IMAGE))

    @property
    def objects(self) -> dict[str, bytes]:
        """Those of snapshots."""
        return {name: octets for name, octets in self.provider.objects.objects.items() if name.startswith("snap")}

    def opened(self, name: str) -> Any:
        """A copy of the snapshot, opened."""
        result_of(self.provider.images.copy(IMAGE, name))
        return self.provider.open(name)

    def test_on_another_disk(self) -> None:
        """After the disk is lost it is there again as it was; erased, it is nowhere."""
        one = self.opened("one")
        before, numbers = contents(one), uidvalidities(one)
        result_of(self.provider.replicas.keep(IMAGE))
        self.assertGreater(len(self.objects), 3)
        self.assertEqual({name.rpartition("/")[0] for name in self.objects}, {"snapshots/main/s_0a"})
        self.provider.lose()
        self.assertNotIn(IMAGE, result_of(self.provider.images.universes()))
        result_of(self.provider.replicas.fetch(IMAGE))
        other = self.opened("other")
        self.assertEqual(contents(other), before)
        self.assertEqual(uidvalidities(other), numbers)
        # What is put in the place of the universe has UIDVALIDITYs that nobody has seen.
        result_of(self.provider.images.copy(IMAGE, "renewed", True))
        for key, number in uidvalidities(self.provider.open("renewed")).items():
            self.assertGreater(number, numbers[key])
        result_of(self.provider.replicas.erase(IMAGE))
        self.assertEqual(self.objects, {})
        self.assertRaises(NotFound, result_of, self.provider.replicas.fetch(IMAGE))

    def test_put_back(self) -> None:
        """What a snapshot has undone that was put in the place of a universe is not owed any more, on any machine."""
        provider = self.provider
        result_of(provider.store.accept(a_delivery(1, ANN)))
        self.assertEqual(result_of(provider.store.uncommitted()), ["d-1"])
        result_of(provider.store.close())
        del provider.opened["main"]
        result_of(provider.images.erase("main"))
        result_of(provider.images.copy(IMAGE, "main", True))
        result_of(provider.replicas.replaced("main"))
        result_of(provider.replicas.prepare("main", lambda: None))
        self.assertEqual(result_of(provider.open("main").uncommitted()), [])
        # Nothing waits for what is put lazily.
        store = provider.lose()
        self.assertEqual(result_of(store.uncommitted()), [])
        self.assertEqual(len(result_of(store.folder(ANN, "INBOX")).uids), 12)

    def test_not_whole(self) -> None:
        """What was cut short, or is not what was put, leaves nothing on the disk."""
        result_of(self.provider.replicas.keep(IMAGE))
        name = max(self.objects)
        whole = self.objects[name]
        self.provider.lose()
        for octets, error in ((None, NotFound), (whole[:-1], Unavailable), (b"", Unavailable)):
            self.provider.objects.objects.pop(name, None)
            if octets is not None:
                self.provider.objects.objects[name] = octets
            self.assertRaises(error, result_of, self.provider.replicas.fetch(IMAGE))
            self.assertNotIn(IMAGE, result_of(self.provider.images.universes()))
            self.assertEqual(os.listdir(f"{self.path}/mail.arriving"), [])
        self.provider.objects.objects[name] = whole
        result_of(self.provider.replicas.fetch(IMAGE))
        self.assertIn(IMAGE, result_of(self.provider.images.universes()))

    def test_of_nothing(self) -> None:
        """A snapshot of a universe without mail is one; under what is no snapshot's id nothing is kept."""
        result_of(self.provider.replicas.keep("main!s_0b"))
        self.assertEqual(len(self.objects), 1)
        result_of(self.provider.replicas.fetch("main!s_0b"))
        self.assertRaises(NotFound, result_of, self.provider.replicas.keep("main!other"))
        result_of(self.provider.replicas.erase("main!other"))
        self.assertEqual(len(self.objects), 1)
