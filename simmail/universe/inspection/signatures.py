"""
DKIM signatures of a message, verified by dkimpy with a look-up of ours.

Sources: RFC 6376; RFC 8301; RFC 8463.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import dkim
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from simmail.core.inspection.authentication import DkimCheck, Result
from simmail.core.inspection.sender.lookup import Lookup, NoAnswer
from simmail.core.mime.headers import fields, header_end

#: Signatures that are looked at.
MOST_SIGNATURES = 10


class _Heard:
    """What dkimpy says of a signature that it does not take."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def error(self, text: object, *values: object) -> None:
        """Keep it."""
        self.said.append(str(text) % values if values else str(text))

    def debug(self, text: object, *values: object) -> None:
        """Leave it."""

    info = warning = debug


class _Signature(dkim.DKIM):  # type: ignore[misc]
    """One signature; its times are not held against the wall clock, of which a universe knows nothing."""

    def verify_headerprep(self, idx: int = 0) -> Any:
        """Read and check the signature's tags, without its times."""
        signatures = [(name, value) for name, value in self.headers if name.lower() == b"dkim-signature"]
        tags: Mapping[bytes, bytes] = dkim.util.parse_tag_value(signatures[idx][1])
        dkim.validate_signature_fields({name: value for name, value in tags.items() if name not in (b"t", b"x")})
        times = [tags.get(name, b"").strip() for name in (b"t", b"x")]
        if all(one.isdigit() and len(one) < 15 for one in times) and int(times[1]) < int(times[0]):
            raise dkim.ValidationError("it ends before it begins (x= before t=)")
        self.domain, self.selector = tags[b"d"], tags[b"s"]
        self.include_headers = tuple(one.strip().lower() for one in tags[b"h"].split(b":"))
        return tags, list(self.include_headers), signatures

    def verify_sig(self, sig: Any, include_headers: Any, sig_header: Any, dnsfunc: Any) -> Any:
        """Verify one signature; dkimpy itself does so for ed25519 with a library only that is not here."""
        if sig[b"a"] != b"ed25519-sha256":
            return super().verify_sig(sig, include_headers, sig_header, dnsfunc)
        name = sig[b"s"] + b"._domainkey." + sig[b"d"] + b"."
        try:
            text = dnsfunc(name, timeout=self.timeout)
        except dkim.DnsTimeoutError:
            return False
        if not text:
            raise dkim.KeyFormatError(f"missing public key: {name.decode('ascii', 'replace')}")
        tags = dkim.util.parse_tag_value(text)
        if tags.get(b"v", b"DKIM1") != b"DKIM1" or tags.get(b"k", b"rsa") != b"ed25519":
            raise dkim.KeyFormatError("the key is none of ed25519")
        key = _Ed25519(tags.get(b"p", b""))
        self.pk, self.keysize, self.ktag, self.seqtlsrpt = key, 256, b"ed25519", False
        return self.verify_sig_process(sig, include_headers, sig_header, dnsfunc) and key.valid


class _Ed25519:
    """
    A public key, as dkimpy uses one (RFC 8463 section 4).

    @ivar valid: the signature that it was asked about is its own.
    """

    valid = False

    def __init__(self, encoded: bytes) -> None:
        try:
            self._key = Ed25519PublicKey.from_public_bytes(base64.b64decode(encoded))
        except ValueError:
            raise dkim.KeyFormatError("the key is none of ed25519") from None

    def verify(self, digest: bytes, signature: bytes) -> None:
        """Look at a signature; what is raised here dkimpy takes for its own library's, which is not there."""
        try:
            self._key.verify(signature, digest)
            self.valid = True
        except InvalidSignature:
            self.valid = False


def check_signatures(octets: bytes, lookup: Lookup) -> tuple[DkimCheck, ...]:
    """Return what becomes of each signature of a message, in order; blocks."""
    signatures = [raw for name, raw in fields(octets[:header_end(octets)]) if name == b"dkim-signature"]
    return tuple(_checked(octets, n, raw, lookup) for n, raw in enumerate(signatures[:MOST_SIGNATURES]))


def _checked(octets: bytes, number: int, raw: bytes, lookup: Lookup) -> DkimCheck:
    try:
        tags = dkim.util.parse_tag_value(raw.partition(b":")[2])
    except Exception:
        return DkimCheck("permerror", "the tags of the signature cannot be read")
    domain, selector, algorithm = (
        tags.get(name, b"").decode("ascii", "replace").strip().lower()[:253] for name in (b"d", b"s", b"a"))
    heads = tuple(one.strip().lower().decode("ascii", "replace") for one in tags.get(b"h", b"").split(b":"))
    partial = b"l" in tags
    who = f"the signature of {domain or 'nobody'}"

    def say(result: Result, why: str, bits: int = 0) -> DkimCheck:
        return DkimCheck(result, why, domain, selector, algorithm, bits, heads, partial)

    heard = _Heard()
    unanswered: list[str] = []

    def text_of(name: bytes, timeout: int = 5) -> bytes | None:
        try:
            found = lookup(name.decode("ascii").rstrip("."), "TXT")
        except NoAnswer as error:
            unanswered.append(str(error))
            raise dkim.DnsTimeoutError(str(error)) from None
        return found[0].encode() if found else None

    one = _Signature(octets, logger=heard, minkey=512)
    try:
        valid = one.verify(number, dnsfunc=text_of)
    except dkim.DKIMException as error:
        return say("fail" if isinstance(error, dkim.ValidationError) else "permerror",
                   f"{who}: {_text(error)}", getattr(one, "keysize", 0))
    except Exception as error:
        # A library that stumbles over what somebody sent says so, and no more.
        return say("permerror", f"{who} cannot be verified ({type(error).__name__})")
    bits = getattr(one, "keysize", 0) or 0
    if unanswered:
        return say("temperror", f"{who}: {unanswered[0]}")
    if valid:
        return say("pass", f"{who} ({selector}, {bits} bits) is valid", bits)
    said = heard.said[-1] if heard.said else "the header was changed, or another key signed it"
    return say("permerror" if heard.said else "fail", f"{who}: {said[:200]}", bits)


def _text(error: Exception) -> str:
    return str(error).replace("b'", "'")[:200]
