"""
Signatures of webhook requests.

Two forms go with each request: C{X-Service-Signature} (API contract, "Webhook request"), and the three headers of
Standard Webhooks 1.0, whose signed content is C{id.timestamp.body}.  Its libraries decode every string secret as
base64, with the prefix C{whsec_} or without; so a secret without it signs twice there, with its bytes and with its
decoded octets where it is base64.
"""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from simmail.errors import Invalid

#: Of a shared secret (Standard Webhooks, "Signature scheme"), of a private and of a public key.
SHARED, PRIVATE, PUBLIC = "whsec_", "whsk_", "whpk_"

#: Octets of an ed25519 seed (RFC 8032 section 5.1.5); some write the public key behind it.
_SEED = 32

#: Octets that Standard Webhooks wants of a shared secret at least and at most.
_LEAST, _MOST = 16, 128

LONGEST = 512


class SigningKeys(NamedTuple):
    """
    What one secret signs with.

    @ivar text: the secret's own bytes, for C{X-Service-Signature}; empty for a public key, which signs nothing.
    @ivar shared: keys of C{v1} entries; private: of C{v1a} entries.
    """

    text: bytes
    shared: tuple[bytes, ...]
    private: Ed25519PrivateKey | None = None


def signing_keys(secret: str, field: str = "secret") -> SigningKeys:
    """
    Return what a secret signs with.

    @raise Invalid: C{whsec_} or C{whsk_} without proper base64 behind it, or of a length that is none.
    """
    if not secret or len(secret) > LONGEST:
        raise Invalid(field, f"must have 1 to {LONGEST} characters")
    if any(one < " " or one == "\x7f" for one in secret):
        raise Invalid(field, "must not contain line breaks or control characters")
    text = secret.encode("utf-8", "surrogatepass")
    if secret.startswith(PUBLIC):
        raise Invalid(field, f"is a public key; the private one begins with {PRIVATE}")
    if secret.startswith(PRIVATE):
        octets = decoded(secret.removeprefix(PRIVATE))
        if octets is None or len(octets) not in (_SEED, 2 * _SEED):
            raise Invalid(field, f"{PRIVATE} must be followed by the base64 of an ed25519 key, 32 or 64 octets")
        key = Ed25519PrivateKey.from_private_bytes(octets[:_SEED])
        if octets[_SEED:] not in (b"", public_octets(key)):
            raise Invalid(field, "the two halves of the ed25519 key do not belong together")
        return SigningKeys(text, (), key)
    if secret.startswith(SHARED):
        octets = decoded(secret.removeprefix(SHARED))
        if octets is None or not _LEAST <= len(octets) <= _MOST:
            raise Invalid(field, f"{SHARED} must be followed by base64 of {_LEAST} to {_MOST} octets")
        return SigningKeys(text, (octets,))
    octets = decoded(secret)
    return SigningKeys(text, (text,) if octets is None else (text, octets))


def decoded(text: str) -> bytes | None:
    """Return what base64 stands for, None when it is none or stands for nothing."""
    try:
        return b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def public_octets(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a key."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def public_key(secret: str) -> str:
    """Return the C{whpk_} key that checks what a C{whsk_} secret signs, C{""} for any other secret."""
    private = signing_keys(secret).private
    return "" if private is None else PUBLIC + b64encode(public_octets(private)).decode()


def simple_signature(text: bytes, body: bytes) -> str:
    """Return the value of C{X-Service-Signature}."""
    return "sha256=" + hmac.new(text, body, sha256).hexdigest()


def signed_content(message_id: str, timestamp: int, body: bytes) -> bytes:
    """Return what Standard Webhooks signs."""
    return b"%s.%d.%s" % (message_id.encode(), timestamp, body)


def entry(key: bytes, content: bytes) -> str:
    """Return a C{v1} entry of C{webhook-signature}."""
    return "v1," + b64encode(hmac.new(key, content, sha256).digest()).decode()


def signature_headers(
    keys: tuple[SigningKeys, ...], message_id: str, timestamp: int, body: bytes
) -> tuple[tuple[str, str], ...]:
    """
    Return the headers that say who sends a body, and when.

    @param keys: of the secret, and during a rotation those of the one before; empty: nothing is signed.
    @param timestamp: real Unix seconds of the attempt.
    """
    headers = [("webhook-id", message_id), ("webhook-timestamp", str(timestamp))]
    content = signed_content(message_id, timestamp, body)
    entries = []
    for one in keys:
        entries += [entry(key, content) for key in one.shared]
        if one.private is not None:
            entries.append("v1a," + b64encode(one.private.sign(content)).decode())
    if entries:
        headers.append(("webhook-signature", " ".join(dict.fromkeys(entries))))
    if keys:
        headers.append(("X-Service-Signature", simple_signature(keys[0].text, body)))
    return tuple(headers)
