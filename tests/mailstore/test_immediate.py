"""Calls whose answer is there at once, where a Deferred is expected."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.mailstore.immediate import deferred, fail_now


@deferred
def halved(number: int) -> int:
    """Halves it.  @raise NotFound: there is no half of an odd one."""
    if number % 2:
        raise NotFound("odd")
    return number // 2


class ImmediateTests(SynchronousTestCase):
    """C{deferred}, C{fail_now}."""

    def test_deferred(self) -> None:
        """What is answered or raised comes in a Deferred; the name and the docstring stay."""
        self.assertEqual(self.successResultOf(halved(4)), 2)
        self.failureResultOf(halved(3), NotFound)
        self.assertEqual((halved.__name__, (halved.__doc__ or "")[:6]), ("halved", "Halves"))

    def test_fail_now(self) -> None:
        """A Deferred that has failed with what is being handled."""
        try:
            raise NotFound("x")
        except NotFound:
            failed = fail_now()
        self.assertEqual(str(self.failureResultOf(failed, NotFound).value), "x")
