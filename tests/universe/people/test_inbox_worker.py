"""Tests for C{simmail.universe.people.inbox_worker}: decisions, their explanation, and preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from simmail.config import Config
from simmail.config import People as Limits
from simmail.core.message.parse import read
from simmail.testing.universe import MemoryServer, now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.people import inbox_worker
from simmail.universe.universe import Universe
from tests.universe.test_road import MAIL, RoadTestCase, persona

APP, MARIA = "app@sim.test", "maria@acme.test"
AWAY = {"ooo": [{"from": "2026-03-01", "to": "2026-03-09", "message": "Away."}]}


def headed(*fields: bytes, octets: bytes = MAIL) -> bytes:
    """The mail with more header fields."""
    return b"".join(field + b"\n" for field in fields) + octets


def numbered(n: int, *fields: bytes) -> bytes:
    """Another mail of the same thread."""
    return headed(b"References: <one@app.test>", *fields,
                  octets=MAIL.replace(b"<one@", b"<n%d@" % n).replace(b"App\n", b"App %d\n" % n))


def said(text: bytes, n: int = 1) -> bytes:
    """A mail that says something, in a thread of its own."""
    return (b"From: App <app@sim.test>\nTo: maria@acme.test\nSubject: News\nMessage-ID: <s%d@app.test>\n\n%b\n"
            % (n, text))


class Silence(NamedTuple):
    """
    Somebody who does not answer.

    @ivar words: must be in the explanation; before: mails that came earlier; config: limits.
    @ivar seeds: how many universes are tried until the draw is a no.
    """

    kind: str
    words: str
    person: dict[str, Any]
    mail: bytes = MAIL
    before: tuple[bytes, ...] = ()
    sender: str = APP
    seeds: int = 1
    limits: Limits = Limits()
    prepare: Callable[[Universe], Any] | None = None


def _full(universe: Universe) -> None:
    now(universe.settings.put("recipients", {"status": {MARIA: "full"}}))
    universe.policy.refresh()


def _moved(universe: Universe) -> None:
    turned(universe, universe.scheduler.advance(until="idle"))


SPAM = said(b"You have won the lottery! Claim your prize, act now!!!")

SILENCES: dict[str, Silence] = {
    "a ghost": Silence("ignored", "ghost 0.05", persona(temperament="ghost", timing={}), seeds=50),
    "a busy one": Silence("ignored", "busy 0.75", persona(temperament="busy", timing={}), seeds=200),
    "its own rate": Silence("ignored", "its own 0.40", persona(timing={"reply_rate": 0.4}), seeds=200),
    "a rate of nothing": Silence("ignored", "over reply rate 0.00", persona(timing={"reply_rate": 0.0})),
    "even a question": Silence(
        "ignored", "direct question", persona(temperament="flaky", timing={}), seeds=200),
    "only a copy": Silence(
        "ignored", "cc only", persona(timing={"reply_rate": 0.5}),
        MAIL.replace(b"To: maria@acme.test", b"To: b@x.test\nCc: maria@acme.test"), seeds=200),
    "bulk mail": Silence(
        "ignored", "bulk mail (List-Unsubscribe header)", persona(timing={"reply_rate": 0.5}),
        headed(b"List-Unsubscribe: <https://x.test/u>"), seeds=200),
    "nudged": Silence(
        "ignored", "2 unanswered before", persona(timing={"reply_rate": 0.02}), MAIL,
        (said(b"Any update?", 1), said(b"Any news?", 2)), seeds=50),
    "paused": Silence("ignored", "paused", persona(paused=True)),
    "an auto-reply": Silence("ignored", "Auto-Submitted", persona(), headed(b"Auto-Submitted: auto-replied")),
    "a mailing list": Silence("ignored", "List-Id", persona(), headed(b"List-Id: <l.x.test>")),
    "bulk precedence": Silence("ignored", "Precedence: bulk", persona(), headed(b"Precedence: bulk")),
    "a bounce": Silence("ignored", "null sender", persona(), sender=""),
    "a loop": Silence(
        "ignored", "limit is 4", persona(), numbered(9), tuple(numbered(n) for n in range(4)),
        limits=Limits(thread_messages_per_hour=4)),
    "the cap of the day": Silence(
        "ignored", "the cap is 2", persona(), MAIL, (said(b"One thing.", 1), said(b"Another thing.", 2)),
        limits=Limits(replies_per_day=2)),
    "junk by the normal filter": Silence("junked", "reaches 5.0", persona(), SPAM),
    "junk by the strict filter": Silence("junked", "reaches 3.0", persona(style={"filter": "strict"}), SPAM),
    "a full mailbox": Silence("bounced", "mailbox status full", persona(), prepare=_full),
    "bouncing now and then": Silence("bounced", "under 1.00", persona(behaviors={"bounce": 1.0})),
    "batched": Silence("batched", "is planned for", persona(), numbered(2), (MAIL,)),
    "away and not inclined": Silence(
        "ignored", "away until 2026-03-10", persona(temperament="flaky", timing=AWAY), seeds=200),
    "out of patience": Silence(
        "ignored", "out of patience", persona(temperament="difficult", timing={"reply_rate": 0.02}),
        said(b"Is it there?", 99), tuple(said(b"Reminder: still waiting. This is urgent!", n) for n in range(12)),
        seeds=50),
}


class PreviewTests(RoadTestCase):
    """What is told beforehand is what happens."""

    def universe_of(self, silence: Silence, seed: int) -> Universe:
        """A universe with that somebody, after what came before."""
        server = MemoryServer(Config(people=silence.limits))
        universe = server.universe(seed=f"seed {seed}")
        now(universe.people.create(silence.person))
        if silence.prepare is not None:
            silence.prepare(universe)
        for octets in silence.before:
            server.send(universe, APP, MARIA, octets)
        self.server, self.universe = server, universe
        return universe

    def previewed(self, silence: Silence) -> Any:
        """What somebody would make of the mail."""
        maria = self.universe.people.at(MARIA)
        assert maria is not None
        octets = silence.mail.replace(b"\n", b"\r\n")
        return now(self.universe.decisions.preview(maria, read(octets), silence.sender))

    def test_silences_are_explained_alike(self) -> None:
        """For each of 22 cases of silence the preview and the event give the same why, with what decided."""
        self.assertGreaterEqual(len(SILENCES), 20)
        for name, silence in SILENCES.items():
            expected = {"junked": "junk", "bounced": "bounce", "batched": "batch", "ignored": "ignore"}[silence.kind]
            for seed in range(silence.seeds):
                self.universe_of(silence, seed)
                told = self.previewed(silence)
                if told.decision == expected and silence.words in " ".join(told.why):
                    break
            self.assertEqual(told.decision, expected, name)
            before = len(self.events(f"persona.{silence.kind}"))
            self.server.send(self.universe, silence.sender, MARIA, silence.mail)
            events = self.events(f"persona.{silence.kind}")[before:]
            self.assertEqual(len(events), 1, name)
            data = events[0]["data"]
            self.assertEqual(data["why"], told.why[0], name)
            explained = " | ".join([data["why"], *data.get("because", ())])
            self.assertIn(silence.words, explained, name)
            self.assertIn(silence.words, " | ".join(told.why), name)

    def test_stores_nothing(self) -> None:
        """A preview changes nothing, and asking again gives the same."""
        silence = SILENCES["a rate of nothing"]
        self.universe_of(silence, 0)
        before = now(fingerprint(self.universe))
        first = self.previewed(silence)
        self.assertEqual(self.previewed(silence), first)
        self.assertEqual(now(fingerprint(self.universe)), before)

    def test_reply_is_due_as_told(self) -> None:
        """A reply that is foretold is planned for that instant."""
        silence = Silence("replied", "", persona())
        self.universe_of(silence, 0)
        told = self.previewed(silence)
        self.server.send(self.universe, APP, MARIA, MAIL)
        (job,) = self.universe.pending.by_id.values()
        self.assertEqual((told.decision, told.would_send, told.due), ("reply", True, job.due))


class LoopTests(RoadTestCase):
    """Mail never goes round."""

    def test_two_personas(self) -> None:
        """Two people who always answer one another come to an end."""
        for name in ("maria", "tom"):
            now(self.universe.people.create(persona(
                addresses=[f"{name}@acme.test"], name=name.capitalize(),
                timing={"reply_rate": 1.0, "delay": {"median": "3h"}})))
        self.server.send(self.universe, "tom@acme.test", MARIA, MAIL.replace(b"app@sim.test", b"tom@acme.test"))
        moved = turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(moved.stopped_by, "idle")
        self.assertLessEqual(len(self.events("persona.sent")), 2 * 7)
        self.assertIn("between personas", self.events("persona.ignored")[-1]["data"]["because"][0])

    def test_auto_responder(self) -> None:
        """Notices with automatic signs are never answered."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, APP, MARIA, MAIL)
        self.answer_everything(b"Auto-Submitted: auto-replied\n")
        self.assertEqual(len(self.events("persona.sent")), 1)

    def test_auto_responder_without_signs(self) -> None:
        """One that looks like a person is seen through when it says the same for the third time."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, APP, MARIA, MAIL)
        self.answer_everything(b"")
        self.assertEqual([event["data"]["kind"] for event in self.events("persona.sent")], ["reply"] * 3)
        ignored = self.events("persona.ignored")[-1]["data"]
        self.assertEqual(ignored["why"], "loop")
        self.assertIn("say the same", ignored["because"][0])

    def test_people_may_repeat_themselves(self) -> None:
        """The same words sent again without an answer in between are no loop."""
        now(self.universe.people.create(persona()))
        for n in range(5):
            self.server.send(self.universe, APP, MARIA, headed(
                b"References: <one@app.test>", octets=MAIL.replace(b"<one@", b"<n%d@" % n)))
        self.assertEqual(self.events("persona.ignored"), [])

    def answer_everything(self, field: bytes) -> None:
        """For thirty days, answer each mail with the same words."""
        answered = 0
        for n in range(40):
            turned(self.universe, self.universe.scheduler.advance(until="idle"))
            mails = self.inbox() if self.universe.store.exists(APP) else []
            if len(mails) == answered:
                break
            for mail in mails[answered:]:
                references = " ".join((*mail.references, mail.message_id)).encode()
                self.server.send(self.universe, APP, MARIA, (
                    b"From: app@sim.test\nTo: maria@acme.test\nSubject: Re: Lunch on Friday?\nMessage-ID: <x%d@app>\n%b"
                    b"In-Reply-To: %b\nReferences: %b\n\nThank you for your mail, received at %d:30. Is all well?\n"
                    % (n, field, mail.message_id.encode(), references, n)))
            answered = len(mails)


class QueueTests(RoadTestCase):
    """Mail that comes faster than it can be decided about."""

    def test_long(self) -> None:
        """Beyond some octets messages are not held but read again, and all are decided about in order."""
        self.patch(inbox_worker, "MOST_HELD", 2 * len(MAIL))
        now(self.universe.people.create(persona()))
        # Somebody else's turn: nothing is decided about.
        now(self.universe.inbox._turn.acquire())
        for n in range(4):
            self.server.send(self.universe, APP, MARIA, said(b"Could we meet for lunch on Friday at 12:30?", n))
        held = [octets is not None for _, octets, _ in self.universe.inbox._queue]
        self.assertEqual((held[0], held[-1]), (True, False))
        self.universe.inbox._turn.release()
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual([event["data"]["message_id"] for event in self.events("persona.received")],
                         [f"<s{n}@app.test>" for n in range(4)])
        self.assertEqual((self.universe.inbox.lag, self.universe.inbox._held), (0, 0))


class PromiseTests(RoadTestCase):
    """What became of a promise whose job is gone."""

    def test_skipped_delivery_is_forgotten_until_asked(self) -> None:
        """When its job was skipped by hand, a promise is forgotten, and done late once somebody asks."""
        now(self.universe.people.create(persona(behaviors={"keep_promises": 1.0})))
        maria = self.universe.people.at(MARIA)
        assert maria is not None
        now(self.universe.case_editor.push({
            "title": "Offer", "people": [{"persona_id": maria.id}, {"address": APP}], "deliverables": [
                {"name": "the price list", "persona_id": maria.id, "due": "2026-03-05T09:00:00Z"}]}))
        (job,) = self.universe.pending.by_id.values()
        now(self.universe.scheduler.skip(job.id))
        self.server.send(self.universe, APP, MARIA, said(b"Where is the price list? Could you send it?"))
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        kinds = [event["data"]["kind"] for event in self.events("persona.sent")]
        self.assertEqual(kinds.count("deliver"), 1)
        relations, _ = now(self.universe.memories.relations(maria.id))
        self.assertEqual([one.what for one in relations[0].open_promises if one.by == "persona"
                          and one.what == "the price list"], [])
