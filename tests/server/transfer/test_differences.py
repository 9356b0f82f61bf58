"""Tests for C{simmail.server.transfer.differences}: each is made by hand, found, mended, and then there is none."""

from __future__ import annotations

from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.database import layout
from simmail.server.transfer.differences import differences, unlisted
from simmail.testing.universe import now
from tests.contracts.databases import job
from tests.database.running import RedisTestCase
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


class UnlistedTests(RedisTestCase):
    """A job that is there, and missing in an order of jobs."""

    async def test_each_order(self) -> None:
        """It is found by its kind, persona and case, listed again, and then there is none."""
        jobs = [job(f"j{n}", n, persona_id="p1", case_id="c1") for n in range(3)]
        await self.database.commit("main", Commit(jobs=tuple(jobs)))
        prefix = layout.prefix("main")
        places = await self.database._of(prefix).reads.call(("ZRANGE", prefix + layout.ORDER, "0", "-1"))
        for letter, whose in ((b"k", f"its kind, {jobs[1].kind}"), (b"p", "its persona, p1"), (b"c", "its case, c1")):
            self.assertEqual([one async for one in unlisted(self.database, "main", jobs)], [])
            (gone,) = (one for one in places if one.startswith(letter) and one.endswith(b"j1"))
            await self.database._of(prefix).writes.call(("ZREM", prefix + layout.ORDER, gone))
            (found,) = [one async for one in unlisted(self.database, "main", jobs)]
            self.assertEqual(found[:3], ("job j1", f"is not listed with those of {whose}", "it is listed"))
            assert found.mend is not None
            await found.mend()
        self.assertEqual([one async for one in unlisted(self.database, "main", jobs)], [])
