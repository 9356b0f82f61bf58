"""Tests for C{simmail.daemon.tls}."""

from __future__ import annotations

import os
import ssl
import stat
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import NameOID
from OpenSSL import SSL
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.tls import ServerTls, make_certificate
from simmail.errors import Invalid


class TlsTests(SynchronousTestCase):
    """Certificates are made, read and read again."""

    def setUp(self) -> None:
        """Where the files will be."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"

    def served(self, *names: str) -> ServerTls:
        """TLS with the files, made when missing."""
        return ServerTls(str(self.certificate), str(self.key), False, names)

    def test_made(self) -> None:
        """A certificate is made once, for all names and the loopback addresses; its key is the owner's alone."""
        facts = self.served("mail.test", "192.0.2.1").facts
        self.assertTrue(facts.self_signed)
        self.assertRegex(facts.sha256, r"\A[0-9a-f]{64}\Z")
        self.assertEqual(facts.pem, self.certificate.read_bytes())
        self.assertEqual(stat.S_IMODE(self.key.stat().st_mode), 0o600)
        leaf = x509.load_pem_x509_certificate(facts.pem)
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        self.assertEqual(names.get_values_for_type(x509.DNSName), ["mail.test", "localhost"])
        self.assertEqual([str(one) for one in names.get_values_for_type(x509.IPAddress)],
                         ["192.0.2.1", "127.0.0.1", "::1"])
        self.assertEqual(leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value, "mail.test")
        # A client may trust it as it stands.
        ssl.create_default_context(cadata=facts.pem.decode("ascii"))
        self.assertEqual(self.served("other.test").facts, facts)

    def test_on_disk(self) -> None:
        """Key and certificate are synced before their names are theirs, and so is the folder."""
        synced: list[str] = []
        real = os.fsync

        def fsync(fd: int) -> None:
            synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))
            real(fd)

        self.patch(os, "fsync", fsync)
        self.served("mail.test")
        folder = self.key.parent.name
        self.assertEqual(synced, ["key.pem.new", folder, "certificate.pem.new", folder])
        self.assertEqual(sorted(one.name for one in self.key.parent.iterdir()), ["certificate.pem", "key.pem"])

    def test_broken_pair_is_made_again(self) -> None:
        """What a power cut left of the first start is no reason not to start; the operator's own files are."""
        other = self.key.with_name("other.pem")
        for break_it in (
            lambda: self.key.write_bytes(b""), lambda: self.certificate.write_bytes(b""),
            lambda: self.certificate.write_bytes(self.certificate.read_bytes()[:100]),
            lambda: self.key.write_text("no key"), lambda: self.certificate.unlink(),
            lambda: make_certificate(str(self.certificate), str(other), ("x.test",)),
        ):
            before = self.served("mail.test").facts
            break_it()
            self.assertRaises(Invalid, ServerTls, str(self.certificate), str(self.key), True, ())
            after = self.served("mail.test").facts
            self.assertNotEqual(after.sha256, before.sha256)
            self.assertEqual(self.served("mail.test").facts, after)
            self.assertEqual(stat.S_IMODE(self.key.stat().st_mode), 0o600)

    def test_reload(self) -> None:
        """New files are used from then on; bad ones change nothing."""
        tls = self.served("one.test")
        before, context = tls.facts, tls.serverConnectionForTLS(None).get_context()
        make_certificate(str(self.certificate), str(self.key), ("two.test",))
        tls.reload()
        after = tls.facts
        self.assertNotEqual(after.sha256, before.sha256)
        self.assertIsNot(tls.serverConnectionForTLS(None).get_context(), context)
        for break_it in (lambda: self.key.write_text("no key"), lambda: self.certificate.unlink()):
            break_it()
            self.assertRaises(Invalid, tls.reload)
            self.assertEqual(tls.facts, after)

    def test_strangers(self) -> None:
        """A certificate and a key that do not belong together are refused, and so is what is missing."""
        make_certificate(str(self.certificate), str(self.key), ("one.test",))
        other = self.key.with_name("other.pem")
        make_certificate(str(self.certificate.with_name("c.pem")), str(other), ("two.test",))
        self.assertRaises(Invalid, ServerTls, str(self.certificate), str(other), True, ())
        self.assertRaises(Invalid, ServerTls, str(self.certificate) + "x", str(self.key), True, ())

    def test_old_protocols(self) -> None:
        """Nothing older than TLS 1.2 is spoken."""
        context = self.served("one.test").serverConnectionForTLS(None).get_context()
        client = SSL.Context(SSL.TLS_CLIENT_METHOD)
        client.set_max_proto_version(SSL.TLS1_1_VERSION)
        self.assertRaises(SSL.Error, shake_hands, context, client)
        shake_hands(context, SSL.Context(SSL.TLS_CLIENT_METHOD))


def shake_hands(server_context: SSL.Context, client_context: SSL.Context) -> None:
    """Connect two ends in memory.  @raise SSL.Error: they find no common language."""
    server, client = SSL.Connection(server_context), SSL.Connection(client_context)
    server.set_accept_state()
    client.set_connect_state()
    for _ in range(10):
        done = 0
        for end, other in ((client, server), (server, client)):
            try:
                end.do_handshake()
                done += 1
            except SSL.WantReadError:
                pass
            try:
                other.bio_write(end.bio_read(65536))
            except SSL.WantReadError:
                pass
        if done == 2:
            return
    raise AssertionError("no end of the handshake")
