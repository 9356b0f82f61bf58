"""SASL challengers, and the portal to logins."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.cred.credentials import UsernamePassword
from twisted.cred.error import UnauthorizedLogin
from twisted.internet.defer import Deferred, fail
from twisted.mail.imap4 import IllegalClientResponse
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import TooMany, Unauthenticated
from simmail.server.sasl import CHALLENGERS, decoded, ILogin, log_in, LoginChallenge, LoginPortal, PlainChallenge

WORD = st.binary(max_size=8).filter(lambda one: b"\0" not in one)


class ChallengeTests(SynchronousTestCase):
    """What is asked, and what is made of it."""

    def test_order(self) -> None:
        """PLAIN is announced before LOGIN."""
        self.assertEqual(list(CHALLENGERS), [b"PLAIN", b"LOGIN"])

    @given(WORD, WORD)
    def test_plain(self, username: bytes, password: bytes) -> None:
        """Name and password as they are, when nobody else is meant."""
        for authorize in (b"", username):
            challenge = PlainChallenge()
            self.assertEqual(challenge.getChallenge(), b"")
            challenge.setResponse(b"\0".join((authorize, username, password)))
            self.assertEqual((challenge.username, challenge.password, challenge.moreChallenges()),
                             (username, password, False))

    def test_for_another(self) -> None:
        """Whoever is to be acted for is named in front; the same name in other letters is the same."""
        for authorize, expected in ((b"ann", b"ann*bob"), (b"BOB", b"bob")):
            challenge = PlainChallenge()
            challenge.setResponse(authorize + b"\0bob\0x")
            self.assertEqual(challenge.username, expected)

    def test_malformed(self) -> None:
        """Three pieces, no more and no less."""
        for response in (b"", b"a", b"a\0b", b"a\0b\0c\0d"):
            self.assertRaises(IllegalClientResponse, PlainChallenge().setResponse, response)

    @given(WORD, WORD)
    def test_login(self, username: bytes, password: bytes) -> None:
        """First the name is asked for, then the password, in the words that clients know."""
        challenge = LoginChallenge()
        self.assertEqual(challenge.getChallenge(), b"Username:")
        challenge.setResponse(username)
        self.assertTrue(challenge.moreChallenges())
        self.assertEqual(challenge.getChallenge(), b"Password:")
        challenge.setResponse(password)
        self.assertEqual((challenge.moreChallenges(), challenge.username, challenge.password),
                         (False, username, password))

    def test_decoded(self) -> None:
        """UTF-8 without NUL; anything else is nobody's."""
        self.assertEqual(decoded(UsernamePassword("ü".encode(), b"x")), ("ü", "x"))
        for username, password in ((b"\xff", b"x"), (b"x", b"\xff"), (b"a\0", b"x"), (b"a", b"\0")):
            self.assertRaises(Unauthenticated, decoded, UsernamePassword(username, password))


class PortalTests(SynchronousTestCase):
    """Signing in at it."""

    def setUp(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.error: Exception | None = None

    async def sign_in(self, *given: Any) -> Any:
        """As the roster does."""
        self.asked.append(given)
        if self.error is not None:
            raise self.error
        return "somebody"

    def logged_in(self, portal: Any) -> Deferred[Any]:
        """What comes of ann."""
        return Deferred.fromCoroutine(log_in(portal, UsernamePassword(b"ann", b"secret"), "192.0.2.1"))

    def test_login(self) -> None:
        """Who it is, for which protocol, and from where, is handed on."""
        portal = LoginPortal(self.sign_in, "imap")
        self.assertEqual(self.successResultOf(self.logged_in(portal)), "somebody")
        self.assertEqual(self.asked, [("ann", "secret", "imap", "192.0.2.1")])
        interface, avatar, logout = self.successResultOf(portal.login(UsernamePassword(b"a", b"b"), "", ILogin))
        self.assertEqual((interface, avatar, logout()), (ILogin, "somebody", None))

    def test_refused(self) -> None:
        """What the roster says is said; credentials that are no text are not even asked for."""
        self.error = TooMany("too many failed logins", 60.0)
        self.failureResultOf(self.logged_in(LoginPortal(self.sign_in, "smtp")), TooMany)
        self.asked.clear()
        self.failureResultOf(LoginPortal(self.sign_in, "smtp").login(UsernamePassword(b"\xff", b"x"), ""),
                             Unauthenticated)
        self.assertEqual(self.asked, [])

    def test_stock(self) -> None:
        """A portal that says so in the words of twisted.cred says that nobody has these credentials."""

        class Nobody:
            """One that knows nobody."""

            def login(self, *given: Any) -> Deferred[Any]:
                return fail(UnauthorizedLogin())

        self.failureResultOf(self.logged_in(Nobody()), Unauthenticated)
