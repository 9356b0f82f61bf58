"""Whatever is done to a store is there again when the machine is lost."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.contracts.mailstores import DiskProvider, result_of
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
