"""
Playing a scenario: universes made from it, steps one after another, and the application's turns between them.

The clock stands still but while a step moves it.  It moves from one thing that is due to the next; where mail reached
the application, or its time has come (C{app.every}), it stands until the application has ended its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial
from typing import Any

from msgspec import convert, to_builtins

from simmail.client import Client
from simmail.client.story import Story
from simmail.core.time.instant import format_instant, parse_duration
from simmail.scenario.application import ApplicationProcess, TestedCommand
from simmail.scenario.outcome import Held, Played, Result, about, held, lost
from simmail.scenario.script import ScenarioFile, ScenarioStep

#: Told what is being done, and at which instant; without one, what is done.
Telling = Callable[[str, datetime | None], object]

#: Real time after which universes go by themselves, should nobody remove them; the longest of plays is over by then.
TTL = "2d"

_Turns = Generator[datetime, None, None]


def results(
    admin: Client, scripts: Iterable[ScenarioFile], program: TestedCommand, runs: int, seed: str, tell: Telling
) -> Iterator[Result]:
    """
    Play each scenario so often, each time from one seed; the file's own, unless C{seed} is given.

    @param admin: with an administrator's key.
    @raise ApiError: the service refused something.  @raise NotRunning: so did the application.
    """
    for script in scripts:
        drawn = seed or script.own_seed
        base = prepare(admin, script, drawn)
        made, played = [base], []
        try:
            for n in range(1, runs + 1):
                name = script.name if runs == 1 else f"{script.name} {n}/{runs}"
                made.append(base.fork(ttl=TTL))
                played.append(_played(Play(script, made[-1], partial(_named, tell, name)), program))
                tell(f"{name}: {'passed' if played[-1].passed else 'failed'}", None)
                _remove(admin, made.pop())
        finally:
            for one in made:
                _remove(admin, one)
        yield Result(script, drawn, tuple(played))


def _played(play: Play, program: TestedCommand) -> Played:
    application = ApplicationProcess(program, play.client, play.script.app)
    try:
        for now in play.turns():
            application.turn(now)
        application.check()
    finally:
        application.stop()
    return play.outcome(application.failures)


def _named(tell: Telling, name: str, what: str, at: datetime | None) -> None:
    tell(f"{name}: {what}", at)


def _remove(admin: Client, universe: Client) -> None:
    universe.close()
    admin.delete(universe.universe)


def prepare(admin: Client, script: ScenarioFile, seed: str) -> Client:
    """Make the universe that all runs of a scenario begin as."""
    base = admin.create(TTL, clock=format_instant(script.clock), seed=seed, login=script.app.address)
    for persona in script.people:
        base.call("POST", "/api/personas", persona)
    for case in script.cases:
        base.call("POST", "/api/cases", case)
    if script.world is not None:
        base.call("PUT", "/api/world", script.world)
    if script.faults:
        base.call("PUT", "/api/faults", script.faults)
    base.call("PUT", "/api/score/expectations", {"expectations": to_builtins(script.expect)})
    return base


class Play:
    """
    One run, in a universe of its own.

    @ivar script: what is played; client: the universe.
    """

    def __init__(self, script: ScenarioFile, client: Client, tell: Telling = lambda what, at: None) -> None:
        self.script = script
        self.client = client
        self._show = tell
        self._now = script.clock
        self._seen = 0
        self._sent = 0
        self._mails = self._counted = 0
        self._turns = 0
        self._next = script.clock
        self._answered: set[str] = set()
        self._told: list[str] = []
        self._late: dict[str, list[str]] = {}

    def turns(self) -> Iterator[datetime]:
        """
        Play all steps; yield the instant of each of the application's turns, which is over when the next is asked for.

        @raise ApiError: the service refused something.
        """
        for n, step in enumerate(self.script.steps, 1):
            kind = step.kind
            self._show(f"step {n}/{len(self.script.steps)} {kind}", self._now)
            yield from _STEPS[kind](self, getattr(step, kind)) or ()

    def outcome(self, failures: Iterable[str] = ()) -> Played:
        """Return what came of it, with the turns that did not end well.  @raise ApiError: it was refused."""
        report = self.client.score()
        fingerprint: str = self.client.call("GET", "/api/fingerprint")["fingerprint"]
        story = Story(self.client.events(), ()).lines
        # Sorted by their instants alone: what was recorded at one instant stays in its order.
        told = sorted((*self._told, *story), key=lambda line: line[:19])
        kept = held(self.script, report, self._late)
        if self._runs_wild():
            kept += (Held("most", f"It sends no more than {self.script.app.most} mails", False, (
                f"it had sent {self._mails} and was stopped",)),)
        return Played(kept, report.score, fingerprint, tuple(told),
                      self._turns, tuple(failures))

    # The clock

    def _advance(self, by: str) -> _Turns:
        return self._until(self._now + parse_duration(by))

    def _until(self, end: datetime) -> _Turns:
        every = None if self.script.app.every is None else parse_duration(self.script.app.every)
        yield from self._turn_if_due(every)
        while self._now < end:
            self._go(min(end, self._next) if every is not None else end)
            yield from self._turn_if_due(every)

    def _absent(self, by: str) -> None:
        end = self._now + parse_duration(by)
        while self._now < end:
            self._go(end)

    def _go(self, limit: datetime) -> None:
        """Let time go by until the next job has been done, or to the limit."""
        # What was accepted has to have been decided about before what is due next is known.
        self.client.advance(by="0s")
        due = self.client.call("GET", "/api/clock")["next_job"]
        to = limit if due is None else min(limit, max(self._now, convert(due["due"], datetime)))
        self._now = self.client.advance(to=format_instant(to)).to

    def _turn_if_due(self, every: timedelta | None) -> _Turns:
        """Give the application its turn when there is new mail, when its time has come, and at first."""
        newest = next((mail.uid for mail in self.client.inbox(self.script.app.address, limit=1)), 0)
        timely = every is not None and self._now >= self._next
        if (newest > self._seen or timely or not self._turns) and not self._runs_wild():
            self._seen, self._turns = max(newest, self._seen), self._turns + 1
            if every is not None:
                self._next = self._now + every
            self._show("the application's turn", self._now)
            yield self._now

    def _runs_wild(self) -> bool:
        """Whether the application has sent more mails than it may."""
        for event in self.client.events("mail.delivered", self._counted):
            self._counted = event.id
            self._mails += 1
        return self._mails > self.script.app.most

    # Mail

    def _send(self, mail: Any) -> None:
        self._put(mail.from_, mail.subject, mail.text, mail.headers, mail.vouched)

    def _reply(self, answer: Any) -> None:
        """Answer the newest mail of the application that lies in somebody's mailbox."""
        mails = [one for one in self.client.inbox(answer.from_) if one.from_ == self.script.app.address]
        if not mails or mails[0].message_id in self._answered:
            self._tell(f"{answer.from_} has nothing to answer")
            return
        mail = mails[0]
        self._answered.add(mail.message_id)
        subject = mail.subject if mail.subject[:3].lower() == "re:" else f"Re: {mail.subject}"
        quoted = "\n".join(f"> {line}" for line in mail.text.splitlines())
        self._put(answer.from_, subject, f"{answer.text}\n\n{quoted}\n", {
            "In-Reply-To": mail.message_id, "References": " ".join((*mail.references, mail.message_id)),
            **answer.headers})

    def _put(self, sender: str, subject: str, text: str, headers: Mapping[str, str], vouched: bool = True) -> None:
        """Put a mail into the application's mailbox as the mail server of its domain would."""
        self._sent += 1
        to, author = self.script.app.address, parseaddr(sender)[1]
        verdict = "pass" if vouched else "fail"
        mail = EmailMessage(policy=SMTP)
        mail["Return-Path"] = f"<{author}>"
        mail["Authentication-Results"] = (
            f"mx.{to.partition('@')[2]}; spf={verdict}; dkim={verdict}; dmarc={verdict}")
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        mail["Date"] = format_datetime(self._now)
        mail["Message-ID"] = f"<step-{self._sent}@{author.partition('@')[2]}>"
        for name, value in headers.items():
            mail[name] = value
        mail.set_content(text)
        self.client.call("POST", "/api/inject", {"to": to, "raw": mail.as_bytes().decode("ascii")})
        self._tell(f"{author} wrote \u201c{subject}\u201d to {to}")

    def _fire(self, firing: Any) -> None:
        self.client.call("POST", f"/api/world/streams/{firing.stream}/fire", {"count": firing.count})
        self._now = self.client.advance(by="0s").to

    # Settings and expectations

    def _faults(self, rules: Any) -> None:
        self.client.call("PUT", "/api/faults", rules)
        self._tell("faults: " + (", ".join(one.get("name") or one["kind"] for one in rules) or "none"))

    def _world(self, world: Any) -> None:
        self.client.call("PUT", "/api/world", world)

    def _people(self, people: Any) -> None:
        for persona in people:
            self.client.call("POST", "/api/personas", persona)

    def _expect(self, ids: Any) -> None:
        report = self.client.score()
        for id in ids:
            points = about(id, report)
            wrong = lost(points) if points else [f"had not come true by {format_instant(self._now)}"]
            self._late.setdefault(id, []).extend(wrong)

    def _tell(self, what: str) -> None:
        self._told.append(f"{self._now:%Y-%m-%d %H:%M:%S}  step: {what}")


_STEPS: Mapping[str, Callable[[Play, Any], _Turns | None]] = {
    name: getattr(Play, f"_{name}") for name in ScenarioStep.__struct_fields__}
