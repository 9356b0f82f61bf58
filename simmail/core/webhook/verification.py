"""
Why the signature of a webhook request does or does not match: for consumers that refuse what they got.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode
from collections.abc import Mapping

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from simmail.core.webhook.signature import (
    PRIVATE, PUBLIC, SigningKeys, decoded, entry, signed_content, signing_keys, simple_signature,
)
from simmail.errors import Invalid

#: Real seconds by which the official libraries let a timestamp be off.
TOLERANCE = 300


class Verdict(Struct, frozen=True):
    """
    Whether a request is what its secret signed.

    @ivar valid: one of its signatures matches, and none of the official libraries would refuse its time.
    @ivar matched: the headers that match (C{webhook-signature}, C{X-Service-Signature}).
    @ivar why: what is wrong, one sentence each, most likely cause first.
    """

    valid: bool
    matched: tuple[str, ...]
    why: tuple[str, ...]


def verify(headers: Mapping[str, str], body: str, secret: str, now: float) -> Verdict:
    """
    Say why a request is to be believed, or is not.

    @param headers: as they came, of any case; body: as it came, octet for octet, read as UTF-8.
    @param secret: that of the webhook; also a C{whpk_} public key.
    @param now: real Unix seconds.
    @raise Invalid: the secret is none.
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    octets = body.encode("utf-8", "surrogatepass")
    matched: list[str] = []
    why: list[str] = []
    public, keys = _keys(secret)

    simple = given.get("x-service-signature")
    if simple is not None and keys.text:
        if hmac.compare_digest(simple.encode(), simple_signature(keys.text, octets).encode()):
            matched.append("X-Service-Signature")
        elif not simple.startswith("sha256="):
            why.append("X-Service-Signature must begin with sha256= and continue with lower-case hexadecimal digits")
        else:
            why.append("X-Service-Signature does not match: " + _guess(given, octets, keys, public))
    late = ""
    signatures = given.get("webhook-signature")
    if signatures is not None:
        missing = [name for name in ("webhook-id", "webhook-timestamp") if not given.get(name)]
        if missing:
            why.append(f"{' and '.join(missing)} missing: what is signed is webhook-id.webhook-timestamp.body")
        elif not given["webhook-timestamp"].isdecimal() or len(given["webhook-timestamp"]) > 15:
            why.append("webhook-timestamp must be Unix seconds, digits only")
        else:
            stamp = int(given["webhook-timestamp"])
            content = signed_content(given["webhook-id"], stamp, octets)
            if _entry_matches(signatures, content, keys, public):
                matched.append("webhook-signature")
            else:
                why.append("webhook-signature does not match: " + _guess(given, octets, keys, public))
            off = now - stamp
            if abs(off) > TOLERANCE:
                late = (f"webhook-timestamp is {abs(off):.0f} s {'old' if off > 0 else 'ahead'}: the official "
                        f"libraries refuse more than {TOLERANCE} s; check the clock here, or how long requests wait")
    if signatures is None and simple is None:
        why.append("no signature: neither webhook-signature nor X-Service-Signature is among the headers "
                   "(a proxy may drop them, or the webhook has no secret)")
    elif signatures is None and not keys.text:
        why.append(f"a {PUBLIC} key checks only webhook-signature, which is not among the headers")
    if late:
        why.append(late)
    return Verdict(bool(matched) and not late, tuple(matched), tuple(why))


def _keys(secret: str) -> tuple[Ed25519PublicKey | None, SigningKeys]:
    if secret.startswith(PUBLIC):
        octets = decoded(secret.removeprefix(PUBLIC))
        if octets is None or len(octets) != 32:
            raise Invalid("secret", f"{PUBLIC} must be followed by the base64 of an ed25519 public key, 32 octets")
        return Ed25519PublicKey.from_public_bytes(octets), SigningKeys(b"", ())
    keys = signing_keys(secret)
    return (keys.private.public_key() if keys.private is not None else None), keys


def _entry_matches(signatures: str, content: bytes, keys: SigningKeys, public: Ed25519PublicKey | None) -> bool:
    expected = [entry(key, content) for key in keys.shared]
    for one in signatures.split()[:20]:
        if any(hmac.compare_digest(one.encode(), each.encode()) for each in expected):
            return True
        if public is not None and one.startswith("v1a,"):
            try:
                public.verify(b64decode(one.removeprefix("v1a,"), validate=True), content)
                return True
            except (InvalidSignature, ValueError):
                continue
    return False


def _guess(given: Mapping[str, str], octets: bytes, keys: SigningKeys, public: Ed25519PublicKey | None) -> str:
    """The likely cause: other forms of the body and of the secret are tried."""
    def matches(body: bytes, key: SigningKeys) -> bool:
        simple = given.get("x-service-signature", "")
        if key.text and simple and hmac.compare_digest(
                simple.encode(), simple_signature(key.text, body).encode()):
            return True
        stamp = given.get("webhook-timestamp", "")
        return stamp.isdecimal() and len(stamp) <= 15 and _entry_matches(
            given.get("webhook-signature", ""), signed_content(given.get("webhook-id", ""), int(stamp), body),
            key, public)

    for form in _forms(octets):
        if form != octets and matches(form, keys):
            return "the body was parsed and written again; verify the octets as they came, before any JSON parser"
    if keys.text:
        stripped = keys.text.strip()
        for text in {stripped, stripped.strip(b"\"'"), stripped.removeprefix(b"whsec_")} - {keys.text, b""}:
            try:
                others = signing_keys(text.decode("utf-8", "replace"))
            except Invalid:
                continue
            if matches(octets, others):
                return "the secret has blanks or quotation marks around it, or a prefix too many"
    if public is not None and "v1a," not in given.get("webhook-signature", ""):
        return f"it has no v1a entry; a {PUBLIC} or {PRIVATE} key checks only those"
    if public is None and given.get("webhook-signature", "").startswith("v1a,"):
        return f"it was signed with an ed25519 key; give the {PUBLIC} key as the secret"
    return "another secret signed it, or the body is not the one that was signed"


def _forms(octets: bytes) -> list[bytes]:
    """The body as other programs would have written it."""
    bare = octets.strip()
    forms = [bare, bare + b"\n"]
    try:
        value = json.loads(octets)
        forms += [msgspec.json.encode(value), json.dumps(value).encode(), json.dumps(value, indent=2).encode(),
                  json.dumps(value, ensure_ascii=False).encode(),
                  json.dumps(value, separators=(",", ":")).encode(),
                  json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()]
    except (ValueError, RecursionError, msgspec.MsgspecError):
        pass
    return forms
