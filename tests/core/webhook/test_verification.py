"""Why a signature does or does not match."""

from __future__ import annotations

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.webhook.signature import public_key, signature_headers, signing_keys
from simmail.core.webhook.verification import Verdict, verify
from tests.core.webhook.test_signature import BODY, OLD, WHSEC, private_key

NOW = 1_790_000_000


class VerifyTests(SynchronousTestCase):
    """The sentence that is told names the cause."""

    def verdict(self, secret: str = WHSEC, body: bytes = BODY, signer: str = WHSEC, now: float = NOW,
                **changed: str | None) -> Verdict:
        """Of a request with some headers changed; None takes one out."""
        headers: dict[str, Any] = dict(signature_headers((signing_keys(signer),), "evt_main_7", NOW, BODY))
        for name, value in changed.items():
            headers[name.replace("_", "-")] = value
        return verify({name: value for name, value in headers.items() if value is not None}, body.decode(), secret, now)

    def assertWhy(self, verdict: Verdict, *words: str) -> None:
        """It is not valid, and what it says has these words."""
        self.assertFalse(verdict.valid)
        said = " / ".join(verdict.why)
        for word in words:
            self.assertIn(word, said)

    def test_valid(self) -> None:
        """Both forms match; names of headers are of any case."""
        self.assertEqual(self.verdict(), Verdict(True, ("X-Service-Signature", "webhook-signature"), ()))
        headers = {name.upper(): value for name, value in signature_headers((signing_keys(WHSEC),), "a", NOW, BODY)}
        self.assertTrue(verify(headers, BODY.decode(), WHSEC, NOW).valid)

    def test_written_again(self) -> None:
        """The usual mistake: the body went through a JSON parser."""
        for body in (json.dumps(json.loads(BODY)).encode(), json.dumps(json.loads(BODY), indent=2).encode(),
                     BODY + b"\n"):
            # Signed was the compact form; consumers see theirs.
            self.assertWhy(self.verdict(body=body), "written again")

    def test_clock(self) -> None:
        """Signatures match, and the libraries refuse them all the same."""
        self.assertWhy(self.verdict(now=NOW + 301), "301 s old", "clock")
        self.assertWhy(self.verdict(now=NOW - 400), "400 s ahead")
        self.assertTrue(self.verdict(now=NOW + 299).valid)

    def test_secret(self) -> None:
        """Another secret, or one with something around it."""
        self.assertWhy(self.verdict(secret=OLD), "another secret")
        self.assertWhy(self.verdict(secret=f" {WHSEC} "), "blanks or quotation marks")
        self.assertWhy(self.verdict(secret=f'"{WHSEC}"'), "blanks or quotation marks")

    def test_headers(self) -> None:
        """Missing and malformed ones are named."""
        self.assertWhy(self.verdict(webhook_id=None, X_Service_Signature=None), "webhook-id missing")
        self.assertWhy(self.verdict(webhook_timestamp="now", X_Service_Signature=None), "Unix seconds")
        self.assertWhy(verify({}, "{}", "s", NOW), "no signature")
        self.assertWhy(verify({"X-Service-Signature": "abc"}, "{}", "s", NOW), "must begin with sha256=")

    def test_private(self) -> None:
        """The public key is enough; a shared secret is not what checks it."""
        _, secret = private_key()
        self.assertTrue(self.verdict(secret=secret, signer=secret).valid)
        self.assertTrue(self.verdict(secret=public_key(secret), signer=secret).valid)
        self.assertWhy(self.verdict(secret=WHSEC, signer=secret), "whpk_")
        self.assertWhy(self.verdict(secret=public_key(secret)), "no v1a entry")
        self.assertWhy(self.verdict(secret=public_key(secret), webhook_signature=None), "only webhook-signature")
