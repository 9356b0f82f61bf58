"""Tests of what overlaps: a decision with its delivery, a commit with the next job, a letter with the one before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from simmail.core.compose.message_id import message_id
from simmail.core.records.commit import Commit, Committed
from simmail.core.records.job import Job
from simmail.core.rng import Dice
from simmail.core.rules.recipients import RecipientVerdict
from simmail.core.writer import WordsRequest, Written
from simmail.core.writer import write as words
from simmail.errors import Unavailable
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.jobs import letters, runner
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.mailflow.post_office import MOST_DURING_ADVANCE
from simmail.universe.people import inbox_worker
from tests.universe.test_road import MAIL, RoadTestCase, persona

PEOPLE = 12


class HurryTestCase(RoadTestCase):
    """A Redis that answers when it is let."""

    def setUp(self) -> None:
        """Some people who always answer, one after another."""
        super().setUp()
        commit = self.server.database.commit
        self.made: list[Commit] = []
        self.patience: list[bool] = []
        self.held: list[Callable[[], Any]] = []
        self.holding = False

        def later(universe: str, one: Commit, patient: bool = False) -> Deferred[Committed]:
            self.made.append(one)
            self.patience.append(patient)
            if not self.holding:
                return commit(universe, one)
            done: Deferred[Committed] = Deferred()
            self.held.append(lambda: commit(universe, one).chainDeferred(done))
            return done

        self.patch(self.server.database, "commit", later)
        for n in range(PEOPLE):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"Maria Number{n}")))
        self.made.clear()

    def let_go(self, most: int = 1000) -> None:
        """Redis answers."""
        while self.held and most:
            self.held.pop(0)()
            most -= 1

    def accept(self, n: int, to: list[str] | None = None) -> None:
        """The application writes to the n-th of them."""
        Deferred.fromCoroutine(self.universe.postoffice.accept(Submission(
            sender="app@sim.test", save_sent=False,
            recipients=tuple(Recipient(one, RecipientVerdict("deliver")) for one in to or [f"p{n}@acme.test"]),
            octets=MAIL.replace(b"\n", b"\r\n").replace(b"<one@", b"<n%d@" % n))))

    def restart(self) -> None:
        """The same disk and database under a new process."""
        self.holding = False
        server = MemoryServer()
        server.database, server.stores, server.unique = self.server.database, self.server.stores, self.server.unique
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.images, server.reactor, maybeDeferred, server.unique,
            server.web, server.endpoints, server.model)
        now(server.roster.start())
        server.roster.begin()
        self.server, self.universe = server, server.roster.universe("main")

    def moving(self) -> list[Any]:
        """The clock is being moved by three days; what came of it, so far."""
        result: list[Any] = []
        Deferred.fromCoroutine(self.universe.scheduler.advance(by=timedelta(days=3))).addBoth(result.append)
        return result


class JoinedTests(HurryTestCase):
    """A delivery and the decision about it."""

    def test_one_commit(self) -> None:
        """A message to one persona is one commit, told in order; to several it is one more for each."""
        self.accept(0)
        (commit,) = self.made
        self.assertEqual([event.type for event in commit.events],
                         ["mail.delivered", "persona.received", "job.scheduled"])
        self.assertEqual((commit.arrive, len(commit.jobs)), ((), 1))
        self.assertEqual(len(self.universe.pending.by_id), 1)
        self.accept(1, ["p1@acme.test", "p2@acme.test"])
        self.assertEqual([len(one.arrive) for one in self.made], [0, 2, 0, 0])
        self.assertEqual(len(self.universe.pending.by_id), 3)

    def test_in_order(self) -> None:
        """A few wait for the one before and are joined likewise; of a crowd none does, and the order is kept."""
        self.holding = True
        for n in range(3):
            self.accept(n)
        self.assertEqual(len(self.held), 1)
        self.let_go()
        self.assertEqual([len(one.arrive) for one in self.made], [0, 0, 0])
        self.made.clear()
        crowd = inbox_worker.MOST_BEHIND + 2
        for n in range(crowd):
            self.accept(n)
        self.assertEqual([len(one.arrive) for one in self.made], [0] + [1] * (crowd - 1))
        self.let_go()
        self.assertEqual([event["data"]["message_id"] for event in self.events("persona.received")],
                         [f"<n{n}@app.test>" for n in (*range(3), *range(crowd))])

    def test_behind_the_undecided(self) -> None:
        """While something waits to be decided about, nothing overtakes it."""
        self.holding = True
        self.accept(0, ["p0@acme.test", "p1@acme.test"])
        self.accept(2)
        self.assertEqual([len(one.arrive) for one in self.made], [2, 1])
        self.let_go()
        self.assertEqual([event["data"]["persona"] for event in self.events("persona.received")],
                         ["Maria Number0", "Maria Number1", "Maria Number2"])

    def test_no_decision(self) -> None:
        """What cannot be decided about at once is delivered all the same, and decided about from the queue."""
        decide, tried = self.universe.decisions.decide, []

        async def stumbling(arrival: Any, octets: bytes | None) -> Commit:
            tried.append(arrival.id)
            if len(tried) == 1:
                raise ValueError("stumbled")
            return await decide(arrival, octets)

        self.patch(self.universe.decisions, "decide", stumbling)
        self.accept(0)
        self.assertEqual([len(one.arrive) for one in self.made], [1, 0])
        self.assertEqual((len(tried), len(self.events("persona.received"))), (2, 1))

    def test_cut_short(self) -> None:
        """Before the commit is made the journal has the message, and the decision is taken at the next start."""
        self.holding = True
        self.accept(0)
        self.held.clear()
        self.restart()
        self.assertEqual([event["type"] for event in self.events("mail.*", "persona.received", "job.*")],
                         ["mail.delivered", "persona.received", "job.scheduled"])


class HurriedTests(HurryTestCase):
    """Jobs while the clock is moved straight through."""

    def setUp(self) -> None:
        """Everybody is going to answer."""
        super().setUp()
        for n in range(PEOPLE):
            self.accept(n)
        self.holding = True

    def test_commits_under_way(self) -> None:
        """A few are under way at once, in order; nothing is told and the clock does not arrive before they are made."""
        told, moved = self.universe.log.last, self.moving()
        self.assertEqual((len(self.held), self.universe.log.last), (MOST_DURING_ADVANCE + 1, told))
        self.let_go(MOST_DURING_ADVANCE)
        self.assertEqual(len(self.held), 1)
        self.let_go(PEOPLE - 1 - MOST_DURING_ADVANCE)
        self.assertEqual((len(self.held), moved, self.universe.clock.now() < START + timedelta(days=3)), (1, [], True))
        self.let_go()
        self.assertEqual((moved[0].jobs_run, moved[0].to), (PEOPLE, START + timedelta(days=3)))
        self.assertEqual(moved[0].events[1], self.universe.log.last)
        dues = [event["at"] for event in self.events("persona.sent")]
        self.assertEqual((len(dues), dues), (PEOPLE, sorted(dues)))
        # The clock waits for each of them.
        self.assertNotIn(True, self.patience)

    def test_one_by_one(self) -> None:
        """A move that an event may end knows what each job did before the next."""
        result: list[Any] = []
        Deferred.fromCoroutine(self.universe.scheduler.advance(until="event:persona.sent")).addBoth(result.append)
        self.assertEqual(len(self.held), 1)
        self.let_go()
        self.assertEqual((result[0].jobs_run, result[0].stopped_by), (1, "event"))

    def test_other_jobs_wait(self) -> None:
        """What the journal does not have is done when everything before is true."""
        last = max(self.universe.pending.by_id.values(), key=lambda job: job.due)
        link = Job(id="j_link", kind="world", state="pending", created=START, due=last.due + timedelta(minutes=1))
        self.universe.pending.add([link])
        self.moving()
        self.let_go(PEOPLE - 1)
        self.assertEqual([one.jobs[0].id for one in self.made[-1:]], [last.id])
        self.let_go()
        self.assertEqual(self.made[-2].jobs[0].state, "skipped")

    def test_crash(self) -> None:
        """What was under way is completed from the journal, once: the same universe as without a crash."""
        self.moving()
        self.let_go(2)
        self.held.clear()
        self.restart()
        turned(self.universe, self.universe.scheduler.advance(to=START + timedelta(days=3)))
        self.assertEqual(len(self.events("persona.sent")), PEOPLE)
        crashed = now(fingerprint(self.universe))
        self.setUp()
        self.holding = False
        turned(self.universe, self.universe.scheduler.advance(to=START + timedelta(days=3)))
        undisturbed = now(fingerprint(self.universe))
        self.assertEqual(crashed, undisturbed)


class AheadTests(HurryTestCase):
    """Letters thought out while the one before is on its way."""

    def setUp(self) -> None:
        """Words are noted down; the journal takes its time."""
        super().setUp()
        self.requests: list[WordsRequest] = []
        self.filing: list[Callable[[], Any]] = []
        self.durable: list[Callable[[], None] | None] = []

        def write(request: WordsRequest) -> Written:
            self.requests.append(request)
            return words(request)

        self.patch(letters, "write", write)
        for n in range(3):
            self.accept(n)
        store = self.server.stores["main"]
        accept = store.accept

        def slowly(delivery: Any, durable: Callable[[], None] | None = None) -> Deferred[Any]:
            done: Deferred[Any] = Deferred()
            self.filing.append(lambda: accept(delivery).chainDeferred(done))
            self.durable.append(durable)
            return done

        self.patch(store, "accept", slowly)

    def file(self, most: int = 1000) -> None:
        """They are filed."""
        while self.filing and most:
            self.filing.pop(0)()
            self.server.reactor.advance(0)
            most -= 1

    def moving(self) -> list[Any]:
        """The same, and a turn of the reactor."""
        result = super().moving()
        self.server.reactor.advance(0)
        return result

    def test_written_once(self) -> None:
        """The next ones are written meanwhile, one in a turn, and not again at their turn."""
        self.moving()
        self.assertEqual((len(self.filing), len(self.requests)), (1, 3))
        self.file(1)
        self.assertEqual((len(self.filing), len(self.requests)), (1, 3))
        self.file()
        self.assertEqual((len(self.requests), len(self.events("persona.sent"))), (3, 3))

    def test_only_the_next(self) -> None:
        """No more are thought out than are likely to be wanted soon, one more as soon as one is done."""
        for n in range(3, PEOPLE):
            self.accept(n)
        self.file()
        self.moving()
        self.assertEqual((len(self.filing), len(self.requests)), (1, 1 + runner.MOST_AHEAD))
        self.file(1)
        self.assertEqual((len(self.filing), len(self.requests)), (1, 2 + runner.MOST_AHEAD))
        self.file()
        self.assertEqual(len(self.requests), PEOPLE)

    def test_other_page(self) -> None:
        """The words stay, and go out under the number that the letter has by then."""
        self.moving()
        asked = self.requests[1].persona
        nth, (*place, _) = self.universe.people.next_sent(asked)
        self.universe.people.sent(asked, nth)
        self.file()
        self.assertEqual((len(self.requests), len(self.events("persona.sent"))), (3, 3))
        self.assertEqual(now(self.server.database.get("main", place[0], [place[1]])), [b"%d" % (nth + 1)])
        ids = {event["data"]["persona"]: event["data"]["message_id"] for event in self.events("persona.sent")}
        client = (asked.style.client if asked.style else None) or "plain"
        self.assertEqual(ids[asked.name], message_id(Dice(self.universe.seed), client, asked.address, nth + 1))

    def test_written_again(self) -> None:
        """When something changes that it was written from, it is written from what is true then."""
        self.moving()
        ahead = self.requests[1].persona
        changed = replace(ahead, name="Quite Another")
        self.universe.people._by_id[ahead.id] = changed
        self.file()
        self.assertEqual([request.persona.name for request in self.requests].count(changed.name), 1)
        self.assertIn(changed.name, self.inbox()[1].text + self.inbox()[1].from_.name)

    def test_left_behind_when_durable(self) -> None:
        """The next letter goes out as soon as the one before is durable; all are filed and committed in order."""
        moved = self.moving()
        self.made.clear()
        for n in range(3):
            durable = self.durable[n]
            assert durable is not None
            durable()
            self.server.reactor.advance(0)
        self.assertEqual((len(self.filing), self.made, moved), (3, [], []))
        self.assertEqual(self.universe.pending.by_id, {})
        self.file()
        self.assertEqual(moved[0].jobs_run, 3)
        dues = [event["at"] for event in self.events("persona.sent")]
        self.assertEqual((len(dues), dues), (3, sorted(dues)))

    def test_refused(self) -> None:
        """What is not durable was not sent: the move ends there, and the job is still to be done."""
        moved, accept = self.moving(), self.server.stores["main"].accept
        refused: Deferred[Any] = Deferred()
        self.patch(self.server.stores["main"], "accept", lambda delivery, durable=None: refused)
        self.file(1)
        refused.errback(Failure(Unavailable("the disk is full")))
        moved[0].trap(Unavailable)
        self.assertEqual((len(self.events("persona.sent")), len(self.universe.pending.by_id)), (1, 2))
        self.patch(self.server.stores["main"], "accept", accept)
        self.moving()
        self.file()
        self.assertEqual((len(self.events("persona.sent")), self.universe.pending.by_id), (3, {}))

    def test_not_past_the_end(self) -> None:
        """What the clock does not come to is not written."""
        first = min(self.universe.pending.by_id.values(), key=lambda job: job.due)
        Deferred.fromCoroutine(self.universe.scheduler.advance(to=first.due))
        self.assertEqual((len(self.filing), len(self.requests)), (1, 1))
        self.file()
