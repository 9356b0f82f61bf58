"""
One live stream of events (server-sent events), at the pace of its reader.

While the reader keeps up, events go out as they are announced.  When it does
not, nothing is kept for it: the stream notes where it was and reads the log
from there once there is room again, or drops a reader that stays away.
Source: HTML standard, "Server-sent events"; decisions, section 14; promises, R14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IPushProducer
from twisted.logger import Logger
from twisted.web.server import Request
from zope.interface import implementer

from simmail.core.records.commit import EventQuery
from simmail.core.records.event import Event, Recorded, matches
from simmail.errors import Unavailable
from simmail.universe.eventlog import EventLog

#: Real seconds between two comments that keep the connection open.
PING = 15.0

#: Real seconds a reader may take to make room.
PATIENCE = 30.0

#: Real seconds before the log is asked again when Redis was away.
AGAIN = 1.0

#: Events read from the log at once.
BATCH = 200


class _Numbered(Struct):
    id: int
    type: str


@implementer(IPushProducer)
class EventStream:
    """
    A stream to one reader.

    @param filter: which events; its C{after} is not looked at.
    @param position: the number of the event behind which it begins; None: only what happens from now on.
    """

    log = Logger()

    def __init__(
        self, request: Request, events: EventLog, reactor: Any, filter: EventQuery, position: int | None
    ) -> None:
        self._request = request
        self._events = events
        self._reactor = reactor
        self._filter = filter
        self._resumed = position is not None
        self._position = events.last if position is None else min(position, events.last)
        self._paused = False
        self._reading = False
        self._ended = False
        self._ping: IDelayedCall | None = None
        self._deadline: IDelayedCall | None = None

    async def run(self) -> None:
        """Stream until the reader leaves."""
        request = self._request
        request.setHeader(b"Content-Type", b"text/event-stream; charset=utf-8")
        request.setHeader(b"Cache-Control", b"no-store")
        # Proxies that collect an answer before they pass it on would hold events back.
        request.setHeader(b"X-Accel-Buffering", b"no")
        if request.method == b"HEAD":
            request.finish()
            return
        gone: Deferred[Any] = request.notifyFinish()
        request.registerProducer(self, True)
        unwatch = self._events.watch(self._announced)
        self._ping = self._reactor.callLater(PING, self._say_ping)
        try:
            request.write(b": events follow\n\n")
            if self._resumed:
                await self._check_gap()
            self._read_on()
            try:
                await gone
            except Exception:
                # However the connection ended, there is nobody left to tell.
                pass
        finally:
            self._ended = True
            unwatch()
            for timer in (self._ping, self._deadline):
                if timer is not None and timer.active():
                    timer.cancel()
            if getattr(request, "channel", None) is not None:
                request.unregisterProducer()

    # What is sent

    def _announced(self, first: int, events: Sequence[Event]) -> None:
        if self._paused or self._reading:
            return
        if first != self._position + 1:
            self._read_on()
            return
        filter = self._filter
        out = []
        for number, event in enumerate(events, first):
            if (
                matches(filter.types, event.type)
                and filter.persona_id in (None, event.persona_id) and filter.case_id in (None, event.case_id)
                and (filter.message_id is None or filter.message_id in event.message_ids)
            ):
                out.append(_framed(number, event.type, msgspec.json.encode(Recorded(
                    event.type, number, event.at, "simmail", event.data, event.persona, event.case_id))))
        self._position = first + len(events) - 1
        if out:
            self._request.write(b"".join(out))

    def _read_on(self) -> None:
        if self._reading or self._paused or self._ended or self._position >= self._events.last:
            return
        self._reading = True
        Deferred.fromCoroutine(self._read()).addErrback(
            lambda failure: self.log.failure("an event stream could not read the log", failure))

    async def _read(self) -> None:
        try:
            while not self._paused and not self._ended and self._position < self._events.last:
                # Up to here nothing is missing from what the query answers.
                known = self._events.last
                rows = await self._events.query(replace(self._filter, after=self._position, limit=BATCH))
                if self._ended:
                    return
                told = [msgspec.json.decode(row, type=_Numbered) for row in rows]
                out = b"".join(_framed(one.id, one.type, row) for one, row in zip(told, rows))
                self._position = told[-1].id if told and len(told) == BATCH else max(
                    known, told[-1].id if told else 0)
                if out:
                    self._request.write(out)
        except Unavailable:
            if not self._ended:
                self._reactor.callLater(AGAIN, self._read_on)
        finally:
            self._reading = False

    async def _check_gap(self) -> None:
        position = self._position
        if position >= self._events.last:
            return
        rows = await self._events.query(EventQuery(after=position, limit=1))
        following = msgspec.json.decode(rows[0], type=_Numbered).id if rows else self._events.last + 1
        if following > position + 1:
            self._request.write(b"event: gap\ndata: " + msgspec.json.encode(
                {"after": position, "next": following}) + b"\n\n")

    def _say_ping(self) -> None:
        if not self._paused:
            self._request.write(b": ping\n\n")
        self._ping = self._reactor.callLater(PING, self._say_ping)

    # IPushProducer

    def pauseProducing(self) -> None:
        """Notice that the reader does not keep up."""
        self._paused = True
        if self._deadline is None and not self._ended:
            self._deadline = self._reactor.callLater(PATIENCE, self._drop)

    def resumeProducing(self) -> None:
        """Notice that there is room again."""
        self._paused = False
        if self._deadline is not None:
            if self._deadline.active():
                self._deadline.cancel()
            self._deadline = None
        self._read_on()

    def stopProducing(self) -> None:
        """Notice that the connection is gone."""
        self._paused = self._ended = True

    def _drop(self) -> None:
        self._deadline = None
        self.log.info("an event stream was dropped: its reader stopped reading")
        transport: Any = self._request.channel.transport
        transport.abortConnection()


def _framed(number: int, type: str, octets: bytes) -> bytes:
    # JSON as msgspec writes it holds no line break.
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, type.encode(), octets)
