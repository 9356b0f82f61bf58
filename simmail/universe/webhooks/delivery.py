"""
The event log, told to one endpoint.

The log itself is the queue: an endpoint has a place in it, and a short list of events that were taken up and are not
delivered yet.  Both are documents, noted a moment after they change, so that after a crash what was under way is sent
once more, under the same C{webhook-id}; nothing is left out.  Memory is bounded however far an endpoint is behind.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.core.records.commit import EventQuery
from simmail.core.webhook.endpoint import Attempt, LastFailure, Stopped, Undelivered, Webhook, WebhookState
from simmail.core.webhook.retry import NextStep, WebhookAnswer, next_step
from simmail.core.webhook.signature import signature_headers
from simmail.errors import Unavailable
from simmail.interfaces import IWebhookSender
from simmail.universe.eventlog import EventLog

#: Requests of one endpoint under way at once; events it has taken up at most; events read at once.
AT_ONCE, MOST_WAITING, PAGE = 16, 500, 100

#: Real seconds before the log is asked again while Redis is away.
AGAIN = 1.0

USER_AGENT = "service-webhook"


class _Head(Struct):
    type: str
    id: int


class EventBody(Struct, frozen=True):
    """The body of a request, as recorded."""

    number: int
    type: str
    octets: bytes


class DeliveryLedger(Protocol):
    """Keeps what deliveries make known."""

    def attempted(self, webhook: Webhook, body: EventBody, nth: int, begun: float, request_id: str,
                  answer: WebhookAnswer, due: float) -> Attempt:
        """Keep an attempt; C{due}: when the next is, 0 for never."""

    def changed(self) -> None:
        """Note where deliveries stand, soon."""

    def given_up(self, webhook: Webhook, body: EventBody, error: str) -> None:
        """Record that an event is dropped for a webhook."""


class WebhookDelivery:
    """
    Sends the events of one universe to one endpoint.

    @param name: of the universe, for C{webhook-id}.
    @param unique: makes ids of requests.
    """

    log = Logger()

    def __init__(
        self, name: str, webhook: Webhook, state: WebhookState, events: EventLog, sender: IWebhookSender,
        ledger: DeliveryLedger, unique: Callable[[], str], reactor: IReactorTime,
    ) -> None:
        self.webhook = webhook
        self._name = name
        self._state = state
        self._events = events
        self._sender = sender
        self._ledger = ledger
        self._unique = unique
        self._reactor = reactor
        self._waiting = {one.event_id: one for one in state.waiting}
        self._due = [(one.due, one.event_id) for one in state.waiting]
        heapq.heapify(self._due)
        self._ahead: deque[EventBody] = deque()
        self._read_to = state.place
        self._going: set[int] = set()
        self._hold = 0.0
        self._running = self._reading = self._woken = False
        self._timer: IDelayedCall | None = None

    @property
    def state(self) -> WebhookState:
        """Return where it stands, to be stored."""
        return replace(self._state, waiting=tuple(self._waiting.values()))

    @property
    def on(self) -> bool:
        """Return whether anything is sent."""
        return self._running and self.webhook.enabled and self._state.stopped is None

    @property
    def _one_by_one(self) -> bool:
        return self.webhook.order == "strict" or self._state.place < self._state.ordered

    def start(self) -> None:
        """Go on from where it stands."""
        self._running = True
        self._events.listen(self.wake)
        self.wake()

    def stop(self) -> None:
        """Begin nothing more; what is under way ends unheard."""
        if self._running:
            self._events.unlisten(self.wake)
        self._running = False
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def wake(self, first: int = 0, last: int = 0) -> None:
        """Something may be to do, as when events were recorded: look at the reactor's next turn."""
        if not self._woken and self.on:
            self._woken = True
            self._reactor.callLater(0, self._look)

    # What the API asks for

    def changed_to(self, webhook: Webhook) -> None:
        """It is configured otherwise; enabled again it goes on from its place."""
        if webhook.events != self.webhook.events:
            self._ahead.clear()
            self._read_to = self._state.place
        self.webhook = webhook
        if webhook.enabled and self._state.stopped is not None:
            self._state = replace(self._state, stopped=None, failing=0)
        self.wake()

    def again(self, number: int) -> None:
        """Send one event once more, with four attempts."""
        self._wait(Undelivered(number, 0, self._reactor.seconds()))
        self._ledger.changed()
        self.wake()

    def replay(self, after: int) -> None:
        """
        Send every event after one once more, one after the other up to the newest of now.

        Where it has not come that far, it goes on from its place: nothing is skipped.
        """
        after = min(after, self._state.place)
        self._ahead.clear()
        self._waiting = {number: one for number, one in self._waiting.items() if number <= after}
        self._read_to = after
        self._state = replace(self._state, place=after, ordered=self._events.last)
        self._ledger.changed()
        self.wake()

    # What is sent when

    def _look(self) -> None:
        self._woken = False
        if not self.on:
            return
        now = self._reactor.seconds()
        while self.on and len(self._going) < (1 if self._one_by_one else AT_ONCE):
            # Each answer may change all of this.
            if now < self._hold:
                return self._look_at(self._hold)
            if self._begin_waiting(now):
                continue
            if self._one_by_one and self._waiting or len(self._waiting) >= MOST_WAITING or not self._begin_new(now):
                break
        first = self._first_due()
        if self.on and first is not None and len(self._going) < AT_ONCE:
            self._look_at(first)

    def _look_at(self, due: float) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.reset(max(0.0, due - self._reactor.seconds()))
        else:
            self._timer = self._reactor.callLater(max(0.0, due - self._reactor.seconds()), self._look)

    def _first_due(self) -> float | None:
        """When the next of those that wait is due, those under way left out."""
        while self._due:
            due, number = self._due[0]
            one = self._waiting.get(number)
            if one is not None and one.due == due and number not in self._going:
                return due
            heapq.heappop(self._due)
        return None

    def _wait(self, one: Undelivered) -> None:
        self._waiting[one.event_id] = one
        heapq.heappush(self._due, (one.due, one.event_id))

    def _begin_waiting(self, now: float) -> bool:
        first = self._first_due()
        if first is None or first > now:
            return False
        one = self._waiting[heapq.heappop(self._due)[1]]
        self._go(one, self._read_again(one))
        return True

    def _begin_new(self, now: float) -> bool:
        if not self._ahead:
            if self._read_to > self._state.place:
                # What was left out by its filter lies behind it as well.
                self._state = replace(self._state, place=self._read_to)
                self._ledger.changed()
            self._read()
            return False
        body = self._ahead.popleft()
        one = self._waiting[body.number] = Undelivered(body.number, 0, now)
        self._state = replace(self._state, place=max(self._state.place, body.number))
        self._go(one, self._attempt(one, body))
        return True

    def _go(self, one: Undelivered, work: object) -> None:
        self._going.add(one.event_id)
        Deferred.fromCoroutine(work).addErrback(self._broken, one)  # type: ignore[arg-type]

    def _broken(self, failure: object, one: Undelivered) -> None:
        self._going.discard(one.event_id)
        self._wait(replace(one, due=self._reactor.seconds() + AGAIN))
        self._look_at(self._reactor.seconds() + AGAIN)
        if not failure.check(Unavailable):  # type: ignore[attr-defined]
            self.log.failure("a webhook was not sent to", failure)  # type: ignore[arg-type]

    # The log

    def _read(self) -> None:
        if self._reading or self._read_to >= self._events.last:
            return
        self._reading = True
        Deferred.fromCoroutine(self._read_on()).addErrback(self._unread)

    async def _read_on(self) -> None:
        known, after, filters = self._events.last, self._read_to, self.webhook.filters
        rows = await self._events.query(EventQuery(after=after, types=filters, limit=PAGE))
        self._reading = False
        if (after, filters) == (self._read_to, self.webhook.filters):
            self._ahead.extend(map(_body, rows))
            self._read_to = self._ahead[-1].number if self._ahead else self._read_to
            if len(rows) < PAGE:
                self._read_to = max(self._read_to, known)
        self.wake()

    def _unread(self, failure: object) -> None:
        self._reading = False
        if not failure.check(Unavailable, CancelledError):  # type: ignore[attr-defined]
            self.log.failure("the event log was not read for a webhook", failure)  # type: ignore[arg-type]
        if self.on:
            self._look_at(self._reactor.seconds() + AGAIN)

    async def _read_again(self, one: Undelivered) -> None:
        rows = await self._events.query(EventQuery(after=one.event_id - 1, before=one.event_id + 1, limit=1))
        if rows:
            return await self._attempt(one, _body(rows[0]))
        # Retention has removed it meanwhile.
        self._settle(one.event_id)
        self.wake()

    # One attempt

    async def _attempt(self, one: Undelivered, body: EventBody) -> None:
        webhook, begun, nth = self.webhook, self._reactor.seconds(), one.attempts + 1
        request_id = f"wr_{self._unique()}"
        headers = request_headers(webhook, f"evt_{self._name}_{body.number}", request_id, nth, body.octets, begun)
        try:
            answer: WebhookAnswer = await self._sender.send(webhook.url, headers, body.octets)
        except CancelledError:
            self._going.discard(body.number)
            return
        if not self._running:
            return
        now = self._reactor.seconds()
        step = next_step(answer, nth, now)
        self._ledger.attempted(
            webhook, body, nth, begun, request_id, answer, step.due if step.kind == "again" else 0.0)
        self._hold = max(self._hold, step.hold)
        self._going.discard(body.number)
        self._took(replace(one, attempts=nth), body, answer, step, now)
        self._ledger.changed()
        self.wake()

    def _took(self, one: Undelivered, body: EventBody, answer: WebhookAnswer, step: NextStep, now: float) -> None:
        at, state = datetime.fromtimestamp(now, UTC), self._state
        if step.kind == "delivered":
            self._state = replace(state, delivered=state.delivered + 1, failing=0, last_success=at)
            return self._settle(one.event_id)
        failed = LastFailure(at, one.event_id, answer.status, answer.told)
        self._state = state = replace(state, failing=state.failing + 1, last_failure=failed)
        if step.kind == "again":
            self._wait(replace(one, due=step.due))
        elif step.kind == "stop":
            # Its place is kept: switched on again it goes on with this event.
            self._wait(replace(one, attempts=0, due=now))
            self._state = replace(state, stopped=Stopped(at, one.event_id, f"the endpoint said so: {answer.told}"))
        else:
            self._state = replace(state, given_up=state.given_up + 1)
            self._settle(one.event_id)
            if body.type != "webhook.failed":
                self._ledger.given_up(self.webhook, body, answer.told)

    def _settle(self, number: int) -> None:
        self._going.discard(number)
        self._waiting.pop(number, None)


def request_headers(
    webhook: Webhook, message_id: str, request_id: str, nth: int, body: bytes, now: float
) -> tuple[tuple[str, str], ...]:
    """Return the headers of a request; C{now} in real Unix seconds."""
    return (("Content-Type", "application/json"), ("User-Agent", USER_AGENT), ("webhook-request-id", request_id),
            ("webhook-attempt", str(nth)),
            *signature_headers(webhook.keys(now), message_id, int(now), body))


def _body(row: bytes) -> EventBody:
    head = msgspec.json.decode(row, type=_Head)
    return EventBody(head.id, head.type, row)
