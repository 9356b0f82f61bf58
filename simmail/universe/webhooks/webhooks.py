"""
The webhooks of a universe: which there are, where each stands, and what was tried.

Source: API contract, "Webhooks" and "Webhook request"; decisions, section 14.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.core.time.instant import format_instant
from simmail.core.webhook.endpoint import (
    Attempt, ShownWebhook, Webhook, WebhookFields, WebhookState, configured, shown,
)
from simmail.core.webhook.retry import WebhookAnswer
from simmail.errors import Conflict, Invalid, NotFound
from simmail.interfaces import IDatabase, IWebhookSender
from simmail.universe.committer import Committer
from simmail.universe.eventlog import EventLog
from simmail.universe.webhooks.delivery import EventBody, WebhookDelivery, request_headers

#: Attempts that are kept.
MOST_ATTEMPTS = 1000

#: Real seconds after which what changed is noted.
SOON = 0.5

#: Tables of the database: the list and the places by id; attempts by their number, round and round.
TABLE, ATTEMPTS, LIST = "webhooks", "webhook_attempts", "list"

_webhooks = msgspec.json.Decoder(tuple[Webhook, ...]).decode
_state = msgspec.json.Decoder(WebhookState).decode
_attempt = msgspec.json.Decoder(Attempt).decode


class Webhooks:
    """
    Webhooks of one universe.

    @param now: the simulated clock, for events; reactor: real time, for everything else.
    @param unique: makes ids.
    """

    def __init__(
        self, universe: str, database: IDatabase, events: EventLog, sender: IWebhookSender, committer: Committer,
        now: Callable[[], datetime], unique: Callable[[], str], reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._database = database
        self._events = events
        self._sender = sender
        self._committer = committer
        self._now = now
        self._unique = unique
        self._reactor = reactor
        self._turn = Lock(reactor)
        self._webhooks: tuple[Webhook, ...] = ()
        self._deliveries: dict[str, WebhookDelivery] = {}
        self._attempts: deque[Attempt] = deque(maxlen=MOST_ATTEMPTS)
        self._fresh: deque[Attempt] = deque(maxlen=MOST_ATTEMPTS)
        self._last_attempt = 0
        self.outcomes: Counter[str] = Counter()
        self._begun = False
        self._timer: IDelayedCall | None = None

    # Coming and going

    async def start(self) -> None:
        """Learn what there is."""
        table = await self._database.table(self._universe, TABLE)
        self._webhooks = _webhooks(table[LIST]) if LIST in table else ()
        self._deliveries = {one.id: self._delivery(one, _state(table[one.id]) if one.id in table else WebhookState())
                            for one in self._webhooks}
        kept = await self._database.table(self._universe, ATTEMPTS) if table else {}
        self._attempts.clear()
        self._attempts.extend(sorted(map(_attempt, kept.values()), key=lambda one: one.id))
        self._last_attempt = self._attempts[-1].id if self._attempts else 0

    def begin(self) -> None:
        """Send what is to be sent, from here on."""
        self._begun = True
        for one in self._deliveries.values():
            one.start()

    def stop(self) -> None:
        """Begin nothing more, and note where everything stands."""
        self._begun = False
        for one in self._deliveries.values():
            one.stop()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
            self._note()

    def _delivery(self, webhook: Webhook, state: WebhookState) -> WebhookDelivery:
        return WebhookDelivery(
            self._universe, webhook, state, self._events, self._sender, self, self._unique, self._reactor)

    # What there is

    @property
    def waiting(self) -> int:
        """Return how many deliveries of events wait for another attempt."""
        return sum(len(one.state.waiting) for one in self._deliveries.values())

    def shown(self) -> list[ShownWebhook]:
        """Return all webhooks, in order."""
        now = self._reactor.seconds()
        return [shown(one, self._deliveries[one.id].state, self._events.last, now) for one in self._webhooks]

    async def put(self, fields: Sequence[WebhookFields]) -> list[ShownWebhook]:
        """
        Replace the list; the same url keeps its place, a new one begins with what happens next.

        @raise Invalid: a bad field, by index and name, or a url that must not be reached.
        """
        async with self._turn:
            made = configured(fields, self._webhooks, self._unique, self._reactor.seconds())
            for n, one in enumerate(made):
                why = await self._sender.vet(one.url)
                if why:
                    raise Invalid(f"{n}.url", f"{why}; test endpoints are listed in webhooks.lab_hosts of the "
                                              "configuration (scripts/run --webhook-host HOST:PORT)")
            new = [one for one in made if one.id not in self._deliveries]
            begun = WebhookState(place=self._events.last)
            gone = self._deliveries.keys() - {one.id for one in made}
            await self._committer.commit(Commit(
                puts=((TABLE, LIST, msgspec.json.encode(made)),
                      *((TABLE, one.id, msgspec.json.encode(begun)) for one in new)),
                drops=tuple((TABLE, one) for one in sorted(gone)),
                events=(Event("settings.updated", self._now(), {"name": "webhooks"}),)))
            self._webhooks = made
            for one_gone in gone:
                self._deliveries.pop(one_gone).stop()
            for one in made:
                if one.id in self._deliveries:
                    self._deliveries[one.id].changed_to(one)
                else:
                    self._deliveries[one.id] = self._delivery(one, begun)
                    if self._begun:
                        self._deliveries[one.id].start()
            self.changed()
        return self.shown()

    def found(self, webhook: str) -> Webhook:
        """
        The webhook of an id, a name or a url.

        @raise NotFound: none, or several.
        """
        found = [one for one in self._webhooks if webhook in (one.id, one.name, one.url)]
        if len(found) != 1:
            raise NotFound(f"{len(found) or 'no'} webhooks are called {webhook[:200]}; give an id")
        return found[0]

    def attempts(
        self, webhook: str | None = None, event_id: int | None = None, before: int | None = None,
        after: int | None = None, limit: int = 100,
    ) -> list[Attempt]:
        """Return attempts, newest first, or with C{after} oldest first; C{before} and C{after} are their ids."""
        wanted = self.found(webhook).id if webhook is not None else None
        some = [one for one in self._attempts
                if (wanted is None or one.webhook == wanted) and (event_id is None or one.event_id == event_id)
                and (before is None or one.id < before) and (after is None or one.id > after)]
        return some[:limit] if after is not None else some[::-1][:limit]

    # What the API asks for

    async def test(self, webhook: str) -> Attempt:
        """Send C{webhook.test}, which is no event of the log, once, whether the webhook is on or off."""
        one = self.found(webhook)
        octets = msgspec.json.encode({
            "type": "webhook.test", "id": 0, "at": format_instant(self._now()), "source": "simmail",
            "data": {"webhook": one.name or one.id, "url": one.url}})
        body, begun, request_id = EventBody(0, "webhook.test", octets), self._reactor.seconds(), f"wr_{self._unique()}"
        answer: WebhookAnswer = await self._sender.send(
            one.url, request_headers(one, f"test_{request_id}", request_id, 1, octets, begun), octets)
        kept = self.attempted(one, body, 1, begun, request_id, answer, 0.0)
        self.changed()
        return kept

    async def redeliver(self, webhook: str, event_id: int | None = None, after: int | None = None) -> ShownWebhook:
        """
        Send one event once more, or all after one, in order.

        @raise NotFound: no such webhook or event.  @raise Conflict: the webhook is off.
        @raise Invalid: C{after} is behind the newest event.
        """
        one = self.found(webhook)
        delivery = self._deliveries[one.id]
        if not one.enabled or delivery.state.stopped is not None:
            raise Conflict("the webhook is off; PUT it with enabled: true first")
        if event_id is not None:
            if not await self._events.query(EventQuery(after=event_id - 1, before=event_id + 1, limit=1)):
                raise NotFound(f"no event {event_id}")
            delivery.again(event_id)
        elif (after or 0) > self._events.last:
            raise Invalid("after", f"the newest event is {self._events.last}")
        else:
            delivery.replay(after or 0)
        return shown(one, delivery.state, self._events.last, self._reactor.seconds())

    # What deliveries make known

    def attempted(
        self, webhook: Webhook, body: EventBody, nth: int, begun: float, request_id: str, answer: WebhookAnswer,
        due: float,
    ) -> Attempt:
        """Keep an attempt."""
        self.outcomes["delivered" if answer.delivered else "failed"] += 1
        self._last_attempt += 1
        kept = Attempt(
            id=self._last_attempt, webhook=webhook.id, url=webhook.url, request_id=request_id, event_id=body.number,
            type=body.type, attempt=nth, at=datetime.fromtimestamp(begun, UTC), status=answer.status, ms=answer.ms,
            error="" if answer.delivered else answer.told, answer=answer.body,
            next=datetime.fromtimestamp(due, UTC) if due else None)
        self._attempts.append(kept)
        self._fresh.append(kept)
        return kept

    def given_up(self, webhook: Webhook, body: EventBody, error: str) -> None:
        """Record that an event is dropped for a webhook."""
        self._committer.keep(Commit(events=(Event("webhook.failed", self._now(), {
            "url": webhook.url, "error": error, "webhook": webhook.name or webhook.id, "event_id": body.number}),)))

    def changed(self) -> None:
        """Note where everything stands, soon."""
        if self._timer is None or not self._timer.active():
            self._timer = self._reactor.callLater(SOON, self._note)

    def _note(self) -> None:
        if not self._committer.available and self._begun:
            return self.changed()
        puts = [(TABLE, one.webhook.id, msgspec.json.encode(one.state)) for one in self._deliveries.values()]
        while self._fresh:
            fresh = self._fresh.popleft()
            puts.append((ATTEMPTS, str(fresh.id % MOST_ATTEMPTS), msgspec.json.encode(fresh)))
        self._committer.keep(Commit(puts=tuple(puts)))


def silenced(table: Mapping[str, bytes], attempts: Iterable[str], last: int, off: bool) -> Commit:
    """
    Return what makes the webhooks of a copy of a universe begin anew behind the event C{last}: nothing is sent again.

    In what was put back they go on with what happens next; in a fork they are switched off, for their receivers belong
    to the original (decisions, section 16).

    @param table: their table as it was copied; attempts: the keys of that of attempts; off: switch them off.
    """
    if LIST not in table:
        return Commit()
    webhooks = _webhooks(table[LIST])
    begun = msgspec.json.encode(WebhookState(place=last))
    puts = [(TABLE, one.id, begun) for one in webhooks]
    if off:
        puts.append((TABLE, LIST, msgspec.json.encode(tuple(replace(one, enabled=False) for one in webhooks))))
    return Commit(puts=tuple(puts), drops=tuple((ATTEMPTS, key) for key in attempts))
