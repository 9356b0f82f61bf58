"""
The server as one of twisted.mail: its stock client, a stock portal, and what is inherited.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.error import UnauthorizedLogin
from twisted.cred.portal import IRealm, Portal
from twisted.internet.defer import Deferred
from twisted.mail.imap4 import IMAP4Client, IMAP4Exception, IMAP4Server, LOGINAuthenticator, PLAINAuthenticator, Query
from twisted.mail.interfaces import IChallengeResponse
from twisted.test.iosim import connectedServerAndClient
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer
from zope.interface.verify import verifyObject

from simmail.server.sasl import ILogin
from tests.imap.play import ADDRESS, House, PASSWORD


@implementer(IRealm)
class Realm:
    """A realm of twisted.cred whose avatars are logins."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.asked: list[tuple[Any, ...]] = []

    async def _login(self) -> Any:
        return ILogin, await self.house.sign_in(ADDRESS, PASSWORD, "imap", ""), lambda: None

    def requestAvatar(self, avatarId: bytes, mind: Any, *interfaces: Any) -> Any:
        """As realms do."""
        self.asked.append((avatarId, *interfaces))
        return Deferred.fromCoroutine(self._login())


class StockTests(SynchronousTestCase):
    """What belongs to twisted.mail goes with this server."""

    def setUp(self) -> None:
        self.house = House()
        for name in ("plain", "other", "mixed"):
            self.house.deliver(name)
        self.connect()

    def connect(self) -> None:
        """A stock client on a new connection."""
        self.client, self.server, self.wires = connectedServerAndClient(
            lambda: self.house.factory.buildProtocol(None), IMAP4Client, clock=self.house.reactor)

    def turn(self) -> None:
        """Until neither has anything to say."""
        for _ in range(20):
            self.house.turn()
            self.wires.flush()

    def result(self, deferred: Deferred[Any]) -> Any:
        """What the client makes of the answer."""
        self.turn()
        return self.successResultOf(deferred)

    def test_is_one(self) -> None:
        """It is an IMAP4Server in one of its states, and its challengers are what SASL of twisted.mail is."""
        self.assertIsInstance(self.server, IMAP4Server)
        self.assertEqual((self.server.state, self.server.startedTLS), ("unauth", False))
        self.assertEqual(set(self.server.challengers), {b"PLAIN", b"LOGIN"})
        for challenger in self.server.challengers.values():
            verifyObject(IChallengeResponse, challenger())

    def test_states(self) -> None:
        """It goes through the states of IMAP4Server."""
        states = []
        for step in (lambda: self.client.login(ADDRESS.encode(), PASSWORD.encode()),
                     lambda: self.client.select(b"INBOX"), lambda: self.client.close(), self.client.logout):
            self.result(step())
            states.append(self.server.state)
        self.assertEqual(states, ["auth", "select", "auth", "logout"])

    def test_tls(self) -> None:
        """STARTTLS begins with the context that IMAP4Server has."""
        self.house = House(tls_context="context")
        connection = self.house.connect()
        self.assertTrue(connection.protocol.canStartTLS)
        started: list[Any] = []
        connection.transport.startTLS = started.append  # type: ignore[attr-defined]
        connection.do("a STARTTLS")
        self.assertEqual((started, connection.protocol.startedTLS), (["context"], True))

    def test_session(self) -> None:
        """An IMAP4Client looks, fetches, searches, stores, copies and expunges."""
        client = self.client
        self.assertIn(b"IDLE", self.result(client.getCapabilities()))
        self.result(client.login(ADDRESS.encode(), PASSWORD.encode()))
        self.assertIn("INBOX", [name for _, _, name in self.result(client.list("", "*"))])
        found = self.result(client.select("INBOX"))
        self.assertEqual((found["EXISTS"], found["READ-WRITE"], found["UIDVALIDITY"]), (3, True, 1))
        self.assertEqual(self.result(client.search(Query(subject="Invoice"))), [2])
        self.assertEqual(self.result(client.fetchUID("1:*")), {n: {"UID": str(n)} for n in (1, 2, 3)})
        body = self.result(client.fetchMessage("1"))[1]["RFC822"]
        self.assertIn("Hello there,", body)
        envelope = self.result(client.fetchEnvelope("2"))[2]["ENVELOPE"]
        self.assertEqual(envelope[1], "Invoice 42")
        self.assertIn("mixed", self.result(client.fetchBodyStructure("3"))[3]["BODYSTRUCTURE"])
        flags = self.result(client.addFlags("1", ["\\Deleted"], silent=False))
        self.assertIn("\\Deleted", flags[1]["FLAGS"])
        self.result(client.copy("2", "Archive", uid=False))
        self.assertEqual(self.house.folder("Archive").counts()[0], 1)
        self.result(client.expunge())
        self.assertEqual(list(self.house.folder().uids), [2, 3])

    def test_append(self) -> None:
        """An IMAP4Client appends a message with a literal."""
        self.result(self.client.login(ADDRESS.encode(), PASSWORD.encode()))
        self.result(self.client.append("Drafts", BytesIO(b"Subject: x\r\n\r\ny\r\n"), ["\\Seen"]))
        self.assertEqual(self.house.folder("Drafts").entry(1).flags, frozenset(("\\Seen",)))

    def test_mailboxes(self) -> None:
        """An IMAP4Client makes, renames, counts, subscribes to and deletes mailboxes."""
        client = self.client
        self.result(client.login(ADDRESS.encode(), PASSWORD.encode()))
        self.result(client.create("Post"))
        self.result(client.rename("Post", "Mail"))
        self.result(client.subscribe("Mail"))
        self.assertIn("Mail", [name for _, _, name in self.result(client.lsub("", "*"))])
        self.assertEqual(self.result(client.status("INBOX", "MESSAGES", "UIDNEXT")), {"MESSAGES": 3, "UIDNEXT": b"4"})
        self.result(client.delete("Mail"))
        self.turn()
        self.failureResultOf(self._asked(client.select("Mail")), IMAP4Exception)

    def _asked(self, deferred: Deferred[Any]) -> Deferred[Any]:
        self.turn()
        return deferred

    def test_sasl(self) -> None:
        """An IMAP4Client authenticates with PLAIN and with LOGIN."""
        for authenticator in (PLAINAuthenticator, LOGINAuthenticator):
            self.connect()
            self.turn()
            self.client.authenticators.clear()
            self.client.registerAuthenticator(authenticator(ADDRESS.encode()))
            self.result(self.client.authenticate(PASSWORD.encode()))
            self.assertEqual(self.server.state, "auth", authenticator)

    def test_portal(self) -> None:
        """A stock portal of twisted.cred, with a stock checker, may decide who signs in."""
        realm = Realm(self.house)
        self.house.factory.context.portal = Portal(  # type: ignore[no-untyped-call]
            realm, [InMemoryUsernamePasswordDatabaseDontUse(ann=b"other")])
        self.connect()
        self.result(self.client.login(b"ann", b"other"))
        self.assertEqual((self.server.state, realm.asked), ("auth", [(b"ann", ILogin)]))
        self.connect()
        refused = self.client.login(ADDRESS.encode(), PASSWORD.encode())
        self.turn()
        self.house.reactor.advance(1)
        self.failureResultOf(self._asked(refused), IMAP4Exception, UnauthorizedLogin)
