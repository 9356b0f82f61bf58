"""
What a client is told that has asked for it with NOTIFY: that it is all, and that it stays cheap.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.interfaces import IPushProducer
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.imap.untagged import notifications
from tests.imap.play import ADDRESS, House, now

ALL = "(SELECTED (MessageNew (UID FLAGS) MessageExpunge FlagChange))"
ELSEWHERE = "(PERSONAL (MessageNew MessageExpunge FlagChange MailboxName))"
_ACTION = st.tuples(
    st.sampled_from(["deliver", "expunge", "flag", "store", "uid expunge", "append", "copy", "move", "turn"]),
    st.integers(0, 5), st.sampled_from(["INBOX", "Lists"]))


class Client:
    """One that knows only what it was told."""

    def __init__(self, house: House, watch: str) -> None:
        self.connection = house.signed_in("INBOX")
        self.house = house
        self.uids: list[int] = list(house.folder().uids)
        self.flags: dict[int, bytes] = {}
        self.statuses: dict[bytes, bytes] = {}
        self.do(f"NOTIFY SET STATUS {watch}")

    def do(self, command: str) -> None:
        """Do a command."""
        lines = self.connection.do(f"a {command}")
        self.take_in(lines)
        assert lines[-1].startswith((b"a OK", b"a NO")), lines

    def listen(self) -> None:
        """Take in what comes unasked."""
        self.take_in(self.connection.taken().split(b"\r\n")[:-1])

    def take_in(self, lines: list[bytes]) -> None:
        """Learn from responses."""
        for line in lines:
            if match := re.fullmatch(rb"\* (\d+) EXISTS", line):
                self.uids += [0] * (int(match[1]) - len(self.uids))
            elif match := re.fullmatch(rb"\* (\d+) EXPUNGE", line):
                del self.uids[int(match[1]) - 1]
            elif match := re.fullmatch(rb"\* (\d+) FETCH \(UID (\d+) FLAGS \(([^)]*)\)\)", line):
                self.uids[int(match[1]) - 1] = int(match[2])
                self.flags[int(match[2])] = match[3].replace(b"\\Recent", b"").strip()
            elif match := re.fullmatch(rb"\* STATUS (\S+) \((.*)\)", line):
                self.statuses[match[1]] = match[2]


class KnowingTests(SynchronousTestCase):
    """A client that asks for everything knows everything without asking again."""

    @settings(max_examples=150, deadline=None)
    @given(st.lists(_ACTION, max_size=25))
    def test_selected(self, actions: list[tuple[str, int, str]]) -> None:
        """Messages and flags of the selected mailbox, and what the other is like."""
        house = House()
        now(house.store.create_folder(ADDRESS, "Lists", ""))
        for name in ("plain", "other", "mixed"):
            house.deliver(name)
        client = Client(house, f"{ALL} {ELSEWHERE}")
        inbox, lists = house.folder(), house.folder("Lists")
        for action, at, where in actions:
            folder = house.folder(where)
            uid = folder.uids[at % len(folder.uids)] if folder.uids else 1
            ours = inbox.uids[at % len(inbox.uids)] if inbox.uids else 1
            if action == "deliver":
                house.deliver("plain", where)
            elif action == "expunge":
                now(folder.expunge([uid]))
            elif action == "flag":
                now(folder.flag([uid], (["\\Seen", "blue"][at % 2],), "+-"[at // 3], None))
            elif action == "store":
                client.do(f"UID STORE {ours} +FLAGS (\\Deleted)")
            elif action == "uid expunge":
                client.do(f"UID EXPUNGE {ours}")
            elif action == "append":
                client.do(f"APPEND {where} {{3+}}\r\nabc")
            elif action in ("copy", "move"):
                client.do(f"UID {action} {ours} {where}")
            else:
                client.listen()
        client.listen()
        house.reactor.advance(1)
        client.listen()
        # Messages that the client put there it knows by its APPENDUID.
        self.assertEqual(len(client.uids), len(inbox.uids))
        self.assertTrue(all(mine in (0, uid) for mine, uid in zip(client.uids, inbox.uids)), client.uids)
        for uid in set(client.uids) & client.flags.keys():
            self.assertEqual(set(client.flags[uid].decode().split()), inbox.entry(uid).flags)
        self.assertEqual(
            client.statuses[b"Lists"], b"MESSAGES %d UIDNEXT %d UIDVALIDITY %d UNSEEN %d HIGHESTMODSEQ %d" % (
                len(lists.uids), lists.uidnext, lists.uidvalidity, len(lists.unseen()), lists.highestmodseq))


class BoundTests(SynchronousTestCase):
    """However much happens."""

    def setUp(self) -> None:
        self.house = House()
        self.client = self.house.signed_in()

    def do(self, command: str) -> list[bytes]:
        """Do a command of the client."""
        return self.client.do(f"a {command}")

    def heard(self) -> list[Any]:
        """Who listens to the store."""
        heard = self.house.store.events._listeners.get(ADDRESS)
        return heard._called if heard is not None else []

    def test_nobody_listens(self) -> None:
        """Of a session without NOTIFY, after NOTIFY NONE and when the client has left, the store knows nothing."""
        self.assertEqual(self.heard(), [])
        for _ in range(3):
            self.do(f"NOTIFY SET {ELSEWHERE}")
            self.assertEqual(len(self.heard()), 1)
        self.do(f"NOTIFY SET {ALL}")
        self.assertEqual(self.heard(), [])
        self.do(f"NOTIFY SET {ELSEWHERE} (PERSONAL (MailboxMetadataChange))")
        self.do("NOTIFY NONE")
        self.assertEqual((self.heard(), self.house.store.annotations._called), ([], []))
        self.do(f"NOTIFY SET {ELSEWHERE} (PERSONAL (MailboxMetadataChange))")
        self.house.deliver("plain")
        self.client.lose()
        self.assertEqual((self.heard(), self.house.store.annotations._called), ([], []))
        self.house.reactor.advance(0)
        self.assertEqual(self.house.reactor.getDelayedCalls(), [])

    def test_enabled_again(self) -> None:
        """ENABLE METADATA any number of times is one listener."""
        for _ in range(3):
            self.do("ENABLE METADATA")
        self.assertEqual(len(self.house.store.annotations._called), 1)

    def test_together(self) -> None:
        """Thousands of messages a second are a few lines."""
        self.do(f"NOTIFY SET {ELSEWHERE}")
        taken = b""
        for _ in range(100):
            for _ in range(20):
                self.house.deliver("plain")
            self.house.reactor.advance(0.01)
            taken += self.client.taken()
        self.house.reactor.advance(1)
        taken += self.client.taken()
        self.assertLessEqual(taken.count(b"* STATUS INBOX"), 6)
        self.assertIn(b"* STATUS INBOX (MESSAGES 2000 UIDNEXT 2001 ", taken)

    def test_not_read(self) -> None:
        """Nothing is said to a client that does not read; with too much to say it is told that it missed something."""
        self.patch(notifications, "MOST", 20)
        self.do(f"NOTIFY SET {ELSEWHERE}")
        producer: Any = IPushProducer(self.client.transport.producer)
        producer.pauseProducing()
        said = b""
        for number in range(10):
            now(self.house.store.create_folder(ADDRESS, f"n{number}", ""))
            self.house.reactor.advance(1)
            said += self.client.taken()
        # What was on its way when it stopped reading.
        self.assertLessEqual(said.count(b"\r\n"), 1)
        for number in range(10, 40):
            now(self.house.store.create_folder(ADDRESS, f"n{number}", ""))
        self.house.reactor.advance(1)
        self.assertEqual(self.heard(), [])
        producer.resumeProducing()
        self.house.reactor.advance(1)
        said = self.client.taken()
        self.assertTrue(said.endswith(b"* OK [NOTIFICATIONOVERFLOW] Too much happens; nothing more is told\r\n"), said)
        self.house.deliver("plain")
        self.house.reactor.advance(1)
        self.assertEqual(self.do("NOOP"), [b"a OK NOOP completed"])
        # It can ask again.
        self.do(f"NOTIFY SET {ELSEWHERE}")
        self.house.deliver("plain")
        self.house.reactor.advance(notifications.LONGEST)
        self.assertIn(b"* STATUS INBOX (MESSAGES 2 ", self.client.taken())

    def test_annotations(self) -> None:
        """So it is with annotations."""
        self.do("NOTIFY SET (PERSONAL (MailboxMetadataChange))")
        producer: Any = IPushProducer(self.client.transport.producer)
        producer.pauseProducing()
        for round in range(25):
            names = {f"/private/x{n}": b"%d" % round for n in range(100)}
            for folder in ("INBOX", "Sent", "Trash"):
                now(self.house.store.annotations.write(ADDRESS, folder, names))
        producer.resumeProducing()
        self.house.reactor.advance(1)
        self.assertLessEqual(self.client.taken().count(b"\r\n"), 400)

    def test_many_names(self) -> None:
        """More names than there may be are refused, and what was asked for before goes on."""
        self.do(f"NOTIFY SET {ELSEWHERE}")
        many = " ".join(f"n{number}" for number in range(2000))
        self.assertEqual(self.do(f"NOTIFY SET (MAILBOXES ({many}) (MailboxName))")[-1][:30],
                         b"a NO [NOTIFICATIONOVERFLOW] Th")
        self.house.deliver("plain")
        self.assertIn(b"* STATUS INBOX ", self.client.taken())

    def test_deep(self) -> None:
        """A deep name is looked up in subtrees by its levels."""
        name = "/".join("abcdefghij" * 3)
        now(self.house.store.create_folder(ADDRESS, name, ""))
        self.do("NOTIFY SET (SUBTREE (a/b x y) (MessageNew MessageExpunge)) (SUBTREE a/bc (MailboxName))")
        self.house.deliver("plain", name)
        self.assertIn(b"* STATUS a/b/c", self.client.taken())

    def test_disk_in_trouble(self) -> None:
        """What could not be looked up is told later; a NOTIFY that fails changes nothing."""
        self.do(f"NOTIFY SET {ELSEWHERE}")
        self.house.deliver("plain")
        self.house.store.away = True
        self.assertEqual(self.client.taken(), b"")
        self.assertEqual(self.do("NOTIFY SET STATUS (SUBSCRIBED (MailboxName))")[-1][:17], b"a NO [UNAVAILABLE")
        self.house.store.away = False
        self.house.reactor.advance(1)
        self.assertIn(b"* STATUS INBOX (MESSAGES 1 ", self.client.taken())
        self.assertEqual(self.flushLoggedErrors(Unavailable), [])

    def test_between_pieces(self) -> None:
        """No answer comes into the midst of what is told unasked."""
        self.do("NOOP")
        self.client.do("s SELECT INBOX")
        self.do("NOTIFY SET (SELECTED (MessageNew (UID BODY.PEEK[]) MessageExpunge))")
        producer: Any = IPushProducer(self.client.transport.producer)
        write = self.client.transport.write

        def writing(octets: bytes) -> None:
            write(octets)
            producer.pauseProducing()

        self.client.transport.write = writing  # type: ignore[method-assign]
        self.house.file(b"Subject: large\r\n\r\n" + b"x" * 1_000_000)
        taken = self.client.taken()
        self.client.protocol.dataReceived(b"b1 BAD\r\nb2 APPEND INBOX {3}\r\n")
        for _ in range(30):
            producer.resumeProducing()
            taken += self.client.taken()
        self.assertRegex(taken, rb"(?s)\A\* 1 EXISTS\r\n\* 1 RECENT\r\n\* 1 FETCH \(UID 1 BODY\[\] \{1000018\}\r\n"
                                rb"Subject: large\r\n\r\nx{1000000}\)\r\nb1 BAD [^\r]*\r\n\+ [^\r]*\r\n\Z")
