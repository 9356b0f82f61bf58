"""The gate over real sockets: TLS."""

from __future__ import annotations

import datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.internet.ssl import Certificate, trustRootFromCertificates
from twisted.trial.unittest import TestCase
from twisted.web.resource import Resource
from twisted.web.server import Site
from zope.interface import implementer

from simmail.outbound.http_client import Gate, Request, Unreachable


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


class TlsTestCase(TestCase):
    """A site of https."""

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


class TlsTests(TlsTestCase):
    """https."""

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
