"""Tests for C{simmail.universe.people.wording}: what a model words, what it costs, and what happens without it."""

from __future__ import annotations

import json
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import msgspec
from twisted.internet.defer import Deferred

from simmail.config import Ai, Config
from simmail.core.records.commit import EventQuery
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.wording.attached import unreadable
from simmail.core.wording.chat import ChatAnswer, ChatQuery
from simmail.errors import Invalid
from simmail.outbound.model_recording import ModelRecorder, ModelReplayer
from simmail.testing.universe import MemoryServer, now, turned
from simmail.universe.universe import Universe
from simmail.universe.usage import CREDITS
from tests.outbound.model_server import rephrased
from tests.universe.people.test_inbox_worker import said
from tests.universe.test_road import persona, RoadTestCase

MARIA = "maria@acme.test"
ASKED = b"How many chairs do you need, and when can we deliver them?"


def plan_in(query: ChatQuery) -> dict[str, Any]:
    """The plan that was asked about."""
    plan, _ = json.JSONDecoder().raw_decode(query.messages[1].content)
    assert isinstance(plan, dict)
    return plan


def good(query: ChatQuery) -> ChatAnswer:
    """An answer that every check lets pass."""
    plan = plan_in(query)
    return ChatAnswer(json.dumps({"text": rephrased(plan), "used_facts": sorted(plan["facts"])}))


def worded(text: str, *facts: str) -> ChatAnswer:
    """An answer of the right form."""
    return ChatAnswer(json.dumps({"text": text, "used_facts": list(facts)}))


class WordingTestCase(RoadTestCase):
    """A universe with a model that is on."""

    def setUp(self) -> None:
        """Maria always answers."""
        super().setUp()
        self.server = MemoryServer(Config(ai=Ai(base_url="http://model.example/v1", model="tiny")))
        self.universe = self.server.universe(seed="words")
        self.model = self.server.model
        self.model.reply = good
        now(self.universe.settings.put("ai", {"mode": "on"}))
        now(self.universe.people.create(persona()))

    def ask(self, text: bytes = ASKED, n: int = 0) -> None:
        """The application writes to her."""
        self.server.send(self.universe, "app@sim.test", MARIA, said(text, n))

    def go(self, **move: Any) -> None:
        """Move the clock until she has answered."""
        done = Deferred.fromCoroutine(self.universe.scheduler.advance(**(move or {"until": "event:persona.sent"})))
        for _ in range(50):
            self.server.reactor.advance(0)
        now(done)

    def sent(self) -> dict[str, Any]:
        """What was told of her only mail."""
        (event,) = self.events("persona.sent")
        data: dict[str, Any] = event["data"]
        return data


class WordedTests(WordingTestCase):
    """What a model words."""

    def test_worded(self) -> None:
        """A reply is in the model's words, between the persona's own greeting and signature, and is paid for once."""
        self.ask()
        self.go()
        (query,) = self.model.asked
        plan = plan_in(query)
        self.assertEqual(self.sent()["by"], "tiny")
        self.assertIn(rephrased(plan), self.sent()["text"])
        self.assertGreater(len(self.sent()["text"]), len(rephrased(plan)) + 3)
        self.assertEqual(self.events("writer.fallback"), [])
        self.assertEqual(self.universe.usage.used(CREDITS), 1)
        self.assertEqual(now(self.universe.database.table("main", "worded")), {})

    def test_pdf(self) -> None:
        """The text of a PDF that came with the mail, or why there is none, stands between fences with what was said."""
        async def read_pdf(octets: bytes) -> str:
            return octets.decode().removeprefix("%PDF ")

        self.server.read_pdf = read_pdf
        message = EmailMessage(policy=SMTP)
        message["From"], message["To"], message["Subject"], message["Message-ID"] = (
            "app@sim.test", MARIA, "Chairs", "<pdf@sim.test>")
        message.set_content(ASKED.decode())
        for n, text in enumerate((b"%PDF Offer 4711: 61 crowns", b"%PDF " + unreadable("it is broken").encode())):
            message.add_attachment(text, maintype="application", subtype="pdf", filename=f"{n}.pdf")
        self.server.send(self.universe, "app@sim.test", MARIA, message.as_bytes())
        self.go()
        told = self.model.asked[0].messages[1].content
        fence = told.rstrip().rpartition("\n")[2]
        self.assertIn(f"{fence}\nAttached: 0.pdf\n\nOffer 4711: 61 crowns\n{fence}", told)
        self.assertIn("Attached: 1.pdf\n\n[This PDF cannot be read: it is broken.]\n", told)
        self.assertEqual(self.sent()["by"], "tiny")


class FallbackTests(WordingTestCase):
    """When templates stand in."""

    def fallback(self) -> dict[str, Any]:
        """What was told of the only fallback."""
        (event,) = self.events("writer.fallback")
        data: dict[str, Any] = event["data"]
        return data

    def test_mended(self) -> None:
        """Words that fail a check are sent back once, with the reason."""
        def reply(query: ChatQuery) -> ChatAnswer:
            return good(query) if query.turn else worded("It costs 4711 euros.")

        self.model.reply = reply
        self.ask()
        self.go()
        first, second = self.model.asked
        self.assertEqual(second.messages[:2], first.messages)
        self.assertEqual(second.messages[2].role, "assistant")
        self.assertIn("numbers: the text has a number", second.messages[3].content)
        self.assertEqual((self.sent()["by"], self.universe.usage.used(CREDITS)), ("tiny", 2))

    def test_templates(self) -> None:
        """What stays wrong is never sent: templates write, at the same instant, and the event names the check."""
        self.ask()
        plain = self.same_without()
        for reply, why in (
            (worded("It costs 4711 euros, as we said the other day, and that is that for now."), "numbers: "),
            (ChatAnswer("Sure, here is your mail!"), "answer: is no JSON object"),
            (ChatAnswer('{"text": "Yes."}'), "answer: is another object"),
            (ChatAnswer(error="the model does not answer: no answer within 30 s"), "the model does not answer"),
        ):
            self.setUp()
            self.model.reply = reply
            self.ask()
            self.go()
            self.assertEqual((self.sent()["by"], self.sent()["text"]), ("templates", plain))
            self.assertEqual(self.fallback()["what"], "reply")
            self.assertTrue(self.fallback()["error"].startswith(why), self.fallback())

    def same_without(self) -> str:
        """What templates write."""
        server = MemoryServer()
        universe = server.universe(seed="words")
        now(universe.people.create(persona()))
        server.send(universe, "app@sim.test", MARIA, said(ASKED, 0))
        turned(universe, universe.scheduler.advance(until="event:persona.sent"))
        rows = now(universe.log.query(EventQuery(after=0, types=("persona.sent",), limit=10)))
        return str(msgspec.json.decode(rows[0])["data"]["text"])

    def test_no_credits(self) -> None:
        """Without credits nobody is asked; what was asked before stays counted."""
        self.server.plans["self-hosted"] = Plan("small", limits=Allowances(ai_credits=1))
        self.ask()
        self.go()
        self.ask(n=1)
        self.go(until="idle")
        self.assertEqual((len(self.model.asked), self.universe.usage.used(CREDITS)), (1, 1))
        self.assertIn("the plan small allows 1 AI credits", self.events("writer.fallback")[0]["data"]["error"])
        self.assertEqual([event["data"]["by"] for event in self.events("persona.sent")][:2], ["tiny", "templates"])

    def test_budget(self) -> None:
        """The operator's budget holds for a universe, whatever the plan allows."""
        self.server.config = Config(ai=Ai(base_url="http://model.example/v1", model="tiny", budget=0))
        self.server.roster._config = self.server.config
        self.universe = self.server.universe("poor")
        now(self.universe.settings.put("ai", {"mode": "on"}))
        now(self.universe.people.create(persona()))
        self.ask()
        self.go()
        self.assertIn("ai.budget allows 0", self.fallback()["error"])
        self.assertEqual(self.model.asked, [])

    def test_secret(self) -> None:
        """What a case keeps secret is never said, and the model is not told it."""
        now(self.universe.case_editor.push({
            "title": "Chairs", "people": [{"address": MARIA}], "keys": ["CH-1"], "facts": {"colour": "green"},
            "secrets": {"lowest price": "sixty-one crowns"}}))
        self.model.reply = worded("We need the green ones and would go down to sixty-one crowns for each, I think.")
        self.ask(b"CH-1: What colour do you want for the chairs?")
        self.go()
        self.assertNotIn("crowns", self.sent()["text"])
        self.assertIn("secret: ", self.fallback()["error"])
        self.assertNotIn("crowns", "".join(one.content for one in self.model.asked[0].messages))


class OnceTests(WordingTestCase):
    """A mail is paid for once and never lost."""

    def test_crash_before_sending(self) -> None:
        """What was answered before the service was killed is not asked again."""
        self.ask()
        waiting: Deferred[ChatAnswer] = Deferred()
        self.model.reply = lambda query: waiting
        Deferred.fromCoroutine(self.universe.scheduler.advance(until="event:persona.sent"))
        self.server.reactor.advance(0)
        # Nothing that the killed one would do after the answer is done.
        never: Deferred[bool] = Deferred()
        self.patch(self.universe.scheduler, "_run", lambda job: never)
        waiting.callback(good(self.model.asked[0]))
        self.server.reactor.advance(0)
        self.assertEqual(self.events("persona.sent"), [])
        self.restart()
        self.model.reply = ChatAnswer(error="nobody should ask")
        self.go()
        self.assertEqual((self.sent()["by"], len(self.model.asked)), ("tiny", 1))
        self.assertEqual(self.universe.usage.used(CREDITS), 1)
        self.assertEqual(now(self.universe.database.table("main", "worded")), {})

    def test_crash_while_asked(self) -> None:
        """A question that a crash cut off is put again, and the mail is sent."""
        self.ask()
        self.model.reply = lambda query: Deferred()
        Deferred.fromCoroutine(self.universe.scheduler.advance(until="event:persona.sent"))
        self.server.reactor.advance(0)
        self.restart()
        self.model.reply = good
        self.go()
        self.assertEqual((self.sent()["by"], len(self.model.asked), self.universe.usage.used(CREDITS)), ("tiny", 2, 2))

    def restart(self) -> None:
        """The process is gone, another one takes its place."""
        old = self.universe
        self.universe = Universe(
            old.record, self.server.config, old.store, self.server.database, self.server.reactor, self.server.unique,
            self.server.web, self.server.endpoints, self.model)
        now(self.universe.start())
        self.universe.begin()

    def test_stopped(self) -> None:
        """A service that stops does not wait for a model; the job is there when it starts again."""
        self.ask()
        self.model.reply = lambda query: Deferred()
        done = Deferred.fromCoroutine(self.universe.scheduler.advance(until="event:persona.sent"))
        done.addErrback(lambda failure: None)
        self.server.reactor.advance(0)
        now(self.universe.scheduler.halt())
        stopped = Deferred.fromCoroutine(self.universe.stop())
        self.server.reactor.advance(0)
        now(stopped)
        self.restart()
        self.assertEqual([job.kind for job in self.universe.pending.by_id.values()], ["reply"])

    def test_nobody_waits(self) -> None:
        """While a model thinks, personas can be changed and mail comes in; the clock stands."""
        self.ask()
        waiting: Deferred[ChatAnswer] = Deferred()
        self.model.reply = lambda query: waiting
        moved = Deferred.fromCoroutine(self.universe.scheduler.advance(until="event:persona.sent"))
        self.server.reactor.advance(0)
        now(self.universe.people.create(persona(addresses=["tom@acme.test"], name="Tom")))
        self.server.send(self.universe, "app@sim.test", "tom@acme.test", said(b"Hello Tom, how are you?", 7))
        waiting.callback(good(self.model.asked[0]))
        for _ in range(20):
            self.server.reactor.advance(0)
        now(moved)
        self.assertEqual(self.sent()["by"], "tiny")

    def test_at_once(self) -> None:
        """Letters of several people that are due one after another are worded at the same time."""
        for n in range(4):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"Pia {n}")))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test", said(b"How many chairs do you need?", n))
        self.model.reply = lambda query: Deferred()
        Deferred.fromCoroutine(self.universe.scheduler.advance(by=timedelta(days=3)))
        self.server.reactor.advance(0)
        self.assertEqual(len(self.model.asked), 4)


class ReplayTests(WordingTestCase):
    """A conversation again, offline."""

    def conversation(self, model: Any) -> list[bytes]:
        """Three mails and their answers, octet for octet."""
        server = MemoryServer(Config(ai=Ai(base_url="http://model.example/v1", model="tiny")))
        server.roster._model = model
        universe = self.universe = server.universe(seed="again")
        self.server = server
        now(universe.settings.put("ai", {"mode": "on"}))
        now(universe.people.create(persona()))
        for n, text in enumerate((b"How many chairs do you need?", b"When may we deliver them?", b"Many thanks!")):
            self.ask(text, n)
            self.go(until="idle")
        filed = now(universe.mailboxes.messages("app@sim.test"))
        return [now(universe.mailboxes.read("app@sim.test", one.folder, one.entry.uid))[1] for one in filed]

    def test_again(self) -> None:
        """What was recorded gives the same mails, free; failed answers are recorded too."""
        folder = self.mktemp()
        self.model.reply = lambda query: good(query) if len(self.model.asked) % 3 else ChatAnswer("no")
        first = self.conversation(ModelRecorder(self.model, folder))
        asked, used = len(self.model.asked), self.universe.usage.used(CREDITS)
        self.assertGreaterEqual(asked, 3)
        self.assertEqual(used, asked)
        self.assertEqual(self.conversation(ModelReplayer(folder, "tiny")), first)
        self.assertEqual((len(self.model.asked), self.universe.usage.used(CREDITS)), (asked, 0))

    def test_missed(self) -> None:
        """What was not recorded fails its job, loudly, and nothing is made up."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.assertEqual(self.conversation(ModelReplayer(str(folder), "tiny")), [])
        failed = self.events("job.failed")
        self.assertEqual(len(failed), 3)
        self.assertIn("no answer of tiny to question 0 of", failed[0]["data"]["note"])

    def test_no_folder(self) -> None:
        """A folder that is not there is told of at the start."""
        self.assertEqual(self.assertRaises(Invalid, ModelReplayer, "/nonexistent", "tiny").field, "ai.replay")
        self.assertEqual(self.assertRaises(Invalid, ModelRecorder, self.model, "/proc/x").field, "ai.record")
