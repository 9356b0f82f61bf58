"""The table of commands, and UID."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.commands import by_uid, COMMANDS
from simmail.imap.wire.replies import Bad
from tests.imap.play import House
from tests.imap.recorder import Recorder


class CommandTests(SynchronousTestCase):
    """Which command is allowed when."""

    def test_states(self) -> None:
        """Passwords before login only, messages only of a selected mailbox, the rest of the way out always."""
        for name, states in ((b"LOGIN", {"unauth"}), (b"STARTTLS", {"unauth"}), (b"FETCH", {"select"}),
                             (b"CLOSE", {"select"}), (b"SELECT", {"auth", "select"}), (b"APPEND", {"auth", "select"}),
                             (b"LOGOUT", {"unauth", "auth", "select"}), (b"NOOP", {"unauth", "auth", "select"})):
            self.assertEqual(COMMANDS[name].states, states, name)

    def test_expunges(self) -> None:
        """During FETCH, STORE and SEARCH no number may change (RFC 3501 section 7.4.1); their UID kin may tell."""
        self.assertEqual({name for name, verb in COMMANDS.items() if not verb.expunges},
                         {b"FETCH", b"STORE", b"SEARCH", b"SORT", b"THREAD"})

    def test_numbered(self) -> None:
        """What takes or answers numbers is not for who has none (RFC 9586)."""
        self.assertEqual({name for name, verb in COMMANDS.items() if verb.numbered},
                         {b"FETCH", b"STORE", b"SEARCH", b"SORT", b"THREAD", b"COPY", b"MOVE", b"REPLACE"})

    def test_uid(self) -> None:
        """UID in front of those that have such a kin, in any case."""
        house = House()
        house.deliver()
        imap = Recorder(house, "INBOX")
        said, answer = imap.do(by_uid, b"fetch 1 (FLAGS)")
        self.assertEqual((said, answer), (b"* 1 FETCH (UID 1 FLAGS ())\r\n", b"FETCH completed"))
        for given in (b"NOOP", b"SELECT INBOX", b"", b"UID FETCH 1 UID"):
            with self.assertRaises(Bad, msg=given):
                imap.do(by_uid, given)
