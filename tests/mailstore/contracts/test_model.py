"""The same commands to the store in memory and to the one on disk: what can be seen of both stays the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Refusal
from tests.contracts.mailstores import AT, DiskProvider, MemoryProvider, a_delivery, a_mail, result_of

_BOXES = st.sampled_from(["maria@acme.test", "tom@acme.test"])
# What comes more often is there from the start.
_NAMES = st.sampled_from(["INBOX", "INBOX", "INBOX", "Work", "Work", "Work/Old", "Sent", "inbox", "Bad//name"])
_UIDS = st.lists(st.integers(1, 8), max_size=4)
_FLAGS = st.lists(st.sampled_from(["\\Seen", "\\deleted", "$Forwarded", "Work", "work", "Other"]), max_size=3)
_PLACES = st.lists(st.tuples(_BOXES, _NAMES, _FLAGS.map(tuple)), max_size=3)

COMMANDS = st.one_of(
    st.tuples(st.just("accept"), st.integers(1, 6), _PLACES),
    st.tuples(st.just("accept"), st.integers(10, 1000), _PLACES),
    st.tuples(st.just("append"), _BOXES, _NAMES, _FLAGS),
    st.tuples(st.just("flag"), _BOXES, _NAMES, _UIDS, _FLAGS, st.sampled_from("+-=")),
    st.tuples(st.just("flag_since"), _BOXES, _NAMES, _UIDS, _FLAGS, st.integers(0, 4)),
    st.tuples(st.just("copy"), _BOXES, _NAMES, _UIDS, _BOXES, _NAMES),
    st.tuples(st.just("move"), _BOXES, _NAMES, _UIDS, _BOXES, _NAMES),
    st.tuples(st.just("expunge"), _BOXES, _NAMES, _UIDS),
    st.tuples(st.just("take_recent"), _BOXES, _NAMES),
    st.tuples(st.just("poll"), _BOXES, _NAMES),
    st.tuples(st.just("create"), _BOXES),
    st.tuples(st.just("delete"), _BOXES),
    st.tuples(st.just("create_folder"), _BOXES, _NAMES, st.sampled_from(["", "\\Junk", "\\None"])),
    st.tuples(st.just("delete_folder"), _BOXES, _NAMES),
    st.tuples(st.just("rename_folder"), _BOXES, _NAMES, _NAMES),
    st.tuples(st.just("subscribe"), _BOXES, _NAMES, st.booleans()),
    st.tuples(st.just("settle"), st.integers(1, 6)),
    st.tuples(st.just("drop")),
    st.tuples(st.just("later")),
    st.tuples(st.just("restart")),
    st.tuples(st.just("crash")),
)

BEGINNING = tuple(
    ("accept", number, [(box, name, ["\\Seen", "Work"][:number % 3])
                        for box in ("maria@acme.test", "tom@acme.test") for name in ("INBOX", "Work")])
    for number in range(20, 24))


class Side:
    """One store, with sessions that watch each folder they once saw."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider
        self.store = provider.store
        self.told: list[Any] = []
        self.folders: dict[tuple[str, str], Any] = {}
        self.modseqs: dict[tuple[str, str, int], list[int]] = {}

    def folder(self, mailbox: str, name: str) -> Any:
        folder = result_of(self.store.folder(mailbox, name))
        key = (mailbox, folder.name)
        if self.folders.get(key) is not folder:
            self.folders[key] = folder
            folder.listen(self.tells)
        return folder

    def tells(self, change: Any) -> None:
        """What a session is told."""
        self.told.append((change.kind, change.uids))

    def leave(self) -> None:
        """All sessions end."""
        for folder in self.folders.values():
            folder.unlisten(self.tells)
        self.folders.clear()

    def does(self, command: tuple[Any, ...]) -> Any:
        """Do a command; what it answers, or the kind of refusal."""
        what, *args = command
        try:
            return self._does(what, args)
        except Refusal as refusal:
            return type(refusal).__name__

    def _does(self, what: str, args: list[Any]) -> Any:
        if what == "accept":
            copies = result_of(self.store.accept(a_delivery(args[0], *args[1])))
            return [(copy.mailbox, copy.folder, copy.uid) for copy in copies]
        if what == "settle":
            self.store.committed([f"d-{args[0]}"])
            return result_of(self.store.uncommitted())
        if what == "drop":
            return self.leave()
        if what == "later":
            return self.provider.later()
        if what in ("restart", "crash"):
            self.leave()
            self.store = getattr(self.provider, what)()
            owed = result_of(self.store.uncommitted())
            return owed, [(delivery, [copy[:3] for copy in map(_plain, copies)])
                          for delivery, copies in result_of(self.store.replay(set(owed[::2])))]
        if what in ("create", "delete", "create_folder", "delete_folder", "rename_folder", "subscribe"):
            return result_of(getattr(self.store, what)(*args))
        folder = self.folder(*args[:2])
        rest = args[2:]
        if what in ("copy", "move"):
            return result_of(getattr(folder, what)(rest[0], self.folder(*rest[1:])))
        if what == "append":
            return result_of(folder.append(a_mail("appended"), rest[0], AT))
        if what == "flag_since":
            seen = sorted(set(folder.column("modseq", folder.uids)))
            since = ([0, *seen])[min(rest[2], len(seen))]
            before = {uid: modseq for uid, modseq in zip(folder.uids, folder.column("modseq", folder.uids))}
            changed, failed = result_of(folder.flag(rest[0], rest[1], "+", since))
            # After a start a store may have taken MODSEQs as new, so which fail is its own matter; but not why.
            assert all(before[uid] > since for uid in failed) and all(before[uid] <= since for uid in changed)
            result_of(folder.flag(failed, rest[1], "+"))
            self.told = [one for one in self.told if one[0] != "flags"]
            return None
        return result_of(getattr(folder, what)(*rest))

    def seen(self) -> Any:
        """All that can be seen, but for UIDVALIDITYs and MODSEQs, of which only the order counts."""
        state: dict[str, Any] = {
            "told": self.told, "counts": result_of(self.store.counts()), "totals": result_of(self.store.totals())}
        self.told = []
        for mailbox in self.store.mailboxes():
            state[mailbox] = sorted(result_of(self.store.subscribed(mailbox)))
            for status in result_of(self.store.folders(mailbox)):
                folder = result_of(self.store.folder(mailbox, status.name))
                assert folder.status()._replace(highestmodseq=0) == status._replace(highestmodseq=0)
                entries = folder.entries(folder.uids)
                key = f"{mailbox} {status.name}"
                state[key] = (
                    status._replace(uidvalidity=0, highestmodseq=0, objectid=""), sorted(folder.keywords),
                    [entry._replace(modseq=0) for entry in entries], folder.counts(), folder.unseen(),
                    folder.column("key", [uid for uid in folder.uids])[:0],
                    [octets for _, octets in result_of(folder.reads(folder.uids))])
                self._check_modseqs(mailbox, folder)
        return state

    def _check_modseqs(self, mailbox: str, folder: Any) -> None:
        highest = max(folder.column("modseq", folder.uids), default=1)
        assert 1 <= highest <= folder.highestmodseq
        known = self.modseqs.setdefault((mailbox, folder.name, folder.uidvalidity), [0, 0])
        assert folder.highestmodseq >= known[0] and folder.uidnext >= known[1]
        known[:] = folder.highestmodseq, folder.uidnext


def _plain(copy: Any) -> tuple[Any, ...]:
    return copy.mailbox, copy.folder, copy.uid


class ModelTests(SynchronousTestCase):
    """The store in memory is the model."""

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "60")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(COMMANDS, max_size=25))
    def test_alike(self, commands: list[tuple[Any, ...]]) -> None:
        """Whatever is asked of both, they answer, tell and show the same."""
        path = tempfile.mkdtemp(prefix="model")
        try:
            memory, disk = Side(MemoryProvider("")), Side(DiskProvider(path))
            try:
                for command in (*BEGINNING, *commands):
                    self.assertEqual(disk.does(command), memory.does(command), command)
                    self.assertEqual(disk.seen(), memory.seen(), command)
            finally:
                disk.provider.stop()
        finally:
            shutil.rmtree(path)
