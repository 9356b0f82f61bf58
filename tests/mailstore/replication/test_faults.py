"""Whatever the store of objects does, and whenever the machine is lost: what was acknowledged is there, once."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.testing.objects import MemoryObjects
from tests.contracts.mailstores import a_delivery, a_mail, result_of
from tests.mailstore.replication.test_compaction import Compacting
from tests.mailstore.replication.providers import clear

MARIA, TOM = "maria@acme.test", "tom@acme.test"

STEPS = st.lists(st.one_of(
    st.tuples(st.just("deliver"), st.integers(1, 3)),
    st.tuples(st.just("deliver"), st.integers(1, 3)),
    st.tuples(st.just("flag"), st.integers(0, 9)),
    st.tuples(st.just("expunge"), st.integers(0, 9)),
    st.tuples(st.just("move"), st.integers(0, 9)),
    st.tuples(st.just("fail"), st.sampled_from(["away", "losing", "held", ""])),
    st.tuples(st.just("answer")),
    st.tuples(st.just("time")),
    st.tuples(st.just("crash")),
    st.tuples(st.just("lose")),
), max_size=40)


class Books:
    """What was asked of a store, and what it acknowledged."""

    def __init__(self, provider: Any) -> None:
        self.provider, self.objects = provider, provider.objects
        self.number = 0
        self.asked: set[str] = set()
        self.there: dict[str, int] = {}
        self.flagged: set[str] = set()
        self.gone: set[str] = set()
        self.doubtful: set[str] = set()
        self.highest = 0

    def does(self, step: tuple[Any, ...]) -> None:
        """Do one step."""
        what, *args = step
        getattr(self, what)(*args)

    def deliver(self, count: int) -> None:
        """Deliver some at once."""
        for _ in range(count):
            self.number += 1
            id = f"d-{self.number}"
            self.asked.add(id)
            self.provider.store.accept(a_delivery(self.number, MARIA)).addCallbacks(
                self.delivered, self.refused, (id,))

    def delivered(self, copies: Any, id: str) -> None:
        """It is acknowledged."""
        self.there[id] = copies[0].uid

    def refused(self, failure: Any) -> None:
        """It is not."""
        failure.trap(Unavailable)

    def folder(self) -> Any:
        """Maria's INBOX, None where it cannot be had."""
        try:
            folder = result_of(self.provider.store.folder(MARIA, "INBOX"))
            result_of(folder.poll())
            return folder
        except (Unavailable, Exception):
            return None

    def _one(self, number: int) -> tuple[str, Any]:
        folder = self.folder()
        known = sorted(set(self.there) - self.gone - self.doubtful)
        return (known[number % len(known)], folder) if folder is not None and known else ("", None)

    def flag(self, number: int) -> None:
        """Flag a message that was acknowledged."""
        id, folder = self._one(number)
        if id:
            folder.flag([self.there[id]], ["\\Flagged"], "+").addCallbacks(
                lambda changed: self.flagged.add(id) if changed[0] else None, self.refused)

    def expunge(self, number: int) -> None:
        """Remove a message that was acknowledged."""
        id, folder = self._one(number)
        if id:
            # Until it is answered it may be there or not.
            self.doubtful.add(id)
            folder.expunge([self.there[id]]).addCallbacks(lambda uids: self.gone.add(id), self.refused)

    def move(self, number: int) -> None:
        """Move one to another folder."""
        id, folder = self._one(number)
        if id:
            self.doubtful.add(id)
            archive = result_of(self.provider.store.folder(MARIA, "Archive"))
            folder.move([self.there[id]], archive).addCallbacks(lambda pairs: self.gone.add(id), self.refused)

    def fail(self, how: str) -> None:
        """From now on it fails like this."""
        self.answer()
        self.objects.trouble = "gone" if how == "away" else ""
        self.objects.losing = how == "losing"
        self.objects.held = [] if how == "held" else None

    def answer(self) -> None:
        """What is under way is answered."""
        while self.objects.held:
            self.objects.held.pop(0)()

    def time(self) -> None:
        """Time goes by."""
        self.provider.later()

    def crash(self) -> None:
        """The process dies and is there again."""
        self._again(self.provider.crash)

    def lose(self) -> None:
        """The machine is lost."""
        self._again(self.provider.lose)
        self.check()

    def _again(self, how: Any) -> None:
        self.objects.trouble, self.objects.losing, self.objects.held = "", False, None
        how()
        store = self.provider.store
        owed = result_of(store.uncommitted())
        result_of(store.replay(set(owed)))

    def check(self) -> None:
        """Everything is as it was acknowledged."""
        folder = self.folder()
        found: dict[str, list[int]] = {}
        for uid, key in zip(folder.uids, folder.column("key", folder.uids)):
            found.setdefault(key, []).append(uid)
        octets = dict(result_of(folder.reads(folder.uids)))
        for id, uid in self.there.items():
            if id in self.gone:
                assert id not in found, f"{id} was removed and is there"
            elif id not in self.doubtful or id in found:
                assert found.get(id) == [uid], f"{id} was {uid} and is {found.get(id)}"
                assert octets[uid] == a_mail(f"mail {id[2:]}")
                if id in self.flagged:
                    assert "\\Flagged" in folder.entry(uid).flags, f"{id} has lost its flag"
        assert all(len(uids) == 1 and key in self.asked for key, uids in found.items()), found
        highest = max([*self.there.values(), *folder.uids, 0])
        assert folder.uidnext > highest >= 0
        self.highest = max(self.highest, highest)


class FaultTests(SynchronousTestCase):
    """A store on a store of objects that fails in every way."""

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "60")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(STEPS)
    def test_acknowledged(self, steps: list[tuple[Any, ...]]) -> None:
        """Nothing acknowledged is lost, nothing is there twice, no UID is another's."""
        path = tempfile.mkdtemp(prefix="replica")
        books = Books(Compacting(path, MemoryObjects()))
        try:
            for step in (("deliver", 2), *steps, ("lose",)):
                books.does(step)
        finally:
            books.objects.held = None
            books.objects.trouble, books.objects.losing = "", False
            books.provider.clock.advance(2)
            books.provider.stop()
            clear(path)
