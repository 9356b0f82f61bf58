"""
Three clients at random against a model.

Each client keeps what an IMAP client keeps: a list of messages by sequence
number, put together only from what it was told.  After each step its list must
be what the folder was when it was last told, and FETCH must agree with it.
The third speaks IMAP4rev2 with QRESYNC: it also goes away with what it knows,
comes back, and must then know everything again.
"""

from __future__ import annotations

import re

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import Connection, House

WHICH = st.integers(0, 2)
PLACE = st.integers(0, 9)
FLAG = st.sampled_from(["\\Seen", "\\Deleted", "\\Flagged", "blue"])
MODE = st.sampled_from(["+FLAGS", "-FLAGS", "+FLAGS.SILENT"])
_VANISHED = re.compile(rb"\* VANISHED (\(EARLIER\) )?([\d:,]+)")
_FETCH = re.compile(rb"\* (\d+) FETCH \((?:UID (\d+) )?(?:FLAGS \(([^)]*)\))?")


class Client:
    """What one client believes."""

    def __init__(self, connection: Connection, resyncs: bool) -> None:
        self.connection = connection
        self.resyncs = resyncs
        if resyncs:
            connection.do("e ENABLE QRESYNC IMAP4rev2")
        #: UIDs by sequence number; 0 where only the number is known.
        self.uids: list[int] = []
        self.flags: dict[int, frozenset[bytes]] = {}
        self.do("a UID FETCH 1:* FLAGS", first=True)

    def do(self, command: str, first: bool = False) -> list[bytes]:
        """Send a command and take in all that is told."""
        if first:
            self.uids = [0] * self._exists()
        lines = self.connection.do(command)
        assert lines[-1].startswith(b"a "), lines
        for line in lines:
            self.take_in(line, command)
        return lines

    def _exists(self) -> int:
        for line in self.connection.do("s SELECT INBOX"):
            match = re.fullmatch(rb"\* (\d+) EXISTS", line)
            if match:
                return int(match[1])
        raise AssertionError("no EXISTS")

    def take_in(self, line: bytes, command: str) -> None:
        """One untagged response."""
        match = re.fullmatch(rb"\* (\d+) (EXISTS|EXPUNGE)", line)
        if match and match[2] == b"EXISTS":
            count = int(match[1])
            assert count >= len(self.uids), "EXISTS may not go down"
            self.uids += [0] * (count - len(self.uids))
        elif match:
            assert not self.resyncs, "EXPUNGE where VANISHED should be"
            assert not command.startswith(("a FETCH", "a STORE", "a SEARCH")), "EXPUNGE where none may be"
            del self.uids[int(match[1]) - 1]
        match = _VANISHED.match(line)
        if match and not match[1]:
            assert self.resyncs
            assert not command.startswith(("a FETCH", "a STORE", "a SEARCH")), "VANISHED where none may be"
            for uid in numbers(match[2]):
                self.vanish(uid)
        match = _FETCH.match(line)
        if match:
            number = int(match[1])
            assert 1 <= number <= len(self.uids), "FETCH of a message that was not announced"
            if match[2]:
                uid = int(match[2])
                assert self.uids[number - 1] in (0, uid), "another message under this number"
                self.uids[number - 1] = uid
            uid = self.uids[number - 1]
            if match[3] is not None and uid:
                self.flags[uid] = frozenset(match[3].split()) - {b"\\Recent"}

    def vanish(self, uid: int) -> None:
        """A message is gone; one whose UID was never told stands after those that are less."""
        at = 0
        for place, known in enumerate(self.uids):
            if known == uid:
                at = place
                break
            if known > uid:
                break
            at = place + 1 if known else at
        assert self.uids[at] in (0, uid), "VANISHED of a message that was not announced"
        del self.uids[at]


def numbers(text: bytes) -> list[int]:
    """The numbers of a set."""
    ranges = [piece.partition(b":") for piece in text.split(b",")]
    return [number for low, _, high in ranges for number in range(int(low), int(high or low) + 1)]


class Sessions(RuleBasedStateMachine):
    """Three clients on one INBOX, and mail that comes in."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        for name in ("plain", "other", "mixed"):
            self.house.deliver(name)
        self.clients = [Client(self.house.signed_in(), which == 2) for which in range(3)]
        self.used: set[int] = set()

    def number(self, client: Client, place: int) -> int:
        """A sequence number this client could name, 0 for none."""
        return place % len(client.uids) + 1 if client.uids else 0

    @rule(which=WHICH)
    def noop(self, which: int) -> None:
        """Afterwards the client knows everything."""
        client = self.clients[which]
        client.do("a NOOP")
        client.do("a UID FETCH 1:* FLAGS")
        folder = self.house.folder()
        assert client.uids == list(folder.uids), (client.uids, folder.uids)
        for uid in client.uids:
            told = {flag.decode() for flag in client.flags[uid]}
            assert told == folder.entry(uid).flags, (uid, told)

    @rule(which=WHICH, place=PLACE, flag=FLAG, mode=MODE, uid=st.booleans())
    def store(self, which: int, place: int, flag: str, mode: str, uid: bool) -> None:
        """A flag changes; what is silent the client works out itself."""
        client = self.clients[which]
        number = self.number(client, place)
        if not number:
            return
        known = client.uids[number - 1]
        if uid and not known:
            return
        before = client.flags.get(known)
        line = client.do(f"a {'UID ' if uid else ''}STORE {known if uid else number} {mode} ({flag})")[-1]
        if "SILENT" in mode and known and before is not None and b"OK" in line and self.house.folder().entry(known):
            client.flags[known] = client.flags[known] | {flag.encode()}

    @rule(which=WHICH, uid=st.booleans())
    def expunge(self, which: int, uid: bool) -> None:
        """Marked messages go, all of them or by UID."""
        self.clients[which].do("a UID EXPUNGE 1:*" if uid else "a EXPUNGE")

    @rule(which=WHICH, place=PLACE)
    def move(self, which: int, place: int) -> None:
        """A message moves away."""
        number = self.number(self.clients[which], place)
        if number:
            self.clients[which].do(f"a MOVE {number} Archive")

    @rule(which=WHICH, place=PLACE)
    def copy(self, which: int, place: int) -> None:
        """A message is copied into the same folder."""
        number = self.number(self.clients[which], place)
        if number:
            self.clients[which].do(f"a COPY {number} INBOX")

    @rule(which=WHICH, place=PLACE)
    def fetch(self, which: int, place: int) -> None:
        """The message under a number is the one the client thinks it is."""
        client = self.clients[which]
        number = self.number(client, place)
        if number:
            client.do(f"a FETCH {number} (UID FLAGS)")

    @rule(which=WHICH)
    def search(self, which: int) -> None:
        """Numbers found are numbers the client has."""
        client = self.clients[which]
        for line in client.do("a SEARCH ALL"):
            if line.startswith(b"* SEARCH"):
                assert all(int(number) <= len(client.uids) for number in line.split()[2:])
            elif line.startswith(b"* ESEARCH"):
                found = numbers(line.partition(b" ALL ")[2]) if b" ALL " in line else []
                assert all(number <= len(client.uids) for number in found)

    @rule(steps=st.lists(st.tuples(st.sampled_from(["deliver", "flag", "expunge", "store"]), PLACE, FLAG), max_size=5))
    def leave(self, steps: list[tuple[str, int, str]]) -> None:
        """The third client goes away, things happen, it comes back and asks what it missed."""
        self.noop(2)
        client = self.clients[2]
        told = client.do("a STATUS INBOX (HIGHESTMODSEQ)")[0]
        known = {uid: client.flags[uid] for uid in client.uids}
        client.connection.do("b UNSELECT")
        for step, place, flag in steps:
            if step == "deliver":
                self.house.deliver()
            elif step == "flag":
                self.flagged_elsewhere(place, flag)
            elif step == "expunge":
                self.removed_elsewhere(place)
            else:
                self.store(place % 2, place, flag, "-FLAGS", False)
        modseq = int(told.rpartition(b" ")[2].rstrip(b")"))
        for line in client.connection.do(f"s SELECT INBOX (QRESYNC (1 {modseq}))"):
            match = _VANISHED.match(line)
            if match:
                assert match[1], "VANISHED that is not EARLIER"
                for uid in numbers(match[2]):
                    known.pop(uid, None)
            match = _FETCH.match(line)
            if match:
                known[int(match[2])] = frozenset(match[3].split())
        folder = self.house.folder()
        assert sorted(known) == list(folder.uids), (known, folder.uids)
        assert all({flag.decode() for flag in flags} == folder.entry(uid).flags for uid, flags in known.items())
        client.uids, client.flags = sorted(known), known

    @rule(which=WHICH)
    def append(self, which: int) -> None:
        """A client files a message; its UID was never used."""
        line = self.clients[which].do("a APPEND INBOX {3+}\r\nabc")[-1]
        match = re.search(rb"APPENDUID 1 (\d+)", line)
        assert match is not None, line
        assert int(match[1]) not in self.used
        self.used.add(int(match[1]))

    @rule()
    def deliver(self) -> None:
        """Mail comes in."""
        self.house.deliver()

    @rule(place=PLACE, flag=FLAG)
    def flagged_elsewhere(self, place: int, flag: str) -> None:
        """A flag changes over REST."""
        uids = self.house.folder().uids
        if uids:
            self.house.folder().flag([uids[place % len(uids)]], [flag], "+")

    @rule(place=PLACE)
    def removed_elsewhere(self, place: int) -> None:
        """Retention removes a message."""
        uids = self.house.folder().uids
        if uids:
            self.house.folder().expunge([uids[place % len(uids)]])

    @rule(which=WHICH)
    def idle(self, which: int) -> None:
        """A client listens for a moment."""
        client = self.clients[which]
        client.connection.send(b"a IDLE\r\n")
        self.house.deliver()
        client.connection.send(b"DONE\r\n")
        for line in client.connection.taken().split(b"\r\n"):
            client.take_in(line, "a IDLE")

    @invariant()
    def ascending(self) -> None:
        """What a client knows of UIDs ascends."""
        for client in self.clients:
            known = [uid for uid in client.uids if uid]
            assert known == sorted(set(known)), known


class ModelTests(SynchronousTestCase):
    """The machine above."""

    def test_sessions(self) -> None:
        """Random commands from three sessions."""
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            Sessions, settings=settings(max_examples=60, stateful_step_count=40, deadline=None))
        self.assertEqual(self.flushLoggedErrors(), [])
