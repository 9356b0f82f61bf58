"""
TLS between servers that know one secret: it is the key of the certificate that each of them shows.

Who shows it has proven that it knows the secret (RFC 8446 section 4.4.3, CertificateVerify), and both do.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID
from OpenSSL import SSL
from OpenSSL.crypto import X509
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator, IOpenSSLServerConnectionCreator
from zope.interface import implementer

#: What the key is made for: another use of the secret has another key.
_PURPOSE = b"simmail servers"


@implementer(IOpenSSLServerConnectionCreator, IOpenSSLClientConnectionCreator)
class SecretTls:
    """
    Both ends of such connections.

    @param secret: what all servers know.
    """

    def __init__(self, secret: str) -> None:
        private = Ed25519PrivateKey.from_private_bytes(
            HKDF(hashes.SHA256(), 32, None, _PURPOSE).derive(secret.encode("utf-8", "surrogateescape")))
        self._public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "simmail")])
        # Nobody goes by these dates: as long as the secret is, so long it counts.
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(private.public_key())
            .serial_number(1).not_valid_before(datetime(2020, 1, 1)).not_valid_after(datetime(2120, 1, 1))
            .sign(private, None))
        self._context = context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_3_VERSION)
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        context.use_certificate(certificate)
        context.use_privatekey(private)
        context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._trusted)

    def _trusted(self, connection: SSL.Connection, shown: X509, error: int, depth: int, good: int) -> bool:
        key = shown.to_cryptography().public_key()
        return depth == 0 and isinstance(key, Ed25519PublicKey) and key.public_bytes_raw() == self._public

    def serverConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """Return the end that was called."""
        return SSL.Connection(self._context, None)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """Return the end that calls."""
        return SSL.Connection(self._context, None)
