"""What follows when a persona's mail goes out."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import delay
from simmail.core.decide.after_sending import aftermath, copied
from simmail.core.decide.decision import Follow, PlannedJob, Promise, Reactions, Relate, Remember
from simmail.core.records.job import Job, JobKind
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.writer import Promised, Written
from tests.core.scenes import APP, MARIA, NOW, after, mail, of, only, person, plans

SENT = mail("Here you are.", message_id="<2@acme.test>")
THREAD = ThreadState("<1@app.test>", messages=3)


def followed(
    kind: JobKind = "reply", persona: Any = None, written: Written = Written(subject="Re: x", text="x"),
    dossier: Dossier = Dossier(APP), thread: ThreadState = THREAD, seed: str = "x", id: str = "j_1", **data: Any,
) -> Reactions:
    """What follows from a job of a kind."""
    who = persona if persona is not None else person()
    job = Job(id, kind, "running", NOW, NOW, who.id, "c1", "<1@app.test>", thread="<1@app.test>", data={
        "to": APP, "to_name": "Alice", "key": [APP, MARIA, 1], "mails": [{"message_id": "<1@app.test>"}], **data})
    return aftermath(job, who, SENT, [mail()], written, dossier, thread, Dice(seed), NOW, Pace())


class AftermathTests(SynchronousTestCase):
    """Every kind of mail."""

    def test_own_mails_are_kept_in_mind(self) -> None:
        """A thread knows the last few jobs that wrote in it; notices are none of them."""
        thread = THREAD
        for n in range(7):
            thread = only(Follow, followed(thread=thread, id=f"j_{n}")).thread
        self.assertEqual(thread.own, ("j_2", "j_3", "j_4", "j_5", "j_6"))
        self.assertEqual(thread.wrote, SENT.message_id)
        self.assertEqual(only(Follow, followed("ooo", thread=thread, id="j_9")).thread.own, thread.own)

    def test_promised_again(self) -> None:
        """A thing promised a second time is the promise that is there, for the later day."""
        first = OpenPromise("persona", "the price list", NOW, after(days=2), "j_d", "kept", "<1@app.test>")
        written = Written(subject="x", text="x", promise=Promised("an answer on the price list", after(days=4)))
        reactions = followed(written=written, dossier=Dossier(APP, promises=(first,)))
        self.assertEqual(of(Promise, reactions), [])
        self.assertEqual(only(Relate, reactions).dossier.promises, (replace(first, due=after(days=4)),))

    def test_put_off_by_a_correction(self) -> None:
        """A correction that names another day moves the promise made in the thread, and no other."""
        first = OpenPromise("persona", "the offer", NOW, after(days=2), "j_d", "kept", "<1@app.test>")
        other = replace(first, what="the plan", thread="<other@app.test>")
        written = Written(subject="x", text="x", promise=Promised("the offer", after(days=3)))
        reactions = followed("correction", written=written, dossier=Dossier(APP, promises=(first, other)))
        self.assertEqual(only(Relate, reactions).dossier.promises, (replace(first, due=after(days=3)), other))

    def test_first_mail_is_asked_after(self) -> None:
        """Who writes first asks again even without a question mark."""
        again = [one for n in range(20) for one in plans("followup", followed("initiate", seed=str(n)))]
        self.assertGreater(len(again), 10)
        self.assertEqual(again[0].data["question"], "")

    def test_contact(self) -> None:
        """A reply counts as contact and as a message of the thread."""
        reactions = followed()
        self.assertEqual([type(one) for one in reactions], [Relate, Follow])
        self.assertEqual(only(Relate, reactions).dossier.sent, 1)
        thread = only(Follow, reactions).thread
        self.assertEqual((thread.messages, thread.last_message_id), (4, "<2@acme.test>"))
        self.assertEqual(thread.recent, (int(NOW.timestamp()),))

    def test_notice(self) -> None:
        """An out-of-office notice is no contact, but counts in the thread."""
        self.assertEqual([type(one) for one in followed("ooo")], [Follow])

    def test_pledge(self) -> None:
        """A promise in the words is pledged, its delivery planned by its fate, and kept in the dossier."""
        written = Written(subject="x", text="x", promise=Promised("the price list", after(days=2)))
        fates = set()
        for n in range(40):
            persona = person(behaviors={"keep_promises": 0.5})
            reactions = followed(persona=persona, written=written, seed=str(n))
            pledge = only(Promise, reactions)
            promise = only(Relate, reactions).dossier.promises[0]
            fates.add(promise.fate)
            self.assertEqual((pledge.to, pledge.what, pledge.due), (APP, "the price list", after(days=2)))
            self.assertEqual(pledge.will_keep, promise.fate == "kept")
            if promise.fate == "forgotten":
                self.assertIsNone(pledge.deliver)
                self.assertEqual(promise.job_id, "")
            else:
                assert pledge.deliver is not None
                self.assertEqual((pledge.deliver.kind, pledge.deliver.id), ("deliver", promise.job_id))
                self.assertEqual(pledge.deliver.due <= after(days=2), pledge.will_keep)
                msgspec.json.encode(pledge.deliver.data)
        self.assertEqual(fates, {"kept", "late", "forgotten"})

    def test_delivered(self) -> None:
        """What was promised and is sent is no longer open, and is remembered."""
        promise = OpenPromise("persona", "the price list", NOW, NOW, "j_d", "kept", "<1@app.test>", "c1")
        reactions = followed("deliver", dossier=Dossier(APP, promises=(promise,)), id="j_d", what="the price list")
        self.assertEqual(only(Relate, reactions).dossier.promises, ())
        self.assertIn("the price list", only(Remember, reactions).text)

    def test_nudged(self) -> None:
        """Asked for once, it is asked for again some days later; then the persona gives up. Trust falls each time."""
        promise = OpenPromise("correspondent", "the plan", after(days=-3), NOW, "j_n", "", "<1@app.test>", "c1")
        before = Dossier(APP, warmth=0.5, trust=0.5, patience=0.5, promises=(promise,))
        first = followed("nudge", dossier=before, id="j_n", what="the plan")
        again = plans("nudge", first)[0]
        self.assertGreater(again.due, after(days=1))
        dossier = only(Relate, first).dossier
        self.assertEqual([(one.nudged, one.job_id) for one in dossier.promises], [(1, again.id)])
        self.assertLess(dossier.trust, 0.5)
        second = followed("nudge", dossier=dossier, id=again.id, what="the plan")
        self.assertEqual(plans("nudge", second), [])
        self.assertEqual(only(Relate, second).dossier.promises, ())
        self.assertIn("never came", only(Remember, second).text)
        self.assertLess(only(Relate, second).dossier.trust, dossier.trust)

    def test_asking_again(self) -> None:
        """A question in the words is asked again after some days by those who answer, and the thread knows the job."""
        written = Written(subject="x", text="x", question="Which size?")
        eager = followed(persona=person(timing={"reply_rate": 1}), written=written)
        again = plans("followup", eager)[0]
        self.assertEqual(again.data["question"], "Which size?")
        self.assertGreater(again.due, after(days=1))
        thread = only(Follow, eager).thread
        self.assertEqual((thread.followup, thread.question), (again.id, "Which size?"))
        self.assertEqual(plans("followup", followed(persona=person(timing={"reply_rate": 0}), written=written)), [])
        asked = followed("followup", persona=person(timing={"reply_rate": 1}), written=written, thread=thread,
                         id=again.id)
        self.assertEqual(plans("followup", asked), [])
        self.assertEqual(only(Follow, asked).thread.followup, "")

    def test_minds(self) -> None:
        """Who minds little asks again as seldom as it asks for what it was promised, however surely it answers."""
        written = Written(subject="x", text="x", question="Which size?")
        asked = [followed(persona=person(temperament="ghost", timing={"reply_rate": 1}), written=written, seed=str(n))
                 for n in range(100)]
        self.assertLess(sum(bool(plans("followup", one)) for one in asked), 25)

    def test_second_mails(self) -> None:
        """double_reply is the share of replies with a second mail soon after: half corrections, half afterthoughts."""
        hours = {"tz": "UTC", "from": "09:00", "to": "17:00"}
        persona = person(behaviors={"double_reply": 0.4}, timing={"hours": hours})
        found = [plan for n in range(1000) for plan in of(PlannedJob, followed(persona=persona, seed=str(n)))]
        self.assertLess(abs(len(found) / 1000 - 0.4), 0.065)
        corrections = [plan for plan in found if plan.kind == "correction"]
        self.assertLess(abs(len(corrections) / len(found) - 0.5), 0.11)
        for plan in found:
            self.assertEqual(plan.data["of"], "<2@acme.test>")
            self.assertEqual(plan.data.get("afterthought", False), plan.kind == "followup")
            self.assertEqual(delay.available(persona, Pace(), plan.due), plan.due)
            self.assertGreater(plan.due, NOW)
        self.assertEqual(of(PlannedJob, followed("followup", persona=person(behaviors={"double_reply": 1}))), [])

    def test_ids(self) -> None:
        """Plans of one mail have ids of their own, the same each time."""
        written = Written(subject="x", text="x", question="Why?", promise=Promised("the list", after(days=1)))
        persona = person(behaviors={"double_reply": 1, "keep_promises": 1}, timing={"reply_rate": 1})

        def ids() -> list[str]:
            reactions = followed(persona=persona, written=written)
            deliver = only(Promise, reactions).deliver
            return [deliver.id, *(plan.id for plan in of(PlannedJob, reactions))]

        self.assertEqual(len(set(ids())), 3)
        self.assertEqual(ids(), ids())

    def test_among_personas(self) -> None:
        """In a conversation of personas each mail of one's own counts too."""
        self.assertEqual(only(Follow, followed(thread=replace(THREAD, between=1))).thread.between, 2)
        self.assertEqual(only(Follow, followed()).thread.between, 0)


class CopiedTests(SynchronousTestCase):
    """Who gets a copy."""

    def test_share(self) -> None:
        """cc_someone is the share of replies with a copy, to somebody else, everybody in turn."""
        persona = person(behaviors={"cc_someone": 0.3})
        colleagues = ["b@acme.test", "a@acme.test", MARIA]
        found = [copied(persona, colleagues, Dice(str(n))) for n in range(1000)]
        self.assertLess(abs(len([one for one in found if one]) / 1000 - 0.3), 0.06)
        self.assertEqual({one for one in found if one}, {"a@acme.test", "b@acme.test"})
        self.assertEqual(copied(persona, colleagues, Dice("1")), copied(persona, colleagues[::-1], Dice("1")))

    def test_nobody(self) -> None:
        """Without colleagues, or without the habit, nobody."""
        self.assertIsNone(copied(person(behaviors={"cc_someone": 1}), [MARIA], Dice("1")))
        self.assertIsNone(copied(person(), ["a@acme.test"], Dice("1")))
