"""A message in memory that is read piece by piece."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.memory.parts import OpenMessageInMemory
from tests.contracts.mailstores import result_of


class OpenedTests(SynchronousTestCase):
    """C{OpenMessageInMemory}."""

    def test_pieces(self) -> None:
        """Any piece of it, as far as it goes; closed, nothing is held."""
        message = OpenMessageInMemory(b"0123456789")
        self.assertEqual(message.size, 10)
        self.assertEqual([result_of(message.read(*piece)) for piece in ((0, 4), (4, 100), (10, 1), (3, 0))],
                         [b"0123", b"456789", b"", b""])
        message.close()

    def test_derived(self) -> None:
        """What is worked out from the whole of it is worked out where the caller says."""
        where: list[Any] = []

        def in_thread(work: Any) -> Any:
            where.append(work)
            return work()

        self.assertEqual(result_of(OpenMessageInMemory(b"abc").derive("length", len, in_thread)), 3)
        self.assertEqual(len(where), 1)
