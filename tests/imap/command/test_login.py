"""Signing in, and TLS."""

from __future__ import annotations

from base64 import b64encode

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config
from simmail.imap.command.login import authenticate, FIRST_DELAY, login, start_tls
from simmail.imap.wire.replies import Bad, ClientGone, No
from tests.imap.play import ADDRESS, PASSWORD
from tests.imap.recorder import Recorder

PLAIN = b64encode(f"\0{ADDRESS}\0{PASSWORD}".encode())


class LoginTests(SynchronousTestCase):
    """LOGIN and AUTHENTICATE on a connection in memory."""

    def setUp(self) -> None:
        self.imap = Recorder()
        self.imap.login = None

    def signed_in(self) -> bool:
        """Whether a login was taken over."""
        return self.imap.login is not None

    def test_login(self) -> None:
        """A good password: the answer tells what can be done now."""
        _, answer = self.imap.do(login, f'{ADDRESS} "{PASSWORD}"'.encode())
        self.assertTrue(self.signed_in())
        self.assertRegex(answer, rb"\A\[CAPABILITY IMAP4rev1 .*UIDPLUS.*\] Logged in\Z")

    def test_unquoted(self) -> None:
        """A name with a star that is not quoted is forgiven."""
        self.imap.do(login, f"{ADDRESS}*boss@sim.test master".encode())
        self.assertTrue(self.signed_in())

    def test_wrong(self) -> None:
        """A wrong password costs time, twice as much each time; after some it is the end."""
        waits = []
        for _ in range(Config().imap.login_attempts - 1):
            before = self.imap.reactor.seconds()
            self.assertRaises(No, self.imap.do, login, f"{ADDRESS} x".encode())
            waits.append(self.imap.reactor.seconds() - before)
        self.assertEqual(waits[:3], [FIRST_DELAY * 2 ** n for n in range(len(waits[:3]))])
        self.assertRaises(ClientGone, self.imap.do, login, f"{ADDRESS} x".encode())
        self.assertEqual(self.imap.said_goodbye, ["Too many failed logins"])
        self.assertIn(b"a NO [AUTHENTICATIONFAILED] Authentication failed\r\n", self.imap.sent)
        self.assertFalse(self.signed_in())

    def test_no_text(self) -> None:
        """What is no UTF-8 and what holds NUL is nobody's."""
        for given in (b"{1}\r\n\xff x", b"x {1}\r\n\xff"):
            with self.assertRaises(No) as caught:
                self.imap.do(login, given)
            self.assertIn(b"AUTHENTICATIONFAILED", caught.exception.line)
        self.imap.lines = [b64encode(b"\0a\0b\0c")]
        self.assertRaises(Bad, self.imap.do, authenticate, b"PLAIN")

    def test_refusals(self) -> None:
        """Who may not, and who has tried too often."""
        with self.assertRaises(No) as caught:
            self.imap.do(login, b"suspended x")
        self.assertEqual(caught.exception.line, b"NO [CONTACTADMIN] the organization is suspended")
        self.assertRaises(ClientGone, self.imap.do, login, b"flood x")
        self.assertEqual(self.imap.said_goodbye, ["Too many failed logins; try again later"])

    def test_plain(self) -> None:
        """PLAIN with an initial response, and without: then an empty prompt."""
        self.imap.do(authenticate, b"PLAIN " + PLAIN)
        self.assertTrue(self.signed_in())
        self.assertEqual(self.imap.asked, [])
        self.setUp()
        self.imap.lines = [PLAIN]
        self.imap.do(authenticate, b"plain")
        self.assertEqual((self.signed_in(), self.imap.asked), (True, [b""]))

    def test_login_mechanism(self) -> None:
        """LOGIN asks for the name and for the password; the name may come at once."""
        for initial, lines, asked in (
            (b"", [b64encode(ADDRESS.encode()), b64encode(PASSWORD.encode())], [b"VXNlcm5hbWU6", b"UGFzc3dvcmQ6"]),
            (b" " + b64encode(ADDRESS.encode()), [b64encode(PASSWORD.encode())], [b"UGFzc3dvcmQ6"]),
        ):
            self.setUp()
            self.imap.lines = lines
            self.imap.do(authenticate, b"LOGIN" + initial)
            self.assertEqual((self.signed_in(), self.imap.asked), (True, asked))

    def test_another(self) -> None:
        """Who signs in for another is the master of that mailbox, or nobody."""
        self.imap.do(authenticate, b"PLAIN " + b64encode(f"{ADDRESS}\0boss@sim.test\0master".encode()))
        self.assertEqual(self.imap.login.username, f"{ADDRESS}*boss@sim.test")
        self.setUp()
        self.imap.do(authenticate, b"PLAIN " + b64encode(f"{ADDRESS}\0{ADDRESS}\0{PASSWORD}".encode()))
        self.assertEqual(self.imap.login.username, ADDRESS)

    def test_bad_responses(self) -> None:
        """What is cancelled, no base64 or no credentials is Bad, and costs no attempt."""
        for given, said in ((b"*", b"BAD AUTHENTICATE cancelled"), (b"!!", b"BAD Not base 64"),
                            (b"eA==", b"BAD Malformed PLAIN response"), (b"=", b"BAD Malformed PLAIN response")):
            with self.assertRaises(Bad) as caught:
                self.imap.do(authenticate, b"PLAIN " + given)
            self.assertEqual(caught.exception.line, said)
        self.assertEqual(self.imap.failures, 0)

    def test_mechanisms(self) -> None:
        """Another mechanism is not known; without TLS none may be used where that is so."""
        self.assertRaises(No, self.imap.do, authenticate, b"CRAM-MD5")
        self.imap.mechanisms_now = []
        for command, given in ((authenticate, b"PLAIN " + PLAIN), (login, f"{ADDRESS} {PASSWORD}".encode())):
            with self.assertRaises(No) as caught:
                self.imap.do(command, given)
            self.assertEqual(caught.exception.line, b"NO [PRIVACYREQUIRED] No passwords without TLS")


class TlsTests(SynchronousTestCase):
    """STARTTLS."""

    def test_start(self) -> None:
        """It is answered, then it begins."""
        imap = Recorder()
        imap.tls_possible = True
        imap.do(start_tls, b"")
        self.assertEqual((imap.sent, imap.tls), (b"a OK Begin TLS negotiation now\r\n", True))

    def test_ahead(self) -> None:
        """Nothing may follow it."""
        imap = Recorder()
        imap.tls_possible = imap.ahead = True
        self.assertRaises(Bad, imap.do, start_tls, b"")
        self.assertEqual((imap.said_goodbye, imap.tls), (["Nothing may follow STARTTLS"], False))

    def test_not(self) -> None:
        """Not where there is none, and not twice."""
        imap = Recorder()
        self.assertRaises(Bad, imap.do, start_tls, b"")
        imap.tls = True
        self.assertRaises(Bad, imap.do, start_tls, b"")
