"""
Calls that stay open (event streams, waits): they end when their caller may no longer make them.

Somebody whose key is revoked, whose pass ends or whose universe is deleted
would be refused now; so is the call: one that has not been answered yet with
the error, a stream by its end.
Source: API contract, "Authentication" (401, 402, 403); decisions, section 17 (15-minute passes).
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Refusal, Unavailable
from simmail.rest.answer import TAKEN
from simmail.rest.auth import Guard
from simmail.rest.route import Call


class Lasting:
    """One call that stays open."""

    log = Logger()

    def __init__(self, guard: Guard, call: Call) -> None:
        self._guard = guard
        self._call = call
        self._work: Deferred[Any] = Deferred()
        self._refusal: Refusal | None = None

    async def of(self, answer: Awaitable[Any]) -> Any:
        """
        Return what the call answers.

        @raise Refusal: what its caller would be refused with by now.
        """
        call, services = self._call, self._call.services
        unwatch = services.roster.watch(self._look_again)
        ends = self._guard.ends(call.request)
        timer = services.reactor.callLater(
            max(0.0, ends - services.reactor.seconds()), self._look_again) if ends is not None else None
        self._work = Deferred.fromCoroutine(_coroutine(answer))
        try:
            return await self._work
        except CancelledError:
            if self._refusal is None:
                raise
        finally:
            unwatch()
            if timer is not None and timer.active():
                timer.cancel()
            if self._refusal is not None and call.request.startedWriting and not call.gone:
                call.request.finish()
        if call.request.startedWriting:
            return TAKEN
        raise self._refusal

    def _look_again(self) -> None:
        if self._refusal is None:
            Deferred.fromCoroutine(self._guard.stand(self._call)).addErrback(self._ended)

    def _ended(self, failure: Failure) -> None:
        if failure.check(Unavailable):
            # Redis will be back; nothing says that the caller may do less.
            return
        refusal = failure.value
        if isinstance(refusal, Refusal):
            self._refusal = refusal
            self._work.cancel()
        else:
            self.log.failure("cannot look again whether a call may go on", failure)


async def _coroutine(answer: Awaitable[Any]) -> Any:
    return await answer
