"""What a host name says by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.net.hosts import MAIL_PROVIDERS, is_address, is_local, matches


class HostTests(SynchronousTestCase):
    """The own machine, providers, patterns."""

    def test_local(self) -> None:
        """Names and numbers of the own machine or network."""
        for host in ("localhost", "x.localhost", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fe80::1",
                     "printer", "nas.local", "0.0.0.0", "::ffff:127.0.0.1"):
            self.assertTrue(is_local(host), host)
        for host in ("a.site", "8.8.8.8", "2606:4700::1111", "localhost.example"):
            self.assertFalse(is_local(host), host)

    def test_address(self) -> None:
        """Numbers of both families are addresses; names, and numbers in brackets or too large, are none."""
        for host in ("192.0.2.1", "::", "2001:db8::1", "fe80::1%eth0"):
            self.assertTrue(is_address(host), host)
        for host in ("", "a.site", "localhost", "[::1]", "256.0.0.1", "192.0.2.1:80"):
            self.assertFalse(is_address(host), host)

    def test_providers(self) -> None:
        """Providers are domains anybody may have a mailbox at, in lower case, and none of them is local."""
        for host in MAIL_PROVIDERS:
            self.assertEqual(host, host.lower())
            self.assertFalse(is_local(host), host)

    def test_matches(self) -> None:
        """A pattern is one host, or all below a domain and not the domain itself; case makes no difference."""
        for host, patterns, expected in (
            ("a.site", ("a.site",), True), ("b.a.site", ("a.site",), False), ("b.a.site", ("*.A.site",), True),
            ("a.site", ("*.a.site",), False), ("xa.site", ("*.a.site",), False), ("a.site", (), False),
            ("a.site", ("b.site", "A.SITE"), True),
        ):
            self.assertIs(matches(host, patterns), expected, (host, patterns))

    @given(st.text(max_size=60))
    def test_anything(self, host: str) -> None:
        """Whatever a link names as its host, it is local or it is not."""
        self.assertIn(is_local(host), (True, False))
        self.assertTrue(matches(host.lower(), (host,)))
