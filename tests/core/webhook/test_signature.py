"""Signatures, checked by the libraries that consumers use."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256
from time import time

import standardwebhooks
import svix
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis.strategies import binary, text
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.webhook.signature import public_key, signature_headers, signing_keys
from simmail.errors import Invalid

BODY = '{"type":"persona.sent","id":7,"data":{"subject":"Grüße"}}'.encode()
WHSEC = "whsec_" + b64encode(b"a secret of some length").decode()
OLD = "whsec_" + b64encode(b"the secret from before").decode()


def headers(*secrets: str, body: bytes = BODY) -> dict[str, str]:
    """Those of a request signed now."""
    return dict(signature_headers(tuple(map(signing_keys, secrets)), "evt_main_7", int(time()), body))


def private_key() -> tuple[Ed25519PrivateKey, str]:
    """A key, and the secret that holds it."""
    key = Ed25519PrivateKey.generate()
    octets = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    return key, "whsk_" + b64encode(octets).decode()


class LibraryTests(SynchronousTestCase):
    """What the official libraries accept and refuse."""

    def accepted(self, secret: str, signed: dict[str, str], body: bytes = BODY) -> None:
        """Both libraries take it."""
        self.assertEqual(standardwebhooks.Webhook(secret).verify(body, signed)["id"], 7)
        svix.Webhook(secret).verify(body, signed)  # raises, or says nothing

    def test_prefixed(self) -> None:
        """A secret with its prefix."""
        self.accepted(WHSEC, headers(WHSEC))

    def test_plain(self) -> None:
        """A plain secret that happens to be base64 is decoded by the libraries."""
        self.accepted("c2VjcmV0c2VjcmV0", headers("c2VjcmV0c2VjcmV0"))

    def test_bytes(self) -> None:
        """A secret that is no base64 works with its bytes, as libraries can be told to take them."""
        secret = "not base64 at all!"
        encoded = b64encode(secret.encode()).decode()
        self.accepted(encoded, headers(secret))

    def test_rotated(self) -> None:
        """Old and new consumers both take it while a secret is replaced."""
        signed = headers(WHSEC, OLD)
        self.accepted(WHSEC, signed)
        self.accepted(OLD, signed)

    def test_refused(self) -> None:
        """Another secret and another body are refused: the tests above can fail."""
        for secret, body in ((OLD, BODY), (WHSEC, BODY + b" ")):
            with self.assertRaises(standardwebhooks.WebhookVerificationError):
                standardwebhooks.Webhook(secret).verify(body, headers(WHSEC))
        with self.assertRaises(svix.WebhookVerificationError):
            svix.Webhook(OLD).verify(BODY, headers(WHSEC))

    def test_every_entry_is_of_a_known_shape(self) -> None:
        """The Python library takes each entry apart at its comma: none may lack one."""
        _, private = private_key()
        for entry in headers(WHSEC, "plain text", private)["webhook-signature"].split(" "):
            version, comma, value = entry.partition(",")
            self.assertIn(version, ("v1", "v1a"))
            self.assertTrue(comma and value)


class SimpleTests(SynchronousTestCase):
    """C{X-Service-Signature}."""

    def test_value(self) -> None:
        """HMAC-SHA256 of the raw body with the secret as it is written."""
        for secret in ("s3cret", WHSEC, "Geheimnis mit ß", private_key()[1]):
            expected = hmac.new(secret.encode(), BODY, sha256).hexdigest()
            self.assertEqual(headers(secret)["X-Service-Signature"], f"sha256={expected}")

    def test_unsigned(self) -> None:
        """Without a secret nothing is signed, but the request has an id and a time."""
        self.assertEqual(set(headers()), {"webhook-id", "webhook-timestamp"})


class PrivateKeyTests(SynchronousTestCase):
    """ed25519."""

    def test_entry(self) -> None:
        """The public key checks what the private one signed."""
        key, secret = private_key()
        signed = headers(secret)
        version, _, value = signed["webhook-signature"].partition(",")
        self.assertEqual(version, "v1a")
        key.public_key().verify(b64decode(value), b".".join(
            (signed["webhook-id"].encode(), signed["webhook-timestamp"].encode(), BODY)))

    def test_public(self) -> None:
        """It is shown, so that it can be given to consumers."""
        key, secret = private_key()
        public = b64encode(key.public_key().public_bytes_raw()).decode()
        self.assertEqual(public_key(secret), f"whpk_{public}")
        self.assertEqual(public_key(WHSEC), "")

    def test_halves(self) -> None:
        """A key of 64 octets ends with its public half, or is refused."""
        key, secret = private_key()
        both = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption()) + key.public_key().public_bytes_raw()
        self.assertEqual(public_key("whsk_" + b64encode(both).decode()), public_key(secret))
        other = both[:32] + private_key()[0].public_key().public_bytes_raw()
        with self.assertRaises(Invalid):
            signing_keys("whsk_" + b64encode(other).decode())


class SecretTests(SynchronousTestCase):
    """What is no secret is refused by the name of the field."""

    def test_refused(self) -> None:
        """Empty, too long, with a prefix and nothing proper behind it."""
        for secret in ("", "x" * 513, "whsec_", "whsec_%%%", "whsec_c2hvcnQ=", "whsk_c2hvcnQ=", "whpk_AAAA", "a\nb"):
            with self.assertRaises(Invalid) as raised:
                signing_keys(secret, "0.secret")
            self.assertEqual(raised.exception.field, "0.secret")

    @given(text(max_size=80), binary(max_size=200))
    def test_any(self, secret: str, body: bytes) -> None:
        """Every text is refused, or signs whatever there is."""
        try:
            keys = signing_keys(secret)
        except Invalid:
            return
        self.assertIn("webhook-signature", dict(signature_headers((keys,), "id", 1, body)))
