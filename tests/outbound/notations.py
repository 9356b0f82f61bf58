"""
Ways to write an address that must not be reached: the own machine, private networks, other people's services.

C{@} stands for a port on which somebody listens.
"""

from __future__ import annotations

#: Hosts that are, or might be taken for, the own machine or a private network.
HOSTS: tuple[str, ...] = (
    # The plain ones.
    "127.0.0.1", "127.0.0.2", "127.255.255.254", "127.127.127.127", "localhost", "LOCALHOST", "LocalHost.",
    "x.localhost",
    "localhost.localdomain", "ip6-localhost", "loopback",
    # Shortened, decimal, octal, hexadecimal, too big, mixed.
    "127.1", "127.0.1", "127", "0", "0.0.0.0", "00.0.0.0", "2130706433", "2130706433.", "02130706433", "017700000001",
    "0x7f000001", "0X7F000001", "0x7f.1", "0x7f.0.0.1", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.1", "00000177.0.0.1",
    "0177.0.0.0x1", "127.0.0.01", "127.0.0.0x1", "127.000.000.001", "4294967297", "6425673729", "383.0.0.1",
    "127.0.0.1.", "127.0.0.257", "127.0.65537", "0x", "1e100", "127.0.0.1e0", "+127.0.0.1", "-127.0.0.1",
    # Digits that are none, dots that are none, signs that vanish.
    "１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127｡0｡0｡1", "١٢٧.٠.٠.١", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "local\u00adhost",
    "127.0.0.1\u200b", "lo\u200ccalhost", "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    # Encoded.
    "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6c%6f%63%61%6c%68%6f%73%74", "localhost%00.site.com", "127.0.0.1%20",
    "127.0.0.1%09", "%5b::1%5d", "127.0.0.1%23.site.com",
    # IPv6.
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[::1%25lo]",
    "[::1%lo]",
    "[::127.0.0.1]", "[::7f00:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]",
    "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]",
    "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2001:0:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2606:4700::5efe:127.0.0.1]", "[2606:4700::200:5efe:127.0.0.1]",
    "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]",
    "[2001:db8::1]",
    "[2001:2::1]", "[2001:10::1]", "[3fff::1]", "[5f00::1]", "[::ffff:169.254.169.254]", "[::1", "::1", "[]", "[::g]",
    "[v1.127]",
    # Private networks, metadata, and all the rest of the special ones.
    "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "169.254.0.1", "100.64.0.1",
    "100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1",
    "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "2852039166", "0xa9fea9fe", "metadata", "metadata.google.internal", "printer", "nas.local", "router.lan",
    "db.internal",
    "shop.test", "gateway.home.arpa", "x.onion",
    # Names that lead there.
    "rebound.site.com", "mixed.site.com", "six.site.com", "mapped.site.com", "cgnat.site.com",
)

#: Whole addresses that are refused before a host is looked at, or that hide one.
URLS: tuple[str, ...] = (
    "http://good.com@127.0.0.1:@/", "http://user:pw@127.0.0.1:@/", "http://127.0.0.1:@@good.com/",
    "http://good.com\\@127.0.0.1/",
    "http://127.0.0.1\\@good.com/", "http:\\\\127.0.0.1:@\\", "http:///127.0.0.1:@/", "http:/127.0.0.1:@/",
    "http:127.0.0.1:@/",
    "//127.0.0.1:@/", "127.0.0.1:@", "http://127.0.0.1:@#@good.com/", "http://127.0.0.1:@?@good.com/",
    "http://\t127.0.0.1:@/",
    "http://127.0.0.1:@/\r\nX: y", "ht\ntp://127.0.0.1:@/", "http://127.0.0.1 :@/", "http:// 127.0.0.1:@/",
    "\x00http://127.0.0.1:@/",
    "ftp://127.0.0.1:@/", "file:///etc/passwd", "gopher://127.0.0.1:@/_x", "javascript:alert(1)",
    "data:text/html,x", "jar:http://127.0.0.1:@/",
    "dict://127.0.0.1:@/", "ldap://127.0.0.1:@/", "ws://127.0.0.1:@/", "unix:///tmp/x", "http+unix://x/",
    "http://", "http://:@/", "http://?",
    "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:+80/", "http://127.0.0.1:８０/",
    "http://127.0.0.1:99999999999/",
    # Public places, but nobody's web: mail and other services.
    "http://8.8.8.8:25/", "http://8.8.8.8:22/", "http://8.8.8.8:143/", "http://8.8.8.8:587/",
    "http://8.8.8.8:993/", "http://8.8.8.8:6379/",
    "http://8.8.8.8:2525/", "http://8.8.8.8:53/", "http://8.8.8.8:21/", "http://8.8.8.8:6667/",
    "http://8.8.8.8:11211/",
)

#: What the name system says; anything else does not exist.
NAMES: dict[str, list[str]] = {
    "localhost": ["127.0.0.1", "::1"], "rebound.site.com.": ["127.0.0.1"],
    "mixed.site.com.": ["93.184.215.14", "127.0.0.1"],
    "six.site.com.": ["::1"], "mapped.site.com.": ["::ffff:127.0.0.1"], "cgnat.site.com.": ["100.64.0.1"],
    "127.0.0.1.nip.io.": ["127.0.0.1"],
}


def urls(port: int) -> list[str]:
    """All of them, for one port."""
    whole = [one.replace("@/", f"{port}/") if one.endswith(":@/") else one.replace(":@", f":{port}") for one in URLS]
    return [f"http://{host}:{port}/" for host in HOSTS] + whole
