"""Refusals as HTTP tells them."""

from __future__ import annotations

import json

from twisted.trial.unittest import SynchronousTestCase

from simmail import errors
from simmail.rest.errors import MEANINGS, RETRY_UNAVAILABLE, STATUSES, defect, error_reply, wrong_method


class ErrorReplyTests(SynchronousTestCase):
    """Each kind of refusal."""

    def test_each(self) -> None:
        """Every kind of refusal there is has a status of its own that the document explains."""
        kinds = [one for one in vars(errors).values()
                 if isinstance(one, type) and issubclass(one, errors.Refusal) and one is not errors.Refusal]
        self.assertEqual({kind for kind, _ in STATUSES}, set(kinds))
        self.assertLessEqual({status for _, status in STATUSES}, set(MEANINGS))

    def test_told(self) -> None:
        """The text is the refusal's own; who has to wait is told how long, who has no key how to show one."""
        for refusal, status, headers in (
            (errors.Invalid("to.0", "is missing"), 400, ()),
            (errors.Unavailable("Redis is away"), 503, (("Retry-After", str(RETRY_UNAVAILABLE)),)),
            (errors.TooMany("later", 1.2), 429, (("Retry-After", "2"),)),
            (errors.TooMany("later", 0.0), 429, (("Retry-After", "1"),)),
            (errors.Unauthenticated("no key"), 401, (("WWW-Authenticate", "Bearer"),)),
        ):
            reply = error_reply(refusal)
            self.assertEqual((reply.status, reply.headers), (status, headers))
            self.assertEqual(json.loads(reply.body), {"error": str(refusal)})

    def test_silent(self) -> None:
        """A refusal without words is told by its kind."""
        self.assertEqual(json.loads(error_reply(errors.NotFound()).body), {"error": "NotFound"})

    def test_method(self) -> None:
        """What the path takes is in the header and in the text."""
        reply = wrong_method("PUT", ["GET", "HEAD"])
        self.assertEqual((reply.status, reply.headers), (405, (("Allow", "GET, HEAD"),)))
        self.assertIn("PUT is not allowed here, only GET, HEAD", json.loads(reply.body)["error"])

    def test_defect(self) -> None:
        """A defect tells where the log has it, and nothing else."""
        reply = defect("ab-1")
        self.assertEqual((reply.status, reply.headers), (500, ()))
        self.assertIn("ab-1", json.loads(reply.body)["error"])
