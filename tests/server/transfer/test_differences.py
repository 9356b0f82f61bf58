"""Tests for C{simmail.server.transfer.differences}: each is made by hand, found, mended, and then there is none."""

from __future__ import annotations

from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.server.transfer.differences import differences
from simmail.testing.universe import now
from tests.server.copies import CopiesTestCase


class DifferenceTests(CopiesTestCase):
    """A universe in which something does not fit."""

    def found(self, repair: bool = False) -> list[tuple[str, str, str, bool]]:
        """What does not fit."""
        return [(one.where, one.trouble, one.remedy, one.mended)
                for one in self.done(differences(self.universe, repair))]

    def mended(self, where: str, trouble: str, remedy: str) -> None:
        """It is found, as often as it is looked for, mended once, and then all is well."""
        for repair in (False, True):
            self.assertEqual(self.found(repair), [(where, trouble, remedy, repair)])
        self.assertEqual(self.found(), [])

    def test_none(self) -> None:
        """All fits."""
        self.assertEqual(self.found(), [])

    def test_jobs(self) -> None:
        """A job nobody would do, and one of somebody who is not there."""
        (job,) = self.universe.pending.by_id.values()
        self.universe.pending.drop([job.id])
        self.mended(f"job {job.id}", "is planned, but would never be done", "it is planned again")
        self.assertEqual(self.universe.pending.by_id, {job.id: job})
        persona = self.universe.people.found(job.persona_id or "")
        self.patch(self.universe.people, "known", lambda persona_id: None)
        self.mended(f"job {job.id}", f"is that of {persona.id}, who is not there", "it is skipped")
        self.assertEqual(now(self.server.database.job("main", job.id)).state, "skipped")

    def test_mailboxes(self) -> None:
        """Somebody has no mailbox; what arrived there is gone."""
        (persona,) = self.universe.people.everyone()
        now(self.universe.store.delete(persona.address))
        self.mended(f"mailbox {persona.address}", f"is not there, but {persona.id} is", "it is made")

    def test_arrivals(self) -> None:
        """Something waits to be decided about that is not there any more."""
        folder = now(self.universe.store.folder("maria@acme.test", "INBOX"))
        now(self.server.database.commit("main", Commit(arrive=(Arrival(
            "d.1", "maria@acme.test", "p", "a@b.test", self.universe.clock.now(),
            Copy("maria@acme.test", "INBOX", 77, folder.uidvalidity)),))))
        self.mended("arrival d.1", "waits to be decided about, but is not in maria@acme.test",
                    "nobody decides about it")

    def test_kept(self) -> None:
        """Mail that is kept for jobs which are not planned."""
        now(self.universe.store.held.keep(["j_gone"], b"octets"))
        self.mended("mail kept for jobs", "is that of 1 jobs that are not planned", "it is removed")
