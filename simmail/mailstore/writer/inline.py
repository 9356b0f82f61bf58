"""
A writer that does everything at once in the thread of who asks, for tests.

What is asked and answered is encoded and decoded as it is on its way to the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from twisted.internet.defer import Deferred, fail, succeed
from twisted.python.failure import Failure

from simmail.core.records.delivery import Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId, WriterRequest
from simmail.mailstore.journal.doubts import Condition
from simmail.mailstore.journal.groupcommit import GroupCommit, PendingDelivery
from simmail.mailstore.journal.sync import Disks, Hands
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import outcome
from simmail.mailstore.writer.protocol import decode_answer, decode_request, encode
from simmail.mailstore.writer.requests import Looks, NoteCommitted, RequestHandler, core_looks

T = TypeVar("T")


class InlineWriter:
    """
    Is an L{IWriter<simmail.mailstore.writer.requests.IWriter>} whose Deferreds have fired.

    @param path: of the journal; segment: octets of its segments; all else as for L{GroupCommit}.
    @ivar commit: the journal's group commit; handler: does what is asked.
    """

    def __init__(
        self, path: str, segment: int, disks: Disks, hands: Hands, tell: Callable[[Condition], None],
        open_layout: Callable[[StoreId], Layout], looks: Callable[[], Looks] = core_looks,
    ) -> None:
        self.commit = GroupCommit(path, segment, disks, hands._replace(writer=self._do_soon), tell=tell)
        self.handler = RequestHandler(self.commit, open_layout, looks)
        self._stopped = False

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Deferred of the answer."""
        if self._stopped:
            return fail(Unavailable("the mail store is closed"))
        request = cast("WriterRequest[T]", decode_request(encode(request)))
        self.commit.before((), request.keys if isinstance(request, NoteCommitted) else ())
        result = outcome(self._answer, request)
        self.commit.after()
        return fail(result) if isinstance(result, Failure) else succeed(result)

    def _answer(self, request: WriterRequest[T]) -> T:
        return decode_answer(request, encode(self.handler.do(request)))

    def send(self, request: WriterRequest[Any]) -> None:
        """The same where nobody waits for the answer."""
        self.call(request).addErrback(lambda failure: None)

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """Deferred of what became of a delivery: it is visible as soon as it is durable, and nothing is promised."""
        if self._stopped:
            return fail(Unavailable("the mail store is closed"))
        pending = PendingDelivery(delivery, self.handler.batch(into))
        self.commit.before((pending,))
        result = outcome(self.commit.file, pending)
        self.commit.after()
        return fail(result) if isinstance(result, Failure) else succeed(result)

    def stop(self) -> Deferred[None]:
        """Nothing is under way."""
        self._stopped = True
        return succeed(None)

    def _do_soon(self, function: Callable[..., Any], *args: Any) -> None:
        if not self._stopped:
            self.commit.before(())
            outcome(function, *args)
            self.commit.after()
