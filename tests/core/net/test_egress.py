"""What may be reached."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.net.egress import BAD_PORTS, public_address, public_name, web_port


class ReachTests(SynchronousTestCase):
    """What may be reached."""

    def test_addresses(self) -> None:
        """Public ones, of both families, and nothing else."""
        for text in ("8.8.8.8", "93.184.215.14", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1",
                     "192.0.1.1", "198.17.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:80b::200e",
                     "2001:4860:4860::8888", "2003::1"):
            self.assertTrue(public_address(text), text)
        for text in ("", "a.com", "127.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::", "4000::1", "1::1",
                     "2606:4700::5efe:808:808", "fe80::1%eth0", "192.175.48.1", "2620:4f:8000::1"):
            self.assertFalse(public_address(text), text)

    @given(st.integers(0, 2**32 - 1))
    def test_not_more_than_python(self, number: int) -> None:
        """What Python says is not global is refused here as well; so is what carries it."""
        address = IPv4Address(number)
        if not address.is_global:
            self.assertFalse(public_address(str(address)))
        for carried in (0xFFFF << 32, 0x64FF9B << 96, 0x5EFE << 32 | 0x26064700 << 96, 0):
            self.assertFalse(public_address(str(IPv6Address(carried | number))))

    @given(st.integers(0, 2**128 - 1))
    def test_not_more_than_python_v6(self, number: int) -> None:
        """The same for IPv6."""
        address = IPv6Address(number)
        if public_address(str(address)):
            self.assertTrue(address.is_global)

    def test_names(self) -> None:
        """Names that may be in the public name system."""
        for host in ("a.com", "x.test.com", "localhost.de", "internal.net"):
            self.assertTrue(public_name(host), host)
        for host in ("localhost", "a.localhost", "printer", "shop.test", "x.internal", "a.home.arpa", ""):
            self.assertFalse(public_name(host), host)

    def test_ports(self) -> None:
        """80, 443 and high ones, but not mail's and other services'."""
        self.assertEqual([port for port in (25, 80, 81, 443, 587, 1023, 1024, 2525, 3000, 6379, 8080, 65535)
                          if web_port(port)], [80, 443, 1024, 3000, 8080, 65535])
        self.assertFalse(any(map(web_port, BAD_PORTS)))
