"""
Numbers that one server tells and others hear at once, by way of Redis: publish and subscribe.

On a cluster they go by I{sharded} channels (C{SPUBLISH}, C{SSUBSCRIBE}): what is told stays with the primary that has
the channel's slot and its replicas, while C{PUBLISH} goes to every member.  A single Redis of any version has
C{PUBLISH}.  Source: "Pub/Sub" of Redis and Valkey, "Sharded Pub/Sub".

Nobody is promised that what is told is heard.  So who listens is also told whenever he may have missed something, as
often as he has been connected, and reads then what there is; and the last number that could not be told is told when it
can be.

When a slot has moved, the primary that had it says C{sunsubscribe} and answers C{MOVED}; when it has died, the
connection is lost.  Either way the map is asked for, and channels are opened where their slots are by it.  While a slot
is moved key by key, that is the old primary until the end: a channel is no key, and nobody is sent elsewhere for one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.database.connection import RedisConnection
from simmail.database.queries import all_of
from simmail.database.url import RedisUrl
from simmail.errors import Unavailable

#: Called with a number that was told, or None: some may have been missed.
Listener = Callable[[int | None], object]


class _Channel:
    """One channel: a connection to hear, which does nothing else, and one to tell, each from when it is wanted."""

    _log = Logger()

    def __init__(self, news: News, name: str) -> None:
        self._news, self._name = news, name
        self.listeners: list[Listener] = []
        self._link: RedisUrl | None = None
        self._hearing: RedisConnection | None = None
        self._telling: RedisConnection | None = None
        self._untold: int | None = None
        # One that Redis does not know the commands of, or does not let us use them.
        self._refused = False

    def settle(self) -> None:
        """Be connected where its slot is."""
        link = self._news.where(self._name)
        if link != self._link:
            self._link = link
            self.close()
        if self._hearing is None and self.listeners and not self._refused:
            hearing = self._hearing = self._news.dial(
                link, lambda: self._heard_of(hearing), lambda: self._subscribe(hearing), self._pushed)
            hearing.open()
        if self._telling is None and self._untold is not None and not self._refused:
            telling = self._telling = self._news.dial(link, lambda: self._send(telling))
            telling.open()

    def close(self) -> None:
        """Both connections are closed."""
        for one in (self._hearing, self._telling):
            if one is not None:
                self._news.hang_up(one)
        self._hearing = self._telling = None

    def tell(self, number: int) -> None:
        """Tell a number, as soon as that can be."""
        self._untold = max(number, self._untold or number)
        self.settle()
        if self._telling is not None:
            self._send(self._telling)

    def _send(self, telling: RedisConnection) -> None:
        if telling is not self._telling or self._untold is None:
            return
        if telling.ready:
            telling.call((self._news.commands[1], self._name, self._untold)).addCallbacks(
                self._sent, self._not_now, (self._untold,), {}, (telling,), {})
        else:
            self._news.amiss()

    def _sent(self, reply: object, number: int) -> None:
        if self._untold == number:
            self._untold = None

    def _subscribe(self, hearing: RedisConnection) -> Deferred[Any]:
        return hearing.ask((self._news.commands[0], self._name)).addErrback(self._not_subscribed)

    def _not_subscribed(self, failure: Failure) -> Failure:
        self._not_now(failure, None)
        return failure

    def _not_now(self, failure: Failure, telling: RedisConnection | None) -> None:
        if failure.check(Unavailable):
            if telling is None:
                self._news.amiss()
            elif telling is self._telling:
                # Once it is connected again it tells it again.
                telling.drop("its slot may be elsewhere")
        elif not self._refused:
            self._refused = True
            self._log.warn("what other servers change is heard of later than could be: {error}", error=failure.value)
            self.close()

    def _heard_of(self, hearing: RedisConnection) -> None:
        if hearing is not self._hearing:
            return
        if hearing.ready:
            self._tell_all(None)
        else:
            self._news.amiss()

    def _pushed(self, push: list[Any]) -> None:
        kind, payload = push[0], push[-1]
        if kind.endswith(b"message") and payload.isdigit():
            self._tell_all(int(payload))
        elif kind.endswith(b"unsubscribe") and self._hearing is not None:
            self._hearing.drop("its slot is elsewhere")

    def _tell_all(self, number: int | None) -> None:
        for listener in tuple(self.listeners):
            try:
                listener(number)
            except Exception:
                self._log.failure("who hears news failed")


class News:
    """
    The channels that one process hears or tells.

    @ivar where: which Redis has the slot of a channel, or of any key.
    @ivar amiss: called when that may be another by now; L{settle} then says that it has been found out.
    @ivar commands: with which one listens, and with which one tells.
    """

    def __init__(
        self, reactor: Any, timeout: float, where: Callable[[str], RedisUrl], amiss: Callable[[], object],
        sharded: bool,
    ) -> None:
        """@param sharded: Redis is a cluster."""
        self.where, self.amiss = where, amiss
        self.commands = ("SSUBSCRIBE", "SPUBLISH") if sharded else ("SUBSCRIBE", "PUBLISH")
        self._reactor, self._timeout = reactor, timeout
        self._channels: dict[str, _Channel] = {}
        self._going: set[RedisConnection] = set()
        self._closed = False

    def hear(self, channel: str, listener: Listener) -> Callable[[], None]:
        """Have numbers of a channel told; returns what ends that."""
        listeners = self._channel(channel).listeners
        listeners.append(listener)
        self.settle()
        return lambda: listeners.remove(listener)

    def tell(self, channel: str, number: int) -> None:
        """Tell all who listen a number that is higher than any before."""
        if not self._closed:
            self._channel(channel).tell(number)

    def settle(self) -> None:
        """The map is known, and may be another than before."""
        if not self._closed:
            for channel in self._channels.values():
                channel.settle()

    def _channel(self, name: str) -> _Channel:
        if name not in self._channels:
            self._channels[name] = _Channel(self, name)
        return self._channels[name]

    def dial(
        self, link: RedisUrl, changed: Callable[[], object], prepare: Callable[[], Deferred[Any]] | None = None,
        pushed: Callable[[list[Any]], object] | None = None,
    ) -> RedisConnection:
        """A connection for one of the channels."""
        more: dict[str, Any] = {} if prepare is None else {"prepare": prepare, "pushed": pushed}
        return RedisConnection(self._reactor, link, self._timeout, (), changed, **more)

    def hang_up(self, connection: RedisConnection) -> None:
        """Close one."""
        self._going.add(connection)
        connection.close().addCallback(lambda _: self._going.discard(connection))

    def close(self) -> Deferred[list[None]]:
        """Hear and tell nothing any more."""
        self._closed = True
        for channel in self._channels.values():
            channel.close()
        return all_of([connection.close() for connection in list(self._going)])
