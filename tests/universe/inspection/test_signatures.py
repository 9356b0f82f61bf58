"""DKIM signatures, made by the tests with keys of their own."""

from __future__ import annotations

import base64

import dkim
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.sender.lookup import Lookup, given, nowhere
from simmail.core.inspection.report import inspect
from simmail.core.inspection.subject import Envelope
from simmail.universe.inspection.authenticate import authenticate
from simmail.universe.inspection.signatures import check_signatures
from tests.core.inspection.messages import BODY, BULK, GOOD

_KEYS: dict[int, tuple[bytes, str]] = {}


def key(bits: int = 2048) -> tuple[bytes, str]:
    """A private key and the record with its public half, made once."""
    if bits not in _KEYS:
        made = rsa.generate_private_key(65537, bits)
        public = made.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        _KEYS[bits] = (made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()),
                       "v=DKIM1; k=rsa; p=" + base64.b64encode(public).decode())
    return _KEYS[bits]


def signed(octets: bytes = GOOD + BODY, bits: int = 2048, domain: bytes = b"shop.example", **options: object) -> bytes:
    """A message with a signature on top."""
    made: bytes = dkim.sign(octets, b"s1", domain, key(bits)[0], **options)
    return made + octets


def zone(bits: int = 2048, **texts: str) -> Lookup:
    """A name system with the key and other records."""
    return given({"s1._domainkey.shop.example": {"TXT": (key(bits)[1],)},
                  **{name: {"TXT": (text,)} for name, text in texts.items()}}, lambda name, kind: ())


#: RFC 8463 appendix A.
ED25519 = b"""DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
""".replace(b"\n", b"\r\n")
ED25519_KEY = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="


class SignatureTests(SynchronousTestCase):
    """Valid and not, and why."""

    def test_valid(self) -> None:
        """Signer, selector, length of the key and what is covered."""
        (found,) = check_signatures(signed(BULK + BODY, include_headers=[b"from", b"list-unsubscribe"]), zone())
        self.assertEqual((found.result, found.domain, found.selector, found.bits, found.algorithm),
                         ("pass", "shop.example", "s1", 2048, "rsa-sha256"))
        self.assertEqual(set(found.headers), {"from", "list-unsubscribe"})

    def test_changed(self) -> None:
        """A changed body or header, another key, no key, silence."""
        octets = signed()
        for changed, lookup, result in (
                (octets.replace(b"on its way", b"at the customs"), zone(), "fail"),
                (octets.replace(b"Your order", b"Your debts"), zone(), "fail"),
                (octets, zone(1024), "fail"), (octets, lambda name, kind: (), "permerror"),
                (octets, nowhere, "temperror"), (octets.replace(b"v=1;", b"v=7;"), zone(), "fail")):
            (found,) = check_signatures(changed, lookup)
            self.assertEqual(found.result, result, found)
            self.assertIn("shop.example", found.why)

    def test_ed25519(self) -> None:
        """The RFC's own example is valid; changed, with another key, with none, or in silence it is not."""
        def found(octets: bytes, *texts: str) -> tuple[str, int]:
            (one,) = check_signatures(octets, lambda name, kind: texts)
            self.assertEqual((one.algorithm, one.selector), ("ed25519-sha256", "brisbane"))
            return one.result, one.bits

        self.assertEqual(found(ED25519, ED25519_KEY), ("pass", 256))
        self.assertEqual(found(ED25519.replace(b"dinner", b"supper"), ED25519_KEY), ("fail", 256))
        self.assertEqual(found(ED25519.replace(b"hungry", b"thirsty"), ED25519_KEY)[0], "fail")
        other = "k=ed25519; p=" + base64.b64encode(bytes([88] + [102] * 31)).decode()
        self.assertEqual(found(ED25519, other)[0], "fail")
        for text in ("k=ed25519; p=AAAA", "k=ed25519; p=!", "k=ed25519", key()[1], "v=DKIM2; k=ed25519; p=", "odd;;"):
            self.assertEqual(found(ED25519, text)[0], "permerror", text)
        self.assertEqual(found(ED25519)[0], "permerror")
        self.assertEqual(check_signatures(ED25519, nowhere)[0].result, "temperror")
        rsa_said = ED25519.replace(b"a=ed25519-sha256", b"a=rsa-sha256")
        self.assertEqual(check_signatures(rsa_said, lambda name, kind: (ED25519_KEY,))[0].result, "permerror")

    def test_times(self) -> None:
        """A signature of any year is valid; one that ends before it begins is not."""
        self.assertEqual(check_signatures(signed(), zone())[0].result, "pass")
        (found,) = check_signatures(signed().replace(b" t=", b" x=1; t="), zone())
        self.assertEqual(found.result, "fail")
        self.assertIn("ends before it begins", found.why)

    def test_broken(self) -> None:
        """What is no signature at all."""
        for value in (b"", b"v", b"v=1; a=rsa-sha256; d=x; s=y; h=from; bh=!!; b=!!", b"a=ed25519-sha256; d=x.example"):
            (found,) = check_signatures(b"DKIM-Signature: " + value + b"\r\n" + GOOD + BODY, zone())
            self.assertIn(found.result, ("fail", "permerror", "unseen"), value)


class AuthenticateTests(SynchronousTestCase):
    """All of it together."""

    def test_all(self) -> None:
        """A mail of a domain with everything in order passes every rule."""
        lookup = zone(**{"shop.example": "v=spf1 ip4:192.0.2.1 -all", "_dmarc.shop.example": "v=DMARC1; p=reject"})
        octets = signed(BULK + BODY, include_headers=[b"from", b"list-unsubscribe", b"list-unsubscribe-post"])
        envelope = Envelope("192.0.2.1", "mail.shop.example", "bounce@shop.example")
        report = inspect(octets, envelope, authenticate(octets, envelope, lookup))
        found = {one.rule: one.outcome for one in report.rules if one.group == "authentication"}
        self.assertEqual({name for name, outcome in found.items() if outcome != "pass"}, {"BIMI", "MTA_STS"})
        self.assertEqual((report.auth.spf, report.auth.dkim, report.auth.dmarc), ("pass", "pass", "pass"))
        self.assertEqual({one.rule: one.outcome for one in report.rules}["ONE_CLICK_SIGNED"], "pass")

    def test_private(self) -> None:
        """Of a client on this machine SPF says nothing; its record is looked at all the same."""
        lookup = zone(**{"shop.example": "v=spf1 ip4:192.0.2.1 -all"})
        found = authenticate(GOOD + BODY, Envelope("127.0.0.1", "x", "a@shop.example"), lookup)
        self.assertEqual((found.spf.result, found.spf.record), ("unseen", "v=spf1 ip4:192.0.2.1 -all"))

    def test_silence(self) -> None:
        """A name system that does not answer is not asked again and again."""
        asked: list[str] = []

        def silent(name: str, kind: str) -> tuple[str, ...]:
            asked.append(name)
            return nowhere(name, kind)  # type: ignore[arg-type]

        found = authenticate(signed(), Envelope("192.0.2.1", "x", "a@shop.example"), silent)
        self.assertEqual((found.spf.result, found.dmarc.result), ("temperror", "temperror"))
        self.assertEqual(len(asked), 2)
