"""What is announced in each state."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.capability import capabilities
from simmail.imap.commands import COMMANDS
from simmail.imap.wire.compress import Inflater
from tests.imap.recorder import connection, Recorder

#: Extensions that are commands.
NAMED = {b"ID": b"ID", b"ENABLE": b"ENABLE", b"IDLE": b"IDLE", b"NAMESPACE": b"NAMESPACE", b"MOVE": b"MOVE",
         b"UNSELECT": b"UNSELECT", b"SORT": b"SORT", b"THREAD=REFERENCES": b"THREAD", b"QUOTA": b"GETQUOTA",
         b"REPLACE": b"REPLACE", b"CONTEXT=SEARCH": b"CANCELUPDATE", b"METADATA": b"SETMETADATA", b"NOTIFY": b"NOTIFY",
         b"COMPRESS=DEFLATE": b"COMPRESS"}


class CapabilityTests(SynchronousTestCase):
    """On a connection in memory."""

    def setUp(self) -> None:
        self.imap = Recorder()

    def announced(self) -> list[bytes]:
        """What is announced now."""
        return capabilities(connection(self.imap))

    def test_after_login(self) -> None:
        """What can be done, each once, and how to sign in no more."""
        found = self.announced()
        self.assertEqual(len(found), len(set(found)))
        for name, command in NAMED.items():
            self.assertIn(name, found)
            self.assertIn(command, COMMANDS)
        self.assertIn(b"APPENDLIMIT=%d" % self.imap.config.limits.message, found)
        self.assertFalse([one for one in found if one.startswith((b"AUTH=", b"STARTTLS", b"SASL"))])

    def test_before_login(self) -> None:
        """How to sign in, and little else."""
        self.imap.login = None
        self.assertEqual(self.announced()[-2:], [b"AUTH=PLAIN", b"AUTH=LOGIN"])
        self.assertNotIn(b"UIDPLUS", self.announced())
        self.imap.tls_possible = True
        self.assertIn(b"STARTTLS", self.announced())
        self.imap.mechanisms_now = []
        self.assertEqual(self.announced()[-1], b"LOGINDISABLED")
        self.assertNotIn(b"AUTH=PLAIN", self.announced())

    def test_compressed(self) -> None:
        """What is compressed cannot be again."""
        self.imap.inflater = Inflater(0)
        self.assertNotIn(b"COMPRESS=DEFLATE", self.announced())
