"""Tests of the bucket where its server is slow, away or refuses; what it does otherwise is in tests/contracts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

from twisted.internet.defer import Deferred, fail, maybeDeferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, Unavailable
from simmail.outbound.http_client import HttpAnswer, Request, Unreachable
from simmail.outbound.object_store import LARGE, S3ObjectStore, Secret

NOW = 1_780_000_000.0
ERROR = b"<?xml version='1.0'?><Error><Code>%s</Code><Message>no</Message></Error>"


def answer(status: int, body: bytes = b"", cut: bool = False) -> HttpAnswer:
    """What a server says."""
    return HttpAnswer(status, "", "", body, cut=cut)


class FakeGate:
    """Answers in turn as a test says: an answer, why there is none, or a Deferred."""

    def __init__(self) -> None:
        self.replies: list[Any] = []
        self.asked: list[Request] = []

    def fetch(self, request: Request) -> Deferred[HttpAnswer]:
        """Ask."""
        self.asked.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, str):
            return fail(Unreachable(reply))
        return reply if isinstance(reply, Deferred) else succeed(reply)


class S3ObjectStoreTests(SynchronousTestCase):
    """A bucket whose server does as a test says."""

    def setUp(self) -> None:
        """Nothing was asked."""
        self.reactor, self.gate = Clock(), FakeGate()
        self.store = S3ObjectStore(
            self.gate, self.reactor, "https://s3.test:8333/mail/", "eu-1",  # type: ignore[arg-type]
            Secret("AKID", "hush"), 5.0, lambda: NOW, self.in_thread)
        self.threads: list[tuple[Deferred[None], Callable[[], Any]]] | None = None

    def in_thread(self, do: Callable[..., Any], *more: Any) -> Deferred[Any]:
        """Do it, when a test lets it be done."""
        if self.threads is None:
            return maybeDeferred(do, *more)
        done: Deferred[None] = Deferred()
        self.threads.append((done, partial(do, *more)))
        return done

    def later(self, done: Deferred[Any], seconds: float) -> Any:
        """What is known so much later."""
        for _ in range(int(seconds * 20)):
            self.reactor.advance(0.05)
        return self.successResultOf(done)

    def refused(self, done: Deferred[Any], seconds: float = 10.0) -> str:
        """Why it is not done, so much later."""
        for _ in range(int(seconds * 20)):
            self.reactor.advance(0.05)
        return str(self.failureResultOf(done, Unavailable).value)

    def test_signed(self) -> None:
        """A request is signed, of now, and for the place of the bucket alone."""
        self.gate.replies = [answer(200)]
        self.successResultOf(self.store.put("a/1", b"octets"))
        request, = self.gate.asked
        self.assertEqual((request.method, request.url, request.body),
                         ("PUT", "https://s3.test:8333/mail/a/1", b"octets"))
        self.assertEqual((request.lab, request.redirects), (("s3.test:8333",), 0))
        headers = dict(request.headers)
        self.assertEqual(headers["x-amz-date"], "20260528T202640Z")
        self.assertIn("Credential=AKID/20260528/eu-1/s3/aws4_request", headers["Authorization"])
        self.assertNotIn("hush", str(request))

    def test_large(self) -> None:
        """What takes long to sign is signed in a thread, one at a time; what is small waits for none of it."""
        self.gate.replies, self.threads = [answer(200)], []
        done = [self.store.put(name, octets) for name, octets in (
            ("one", b"x" * LARGE), ("two", b"y" * LARGE), ("small", b"z"))]
        self.successResultOf(done[2])
        for at in range(2):
            self.assertNoResult(done[at])
            self.assertEqual(len(self.threads), at + 1)
            signed, sign = self.threads[at]
            sign()
            signed.callback(None)
            self.reactor.advance(0)
            self.successResultOf(done[at])
        self.assertEqual([one.url.rpartition("/")[2] for one in self.gate.asked], ["small", "one", "two"])
        digests = [dict(one.headers)["x-amz-content-sha256"] for one in self.gate.asked]
        self.assertEqual(digests, [sha256(one).hexdigest() for one in (b"z", b"x" * LARGE, b"y" * LARGE)])

    def test_again(self) -> None:
        """What fails for a moment is asked again, with growing pauses."""
        self.gate.replies = ["no connection", answer(503), answer(500), answer(200)]
        done = self.store.put("a", b"x")
        self.assertNoResult(done)
        self.later(done, 0.75)
        self.assertEqual(len(self.gate.asked), 4)
        self.assertEqual(self.store.trouble, "")

    def test_bound(self) -> None:
        """It is told that the store is away when the time is over, and no later; each attempt has what is left."""
        self.gate.replies = [answer(503, ERROR % b"SlowDown")]
        done = self.store.get("a")
        self.reactor.advance(0)
        self.assertIn("it answers 503 (SlowDown)", self.refused(done, 5.0))
        self.assertIn("503", self.store.trouble)
        self.assertLessEqual(self.gate.asked[-1].patience, 5.0 - 0.1)
        self.assertLess(len(self.gate.asked), 10)

    def test_back(self) -> None:
        """With the next answer it is known to be there again."""
        self.gate.replies = ["no connection"]
        self.refused(self.store.delete("a"))
        self.gate.replies = [answer(204)]
        self.successResultOf(self.store.delete("a"))
        self.assertEqual(self.store.trouble, "")
        self.flushLoggedErrors()

    def test_refusals(self) -> None:
        """What will not be otherwise a moment later is told at once, with the code alone: the rest is foreign text."""
        for status, code, told in ((403, b"SignatureDoesNotMatch", "it answers 403 (SignatureDoesNotMatch)"),
                                   (400, b"<b>\r\n", "it answers 400"), (301, b"PermanentRedirect", "it answers 301")):
            self.gate.replies = [answer(status, ERROR % code)]
            self.assertTrue(str(self.failureResultOf(self.store.put("a", b""), Unavailable).value).startswith(
                f"the object store is away: {told}"))

    def test_no_bucket(self) -> None:
        """A bucket that is missing is no object that is missing."""
        self.gate.replies = [answer(404, ERROR % b"NoSuchBucket")]
        self.failureResultOf(self.store.get("a"), Unavailable)
        self.gate.replies = [answer(404, ERROR % b"NoSuchKey")]
        self.failureResultOf(self.store.get("a"), NotFound)

    def test_lost_answer(self) -> None:
        """What an attempt has put whose answer was lost is ours: the 412 of the next one says only that it is there."""
        self.gate.replies = ["no answer", answer(412), answer(200, b"ours")]
        self.assertTrue(self.later(self.store.put_new("a", b"ours"), 1))
        self.gate.replies = ["no answer", answer(412), answer(200, b"another's")]
        self.assertFalse(self.later(self.store.put_new("a", b"ours"), 1))
        # It may have been put after the call had been given up: the next call finds it.
        self.gate.replies = [answer(412), answer(200, b"ours")]
        self.assertTrue(self.successResultOf(self.store.put_new("a", b"ours")))

    def test_cut_off(self) -> None:
        """An object of which a part came is read again."""
        self.gate.replies = [answer(200, b"hal", True), answer(200, b"halves")]
        self.assertEqual(self.later(self.store.get("a"), 1), b"halves")

    def test_no_list(self) -> None:
        """What is no list of S3 is told as such."""
        for octets in (b"", b"<html>", b"{}"):
            self.gate.replies = [answer(200, octets)]
            self.assertIn("no list of objects", self.refused(self.store.list("a")))

    def test_figures(self) -> None:
        """How long answers took is told by what was asked."""
        self.gate.replies = [answer(200)]
        self.successResultOf(self.store.put("a", b""))
        self.assertIn('simmail_objects_round_trip_seconds_count{operation="put"} 1', self.store.figures())
        self.assertIn('simmail_objects_round_trip_seconds_count{operation="get"} 0', self.store.figures())
