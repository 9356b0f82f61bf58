"""Tests for C{simmail.universe.people.effects}: reactions become one commit."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decision import (
    Batch, Bounce, Drop, Expect, Follow, Ignore, Junk, PlannedJob, Promise, Reaction, Receive, Relate, Remember, Skip,
)
from simmail.core.records.commit import Commit
from simmail.core.records.job import Job
from simmail.core.records.notes import MOST_OWN
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.universe.people.effects import Setting, enact, job_of
from simmail.universe.people.memory import persona_tag
from tests.core.scenes import APP, NOW, mail, person

MARIA = person()


def plan(id: str = "j_1", kind: Any = "reply", **fields: Any) -> PlannedJob:
    """A plan for an hour from now."""
    return PlannedJob(
        id=id, kind=kind, due=NOW + timedelta(hours=1), plan="Reply.", thread="<t@app.test>", data={"to": APP},
        **fields)


def enacted(*reactions: Reaction, pending: tuple[Job, ...] = (), memory: dict[str, list[str]] | None = None) -> Commit:
    """The commit of reactions to a mail to Maria."""
    return enact(reactions, Setting(
        MARIA, persona_tag(MARIA), NOW, mail("How are you?"), {job.id: job for job in pending}, memory or {}))


class EnactTests(SynchronousTestCase):
    """Each kind of reaction."""

    def told(self, commit: Commit, type: str) -> dict[str, Any]:
        """The data of the one event, which is of this type and about Maria."""
        (event,) = commit.events
        self.assertEqual((event.type, event.at, event.persona), (type, NOW, persona_tag(MARIA)))
        self.assertEqual((event.data["persona_id"], event.data.get("persona", MARIA.name)), (MARIA.id, MARIA.name))
        return event.data

    def test_received(self) -> None:
        """What came is told with its text and case."""
        data = self.told(enacted(Receive("c_1", "key", "in the inbox", APP)), "persona.received")
        self.assertEqual(set(data), {
            "persona_id", "persona", "case_id", "from", "from_name", "subject", "message_id", "text"})
        self.assertEqual((data["case_id"], data["from"], data["from_name"]), ("c_1", APP, "Alice Smith"))

    def test_silences(self) -> None:
        """Junk, bounces and ignored mail are told with their reason, word for word."""
        junk = self.told(enacted(Junk(6.1, 5.0, "spam score 6.1 reaches 5.0")), "persona.junked")
        self.assertEqual((junk["score"], junk["threshold"], junk["why"]), (6.1, 5.0, "spam score 6.1 reaches 5.0"))
        ignored = self.told(enacted(Ignore("draw 0.97", ("draw 0.97", "because"))), "persona.ignored")
        self.assertEqual((ignored["why"], ignored["because"]), ("draw 0.97", ["draw 0.97", "because"]))
        bounced = self.told(enacted(Bounce("full", MARIA.address, APP, "mailbox status full")), "persona.bounced")
        self.assertLessEqual({"persona_id", "address", "kind", "to", "subject"}, set(bounced))

    def test_ignored_in_a_case(self) -> None:
        """Ignored mail bears the case it was received in."""
        commit = enacted(Receive("c_1", "key", "in the inbox", APP), Ignore("no"))
        self.assertEqual(commit.events[1].case_id, "c_1")

    def test_planned(self) -> None:
        """A plan is a pending job and an event."""
        commit = enacted(plan(because=("draw",)))
        (job,) = commit.jobs
        self.assertEqual((job.state, job.created, job.due, job.persona_id), (
            "pending", NOW, NOW + timedelta(hours=1), MARIA.id))
        self.assertEqual(job.data["because"], ["draw"])
        (event,) = commit.events
        self.assertEqual(set(event.data), {"id", "kind", "persona_id", "due", "plan", "because"})
        (event,) = enacted(plan(message_id="<m@app.test>")).events
        self.assertEqual((event.message_ids, "because" in event.data), (("<m@app.test>",), False))

    def test_never_due_before_now(self) -> None:
        """A plan for the past is due at once."""
        late = msgspec.structs.replace(plan(), due=NOW - timedelta(days=1))
        self.assertEqual(job_of(late, MARIA.id, NOW).due, NOW)

    def test_batched(self) -> None:
        """One more mail joins a planned reply."""
        job = job_of(plan(), MARIA.id, NOW)
        commit = enacted(Batch("j_1", {"message_id": "<2@app.test>"}, "planned"), pending=(job,))
        self.assertEqual(commit.jobs[0].data["mails"], [{"message_id": "<2@app.test>"}])
        self.assertEqual(self.told(commit, "persona.batched")["job_id"], "j_1")

    def test_dropped(self) -> None:
        """A plan taken back is skipped with its reason; one that is gone is left alone."""
        job = job_of(plan(), MARIA.id, NOW)
        commit = enacted(Drop("j_1", "they wrote"), Drop("j_gone", "they wrote"), pending=(job,))
        self.assertEqual([(one.id, one.state, one.note) for one in commit.jobs], [("j_1", "skipped", "they wrote")])
        self.assertEqual([(one.type, one.data["state"]) for one in commit.events], [("job.updated", "skipped")])

    def test_dropped_and_planned_at_once(self) -> None:
        """What is planned and taken back in one go is one job, skipped."""
        commit = enacted(plan(), Drop("j_1", "never mind"))
        self.assertEqual([one.state for one in commit.jobs], ["skipped"])

    def test_promises(self) -> None:
        """Promises are told with the job that is about them, None for a forgotten one."""
        due = NOW + timedelta(days=1)
        data = enacted(Promise(APP, "the offer", due, True, plan("j_2", "deliver"), "kept")).events[-1].data
        self.assertEqual((data["what"], data["due"], data["will_keep"], data["job_id"]),
                         ("the offer", due, True, "j_2"))
        self.assertIsNone(
            self.told(enacted(Promise(APP, "x", due, False, None, "forgotten")), "persona.promised")["job_id"])
        data = enacted(Expect(APP, "the offer", due, plan("j_3", "nudge"), "promised")).events[-1].data
        self.assertEqual((data["from"], data["what"], data["job_id"]), (APP, "the offer", "j_3"))

    def test_documents(self) -> None:
        """Notes, dossiers and threads are documents of the commit; only so many notes are kept."""
        memory = {"": [f"note {n}" for n in range(MOST_OWN)]}
        commit = enacted(
            Remember("new", ""), Remember("of a case", "c_1"), Relate(Dossier(APP), "met"),
            Follow(ThreadState("<t@app.test>")), memory=memory)
        puts = {(table, key): msgspec.json.decode(octets) for table, key, octets in commit.puts}
        self.assertEqual(set(puts), {
            ("memory", MARIA.id), (f"dossiers:{MARIA.id}", APP), (f"threads:{MARIA.id}", "<t@app.test>")})
        notes = puts["memory", MARIA.id]
        self.assertEqual((len(notes[""]), notes[""][-1], notes["c_1"]), (MOST_OWN, "new", ["of a case"]))

    def test_skipped_links(self) -> None:
        """A link left alone is told with its reason, a sender with its domain."""
        data = self.told(enacted(Skip("https://x.test/", "wary")), "link.skipped")
        self.assertNotIn("domain", data)
        data = self.told(enacted(Skip("", "known", "x.test")), "link.skipped")
        self.assertEqual(data["domain"], "x.test")
