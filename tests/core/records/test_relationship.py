"""What a persona keeps between mails, as it is stored."""

from __future__ import annotations

from datetime import datetime, timezone

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState

NOW = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


class StoredTests(SynchronousTestCase):
    """Documents."""

    def test_small(self) -> None:
        """What holds nothing is not stored: there is a dossier for each two people, and a state for each thread."""
        self.assertEqual(msgspec.json.encode(Dossier("a@b.test")), b'{"address":"a@b.test"}')
        self.assertEqual(msgspec.json.encode(ThreadState("<1@b.test>")), b'{"key":"<1@b.test>"}')

    def test_round_trip(self) -> None:
        """What holds something reads back as it was."""
        promise = OpenPromise("persona", "the list", NOW, NOW, "j_1", "late", "<1@b.test>", "c_1", 2)
        dossier = Dossier("a@b.test", "Ann", "p_2", 0.5, 0.25, 0.0, NOW, 3, 2, 1, ("x",), (1, 2), (promise,),
                          {"": "Likes"}, ("pl",))
        thread = ThreadState("<1@b.test>", "c_1", "key", 4, (1, 2), "<2@b.test>", held={"a": "b"}, echoes=2)
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(dossier), type=Dossier), dossier)
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(thread), type=ThreadState), thread)
