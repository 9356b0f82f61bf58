"""Tests for C{simmail.server.documents}."""

from __future__ import annotations

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit
from simmail.database.memory import MemoryDatabase
from simmail.errors import Unavailable
from simmail.server.documents import ServerDocuments
from simmail.testing.universe import now


class Thing(Struct):
    """Something to be kept."""

    name: str


class ServerDocumentsTests(SynchronousTestCase):
    """The server's own tables."""

    def setUp(self) -> None:
        """A database in memory."""
        self.database = MemoryDatabase()
        self.documents = ServerDocuments(self.database)

    def test_kept(self) -> None:
        """What is put is there as JSON, apart from what universes have, until it is dropped."""
        now(self.database.commit("main", Commit(puts=(("things", "k", b"1"),))))
        now(self.documents.put("things", "k", Thing("x")))
        now(self.documents.put("things", "l", Thing("y")))
        self.assertEqual(now(self.documents.table("things")), {"k": b'{"name":"x"}', "l": b'{"name":"y"}'})
        now(self.documents.drop(("things", "k"), ("others", "k")))
        self.assertEqual(list(now(self.documents.table("things"))), ["l"])
        self.assertEqual(now(self.database.table("main", "things")), {"k": b"1"})

    def test_away(self) -> None:
        """While Redis is away nothing is changed."""
        self.assertTrue(self.documents.available)
        self.database.set_healthy(False)
        self.assertFalse(self.documents.available)
        self.assertRaises(Unavailable, now, self.documents.put("things", "k", Thing("x")))
        self.database.set_healthy(True)
        self.assertEqual(now(self.documents.table("things")), {})

    def test_lacking(self) -> None:
        """While a universe is not served, nobody is told that nothing was found; what was found is told."""
        self.assertEqual(self.documents.surely([]), [])
        self.documents.lacking = True
        self.assertEqual(self.documents.surely(["elm"]), ["elm"])
        self.assertRaises(Unavailable, self.documents.surely, [])
        self.assertEqual(now(self.documents.ask("logins")), [None])


class RevocationTests(SynchronousTestCase):
    """Who looks again."""

    def test_told(self) -> None:
        """Those who watch are told each time until they stop, also when one stops while it is told."""
        documents, told = ServerDocuments(MemoryDatabase()), list[str]()

        def once() -> None:
            told.append("once")
            stop()

        stop = documents.watch(once)
        documents.watch(lambda: told.append("always"))
        for _ in range(2):
            documents.tell()
        self.assertEqual(told, ["once", "always", "always"])
        stop()
