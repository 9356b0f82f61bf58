"""What a persona makes of a mail, step by step."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decide import react
from simmail.core.decide.decision import (
    Batch, DecisionInput, Drop, Expect, Follow, Ignore, Junk, LoopLimits, PlannedJob, PlannedReply, Reaction, Receive,
    Relate, Remember, Skip, SpamVerdict, correspondent,
)
from simmail.core.mime.address import Address
from simmail.core.records.case import Case
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.records.settings import LinkPolicy, Pace
from simmail.core.rng import Dice
from tests.core.scenes import APP, MARIA, NOW, after, attached, mail, of, only, person, plans, situation

SURE: dict[str, Any] = {"reply_rate": 1, "delay": {"median": "20m", "spread": 1}}
NO_LINKS = LinkPolicy(enabled=False)
AWAY = [{"from": "2026-03-01", "to": "2026-03-06", "message": "Skiing."}]


def sure(**fields: Any) -> Any:
    """Somebody who always answers, after twenty minutes."""
    timing = {**SURE, **fields.pop("timing", {})}
    return person(timing=timing, **fields)


def kinds(reactions: tuple[Reaction, ...]) -> list[str]:
    """What happened, in order; plans with their kind."""
    return [one.kind if isinstance(one, PlannedJob) else type(one).__name__ for one in reactions]


class OrderTests(SynchronousTestCase):
    """The order of steps."""

    def test_promise_of_a_fraud(self) -> None:
        """What a swindler promises is not waited for, what others promise is."""
        for text, waits in (
            ("I will send you the payment tonight.", True),
            ("Buy five gift cards and send me the codes. I will send you the payment tonight.", False),
        ):
            reactions = react(situation(mail(text), sure(), links=NO_LINKS))
            self.assertEqual("Expect" in kinds(reactions), waits, text)

    def test_plain_reply(self) -> None:
        """Received, remembered, a reply planned, the dossier and the thread kept."""
        reactions = react(situation(persona=sure(), links=NO_LINKS))
        self.assertEqual(kinds(reactions), ["Receive", "Remember", "reply", "Relate", "Follow"])
        plan = only(PlannedJob, reactions)
        self.assertEqual(plan.due, after(minutes=20))
        self.assertEqual(plan.thread, "<1@app.test>")
        self.assertEqual((plan.data["to"], plan.data["to_name"]), (APP, "Alice Smith"))
        self.assertEqual(plan.data["mails"], [{
            "place": {"mailbox": MARIA, "folder": "INBOX", "uid": 1}, "arrived": "2026-03-02T10:00:00Z",
            "message_id": "<1@app.test>", "subject": "Figures for March", "sender": APP, "references": []}])
        self.assertEqual(plan.data["key"], [APP, MARIA, 1])
        self.assertEqual(plan.message_id, "<1@app.test>")
        self.assertIn("Alice Smith", plan.plan)
        self.assertIn("1.00", plan.why)

    def test_each_step_stops_the_later_ones(self) -> None:
        """A mail for which every step has a reason is decided by the first; taking that away, by the next."""
        persona = sure(
            paused=True, behaviors={"bounce": 1, "forward_to": "boss@acme.test"},
            timing={"reply_rate": 0, "ooo": AWAY})
        machine = mail(headers=(("Precedence", "bulk"),))
        there = {"status": "full", "spam": SpamVerdict(9.0, 5.0, "X 9.0"), "links": NO_LINKS,
                 "planned": PlannedReply("j_1", after(hours=1))}

        def now(**changes: Any) -> list[str]:
            return kinds(react(situation(machine, persona, **{**there, **changes})))

        self.assertEqual(now(), ["Bounce", "bounce", "Relate"])
        there["status"] = "ok"
        self.assertEqual(now(), ["Bounce", "bounce", "Relate"])
        persona = sure(paused=True, behaviors={"forward_to": "boss@acme.test"}, timing={"reply_rate": 0, "ooo": AWAY})
        self.assertEqual(now(), ["Junk", "Relate"])
        there["spam"] = SpamVerdict(4.9, 5.0)
        reactions = react(situation(machine, persona, **there))
        self.assertEqual(kinds(reactions), ["Receive", "Ignore", "Relate", "Follow"])
        self.assertEqual(only(Ignore, reactions).why, "loop")
        machine = mail()
        reactions = react(situation(machine, persona, **there))
        self.assertEqual(kinds(reactions), ["Receive", "Remember", "Ignore", "Relate", "Follow"])
        self.assertEqual(only(Ignore, reactions).why, "paused")
        persona = sure(behaviors={"forward_to": "boss@acme.test"}, timing={"reply_rate": 0, "ooo": AWAY})
        self.assertEqual(now(), ["Receive", "Remember", "ooo", "forward", "Relate", "Follow"])
        persona = sure(timing={"reply_rate": 0, "ooo": AWAY})
        self.assertEqual(now(), ["Receive", "Remember", "ooo", "Ignore", "Relate", "Follow"])
        persona = sure(timing={"ooo": AWAY})
        self.assertEqual(now(), ["Receive", "Remember", "ooo", "Batch", "Relate", "Follow"])
        del there["planned"]
        self.assertEqual(now(), ["Receive", "Remember", "ooo", "reply", "Relate", "Follow"])

    def test_deterministic(self) -> None:
        """The same situation gives the same reactions, another seed others."""
        persona = person(temperament="flaky")
        self.assertEqual(react(situation(persona=persona)), react(situation(persona=persona)))
        told = {repr(react(situation(persona=persona, seed=Dice(str(n))))) for n in range(10)}
        self.assertGreater(len(told), 5)

    def test_message_id_changes_no_draw(self) -> None:
        """Draws are not keyed by Message-ID, place or time of day."""
        persona = person(temperament="flaky")
        one = react(situation(persona=persona, links=NO_LINKS))
        other = react(situation(mail(message_id="<other@app.test>"), persona, links=NO_LINKS, place={"uid": 99}))
        self.assertEqual([plan.id for plan in of(PlannedJob, one)], [plan.id for plan in of(PlannedJob, other)])
        self.assertEqual([plan.due for plan in of(PlannedJob, one)], [plan.due for plan in of(PlannedJob, other)])

    def test_encodes(self) -> None:
        """Plans' data, dossiers and thread states encode as JSON and read back the same."""
        text = "Could you look? I will send the plan by Friday. See https://site.example/a"
        for reaction in react(situation(mail(text), sure(style={"links": "curious"}, timing={"ooo": AWAY}))):
            if isinstance(reaction, PlannedJob):
                self.assertEqual(msgspec.json.decode(msgspec.json.encode(reaction.data)), reaction.data)
            elif isinstance(reaction, Relate):
                encoded = msgspec.json.encode(reaction.dossier)
                self.assertEqual(msgspec.json.decode(encoded, type=Dossier), reaction.dossier)
            elif isinstance(reaction, Follow):
                encoded = msgspec.json.encode(reaction.thread)
                self.assertEqual(msgspec.json.decode(encoded, type=ThreadState), reaction.thread)


class JunkTests(SynchronousTestCase):
    """Step 2."""

    def test_threshold(self) -> None:
        """At the threshold it is junk, under it not, without one never; why names score and threshold."""
        junk = only(Junk, react(situation(spam=SpamVerdict(5.0, 5.0, "LOTTERY 3.5"))))
        self.assertEqual((junk.score, junk.threshold), (5.0, 5.0))
        for part in ("5.0", "LOTTERY 3.5"):
            self.assertIn(part, junk.why)
        for verdict in (SpamVerdict(4.9, 5.0), SpamVerdict(1000.0, None), None):
            self.assertEqual(of(Junk, react(situation(spam=verdict))), [])

    def test_junk_is_not_read(self) -> None:
        """Junk is not remembered, opens no link and costs trust."""
        reactions = react(situation(mail("https://x.site/"), spam=SpamVerdict(9, 5.0), persona=sure()))
        self.assertEqual(kinds(reactions), ["Junk", "Relate"])
        dossier = only(Relate, reactions).dossier
        self.assertEqual(dossier.received, 1)
        self.assertLess(dossier.trust, 0.6)


class LoopTests(SynchronousTestCase):
    """Step 4."""

    def test_automatic(self) -> None:
        """Mail with automatic signs is a loop, and is neither answered nor told of an absence."""
        for headers, sender in (
            ((("Auto-Submitted", "auto-replied"),), APP), ((("Auto-Submitted", "auto-generated; x=y"),), APP),
            ((("Precedence", "List"),), APP), ((("List-Id", "<x.app.test>"),), APP), ((), ""),
            ((("X-Autoreply", "yes"),), APP), ((("Content-Type", "multipart/report; report-type=x"),), APP),
        ):
            reactions = react(situation(
                mail(headers=headers), sure(timing={"ooo": AWAY}), envelope_sender=sender, links=NO_LINKS))
            self.assertEqual(kinds(reactions), ["Receive", "Ignore", "Relate", "Follow"], headers)
            self.assertEqual(only(Ignore, reactions).why, "loop")
            self.assertIn("automatic mail", only(Ignore, reactions).because[0])

    def test_not_automatic(self) -> None:
        """Auto-Submitted: no is a person's mail."""
        reactions = react(situation(mail(headers=(("Auto-Submitted", "no"),)), sure()))
        self.assertEqual(len(plans("reply", reactions)), 1)

    def test_twenty_in_an_hour(self) -> None:
        """The twenty-first message of a thread within the hour is a loop, counted by pace."""
        def told(count: int, minutes: float, pace: float = 1.0) -> list[Any]:
            recent = tuple(int(after(minutes=-minutes * n / count).timestamp()) for n in range(count, 0, -1))
            thread = ThreadState("<1@app.test>", messages=count, recent=recent)
            return of(Ignore, react(situation(persona=sure(), thread=thread, pace=Pace(pace))))

        self.assertEqual(told(19, 50), [])
        self.assertEqual(told(20, 50)[0].why, "loop")
        self.assertIn("21 messages", told(20, 50)[0].because[0])
        self.assertEqual(told(20, 50, 0.1), [])
        self.assertEqual(len(told(20, 5, 0.1)), 1)
        self.assertEqual(len(told(20, 110, 2)), 1)
        self.assertEqual(told(20, 110), [])

    def test_echo(self) -> None:
        """The third answer in a row that says the same, times and numbers aside, comes from a machine."""
        thread, silent = ThreadState("<1@app.test>", wrote="<2@acme.test>"), []
        for n in range(3):
            answer = mail(f"Thank you, we got it at {n}:15. Ticket {n}.", in_reply_to="<2@acme.test>")
            reactions = react(situation(answer, sure(), thread=thread))
            thread = only(Follow, reactions).thread
            silent.append([one.why for one in of(Ignore, reactions)])
        self.assertEqual(silent, [[], [], ["loop"]])
        other = react(situation(mail("Now it is Friday.", in_reply_to="<2@acme.test>"), sure(), thread=thread))
        self.assertEqual(only(Follow, other).thread.echoes, 1)

    def test_conversation_between_personas_ends(self) -> None:
        """Two personas who always answer stop after six mails in a row; a mail from outside begins anew."""
        state = ThreadState("<1@app.test>", messages=6, between=6)
        reactions = react(situation(persona=sure(), thread=state, sender_id="p_other"))
        self.assertEqual(only(Ignore, reactions).why, "loop")
        reactions = react(situation(persona=sure(), thread=state))
        self.assertEqual(len(plans("reply", reactions)), 1)
        self.assertEqual(only(Follow, reactions).thread.between, 0)

    def test_own_mail(self) -> None:
        """Nobody answers their own mail."""
        own = mail(from_=Address("Maria", MARIA))
        self.assertEqual(only(Ignore, react(situation(own, sure(), envelope_sender=MARIA))).why, "loop")

    def test_cap_of_a_day(self) -> None:
        """A hundred replies a day to one correspondent; the next day there is room again."""
        replies = tuple(int(after(minutes=-n).timestamp()) for n in range(100, 0, -1))
        dossier = Dossier(APP, received=100, replies=replies)
        self.assertIn("100", only(Ignore, react(situation(persona=sure(), dossier=dossier))).why)
        later = react(situation(persona=sure(), dossier=dossier, now=after(hours=25)))
        self.assertEqual(len(plans("reply", later)), 1)
        fewer = react(situation(persona=sure(), dossier=dossier, limits=LoopLimits(replies_per_day=200)))
        self.assertEqual(len(plans("reply", fewer)), 1)
        self.assertEqual(len(only(Relate, fewer).dossier.replies), 101)


class AwayTests(SynchronousTestCase):
    """Step 5."""

    def test_notice_once_for_each_period(self) -> None:
        """One notice for each correspondent and period; another period, another notice."""
        persona = sure(timing={"ooo": [*AWAY, {"from": "2026-04-01", "to": "2026-04-02"}]})
        first = react(situation(persona=persona, links=NO_LINKS))
        plan = plans("ooo", first)[0]
        self.assertEqual(plan.data["period"], {"from": "2026-03-01", "to": "2026-03-06", "message": "Skiing."})
        self.assertTrue(NOW <= plan.due < after(minutes=5))
        dossier = only(Relate, first).dossier
        second = react(situation(persona=persona, dossier=dossier, now=after(hours=3)))
        self.assertEqual(plans("ooo", second), [])
        third = react(situation(persona=persona, dossier=dossier, now=after(days=30)))
        self.assertEqual(len(plans("ooo", third)), 1)

    def test_reply_waits_for_the_return(self) -> None:
        """The real reply is due after the last day, in working hours."""
        persona = sure(timing={"ooo": AWAY, "hours": {"tz": "Europe/Berlin", "days": "mon-fri", "from": "09:00",
                                                      "to": "17:00"}})
        plan = plans("reply", react(situation(persona=persona)))[0]
        # The sixth is a Friday: Monday the ninth, from 08:00 UTC.
        self.assertTrue(after(days=7, hours=-2) <= plan.due <= after(days=7, hours=1), plan.due)

    def test_notice_goes_to_the_reverse_path(self) -> None:
        """A notice goes where the mail came from, not where answers are wanted (RFC 3834)."""
        one = mail(reply_to=(Address("Desk", "desk@app.test"),))
        away = sure(timing={"ooo": AWAY})
        self.assertEqual(plans("ooo", react(situation(one, away)))[0].data["to"], APP)
        (notice,) = plans("ooo", react(situation(one, away, envelope_sender="bounces@app.test")))
        self.assertEqual((notice.data["to"], notice.data["to_name"]), ("bounces@app.test", ""))

    def test_no_notice_where_it_is_not_wanted(self) -> None:
        """Not to who asks for none, nor when not named in To or Cc (RFC 3834)."""
        persona = sure(timing={"ooo": AWAY})
        for one in (mail(headers=(("X-Auto-Response-Suppress", "OOF, AutoReply"),)),
                    mail(to=(Address("", "everybody@acme.test"),))):
            reactions = react(situation(one, persona))
            self.assertEqual((len(plans("ooo", reactions)), len(plans("reply", reactions))), (0, 1))
        self.assertEqual(len(plans("ooo", react(situation(mail(to=()), persona)))), 1)

    def test_paused_is_silent(self) -> None:
        """A paused persona sends no notice, opens no link and waits for nothing, and remembers."""
        reactions = react(situation(
            mail("I will send it by Friday: https://x.site/"), sure(paused=True, timing={"ooo": AWAY})))
        self.assertEqual(kinds(reactions), ["Receive", "Remember", "Ignore", "Relate", "Follow"])
        self.assertEqual(only(Relate, reactions).dossier.received, 1)


class ForwardTests(SynchronousTestCase):
    """Step 6."""

    def test_forwarded(self) -> None:
        """The mail goes on, to be answered to the original sender; no reply follows."""
        persona = sure(behaviors={"forward_to": "boss@acme.test"})
        reactions = react(situation(mail(reply_to=(Address("", "help@app.test"),)), persona))
        plan = plans("forward", reactions)[0]
        self.assertEqual((plan.data["to"], plan.data["forward_to"], plan.data["reply_to"], plan.data["by"]),
                         ("boss@acme.test", "boss@acme.test", "help@app.test", [MARIA]))
        self.assertEqual(plans("reply", reactions), [])

    def test_no_circles(self) -> None:
        """What was forwarded by this persona already, or often enough, is not forwarded again."""
        persona = sure(behaviors={"forward_to": "p_boss"})
        for passed in (f"x@y.test, {MARIA}", ", ".join(f"a{n}@y.test" for n in range(5))):
            reactions = react(situation(mail(headers=(("X-Service-Forwarded", passed),)), persona))
            self.assertEqual(only(Ignore, reactions).why, "loop")
        reactions = react(situation(mail(headers=(("X-Service-Forwarded", "x@y.test"),)), persona))
        self.assertEqual(plans("forward", reactions)[0].data["by"], ["x@y.test", MARIA])

    def test_informed(self) -> None:
        """A copy of what a colleague wrote to somebody else stays here; one from the application goes on."""
        persona = sure(behaviors={"forward_to": "boss@acme.test"})
        copied = mail(to=(Address("", "x@y.test"),), cc=(Address("", MARIA),))
        reactions = react(situation(copied, persona, sender_id="p_colleague"))
        self.assertEqual((only(Ignore, reactions).why, plans("forward", reactions)), ("informed", []))
        self.assertEqual(len(plans("forward", react(situation(copied, persona)))), 1)


class ReplyTests(SynchronousTestCase):
    """Steps 7 to 9."""

    def test_raised_and_lowered(self) -> None:
        """Each circumstance moves the rate the way it is decided, and is named with what it added."""
        persona = person(temperament="flaky")
        known = Dossier(APP, received=3, warmth=0.5, trust=0.5, patience=0.5)
        owing = replace(known, promises=(OpenPromise("persona", "the plan", NOW, after(days=1), "j_1", "kept"),))
        nudged = replace(known, unanswered=2)
        case = Case("c1", "March")

        def rate(one: Any = None, **fields: Any) -> tuple[float, str]:
            reactions = react(situation(one, persona, links=NO_LINKS, **fields))
            why = next(found.why for found in reactions if isinstance(found, Ignore) or
                       (isinstance(found, PlannedJob) and found.kind == "reply"))
            return float(why.partition("reply rate ")[2].split()[0]), why

        plain, why = rate()
        self.assertEqual(plain, 0.5)
        self.assertIn("flaky 0.50", why)
        for higher, word in ((rate(mail("Which one is it?")), "direct question"), (rate(dossier=known), "known"),
                             (rate(case=case, how="key"), "a case")):
            self.assertGreater(higher[0], plain)
            self.assertIn(word, higher[1])
        self.assertGreater(rate(dossier=owing)[0], rate(dossier=known)[0])
        self.assertLess(rate(dossier=nudged)[0], rate(dossier=known)[0])
        copied = mail("Which one is it?", to=(Address("", "x@y.test"),), cc=(Address("", MARIA),))
        self.assertLess(rate(copied)[0], plain)
        colleague, why = rate(copied, sender_id="p_colleague")
        self.assertLess(colleague, 0.1)
        self.assertIn("informed by a colleague", why)
        self.assertLess(rate(copied)[0], 0.01)
        named = mail("Rossi, which one is it?", to=(Address("", "x@y.test"),), cc=(Address("", MARIA),))
        persona = person(temperament="flaky", name="Maria Rossi")
        self.assertTrue(0.1 < rate(named)[0] < plain)
        persona = person(temperament="flaky")
        copied = mail(to=(Address("", "boss@acme.test"),), cc=(Address("", MARIA),))
        for lower, word in ((rate(mail(headers=(("List-Unsubscribe", "<mailto:x@y.test>"),))), "bulk mail"),
                            (rate(copied), "cc only")):
            self.assertLess(lower[0], plain)
            self.assertIn(word, lower[1])

    def test_never_and_always(self) -> None:
        """A rate of 0 stays 0 and a rate of 1 stays 1, whatever the mail."""
        bulk = mail(headers=(("List-Unsubscribe", "<mailto:x@y.test>"),), to=(), cc=(Address("", MARIA),))
        for n in range(30):
            always = react(situation(bulk, sure(), seed=Dice(str(n)), dossier=Dossier(APP, unanswered=9)))
            self.assertEqual(len(plans("reply", always)), 1)
            never = react(situation(
                mail("Really? Why? When?"), person(timing={"reply_rate": 0}), seed=Dice(str(n)), case=Case("c", "C")))
            self.assertEqual(plans("reply", never), [])

    def test_unanswered_run(self) -> None:
        """Mails that drew no reply are counted, and a reply ends the count."""
        never = person(timing={"reply_rate": 0})
        dossier = only(Relate, react(situation(persona=never))).dossier
        dossier = only(Relate, react(situation(persona=never, dossier=dossier))).dossier
        self.assertEqual((dossier.unanswered, dossier.received), (2, 2))
        self.assertEqual(only(Relate, react(situation(persona=sure(), dossier=dossier))).dossier.unanswered, 0)

    def test_batched(self) -> None:
        """A second mail of the thread joins the reply that is planned."""
        planned = PlannedReply("j_7", after(hours=2))
        reactions = react(situation(persona=sure(), planned=planned))
        batch = only(Batch, reactions)
        self.assertEqual((batch.job_id, batch.place["message_id"]), ("j_7", "<1@app.test>"))
        self.assertEqual(batch.place["place"]["uid"], 1)
        self.assertIn("2026-03-02T12:00:00Z", batch.why)
        self.assertEqual(plans("reply", reactions), [])

    def test_whom_it_goes_to(self) -> None:
        """Reply-To, else From, else the reverse-path; never the persona itself."""
        other = Address("Help", "Help@app.test")
        for one, expected in ((mail(reply_to=(other,)), "help@app.test"), (mail(), APP),
                              (mail(from_=Address("", "")), "path@app.test"),
                              (mail(reply_to=(Address("", MARIA),)), APP)):
            reactions = react(situation(one, sure(), envelope_sender="path@app.test"))
            self.assertEqual(plans("reply", reactions)[0].data["to"], expected)

    def test_job_ids(self) -> None:
        """Ids differ between messages, recipients, personas and kinds."""
        ids = set()
        count = 0
        for who in (sure(id="p_1", timing={"ooo": AWAY}), sure(id="p_2", timing={"ooo": AWAY})):
            for received in range(5):
                dossier = Dossier(APP, received=received)
                for plan in of(PlannedJob, react(situation(persona=who, dossier=dossier))):
                    ids.add(plan.id)
                    count += 1
        self.assertEqual(len(ids), count)
        self.assertTrue(all(one.startswith("j_") and len(one) == 18 for one in ids))


class LinkTests(SynchronousTestCase):
    """Links of mail in the inbox."""

    def test_read_before_the_reply(self) -> None:
        """The link job is due from now on and never after the reply, within working hours."""
        hours = {"tz": "UTC", "days": "mon-fri", "from": "09:00", "to": "17:00"}
        for n in range(200):
            persona = person(style={"links": "curious"}, timing={"reply_rate": 1, "hours": hours})
            reactions = react(situation(
                mail("https://x.site/"), persona, seed=Dice(str(n)), now=after(hours=n % 30)))
            for link in plans("link", reactions):
                reply = plans("reply", reactions)[0]
                self.assertTrue(after(hours=n % 30) <= link.due <= reply.due)
                self.assertTrue(9 <= link.due.hour < 17)

    def test_without_a_reply(self) -> None:
        """Links are opened whether or not a reply follows, also of automatic mail."""
        opened = 0
        persona = person(style={"links": "curious"}, timing={"reply_rate": 0})
        for n in range(100):
            news = mail("https://x.site/", headers=(("List-Id", "<n.app.test>"),))
            opened += len(plans("link", react(situation(news, persona, seed=Dice(str(n)),
                                                        dossier=Dossier(APP, received=1)))))
        self.assertTrue(70 < opened < 97, opened)

    def test_left_alone(self) -> None:
        """A link that is not opened is told of with the number that decided."""
        reactions = react(situation(mail("https://x.site/a"), person(style={"links": "never"})))
        self.assertEqual(only(Skip, reactions).url, "https://x.site/a")
        self.assertIn("0.00 (never)", only(Skip, reactions).why)
        self.assertEqual(plans("link", reactions), [])


class MemoryTests(SynchronousTestCase):
    """Step 3 and promises."""

    def test_remembered(self) -> None:
        """A note tells who wrote about what; it goes to the case."""
        reactions = react(situation(mail("Please find the figures for the whole quarter below."), case=Case("c9", "Q1"),
                                    how="key"))
        note = only(Remember, reactions)
        self.assertEqual(note.case_id, "c9")
        self.assertEqual(note.text, '2026-03-02: Alice Smith wrote about "Figures for March": '
                                    'Please find the figures for the whole quarter below.')
        self.assertEqual((only(Receive, reactions).case_id, only(Receive, reactions).how), ("c9", "key"))
        self.assertEqual(only(Follow, reactions).thread.case_id, "c9")

    def test_promise_heard_and_kept(self) -> None:
        """A promise plans a nudge after it is due, which is dropped when the thing arrives in time."""
        first = react(situation(mail("I will send the signed contract by Friday."), sure()))
        expect = only(Expect, first)
        self.assertEqual((expect.from_, expect.what), (APP, "the signed contract"))
        self.assertEqual(expect.due, after(days=4, hours=7))
        self.assertEqual(expect.nudge.kind, "nudge")
        self.assertGreater(expect.nudge.due, expect.due)
        dossier = only(Relate, first).dossier
        self.assertEqual([one.job_id for one in dossier.promises], [expect.nudge.id])
        second = react(situation(
            mail("As promised.", attachments=(attached("contract.pdf"),)), sure(), dossier=dossier, now=after(days=2),
            thread=only(Follow, first).thread))
        self.assertEqual(only(Drop, second).job_id, expect.nudge.id)
        self.assertEqual(only(Relate, second).dossier.promises, ())
        self.assertGreater(only(Relate, second).dossier.trust, dossier.trust)

    def test_who_takes_no_part_waits_for_nothing(self) -> None:
        """Who ignores a mail does not ask for what it promised, unless they wrote in its thread before."""
        silent = person(temperament="responsive", timing={"reply_rate": 0})
        one = mail("I will send the signed contract by Friday.")
        reactions = react(situation(one, silent))
        self.assertEqual((of(Expect, reactions), plans("nudge", reactions)), ([], []))
        self.assertEqual(only(Relate, reactions).dossier.promises, ())
        self.assertIn("promised", [one.kind for one in only(Follow, reactions).thread.remarks])
        wrote = ThreadState("<1@app.test>", wrote="<own@acme.test>")
        self.assertEqual(len(of(Expect, react(situation(one, silent, thread=wrote)))), 1)
        ghost = person(temperament="ghost", timing={"reply_rate": 1})
        self.assertLess(sum(len(of(Expect, react(situation(one, ghost, seed=Dice(str(n)))))) for n in range(100)), 25)

    def test_promise_put_off(self) -> None:
        """The same thing promised for a later day is one promise; its nudge moves, and how often it was asked stays."""
        first = OpenPromise("correspondent", "the contract", NOW, after(days=1), "j_n", thread="<1@app.test>", nudged=1)
        said = mail("I will send you the contract by next Friday.")
        reactions = react(situation(said, sure(), dossier=Dossier(APP, received=1, promises=(first,))))
        self.assertEqual(of(Drop, reactions)[0].job_id, "j_n")
        nudge = only(Expect, reactions).nudge
        self.assertEqual(nudge.data["nth_nudge"], 2)
        (open_now,) = only(Relate, reactions).dossier.promises
        self.assertEqual((open_now.job_id, open_now.nudged), (nudge.id, 1))
        self.assertGreater(open_now.due, first.due)
        earlier = mail("I will send you the contract by tomorrow.")
        again = react(situation(earlier, sure(), dossier=Dossier(APP, received=1, promises=(replace(
            first, due=after(days=9)),))))
        self.assertEqual((of(Drop, again), of(Expect, again)), ([], []))

    def test_followup_dropped(self) -> None:
        """Any mail from the correspondent in the thread makes asking again needless."""
        thread = ThreadState("<1@app.test>", followup="j_f", question="When?")
        reactions = react(situation(persona=sure(), thread=thread))
        self.assertEqual(only(Drop, reactions).job_id, "j_f")
        self.assertEqual(only(Follow, reactions).thread.followup, "")

    def test_forgotten_promise_is_asked_for(self) -> None:
        """What the persona forgot is done once it is asked for, after the reply."""
        forgotten = OpenPromise(
            "persona", "the price list", after(days=-9), after(days=-5), "", "forgotten", "<1@app.test>")
        dossier = Dossier(APP, received=2, sent=1, promises=(forgotten,))
        reactions = react(situation(mail("Where is the price list?"), sure(), dossier=dossier))
        deliver = plans("deliver", reactions)[0]
        self.assertEqual(deliver.data["what"], "the price list")
        self.assertGreaterEqual(deliver.due, plans("reply", reactions)[0].due)
        self.assertEqual(only(Relate, reactions).dossier.promises[0].job_id, deliver.id)
        again = react(situation(mail("Where is the price list?"), sure(), dossier=only(Relate, reactions).dossier))
        self.assertEqual(plans("deliver", again), [])

    def test_correspondent(self) -> None:
        """Somebody is known by From, else by the reverse-path."""
        self.assertEqual(correspondent(mail(from_=Address("A", "A@App.test")), "x@y.test"), "a@app.test")
        self.assertEqual(correspondent(mail(from_=Address("", "")), "X@y.test"), "x@y.test")


class AnythingTests(SynchronousTestCase):
    """Any mail at all."""

    @settings(max_examples=200, deadline=None)
    @given(
        text=st.text(max_size=300), subject=st.text(max_size=60), name=st.text(max_size=20),
        address=st.sampled_from(["", "a@b.test", "x", MARIA]), sender=st.sampled_from(["", APP, "x@y"]),
        headers=st.lists(st.tuples(st.sampled_from(
            ["Auto-Submitted", "Precedence", "X-Service-Forwarded", "List-Id", "X-Service-Case"]),
            st.text(max_size=20)), max_size=3),
        temperament=st.sampled_from(["responsive", "ghost", "flaky"]), seed=st.integers(0, 50),
        days=st.integers(0, 400), factor=st.sampled_from([0, 0.001, 1, 1e6]))
    def test_any_mail(self, text: str, subject: str, name: str, address: str, sender: str, headers: list[Any],
                      temperament: str, seed: int, days: int, factor: float) -> None:
        """Every mail is decided in one of the ways there are, and every plan lies in whole seconds from now on."""
        whole = mail(text, subject=subject, from_=Address(name, address), headers=tuple(headers))
        now = NOW + timedelta(days=days, microseconds=seed)
        one: DecisionInput = situation(
            whole, person(temperament=temperament), envelope_sender=sender, now=now, seed=Dice(str(seed)),
            pace=Pace(factor))
        reactions = react(one)
        self.assertEqual(len([kind for kind in kinds(reactions) if kind in ("Ignore", "reply")]), 1)
        for plan in (*of(PlannedJob, reactions), *(expect.nudge for expect in of(Expect, reactions))):
            self.assertGreaterEqual(plan.due, now)
            self.assertEqual(plan.due.microsecond, 0)
            self.assertEqual(plan.due.utcoffset(), timedelta(0))
            msgspec.json.encode(plan.data)
        self.assertEqual(react(one), reactions)
