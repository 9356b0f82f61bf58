"""Tests for C{simmail.universe.jobs.runner} and C{letters}: what due jobs do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from simmail.core.message.mail import Attachment
from simmail.core.message.parse import read
from simmail.core.records.conversation import Remark
from simmail.core.writer import Promised, WordsRequest, Written
from simmail.core.writer import write as words
from simmail.errors import Unavailable
from simmail.testing.universe import START, now, turned
from simmail.universe.jobs import letters
from tests.universe.people.test_inbox_worker import said
from tests.universe.test_road import MAIL, RoadTestCase, persona

APP, MARIA, TOM = "app@sim.test", "maria@acme.test", "tom@acme.test"


class RunnerTestCase(RoadTestCase):
    """A universe whose words can be watched and replaced."""

    def setUp(self) -> None:
        """Words as always, noted down."""
        super().setUp()
        self.requests: list[WordsRequest] = []
        self.replaced: dict[str, Written] = {}

        def write(request: WordsRequest) -> Written:
            self.requests.append(request)
            return self.replaced.get(request.kind) or words(request)

        self.patch(letters, "write", write)

    def create(self, **fields: Any) -> Any:
        """A persona who always answers."""
        return now(self.universe.people.create(persona(**fields)))

    def send(self, octets: bytes = MAIL, to: str = MARIA, sender: str = APP) -> None:
        """A mail from the application."""
        self.server.send(self.universe, sender, to, octets)

    def answer(self, text: bytes, mail: Any, n: int = 1) -> None:
        """The application answers a mail."""
        references = " ".join((*mail.references, mail.message_id)).encode()
        self.send(b"From: App <app@sim.test>\nTo: maria@acme.test\nSubject: Re: x\nMessage-ID: <answer%d@app.test>\n"
                  b"In-Reply-To: %b\nReferences: %b\n\n%b\n" % (n, mail.message_id.encode(), references, text))

    def idle(self) -> None:
        """All that is planned has been done."""
        turned(self.universe, self.universe.scheduler.advance(until="idle"))

    def kinds(self) -> list[str]:
        """The kinds of all that personas sent, in order."""
        return [event["data"]["kind"] for event in self.events("persona.sent")]

    def pending(self, kind: str) -> Any:
        """The pending job of a kind."""
        (job,) = [job for job in self.universe.pending.by_id.values() if job.kind == kind]
        return job


class QuestionTests(RunnerTestCase):
    """The persona's own question."""

    def setUp(self) -> None:
        """Every reply asks something."""
        super().setUp()
        self.replaced["reply"] = Written(subject="Re: x", text="Which day?\n", question="Which day?")

    def test_asked_again(self) -> None:
        """Unanswered, it is asked again some days later, in the thread."""
        self.create()
        self.send()
        self.idle()
        self.assertEqual(self.kinds(), ["reply", "followup"])
        first, again = self.inbox()
        self.assertEqual(again.in_reply_to, first.message_id)
        self.assertEqual(again.references, (*first.references, first.message_id))
        self.assertGreater(again.date - first.date, timedelta(days=1))
        self.assertEqual(self.requests[-1].question, "Which day?")

    def test_not_once_answered(self) -> None:
        """An answer in the thread takes the plan back."""
        self.create()
        self.send()
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        job = self.pending("followup")
        self.replaced.clear()
        self.answer(b"Thank you, all is clear.", self.inbox()[0])
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")

    def test_not_once_over(self) -> None:
        """What is asked before an appointment is not asked behind it."""
        at = self.universe.clock.now() + timedelta(hours=30)
        self.replaced["reply"] = Written(subject="Re: x", text="Who comes?\n", question="Who comes?", remarks=(
            Remark("agreed", "persona", "appointment", at, when=at, timed=True),))
        self.create()
        self.send()
        self.idle()
        self.assertEqual(self.kinds(), ["reply"])

    def test_words_know_own_mails(self) -> None:
        """What the persona wrote in the thread before is given to the words, oldest first."""
        self.create()
        self.send()
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        (first,) = self.inbox()
        self.answer(b"And which hour?", first)
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        self.assertEqual([len(request.own) for request in self.requests], [0, 1])
        self.assertEqual(self.requests[1].own[0].message_id, first.message_id)


class CalledOffTests(RunnerTestCase):
    """What is not wanted any more is not done."""

    def test_delivery(self) -> None:
        """A promise of the persona that is called off in the thread is not kept, and that is remembered."""
        self.replaced["reply"] = Written(
            subject="Re: x", text="I will see to the refund.\n",
            promise=Promised("the refund", START + timedelta(days=3)))
        made = self.create(behaviors={"keep_promises": 1.0})
        self.send(said(b"Please refund the broken chair."))
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        job = self.pending("deliver")
        self.replaced.clear()
        self.answer(b"Please forget the refund, I have repaired the chair.", self.inbox()[0])
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")
        relations, _ = now(self.universe.memories.relations(made.id))
        self.assertEqual(relations[0].open_promises, ())
        (state,) = now(self.universe.memories.threads(made.id))
        self.assertIn(("called_off", "correspondent", "the refund"),
                      [(one.kind, one.by, one.what) for one in state.remarks])
        self.idle()
        self.assertNotIn("deliver", self.kinds())
        self.assertIn("called_off", [one.kind for one in self.requests[-1].remarks])

    def test_nudge(self) -> None:
        """What the application promised and takes back is not asked for."""
        self.create()
        self.send(said(b"I will send you the price list by Wednesday."))
        job = self.pending("nudge")
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        self.answer(b"Never mind the list: the price list is no longer needed.", self.inbox()[0])
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")
        self.idle()
        self.assertNotIn("nudge", self.kinds())

    def test_not_promised_again(self) -> None:
        """A reply to both mails, written by words that did not notice, plans nothing of what was called off."""
        self.replaced["reply"] = Written(
            subject="Re: x", text="I will send it.\n", promise=Promised("the certificate", START + timedelta(days=3)))
        self.create(behaviors={"keep_promises": 1.0}, timing={"reply_rate": 1.0, "delay": {"median": "2h"}})
        self.send(said(b"Please send us the certificate.").replace(b"<s1@", b"<one@"))
        self.send(said(b"Please forget the certificate.", 2).replace(
            b"Subject:", b"References: <one@app.test>\nIn-Reply-To: <one@app.test>\nSubject:"))
        self.idle()
        self.assertEqual(self.kinds(), ["reply"])


class PromiseTests(RunnerTestCase):
    """Promises made and received."""

    def promise(self, keep: float) -> None:
        """A reply that promises the offer in three days."""
        self.create(behaviors={"keep_promises": keep})
        self.replaced["reply"] = Written(
            subject="Re: x", text="You get it.\n", promise=Promised("the offer", START + timedelta(days=3)))
        self.send()

    def test_kept(self) -> None:
        """Who keeps promises delivers in time, and the promise is gone."""
        self.promise(1.0)
        self.idle()
        self.assertEqual(self.kinds(), ["reply", "deliver"])
        (promised,) = self.events("persona.promised")
        self.assertTrue(promised["data"]["will_keep"])
        sent = self.events("persona.sent")[-1]
        self.assertLessEqual(sent["at"], promised["data"]["due"])
        self.assertEqual([one.filename for one in self.inbox()[-1].attachments], ["offer.pdf"])
        (relation,) = now(self.universe.memories.relations(promised["data"]["persona_id"]))[0]
        self.assertEqual(relation.open_promises, ())

    def test_settled_meanwhile(self) -> None:
        """A delivery nobody waits for any more is skipped with a note."""
        self.promise(1.0)
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        job = self.pending("deliver")
        now(self.universe.memories.forget_relations(job.persona_id))
        self.idle()
        self.assertEqual(self.kinds(), ["reply"])
        done = now(self.universe.scheduler.job(job.id))
        self.assertEqual((done.state, done.note), ("skipped", "nothing is open any more of what was promised or asked"))
        self.assertEqual(self.events("job.updated")[-1]["data"]["id"], job.id)

    def test_forgotten(self) -> None:
        """Who forgets does nothing until asked, and then is late."""
        for n in range(40):
            self.universe = self.server.universe(f"u{n}")
            self.promise(0.0)
            self.idle()
            if self.events("persona.promised")[0]["data"]["job_id"] is None:
                break
        self.assertEqual(self.kinds(), ["reply"])
        self.replaced.clear()
        self.answer(b"Where is the offer? You promised it.", self.inbox()[0])
        self.idle()
        self.assertIn("deliver", self.kinds())

    def test_received(self) -> None:
        """What was promised to the persona is asked for twice when it does not come, then given up."""
        self.create()
        self.send(said(b"I will send you the contract by Wednesday."))
        (waiting,) = self.events("persona.waiting")
        self.assertEqual(waiting["data"]["what"], "the contract")
        self.idle()
        self.assertEqual(self.kinds().count("nudge"), 2)
        notes = now(self.universe.memories.memory(waiting["data"]["persona_id"]))[""]
        self.assertIn("never came", notes[-1])

    def test_received_in_time(self) -> None:
        """When it arrives the plan to ask for it is dropped."""
        self.create()
        self.send(said(b"I will send you the contract by Wednesday."))
        job = self.pending("nudge")
        self.send(said(b"Please find the contract attached.", 2).replace(
            b"\n\n", b"\nReferences: <s1@app.test>\n\n", 1))
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")
        self.assertNotIn("nudge", [one.kind for one in self.universe.pending.by_id.values()])

    def test_reply_to_elsewhere(self) -> None:
        """Promises are kept track of under the sender, wherever answers go."""
        self.create()
        self.send(said(b"I will send you the contract by Wednesday.").replace(
            b"Subject:", b"Reply-To: desk@sim.test\nSubject:"))
        self.idle()
        self.assertEqual(self.kinds().count("nudge"), 2)
        self.assertEqual(len(self.inbox("desk@sim.test")), 3)


class ForwardTests(RunnerTestCase):
    """C{behaviors.forward_to}."""

    def forward(self, to: str) -> None:
        """A mail with an attachment reaches Maria, who passes everything on."""
        self.create(behaviors={"forward_to": to})
        self.send(b"From: App <app@sim.test>\nTo: maria@acme.test\nSubject: Figures\nMessage-ID: <one@app.test>\n"
                  b"Reply-To: Desk <desk@sim.test>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
                  b"--b\nContent-Type: text/plain\n\nHow many chairs do you need?\n--b\nContent-Type: text/csv\n"
                  b"Content-Disposition: attachment; filename=figures.csv\n\n1,2\n--b--\n")

    def test_to_a_persona(self) -> None:
        """The other person gets it whole, and answers who asked, in that thread."""
        tom = self.create(addresses=[TOM], name="Tom Baker")
        self.forward(tom.id)
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        (mail,) = self.inbox(TOM)
        self.assertEqual((mail.subject, [one.filename for one in mail.attachments]), ("Fwd: Figures", ["figures.csv"]))
        self.assertEqual(mail.attachments[0].octets.strip(), b"1,2")
        self.assertEqual(mail.header("X-Service-Forwarded"), MARIA)
        self.assertIn("How many chairs", mail.text)
        (event,) = self.events("persona.sent")
        self.assertEqual((event["data"]["kind"], event["data"]["to"]), ("initiate", [TOM]))
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        (reply,) = self.inbox("desk@sim.test")
        self.assertEqual(reply.from_.address, TOM)
        self.assertEqual(reply.references, ("<one@app.test>", mail.message_id))
        self.assertNotIn("Maria", reply.text.split("\n")[0])
        self.assertEqual(self.requests[-1].mails[0].text.strip(), "How many chairs do you need?")
        self.assertIn("<one@app.test>", self.events("persona.sent")[-1]["data"]["answers"])

    def test_greets_the_colleague(self) -> None:
        """Who answers for a colleague does not take a mail that greets the colleague for one gone astray."""
        self.create(addresses=[TOM], name="Tom Baker")
        self.create(behaviors={"forward_to": TOM})
        self.send(said(b"Hi Maria,\n\nhow many chairs do you need?\n\nSam"))
        self.idle()
        self.assertEqual(self.kinds()[:2], ["initiate", "reply"])
        self.assertNotIn("Maria", self.events("persona.sent")[1]["data"]["text"])

    def test_to_an_address(self) -> None:
        """Anybody can be forwarded to."""
        self.forward("boss@elsewhere.test")
        self.idle()
        self.assertEqual([mail.subject for mail in self.inbox("boss@elsewhere.test")], ["Fwd: Figures"])

    def test_in_a_ring(self) -> None:
        """Two who forward to one another stop when it comes round."""
        self.create(addresses=[TOM], name="Tom Baker", behaviors={"forward_to": MARIA})
        self.forward(TOM)
        self.idle()
        self.assertEqual(len(self.inbox(TOM)), 1)
        self.assertEqual([mail.header("X-Service-Forwarded") for mail in self.inbox(MARIA)],
                         ["", f"{MARIA}, {TOM}"])
        self.assertEqual(self.events("persona.ignored")[-1]["data"]["why"], "loop")

    def test_with_copies(self) -> None:
        """A colleague who passed the mail on is not copied in, and who is informed passes nothing on."""
        for n, address in enumerate((TOM, "ann@acme.test", "eve@acme.test")):
            self.create(addresses=[address], name=f"Colleague {n}", behaviors={"cc_someone": 1.0} if not n else {
                "forward_to": TOM})
        self.forward(TOM)
        self.idle()
        sent = self.events("persona.sent")
        self.assertEqual([event["data"]["kind"] for event in sent], ["initiate", "reply"])
        (copy,) = sent[1]["data"]["cc"]
        self.assertIn(copy, ("ann@acme.test", "eve@acme.test"))
        self.assertEqual(self.events("persona.ignored")[-1]["data"]["why"], "informed")

    def test_to_nobody(self) -> None:
        """When the other person is gone the job is skipped."""
        tom = self.create(addresses=[TOM], name="Tom Baker")
        self.forward(tom.id)
        now(self.universe.people.delete(tom.id))
        job = self.pending("forward")
        self.idle()
        self.assertEqual(now(self.universe.scheduler.job(job.id)).note, "there is nobody to write to")


class AwayTests(RunnerTestCase):
    """Out of office."""

    AWAY = {"ooo": [{"from": "2026-03-02", "to": "2026-03-06", "message": "Back on Monday."}], "reply_rate": 1.0,
            "delay": {"median": "10m", "spread": 1.1}}

    def test_one_notice_and_a_reply_after_the_return(self) -> None:
        """Each correspondent is told once, by an automatic mail; the reply waits for the return."""
        self.create(timing=self.AWAY)
        self.send()
        self.send(said(b"One more thing, please."))
        self.send(said(b"Me too.", 2).replace(b"app@sim.test", b"other@sim.test"), sender="other@sim.test")
        self.idle()
        self.assertEqual(self.kinds().count("ooo"), 2)
        notice, *replies = self.inbox()
        self.assertEqual((notice.header("Auto-Submitted"), notice.in_reply_to, "Back on Monday." in notice.text),
                         ("auto-replied", "<one@app.test>", True))
        self.assertTrue(all(mail.date >= START.replace(day=7, hour=0) for mail in replies))
        self.assertEqual(self.kinds().count("reply"), 3)

    def test_envelope_of_a_notice(self) -> None:
        """A notice goes to the reverse-path from the null one, and is never answered with another."""
        self.create(timing=self.AWAY)
        self.create(addresses=[TOM], name="Tom Baker", timing=self.AWAY)
        self.send(MAIL.replace(b"app@sim.test", b"tom@acme.test"), sender=TOM)
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=2)))
        self.assertEqual(self.kinds(), ["ooo"])
        (received,) = [event for event in self.events("persona.received") if event["data"]["persona"] == "Tom Baker"]
        self.assertEqual(received["data"]["from"], MARIA)
        self.assertEqual(self.events("persona.ignored")[-1]["data"]["why"], "loop")

    def test_new_period_is_told_again(self) -> None:
        """The next absence has its own notice."""
        periods = [{"from": "2026-03-02", "to": "2026-03-03", "message": ""},
                   {"from": "2026-03-09", "to": "2026-03-10", "message": ""}]
        self.create(timing={"ooo": periods, "reply_rate": 0.0})
        self.send()
        turned(self.universe, self.universe.scheduler.advance(to=START + timedelta(days=7)))
        self.send(said(b"Again."))
        self.idle()
        self.assertEqual(self.kinds(), ["ooo", "ooo"])


class BehaviourTests(RunnerTestCase):
    """The less usual things people do."""

    def test_second_mail(self) -> None:
        """Who sends before they have finished sends a second mail in the same thread."""
        found = set()
        for n in range(12):
            self.universe = self.server.universe(f"u{n}")
            self.create(behaviors={"double_reply": 1.0})
            self.send()
            turned(self.universe, self.universe.scheduler.advance(by=timedelta(hours=12)))
            first, second = self.inbox()[:2]
            self.assertEqual(second.in_reply_to, first.message_id)
            found.add(self.kinds()[1])
        self.assertEqual(found, {"correction", "followup"})

    def test_correction_moves_the_promise(self) -> None:
        """A correction that names another day moves what was promised."""
        for n in range(12):
            self.universe = self.server.universe(f"u{n}")
            self.create(behaviors={"double_reply": 1.0, "keep_promises": 1.0})
            self.replaced["reply"] = Written(
                subject="Re: x", text="You get it.\n", promise=Promised("the offer", START + timedelta(days=2)))
            self.send()
            turned(self.universe, self.universe.scheduler.advance(by=timedelta(hours=12)))
            if "correction" in self.kinds():
                break
        maria = self.universe.people.at(MARIA)
        assert maria is not None
        (relation,) = now(self.universe.memories.relations(maria.id))[0]
        self.assertGreater(relation.open_promises[0].due, START + timedelta(days=2))

    def test_copy_to_a_colleague(self) -> None:
        """Somebody of the same domain, organisation or case is put in Cc, nobody else."""
        for address, org in ((TOM, "Acme"), ("o@other.test", "Acme"), ("x@other.test", "Else")):
            self.create(addresses=[address], name=address, org=org, paused=True)
        found = set()
        for n in range(12):
            self.create(addresses=[f"m{n}@acme.test"], name=f"M {n}", org="Acme", behaviors={"cc_someone": 1.0})
            self.send(MAIL.replace(b"<one@", b"<%d@" % n), to=f"m{n}@acme.test")
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        for event in self.events("persona.sent"):
            self.assertEqual(len(event["data"]["cc"]), 1)
            found.update(event["data"]["cc"])
        self.assertNotIn("x@other.test", found)
        self.assertLessEqual({"o@other.test"}, found)

    def test_paused_meanwhile(self) -> None:
        """Who was paused since sends nothing; the job says so."""
        maria = self.create()
        self.send()
        job = self.pending("reply")
        now(self.universe.people.patch(maria.id, {"paused": True}))
        self.idle()
        self.assertEqual((self.kinds(), now(self.universe.scheduler.job(job.id)).note), ([], "the persona is paused"))

    def test_working_hours_across_summer_time(self) -> None:
        """When clocks go forward, nine in the morning is an hour earlier for the rest of the world."""
        self.create(timing={"reply_rate": 1.0, "delay": {"median": "1s", "spread": 1.0}, "hours": {
            "tz": "Europe/Berlin", "days": "mon-fri", "from": "09:00", "to": "09:45"}})
        dues = []
        for n, day in enumerate((27, 30)):
            turned(self.universe, self.universe.scheduler.advance(to=START.replace(day=day, hour=0)))
            self.send(said(b"Hello?", n))
            dues.append(self.pending("reply").due)
            self.idle()
        self.assertEqual([(one.day, one.hour) for one in dues], [(27, 8), (30, 7)])
        self.assertEqual([mail.date.utcoffset() for mail in self.inbox()], [timedelta(hours=1), timedelta(hours=2)])


class FailureTests(RunnerTestCase):
    """Jobs that cannot be done."""

    def break_words(self, error: Exception, times: int) -> None:
        """The words fail so often."""
        left = [times]

        def write(request: WordsRequest) -> Written:
            if left[0]:
                left[0] -= 1
                raise error.with_traceback(None)
            return words(request)

        self.patch(letters, "write", write)

    def test_tried_again(self) -> None:
        """A job that failed is done a little later, once."""
        self.create()
        self.send()
        due = self.pending("reply").due
        self.break_words(ValueError("no ink"), 2)
        self.idle()
        self.assertEqual(self.kinds(), ["reply"])
        self.assertEqual(self.inbox()[0].date, due + timedelta(minutes=6))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 2)

    def test_failed_for_good(self) -> None:
        """After three more tries, 1, 5 and 25 minutes apart, it has failed and says why."""
        self.create()
        self.send()
        job = self.pending("reply")
        self.break_words(ValueError("no ink"), 9)
        self.idle()
        failed = now(self.universe.scheduler.job(job.id))
        self.assertEqual((failed.state, failed.note, failed.attempts), ("failed", "no ink", 4))
        (event,) = self.events("job.failed")
        self.assertEqual(event["at"], (job.due + timedelta(minutes=31)).strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.assertEqual((event["data"]["note"], event["persona"]["name"]), ("no ink", "Maria Rossi"))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 4)

    def test_away_is_no_failure(self) -> None:
        """While the mail store is away the job waits, and counts no attempt."""
        self.create()
        self.send()
        job = self.pending("reply")
        self.server.stores["main"].away = True
        self.assertRaises(Unavailable, self.idle)
        self.server.stores["main"].away = False
        self.idle()
        self.assertEqual((self.kinds(), now(self.universe.scheduler.job(job.id)).attempts), (["reply"], 0))

    def test_mail_is_gone(self) -> None:
        """A reply to a mail that was deleted is written from what is known of it."""
        self.create()
        self.send()
        now(self.universe.mailboxes.delete(MARIA, "INBOX", 1))
        self.idle()
        (reply,) = self.inbox()
        self.assertEqual((reply.subject, reply.in_reply_to), ("Re: Lunch on Friday?", "<one@app.test>"))

    def test_mail_was_moved(self) -> None:
        """A mail is found again in another folder."""
        self.create()
        self.send()
        now(self.universe.mailboxes.change(MARIA, "INBOX", 1, move_to="Archive"))
        self.idle()
        self.assertIn("time for lunch", self.inbox()[0].text)


class CaseTests(RunnerTestCase):
    """Letters about a case."""

    def push(self, **fields: Any) -> Any:
        """A case with Maria, who wants something, and the application on it."""
        self.create(knows="all")
        return now(self.universe.case_editor.push({
            "title": "Lease of hall 4", "keys": ["HALL-4"], "facts": {"rent": "900 EUR"},
            "secrets": {"limit": "we would pay 1200"},
            "people": [{"address": MARIA, "wants": "to know the handover date"}, {"address": APP}], **fields})).case

    def test_opening_and_its_answer(self) -> None:
        """Who wants something writes first; the answer belongs to the case, and ends the asking."""
        case = self.push()
        self.assertEqual(self.pending("initiate").case_id, case.id)
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        (mail,) = self.inbox()
        self.assertEqual((mail.header("X-Service-Case"), mail.in_reply_to), (case.id, ""))
        self.assertIn("handover", mail.text)
        job = self.pending("followup")
        self.answer(b"It is on 4 May.", mail)
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")
        self.assertEqual(self.events("persona.received")[0]["data"]["case_id"], case.id)

    def test_opening_unanswered(self) -> None:
        """Without an answer it asks again, in its own thread."""
        self.push()
        self.idle()
        first, again = self.inbox()
        self.assertEqual((again.in_reply_to, again.references), (first.message_id, (first.message_id,)))

    def test_secret_for_who_may_know(self) -> None:
        """A secret is told to somebody the case allows, when asked for by name, and to nobody else."""
        question = b"What is the limit for HALL-4?"
        for allow, told in (([APP], True), (["else@sim.test"], False)):
            self.universe = self.server.universe(f"u{len(allow[0])}")
            self.push(secrets={"limit": {"text": "1200 EUR", "allow": allow}}, people=[{"address": MARIA}, {
                "address": APP}])
            self.send(said(question))
            turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
            self.assertEqual("1200" in self.inbox()[0].text, told)

    def test_leak_is_written_again(self) -> None:
        """Words that would give a secret away because a note repeats it are asked for again without notes."""
        case = self.push()
        maria = self.universe.people.at(MARIA)
        assert maria is not None
        now(self.universe.memories.remember(maria.id, "limit: we would pay 1200", case.id))
        self.send(said(b"What is the limit for HALL-4?"))

        def write(request: WordsRequest) -> Written:
            return Written(subject="Re: x", text="\n".join(request.notes) or "I cannot say.\n")

        self.patch(letters, "write", write)
        self.idle()
        for mail in self.inbox():
            self.assertNotIn("1200", mail.text)


class AttachmentTests(RunnerTestCase):
    """What comes along."""

    def test_brought_before_due(self) -> None:
        """A document that goes with a reply is owed no more."""
        self.create(behaviors={"keep_promises": 1.0})
        self.replaced["reply"] = Written(
            subject="Re: x", text="You get it.\n", promise=Promised("the price list", START + timedelta(days=3)))
        self.send()
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        job = self.pending("deliver")
        self.replaced["reply"] = Written(
            subject="Re: x", text="Here it is.\n",
            attachments=(Attachment("price-list.pdf", "application/pdf", b"%PDF"),))
        now(self.universe.scheduler.reschedule(job.id, START + timedelta(days=9)))
        self.answer(b"Could you send it now?", self.inbox()[0])
        self.idle()
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "skipped")
        self.assertNotIn("deliver", self.kinds())


class HtmlTests(RoadTestCase):
    """What a client's reply looks like."""

    def test_new_text_can_be_told_from_the_quoted(self) -> None:
        """A quote-stripping library recovers the new text of a Gmail reply."""
        from mailparser_reply import EmailReplyParser

        now(self.universe.people.create(persona(style={"client": "gmail"})))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (filed,) = now(self.universe.mailboxes.messages("app@sim.test"))
        mail = read(now(self.universe.mailboxes.read("app@sim.test", filed.folder, filed.entry.uid))[1])
        latest = EmailReplyParser(languages=["en"]).parse_reply(text=mail.text)
        self.assertNotIn("do you have time for lunch", latest)
        self.assertIn("Hello", latest)
        self.assertIn("12:30", latest)
