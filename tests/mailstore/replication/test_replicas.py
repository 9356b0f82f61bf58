"""Whatever is done to a store is there again when the machine is lost."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.replication import replicas
from simmail.mailstore.replication.marker import read_marker
from simmail.mailstore.replication.replicas import SETTLED
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of
from tests.mailstore.contracts.test_model import BEGINNING, COMMANDS, Side
from tests.mailstore.replication.providers import clear, ReplicatedProvider


def shown(side: Any) -> Any:
    """All that can be seen, but for what is greater on another machine."""
    state = side.seen()
    del state["told"]
    for key, value in state.items():
        if isinstance(value, tuple):
            state[key] = (value[0]._replace(uidnext=0), *value[1:])
    return state


def identities(store: Any) -> Any:
    """UIDVALIDITY and object id of each folder that is made, what is kept, and annotations."""
    found: dict[Any, Any] = {}
    for mailbox in store.mailboxes():
        for one in result_of(store.folders(mailbox)):
            found[mailbox, one.name] = one.uidvalidity, one.objectid, one.special_use
    return found


class OtherwiseTests(SynchronousTestCase):
    """What was done to the files of a universe while it was not replicated."""

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "40")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(COMMANDS, max_size=12), st.lists(COMMANDS, max_size=12), st.booleans())
    def test_caught_up(self, first: list[tuple[Any, ...]], then: list[tuple[Any, ...]], reset: bool) -> None:
        """A server that closed it in order finds all of it when it opens it again, and puts it."""
        path = tempfile.mkdtemp(prefix="replica")
        side = Side(ReplicatedProvider(path))
        try:
            for command in (*BEGINNING, *first):
                side.does(command)
            side.leave()
            side.provider.stop()
            plain = Side(DiskProvider(path))
            # As each process does, before it does anything else.
            result_of(plain.store.uncommitted())
            for command in then:
                plain.does(command)
            if reset:
                result_of(plain.store.reset(plain.store.mailboxes()[:1]))
                plain.does(("accept", 7, [(box, "INBOX", ()) for box in ("maria@acme.test", "tom@acme.test")]))
            before, known = shown(plain), identities(plain.store)
            plain.leave()
            plain.provider.stop()
            side.store = side.provider.start()
            self.assertEqual(shown(side), before)
            side.leave()
            side.store = side.provider.lose()
            self.assertEqual(shown(side), before)
            self.assertEqual(identities(side.store), known)
        finally:
            side.provider.stop()
            clear(path)


class RestoredTests(SynchronousTestCase):
    """A store against itself, restored."""

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "60")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(COMMANDS, max_size=25))
    def test_equal(self, commands: list[tuple[Any, ...]]) -> None:
        """After any commands, the store that another machine restores is equal to the one that was lost."""
        path = tempfile.mkdtemp(prefix="replica")
        side = Side(ReplicatedProvider(path))
        try:
            for command in (*BEGINNING, *commands):
                side.does(command)
            before, known = shown(side), identities(side.store)
            # What nobody waits for is put before long.
            side.provider.later()
            owed = set(result_of(side.store.uncommitted()))
            uidnexts = dict(side.modseqs)
            side.leave()
            side.store = side.provider.lose()
            self.assertEqual(shown(side), before)
            self.assertEqual(identities(side.store), known)
            self.assertEqual(set(result_of(side.store.uncommitted())), owed)
            for key, (highest, uidnext) in side.modseqs.items():
                if key in uidnexts:
                    self.assertGreaterEqual((highest, uidnext), tuple(uidnexts[key]))
        finally:
            side.provider.stop()
            clear(path)


class SettledTests(SynchronousTestCase):
    """What was restored is served before it is on the disk, and is there later."""

    def setUp(self) -> None:
        """There is a message, and the machine that had it is lost."""
        self.synced: list[str] = []
        self.error: OSError | None = None
        self.patch(replicas, "sync_disk_of", self.settle)
        self.provider = ReplicatedProvider(self.mktemp())
        result_of(self.provider.store.accept(a_delivery(1, "maria@acme.test")))
        self.provider.lose()

    def settle(self, root: str) -> None:
        """Sync the disk, or fail."""
        self.synced.append(root)
        if self.error is not None:
            raise self.error

    def boot(self) -> str | None:
        """What the mark says: of which boot it is, C{""} for what was closed in order, None for what is no good."""
        marker = read_marker(f"{self.provider.path}/mail", "main")
        return marker.boot if marker is not None and marker.epoch else None

    def test_later(self) -> None:
        """It is synced after a while, once, and then it may be closed without that."""
        self.assertEqual(self.synced, [])
        self.provider.clock.advance(SETTLED)
        self.provider.clock.advance(SETTLED)
        self.assertEqual((len(self.synced), self.boot()), (1, "boot 1"))
        self.provider.stop()
        self.assertEqual((len(self.synced), self.boot()), (1, ""))

    def test_closed_before(self) -> None:
        """When it is closed before it is synced then, and not later."""
        self.provider.stop()
        self.provider.clock.advance(SETTLED)
        self.assertEqual((len(self.synced), self.boot()), (1, ""))

    def test_refused(self) -> None:
        """When the disk refuses it is made once more when it is opened, whatever a later attempt says."""
        self.error = OSError(5, "Input/output error")
        self.provider.clock.advance(SETTLED)
        self.assertEqual((len(self.synced), self.boot()), (1, None))
        self.error = None
        self.provider.stop()
        self.assertEqual((len(self.synced), self.boot()), (1, None))
        before = len(self.provider.objects.asked)
        self.provider.start()
        self.assertIn(("get", "universes/main/0000000001/0000000001"), self.provider.objects.asked[before:])
        self.provider.stop()
        self.assertEqual(self.boot(), "")

    def test_machine_down(self) -> None:
        """When the machine goes down before, it is made once more."""
        self.provider.boot = "boot 2"
        before = len(self.provider.objects.asked)
        self.provider.crash()
        self.assertIn(("get", "universes/main/0000000001/0000000001"), self.provider.objects.asked[before:])
        self.provider.stop()

    def test_boots_unknown(self) -> None:
        """Where nobody could tell that the machine went down it is synced before it is served."""
        self.provider.boot = ""
        self.provider.lose()
        self.assertEqual(len(self.synced), 1)
        self.provider.stop()
