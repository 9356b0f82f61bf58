"""
Results that are kept up to date, against searching again.

A client keeps what it was told of each context: the first results, then what
was added and removed.  Whenever nothing is pending that must be what the same
search finds now.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap import contexts
from simmail.imap.search import updates
from tests.imap.play import House, now

PLACE = st.integers(0, 9)
FLAG = st.sampled_from(["\\Seen", "\\Deleted", "\\Flagged", "blue"])
SEARCHES = (
    "SEARCH", "ALL"), ("SEARCH", "UNSEEN"), ("SEARCH", "OR FLAGGED NOT KEYWORD blue"), ("SEARCH", "TEXT hello SEEN"), (
    "SORT", "(SUBJECT) UTF-8 UNDELETED"), ("SORT", "(REVERSE ARRIVAL) UTF-8 ALL"), (
    "SORT", "(SIZE REVERSE DATE) UTF-8 UNSEEN")
_TOLD = re.compile(rb'\* ESEARCH \(TAG "(\w+)"\)( UID)?(?: (ADDTO|REMOVEFROM) \(([^)]*)\))?(?: ALL (\S+))?')


def numbers(text: bytes) -> list[int]:
    """The numbers of a set."""
    ranges = [piece.partition(b":") for piece in text.split(b",")]
    return [number for low, _, high in ranges for number in range(int(low), int(high or low) + 1)]


class Watching(RuleBasedStateMachine):
    """One client that watches, another that changes things, and mail that comes in."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        for name in ("plain", "other", "mixed"):
            self.house.deliver(name)
        self.client = self.house.signed_in("INBOX")
        self.other = self.house.signed_in("INBOX")
        self.uids = [1, 2, 3]
        #: Results by tag, as UIDs.
        self.known: dict[bytes, list[int]] = {}
        self.asked: dict[bytes, tuple[str, str]] = {}
        self.count = 0

    def do(self, command: str, tag: str = "a") -> list[bytes]:
        """Send a command and take in all that is told."""
        lines = self.client.do(f"{tag} {command}")
        for line in lines:
            self.take_in(line)
        assert lines[-1].startswith(f"{tag} OK".encode()), lines
        return lines

    def take_in(self, line: bytes) -> None:
        """One untagged response."""
        match = re.fullmatch(rb"\* (\d+) (EXISTS|EXPUNGE)", line)
        if match and match[2] == b"EXISTS":
            uidnext = self.house.folder().uidnext
            self.uids += range(uidnext - int(match[1]) + len(self.uids), uidnext)
        elif match:
            del self.uids[int(match[1]) - 1]
        match = _TOLD.match(line)
        if match is None:
            return
        known = self.known.setdefault(match[1], [])
        uid_of = (lambda number: number) if match[2] else (lambda number: self.uids[number - 1])
        if match[5]:
            known[:] = map(uid_of, numbers(match[5]))
        if match[3] is None:
            return
        words = match[4].split(b" ")
        for place, text in zip(map(int, words[::2]), words[1::2]):
            some = [uid_of(number) for number in numbers(text)]
            if match[3] == b"REMOVEFROM":
                if place:
                    assert known[place - 1:place - 1 + len(some)] == some, (line, known)
                    del known[place - 1:place - 1 + len(some)]
                else:
                    assert set(some) <= set(known), (line, known)
                    known[:] = [one for one in known if one not in some]
            elif place:
                assert place <= len(known) + 1 and not set(some) & set(known), (line, known)
                known[place - 1:place - 1] = some
            else:
                assert not set(some) & set(known), (line, known)
                known[:] = sorted([*known, *some])

    @rule(which=st.sampled_from(SEARCHES), uid=st.booleans())
    def watch(self, which: tuple[str, str], uid: bool) -> None:
        """One more context."""
        if len(self.asked) < contexts.MOST:
            self.count += 1
            tag = f"w{self.count}"
            self.asked[tag.encode()] = which
            self.known[tag.encode()] = []
            self.do(f"{'UID ' if uid else ''}{which[0]} RETURN (UPDATE ALL) {which[1]}", tag)

    @rule(at=PLACE)
    def cancel(self, at: int) -> None:
        """One less."""
        if self.asked:
            tag = sorted(self.asked)[at % len(self.asked)]
            del self.asked[tag]
            self.do(f'CANCELUPDATE "{tag.decode()}"')

    @rule(name=st.sampled_from(["plain", "other", "reply", "mixed"]), flag=st.sampled_from(["", "\\Seen"]))
    def deliver(self, name: str, flag: str) -> None:
        """A message comes in."""
        self.house.deliver(name, "INBOX", *([flag] if flag else []))

    @rule(at=PLACE, flag=FLAG, mode=st.sampled_from(["+FLAGS", "-FLAGS.SILENT"]), ours=st.booleans())
    def store(self, at: int, flag: str, mode: str, ours: bool) -> None:
        """Flags of a message change, here or elsewhere."""
        folder = self.house.folder()
        if folder.uids:
            command = f"UID STORE {folder.uids[at % len(folder.uids)]} {mode} ({flag})"
            if ours:
                self.do(command)
            else:
                self.other.do("a " + command)

    @rule(at=PLACE)
    def expunge(self, at: int) -> None:
        """A message is gone."""
        folder = self.house.folder()
        if folder.uids:
            now(folder.expunge([folder.uids[at % len(folder.uids)]]))

    @rule()
    def search(self) -> None:
        """A command that may tell of no expunges."""
        self.do("SEARCH 1:*" if self.uids else "SEARCH ALL")

    @invariant()
    def up_to_date(self) -> None:
        """What is known is what is found."""
        self.do("NOOP")
        for tag, (command, keys) in self.asked.items():
            found = self.client.do(f"b UID {command} {keys}")[0].split(b" ")[2:]
            assert self.known[tag] == list(map(int, found)), (tag, command, keys, self.known[tag], found)


class ContextTests(SynchronousTestCase):
    """Contexts under load."""

    def test_any_order(self) -> None:
        """Whatever happens in whatever order."""
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            Watching, settings=settings(max_examples=60, stateful_step_count=25, deadline=None))
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_while_searching(self) -> None:
        """What happens while the first results are looked for and sent counts."""
        house = House()
        for _ in range(3):
            house.deliver("plain")
        client = house.signed_in("INBOX")
        held: list[Deferred[Any]] = []
        digested = house.folder().digested

        def slowly(*args: Any) -> Deferred[Any]:
            held.append(Deferred())
            found = digested(*args)
            return held[-1].addCallback(lambda _: found)

        house.folder().digested = slowly
        client.send(b"a UID SEARCH RETURN (UPDATE ALL) UNSEEN TEXT hello\r\n")
        self.assertEqual(client.taken(), b"")
        now(house.folder().flag([2], ["\\Seen"], "+"))
        house.deliver("plain")
        house.folder().digested = digested
        held.pop().callback(None)
        self.assertEqual(client.taken().split(b"\r\n")[:-1], [
            b'* ESEARCH (TAG "a") UID ALL 1:3', b"* 4 EXISTS", b"* 4 RECENT", b"* 2 FETCH (FLAGS (\\Recent \\Seen))",
            b'* ESEARCH (TAG "a") UID REMOVEFROM (0 2)', b'* ESEARCH (TAG "a") UID ADDTO (0 4)',
            b"a OK SEARCH completed"])

    def test_given_up(self) -> None:
        """A context that cannot be kept up to date ends, and says so."""
        self.patch(contexts, "MOST_SORTED", 3)
        self.patch(updates, "MOST_SORTED", 3)
        house = House()
        for _ in range(3):
            house.deliver("plain")
        client = house.signed_in("INBOX")
        client.do("a SORT RETURN (UPDATE COUNT) (DATE) UTF-8 ALL")
        house.deliver("plain")
        self.assertIn(b'* NO [NOUPDATE "a"] Too many results', client.do("b NOOP"))
        self.assertIn(b'* NO [NOUPDATE "c"] Too many results', client.do("c SORT RETURN (UPDATE) (DATE) UTF-8 ALL"))
        client.do("d UID SEARCH RETURN (UPDATE COUNT) TEXT hello")
        house.deliver("plain")
        house.store.away = True
        self.assertIn(b'* NO [NOUPDATE "d"] the mail store is away', client.do("e NOOP"))
        house.store.away = False
        house.deliver("plain")
        self.assertEqual([line for line in client.do("f NOOP") if b"ESEARCH" in line], [])
