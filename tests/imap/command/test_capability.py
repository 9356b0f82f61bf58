"""CAPABILITY and ENABLE."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.capability import capability, enable
from simmail.imap.command.metadata import set_metadata
from simmail.imap.wire.replies import Bad
from tests.imap.recorder import Recorder


class CapabilityTests(SynchronousTestCase):
    """What is announced, and what is switched on."""

    def test_capability(self) -> None:
        """One line, without arguments."""
        imap = Recorder()
        self.assertRegex(imap.do(capability, b"")[0], rb"\A\* CAPABILITY IMAP4rev1 IMAP4rev2 [^\r]*\r\n\Z")
        self.assertRaises(Bad, imap.do, capability, b"x")

    def test_enable(self) -> None:
        """What is known is switched on and named, each once; the rest is passed over (RFC 5161)."""
        imap = Recorder()
        said, _ = imap.do(enable, b"condstore X-FOO IMAP4rev2 CONDSTORE")
        self.assertEqual((said, imap.enabled), (b"* ENABLED CONDSTORE IMAP4rev2\r\n", {b"CONDSTORE", b"IMAP4REV2"}))
        self.assertEqual(imap.do(enable, b"X-FOO")[0], b"* ENABLED\r\n")
        self.assertRaises(Bad, imap.do, enable, b"")

    def test_qresync(self) -> None:
        """QRESYNC brings CONDSTORE along, and is named alone (RFC 7162 section 3.2.3)."""
        imap = Recorder()
        self.assertEqual(imap.do(enable, b"QRESYNC")[0], b"* ENABLED QRESYNC\r\n")
        self.assertEqual(imap.enabled, {b"CONDSTORE", b"QRESYNC"})

    def test_metadata(self) -> None:
        """Who enables METADATA hears what others change, once however often it asks, until it leaves."""
        imap = Recorder()
        other = Recorder(imap.house)
        imap.do(enable, b"METADATA")
        self.assertEqual(imap.do(enable, b"METADATA")[0], b"* ENABLED METADATA\r\n")
        other.do(set_metadata, b'INBOX (/private/a "x")')
        self.assertEqual((imap.pending.take(), imap.noticed_times), (b"* METADATA INBOX /private/a\r\n", 1))
        imap.pending.stop()
        other.do(set_metadata, b'INBOX (/private/a "y")')
        self.assertEqual(imap.noticed_times, 1)
