"""
Fault rules of one universe: kept, judged at once, counted, recorded.

What was counted is kept with C{fault.hit}, so that "the first three" are three
across a restart too.  Source: API contract, "Fault rule" and "Faults";
decisions, section 12.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.rng import Dice
from simmail.core.rules.fault_library import added
from simmail.core.rules.fault_rule import FaultRule, NumberedRule, is_advanced, rules_of, shown
from simmail.core.rules.faults import FaultCount, FaultEvent, FaultVerdict, Judged, hits, is_fleeting, is_lasting, judge
from simmail.core.rules.login_name import split
from simmail.core.rules.quota_plan import Plan
from simmail.errors import Invalid, Unavailable
from simmail.interfaces import IDatabase
from simmail.universe.clock import UniverseClock
from simmail.universe.committer import Committer
from simmail.universe.policy import Policy
from simmail.universe.settings import Settings

#: Stages of SMTP at which nobody knows yet what a session is about: the default universe's rules count there.
BEFORE_UNIVERSE = ("connect", "helo", "starttls")

#: Marks kept in memory; the oldest go first.
MOST_MARKS = 100_000

#: Marks of connections, more than there may be at once; these are not in the database.
MOST_FLEETING = 20_000


class Faults:
    """
    The fault rules of one universe.

    @param default: the id of the universe whose rules count before a session says which it is for.
    """

    log = Logger()

    def __init__(
        self, universe: str, default: str, database: IDatabase, settings: Settings, policy: Policy,
        clock: UniverseClock, dice: Dice, committer: Committer, plan: Callable[[], Plan],
    ) -> None:
        self._universe = universe
        self._default = default
        self._database = database
        self._settings = settings
        self._policy = policy
        self._clock = clock
        self._dice = dice
        self._committer = committer
        self._plan = plan
        self._marks: dict[str, FaultCount] = {}
        self._fleeting: dict[str, FaultCount] = {}
        self._unsaved: dict[str, FaultCount | None] = {}
        self._events: list[Event] = []
        self._saving = False
        self.rules: tuple[NumberedRule, ...] = ()

    async def start(self) -> None:
        """Learn rules and what was counted."""
        self.rules = rules_of(self._settings.get("faults") or [])
        for key, octets in (await self._database.table(self._universe, "marks")).items():
            self._marks[key] = msgspec.json.decode(octets, type=FaultCount)

    def shown(self) -> list[dict[str, Any]]:
        """The rules in order, each with its hits."""
        return [shown(rule, hits(rule, self._marks)) for rule in self.rules]

    async def put(self, value: Any, name: str = "") -> list[dict[str, Any]]:
        """
        Replace all rules.  One that comes back as it was read, with its C{hits}, goes on counting; others begin anew.

        @param name: the scenario that is behind the change, if one is.
        @raise Invalid: naming the rule by its place and the field; a stage at which no rule of this universe can fire.
        @raise FeatureMissing: the plan lacks C{chaos} and a rule needs it.
        """
        rules = rules_of(value)
        for n, rule in enumerate(rules):
            if rule.stage in BEFORE_UNIVERSE and self._universe != self._default:
                raise Invalid(
                    f"{n}.stage", f"{rule.stage} comes before a session says which universe it is for; such a rule "
                    f"works in the universe {self._default} only")
        if any(is_advanced(rule) for rule in rules):
            self._plan().require("chaos")
        kept = {rule.identity for rule, given in zip(rules, value) if "hits" in given}
        gone = [key for key in self._marks if not any(key.startswith(one + "\0") for one in kept)]
        await self._settings.put(
            "faults", [_stored(rule) for rule in rules],
            Event("faults.updated", self._clock.now(), {"rules": len(rules), "scenario": name}),
            drops=tuple(("marks", key) for key in gone))
        for key in gone:
            self._marks.pop(key, None)
            self._unsaved.pop(key, None)
        self._fleeting = {
            key: mark for key, mark in self._fleeting.items() if any(key.startswith(one + "\0") for one in kept)}
        self.rules = rules
        return self.shown()

    async def add_scenario(self, scenario_id: str, match: str = "", window: Any = None) -> list[dict[str, Any]]:
        """
        Append a scenario's rule, enabled, at the end.

        @raise NotFound: an unknown scenario.  @raise FeatureMissing: the plan lacks C{chaos}.
        """
        rule = added(scenario_id, match, window)
        return await self.put([*self.shown(), _stored(rule)], scenario_id)

    def judge(self, passing: FaultEvent) -> FaultVerdict | None:
        """What happens at a stage; immediate.  A rule that fires is recorded behind the answer."""
        if not self.rules:
            return None
        name, universe = split(passing.login) if "%" in passing.login else ("", "")
        if universe == self._universe:
            # In a fork the same login meets what it met in the original.
            passing = passing._replace(login=name)
        verdict, changed = self._judged(passing)
        if not changed:
            return verdict
        marks = []
        for key, mark in changed:
            kept = self._fleeting if is_fleeting(key) else self._marks
            kept.pop(key, None)
            kept[key] = mark
            if kept is self._marks:
                marks.append((key, mark))
        events: tuple[Event, ...] = ()
        if verdict is not None:
            hit = {"rule": verdict.rule, "kind": verdict.kind, "stage": verdict.stage, "address": verdict.address,
                   "code": verdict.code}
            if passing.sender:
                hit["from"] = passing.sender
            events = (Event("fault.hit", self._clock.now(), hit),)
            if verdict.kind == "auth_fail":
                events += self._auth_failed(passing, verdict),
        self._record(marks, events)
        return verdict

    def foretell(self, passing: FaultEvent) -> FaultVerdict | None:
        """Return what would happen at a stage; nothing is counted or recorded."""
        return self._judged(passing).verdict

    def _judged(self, passing: FaultEvent) -> Judged:
        return judge(self.rules, passing, ChainMap(self._marks, self._fleeting), self._clock.now(), self._dice)

    def _auth_failed(self, passing: FaultEvent, verdict: FaultVerdict) -> Event:
        account = self._policy.login(passing.login.strip().lower())
        return Event("auth.failed", self._clock.now(), {
            "proto": "imap" if passing.stage == "imap_login" else "smtp", "username": passing.login,
            "address": account.address if account is not None else "", "remote": passing.ip,
            "why": f"fault rule {verdict.rule}"})

    def _record(self, marks: Sequence[tuple[str, FaultCount]], events: tuple[Event, ...]) -> None:
        self._unsaved.update(marks)
        while len(self._fleeting) > MOST_FLEETING:
            del self._fleeting[next(iter(self._fleeting))]
        if len(self._marks) > MOST_MARKS:
            # A tenth at once: each look for the oldest passes those that last.
            passing = (key for key in tuple(self._marks) if not is_lasting(key))
            for oldest in islice(passing, len(self._marks) - MOST_MARKS + MOST_MARKS // 10):
                del self._marks[oldest]
                self._unsaved[oldest] = None
        self._events += events
        if not self._saving and (self._unsaved or self._events):
            self._saving = True
            Deferred.fromCoroutine(self._save()).addErrback(
                lambda failure: self.log.failure("faults are not recorded", failure))

    async def _save(self) -> None:
        """Commit what was counted, and what has been since while that was under way."""
        try:
            while self._unsaved or self._events:
                marks, events = self._unsaved, self._events
                self._unsaved, self._events = {}, []
                if not self._committer.available:
                    continue
                try:
                    await self._committer.commit(Commit(
                        puts=tuple(("marks", key, msgspec.json.encode(mark)) for key, mark in marks.items() if mark),
                        drops=tuple(("marks", key) for key, mark in marks.items() if mark is None),
                        events=tuple(events)))
                except Unavailable as error:
                    self.log.warn("a fault was not recorded: {error}", error=error)
        finally:
            self._saving = False


def _stored(rule: FaultRule) -> dict[str, Any]:
    fields = shown(rule)
    del fields["hits"]
    return fields
