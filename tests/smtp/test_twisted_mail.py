"""
The session as one of twisted.mail: stock clients, a stock portal, and what is inherited.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.portal import IRealm, Portal
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.mail.interfaces import IChallengeResponse
from twisted.mail.smtp import AUTHDeclinedError, ESMTP, ESMTPClient, ESMTPSenderFactory, SMTPSenderFactory
from twisted.test.iosim import connectedServerAndClient
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer
from zope.interface.verify import verifyObject

from simmail.server.sasl import ILogin
from simmail.server.signin import Login
from simmail.smtp.session import Session
from tests.smtp.door import Door

ADDRESS, PASSWORD = "app@sim.test", "secret"
MESSAGE = b"Subject: Hello\n\n.dots\n..\nHello there\n"


@implementer(IRealm)
class Realm:
    """A realm of twisted.cred whose avatars are logins of one universe."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.asked: list[tuple[Any, ...]] = []

    def requestAvatar(self, avatarId: bytes, mind: Any, *interfaces: Any) -> Any:
        """As realms do."""
        self.asked.append((avatarId, mind, *interfaces))
        name = avatarId.decode()
        return ILogin, Login(self.door.universe, name, name), lambda: None


class StockTests(SynchronousTestCase):
    """What belongs to twisted.mail goes with this session."""

    def setUp(self) -> None:
        self.door = Door(tls_context=None)
        self.door.login(ADDRESS, PASSWORD)

    def session(self) -> Session:
        """A session nobody talks to yet."""
        return self.door.factory.buildProtocol(None)

    def converse(self, factory: Any) -> None:
        """Let a stock client talk to a session until neither has anything to say."""
        _, _, pump = connectedServerAndClient(
            self.session, lambda: factory.buildProtocol(None), clock=self.door.server.reactor)
        for _ in range(100):
            pump.flush()
            self.door.pass_time(0.1)

    def sent(self, username: bytes, password: bytes) -> Deferred[Any]:
        """What an ESMTPSender makes of a message with a login."""
        done: Deferred[Any] = Deferred()
        factory = ESMTPSenderFactory(  # type: ignore[no-untyped-call]
            username, password, ADDRESS, ["maria@acme.test", "otto@acme.test"], BytesIO(MESSAGE), done,
            retries=0, requireTransportSecurity=False)
        factory.noisy = False
        self.converse(factory)
        return done

    def test_is_one(self) -> None:
        """It is an ESMTP, may be closed by halves, and its challengers are what SASL of twisted.mail is."""
        session = self.session()
        self.assertIsInstance(session, ESMTP)
        verifyObject(IHalfCloseableProtocol, session)
        self.assertEqual(set(session.challengers), {b"PLAIN", b"LOGIN"})
        for challenger in session.challengers.values():
            verifyObject(IChallengeResponse, challenger())
        self.assertEqual((session.host, session.startedTLS, session.authenticated), (b"sim.test", False, False))

    def test_extensions(self) -> None:
        """What EHLO announces is what extensions() says, and changes as it does."""
        wire = self.door.connect()
        wire.taken()
        said = wire.ask("EHLO client.test").splitlines()
        self.assertEqual([line[4:].encode() for line in said[1:]], wire.protocol.listExtensions().split(b"\n"))
        self.assertEqual(wire.protocol.extensions()[b"AUTH"], [b"PLAIN", b"LOGIN"])
        self.assertNotIn(b"STARTTLS", wire.protocol.extensions())
        wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ=")
        self.assertTrue(wire.protocol.authenticated)
        self.assertNotIn(b"AUTH", wire.protocol.extensions())

    def test_tls(self) -> None:
        """STARTTLS is announced while it can be, and begins with the context that ESMTP has."""
        context = object()
        self.door = Door(tls_context=context)
        wire = self.door.hello()
        self.assertTrue(wire.protocol.canStartTLS)
        self.assertIn(b"STARTTLS", wire.protocol.extensions())
        wire.ask("STARTTLS")
        self.assertIs(wire.tls, context)
        self.assertTrue(wire.protocol.startedTLS)
        self.assertNotIn(b"STARTTLS", wire.protocol.extensions())

    def test_sender(self) -> None:
        """An ESMTPSender signs in, hands a message to two recipients, and both have it as it was."""
        sent, answers = self.successResultOf(self.sent(ADDRESS.encode(), PASSWORD.encode()))
        self.assertEqual((sent, [code for _, code, _ in answers]), (2, [250, 250]))
        for address in ("maria@acme.test", "otto@acme.test"):
            (octets,) = self.door.mail(address)
            self.assertTrue(octets.endswith(b"\r\n\r\n.dots\r\n..\r\nHello there\r\n"), octets)
        (event,) = [one for one in self.door.mail(ADDRESS, "Sent")]
        self.assertIn(b"with ESMTPA id", event)

    def test_wrong_password(self) -> None:
        """An ESMTPSender whose password is wrong is told so, and sends nothing."""
        self.failureResultOf(self.sent(ADDRESS.encode(), b"wrong"), AUTHDeclinedError)
        self.assertEqual(self.door.mail("maria@acme.test"), [])

    def test_plain_sender(self) -> None:
        """An SMTPSender, which says HELO, sends too."""
        done: Deferred[Any] = Deferred()
        factory = SMTPSenderFactory(  # type: ignore[no-untyped-call]
            ADDRESS, "maria@acme.test", BytesIO(MESSAGE), done, retries=0)
        factory.noisy = False
        self.converse(factory)
        self.assertEqual(self.successResultOf(done)[0], 1)
        self.assertIn(b"with SMTP id", self.door.mail("maria@acme.test")[0])

    def test_client_that_requires_tls(self) -> None:
        """An ESMTPClient that asks for TLS where there is none gives up as it does with any server."""
        lost: list[Any] = []

        class Client(ESMTPClient):  # type: ignore[misc]
            """One that notes its error."""

            requireTransportSecurity = True

            def sendError(self, exc: Any) -> None:
                """Note it."""
                lost.append(exc)
                self.transport.loseConnection()

        connectedServerAndClient(
            self.session, lambda: Client(b"", object(), b"client.test"), clock=self.door.server.reactor)[2].flush()
        self.assertEqual([type(one).__name__ for one in lost], ["TLSRequiredError"])

    def test_portal(self) -> None:
        """A stock portal of twisted.cred, with a stock checker, may decide who signs in."""
        realm = Realm(self.door)
        self.door.factory.context.portal = Portal(  # type: ignore[no-untyped-call]
            realm, [InMemoryUsernamePasswordDatabaseDontUse(**{"ann@sim.test": b"other"})])
        self.assertEqual(self.successResultOf(self.sent(b"ann@sim.test", b"other"))[0], 2)
        self.assertEqual(realm.asked, [(b"ann@sim.test", "local", ILogin)])
        self.failureResultOf(self.sent(ADDRESS.encode(), PASSWORD.encode()), AUTHDeclinedError)
