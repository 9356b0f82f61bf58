"""The reasons that C{/readyz} may give and those that the documentation lists are the same."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.database.trouble import LOCKED_OUT, REFUSALS, UNANSWERED, UNREACHABLE, UNTRUSTED
from simmail.mailstore import threads
from simmail.mailstore.journal.sync import DOUBTFUL
from simmail.outbound import object_store
from simmail.rest.api.health import FULL
from simmail.tap import NOT_LISTENING, NOT_OPEN, UNCONFIRMED
from tests.docs.readiness import documented, undocumented

#: What the code says, by what was looked at.
REASONS = {
    "redis": {f"away: {one}" for one in (*REFUSALS.values(), LOCKED_OUT, UNANSWERED, UNREACHABLE, UNTRUSTED)},
    "store": {FULL, DOUBTFUL, threads.AWAY},
    "listeners": {NOT_LISTENING},
    "objects": {object_store.AWAY, NOT_OPEN},
    "replica": {UNCONFIRMED},
}


class ReadinessTests(SynchronousTestCase):
    """C{configuration}, "Health"."""

    def test_same(self) -> None:
        """Each is listed once, none else is, and each with something to do."""
        rows = documented()
        self.assertEqual(sorted((check, says) for check, says, _ in rows),
                         sorted((check, one) for check, reasons in REASONS.items() for one in reasons))
        self.assertEqual([row for row in rows if not row[2]], [])

    def test_undocumented(self) -> None:
        """What is not listed is found, so that journeys can look at all that they are told."""
        self.assertEqual(undocumented({
            "redis": "away: it is read-only", "store": f"{DOUBTFUL}: Input/output error", "listeners": "ok",
            "objects": f"{object_store.AWAY}: it answers 503"}), {})
        self.assertEqual(undocumented({"redis": "away", "store": "a cat", "other": "not listening"}),
                         {"redis": "away", "store": "a cat", "other": "not listening"})
