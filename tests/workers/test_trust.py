"""TLS between servers that know one secret."""

from __future__ import annotations

from typing import Any

from OpenSSL import SSL
from twisted.trial.unittest import SynchronousTestCase

from simmail.workers.trust import SecretTls


class SecretTlsTests(SynchronousTestCase):
    """Both ends, in memory."""

    def shaken(self, caller: SSL.Connection, called: SSL.Connection) -> bytes:
        """What the one that was called hears after the handshake.  @raise SSL.Error: there is none."""
        caller.set_connect_state()
        called.set_accept_state()
        ends: tuple[tuple[Any, Any], ...] = ((caller, called), (called, caller))
        for _ in range(6):
            for one, other in ends:
                try:
                    one.do_handshake()
                except SSL.WantReadError:
                    pass
                try:
                    other.bio_write(one.bio_read(65536))
                except SSL.WantReadError:
                    pass
        caller.send(b"hello")
        called.bio_write(caller.bio_read(65536))
        return bytes(called.recv(100))

    def test_one_secret(self) -> None:
        """Who knows it is let in, and believes the other."""
        ends = SecretTls("the secret of us"), SecretTls("the secret of us")
        self.assertEqual(self.shaken(ends[0].clientConnectionForTLS(None), ends[1].serverConnectionForTLS(None)),
                         b"hello")

    def test_two_secrets(self) -> None:
        """Neither takes the other."""
        ends = SecretTls("the secret of us"), SecretTls("the secret of you")
        self.assertRaises(SSL.Error, self.shaken, ends[0].clientConnectionForTLS(None),
                          ends[1].serverConnectionForTLS(None))

    def test_nobody(self) -> None:
        """Who shows no certificate is not let in."""
        context = SSL.Context(SSL.TLS_METHOD)
        self.assertRaises(SSL.Error, self.shaken, SSL.Connection(context, None),
                          SecretTls("the secret of us").serverConnectionForTLS(None))
