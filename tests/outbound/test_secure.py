"""The gate over real sockets: TLS, and the resolver's threads."""

from __future__ import annotations

import datetime
from threading import Event
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.internet.ssl import Certificate, trustRootFromCertificates
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase, TestCase
from twisted.web.resource import Resource
from twisted.web.server import Site
from zope.interface import implementer

from simmail.outbound.http_client import Gate, Request, Unreachable
from simmail.outbound.resolver import AWAY, LATE_ONES, Names, PATIENCE, system_addresses


def certificate(name: str) -> tuple[Any, Any]:
    """A certificate for a name, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (x509.CertificateBuilder().subject_name(called).issuer_name(called).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(1))
            .not_valid_after(now + datetime.timedelta(1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
            .add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256()))
    return crypto.X509.from_cryptography(made), crypto.PKey.from_cryptography_key(key)


class Here(Resource):
    """Whoever comes is told its name."""

    isLeaf = True

    def render_GET(self, request: Any) -> bytes:
        return b"for " + request.getHeader("host").encode()


class TlsTests(TestCase):
    """https."""

    def setUp(self) -> None:
        """A site with a certificate for shop.site.com, on a port of this machine."""
        from twisted.internet import reactor

        made, key = certificate("shop.site.com")
        self.asked: list[bytes | None] = []
        context = SSL.Context(SSL.TLS_SERVER_METHOD)
        context.use_certificate(made)
        context.use_privatekey(key)
        context.set_tlsext_servername_callback(lambda connection: self.asked.append(connection.get_servername()))

        @implementer(IOpenSSLServerConnectionCreator)
        class Creator:
            def serverConnectionForTLS(self, protocol: Any) -> Any:
                return SSL.Connection(context)

        self.reactor: Any = reactor
        self.port = self.reactor.listenSSL(0, Site(Here()), Creator(), interface="127.0.0.1")
        self.number = self.port.getHost().port
        pem = crypto.dump_certificate(crypto.FILETYPE_PEM, made)
        self.trust = trustRootFromCertificates([Certificate.loadPEM(pem)])

    def tearDown(self) -> Deferred[Any]:
        """The site closes."""
        return maybeDeferred(self.port.stopListening)

    async def fetch(self, host: str, trust: Any) -> str:
        """What a host says, or why it does not."""
        gate = Gate(self.reactor, lambda name: succeed(["127.0.0.1"]), trust=trust)
        try:
            url = f"https://{host}:{self.number}/"
            answer = await gate.fetch(Request(url, lab=(f"{host}:{self.number}",)))
        except Unreachable as error:
            return str(error)
        return answer.body.decode()

    async def test_name(self) -> None:
        """The server is asked for by the name of the address, and its certificate is for that name."""
        self.assertEqual(await self.fetch("shop.site.com", self.trust), f"for shop.site.com:{self.number}")
        self.assertEqual(self.asked, [b"shop.site.com"])

    async def test_other_name(self) -> None:
        """A certificate for another name is not accepted, though the address was checked."""
        for host in ("other.site.com", "127.0.0.1"):
            self.assertEqual(await self.fetch(host, self.trust), "the certificate is for another name")

    async def test_not_trusted(self) -> None:
        """Nor is one that nobody vouches for."""
        self.assertEqual(await self.fetch("shop.site.com", None), "the certificate is not to be trusted")


class FakeThreads(Clock):
    """
    Time, and threads that end when a test says so.

    @ivar trouble: what they ended with.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trouble: list[Exception] = []

    def callFromThread(self, f: Any, *args: Any) -> None:
        """At once: the test waits for the thread."""
        try:
            f(*args)
        except Exception as error:
            self.trouble.append(error)


class NamesTests(SynchronousTestCase):
    """Host names to addresses."""

    def setUp(self) -> None:
        """A resolver that waits until it may answer."""
        self.clock = FakeThreads()
        self.may, self.began, self.ended = Event(), Event(), Event()
        self.asked: list[str] = []

        def blocking(host: str) -> list[str]:
            self.asked.append(host)
            self.began.set()
            self.may.wait(10)
            if host.startswith("no"):
                raise OSError("no such name")
            if host.startswith("odd"):
                raise UnicodeError("label too long")
            return ["192.0.2.1"]

        self.names = Names(self.clock, blocking)
        self.addCleanup(self.may.set)

    def ask(self, host: str) -> Any:
        """What comes of asking, once its thread has ended."""
        result: list[Any] = []
        self.names.addresses(host).addBoth(result.append)
        for _ in range(2000):
            if result:
                return result[0]
            self.ended.wait(0.005)
        self.fail("no answer")

    def test_answers(self) -> None:
        """A name has addresses, or there is an OSError whatever the resolver raised."""
        self.may.set()
        self.assertEqual(self.ask("a.com"), ["192.0.2.1"])
        for host in ("no.com", "odd.com"):
            self.ask(host).trap(OSError)

    def test_system(self) -> None:
        """The system knows localhost, IPv4 first, each once."""
        found = system_addresses("localhost")
        self.assertIn("127.0.0.1", found)
        self.assertEqual(found, sorted(set(found), key=lambda one: (":" in one, found.index(one))))
        self.assertRaises(OSError, system_addresses, "nobody.invalid")

    def test_late(self) -> None:
        """A resolver that does not answer is not waited for, and after some such is left alone for a while."""
        results: list[Any] = []
        for n in range(LATE_ONES):
            self.names.addresses(f"slow{n}.com").addBoth(results.append)
        self.clock.advance(PATIENCE)
        self.assertEqual(len(results), LATE_ONES)
        self.names.addresses("more.com").addBoth(results.append)
        self.assertEqual(len(results), LATE_ONES + 1)
        for one in results:
            one.trap(OSError)
        self.assertNotIn("more.com", self.asked)
        self.clock.advance(AWAY)
        self.may.set()
        self.assertEqual(self.ask("later.com"), ["192.0.2.1"])
        self.assertEqual([type(one) for one in self.clock.trouble], [])
