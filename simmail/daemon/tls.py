"""
The server's certificate: the operator's own, or one made at first start.

New connections take whatever was loaded last, so C{reload} (on SIGHUP) needs
no restart.  Source: RFC 8314 section 3; API contract, "Other read resources".
"""

from __future__ import annotations

import ipaddress
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from OpenSSL import SSL
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.logger import Logger
from zope.interface import implementer

from simmail.durable import write
from simmail.errors import Invalid

LIFETIME = timedelta(days=825)

#: For whom the certificate of another host is.
ELSEWHERE = "mail.elsewhere.invalid"


class CertificateFacts(NamedTuple):
    """What the API tells of the certificate; C{sha256} in lower-case hexadecimal."""

    self_signed: bool
    sha256: str
    subject: str
    pem: bytes


@implementer(IOpenSSLServerConnectionCreator)
class ServerTls:
    """
    TLS for every listener and for STARTTLS.

    @param certificate, key: PEM files; where C{own} is false they are made when missing, and again when they are empty,
        broken or do not belong together, as a crash of the machine at the first start may leave them.
    @raise Invalid: files of the operator's own that are missing or do not belong together, or the disk refused.
    """

    log = Logger()

    def __init__(self, certificate: str, key: str, own: bool, names: tuple[str, ...]) -> None:
        self.certificate, self._key, self._own, self._names = certificate, key, own, names
        self._context: SSL.Context
        self.facts: CertificateFacts
        try:
            self.reload()
        except Invalid as error:
            if own:
                raise
            if os.path.exists(certificate) and os.path.exists(key):
                self.log.warn("the certificate that simmail made is made again: {error}", error=error)
            try:
                make_certificate(certificate, key, names)
            except OSError as refused:
                raise Invalid("tls", f"{certificate}, {key}: {refused.strerror}") from None
            self.reload()

    def reload(self) -> None:
        """
        Take the files as they are now; on an error the old ones stay in force.

        @raise Invalid: as the constructor.
        """
        try:
            pem = Path(self.certificate).read_bytes()
            leaf = x509.load_pem_x509_certificate(pem)
            context = SSL.Context(SSL.TLS_SERVER_METHOD)
            context.set_min_proto_version(SSL.TLS1_2_VERSION)
            context.set_options(SSL.OP_NO_COMPRESSION | SSL.OP_NO_RENEGOTIATION)
            context.set_mode(SSL.MODE_RELEASE_BUFFERS)
            context.use_certificate_chain_file(self.certificate)
            context.use_privatekey_file(self._key)
            context.check_privatekey()
            context.set_session_id(b"simmail")
        except (OSError, ValueError, SSL.Error) as error:
            raise Invalid("tls", f"{self.certificate}, {self._key}: {error}") from None
        self._context = context
        self._flawed: dict[str, FlawedTls] = {}
        self.facts = CertificateFacts(
            leaf.issuer == leaf.subject, leaf.fingerprint(hashes.SHA256()).hex(), leaf.subject.rfc4514_string(),
            leaf.public_bytes(serialization.Encoding.PEM))

    def serverConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """Return a connection with the certificate in force now."""
        return SSL.Connection(self._context, None)

    def flawed(self, flaw: str) -> FlawedTls:
        """
        Serve TLS with a certificate that careful clients refuse.

        It is signed by the server's own, so that who trusts that sees the flaw and no other.

        @param flaw: C{expired}, or C{wrong_host}.
        """
        if flaw not in self._flawed:
            names = (*self._names, "localhost", "127.0.0.1", "::1") if flaw == "expired" else (ELSEWHERE,)
            self._flawed[flaw] = FlawedTls(
                Path(self.certificate).read_bytes(), Path(self._key).read_bytes(), names, flaw == "expired")
        return self._flawed[flaw]


@implementer(IOpenSSLServerConnectionCreator)
class FlawedTls:
    """TLS with a certificate of its own, never written to disk."""

    def __init__(self, issuer: bytes, issuer_key: bytes, names: tuple[str, ...], expired: bool) -> None:
        above = x509.load_pem_x509_certificate(issuer)
        signer: Any = serialization.load_pem_private_key(issuer_key, None)
        private = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        # Edwards curves sign without a separate hash.
        digest = None if isinstance(signer, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)) else hashes.SHA256()
        leaf = (
            x509.CertificateBuilder()
            # Of the issuer's name it would be taken for self-signed.
            .subject_name(x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "simmail"),
                                     x509.NameAttribute(NameOID.COMMON_NAME, names[0][:64])]))
            .issuer_name(above.subject)
            .public_key(private.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=91))
            .not_valid_after(now - timedelta(days=1) if expired else now + LIFETIME)
            .add_extension(x509.SubjectAlternativeName([_general_name(one) for one in dict.fromkeys(names)]), False)
            .add_extension(_key_of(above), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(private.public_key()), critical=False)
            .sign(signer, digest)
        )
        self._context = SSL.Context(SSL.TLS_SERVER_METHOD)
        self._context.set_min_proto_version(SSL.TLS1_2_VERSION)
        self._context.use_certificate(leaf)
        self._context.add_extra_chain_cert(above)
        self._context.use_privatekey(private)

    def serverConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """Return a connection with this certificate."""
        return SSL.Connection(self._context, None)


def make_certificate(certificate: str, key: str, names: tuple[str, ...]) -> None:
    """
    Put a self-signed certificate for these names, localhost and the loopback addresses on disk, and its key (0600).

    @raise OSError: the disk refused.
    """
    private = ec.generate_private_key(ec.SECP256R1())
    everyone = list(dict.fromkeys((*names, "localhost", "127.0.0.1", "::1")))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, everyone[0][:64])])
    begin = datetime.now(UTC) - timedelta(days=1)
    # What RFC 5280 demands of who signs, and strict clients check: it signs the flawed certificates of faults.
    usage = dict.fromkeys((
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"), False)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject).issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin).not_valid_after(begin + LIFETIME)
        .add_extension(x509.SubjectAlternativeName([_general_name(one) for one in everyone]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(**usage | {"digital_signature": True, "key_cert_sign": True}), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(private.public_key()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    octets = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write(Path(key), octets)
    write(Path(certificate), built.public_bytes(serialization.Encoding.PEM), 0o644)


def _key_of(issuer: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    """The key that signs, as the issuer names it (RFC 5280 section 4.2.1.1)."""
    try:
        named = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key())  # type: ignore[arg-type]
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(named)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
