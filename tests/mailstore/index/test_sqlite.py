"""The file of an index."""

from __future__ import annotations

import os
import sqlite3

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.index import sqlite as sqlite_module
from simmail.mailstore.index.sqlite import IndexFile


class FileTests(SynchronousTestCase):
    """C{IndexFile}."""

    def setUp(self) -> None:
        self.state = self.mktemp()
        os.mkdir(self.state)
        self.path = os.path.join(self.state, "deep", "main.sqlite")
        self.file = self.opened()

    def opened(self, *extras: str) -> IndexFile:
        file = IndexFile(self.path, ["create table things (name text)"], extras)
        self.addCleanup(file.close)
        return file

    def put(self, name: str) -> None:
        self.file.sql.execute("insert into things values (?)", (name,))

    def names(self) -> list[bytes]:
        return [name for (name,) in self.file.sql.execute("select name from things order by name")]

    def test_state_away(self) -> None:
        """Nothing is made in the place of a state folder that was taken away."""
        os.rmdir(self.state)
        self.assertRaises(FileNotFoundError, self.put, "a")
        self.assertFalse(os.path.exists(self.state))

    def test_stays(self) -> None:
        """What was written is there when it is opened again."""
        self.put("a")
        self.file.close()
        self.file = self.opened()
        self.assertEqual(self.names(), [b"a"])

    def test_another_layout(self) -> None:
        """A file of another layout is thrown away."""
        self.put("a")
        self.file.close()
        self.patch(sqlite_module, "LAYOUT", 999)
        born = self.file.born
        self.assertEqual(self.names(), [])
        self.assertGreater(self.file.born, born)

    def test_together(self) -> None:
        """What is written together is there as a whole or not at all."""
        with self.file.together() as sql:
            sql.execute("insert into things values ('a')")
        with self.assertRaises(ValueError):
            with self.file.together() as sql:
                sql.execute("insert into things values ('b')")
                raise ValueError("no")
        self.assertEqual(self.names(), [b"a"])

    def test_extras(self) -> None:
        """Tables that this SQLite does not know are left out, and it is known that they are."""
        self.file = self.opened("create table more (x)", "create virtual table odd using nothing_known(x)")
        self.assertEqual([self.file.has(name) for name in ("things", "more", "odd")], [True, True, False])

    def test_distrusted(self) -> None:
        """Who finds it damaged has it made anew; erased, it is gone."""
        for end in (lambda: self.file.distrust(sqlite3.DatabaseError("x")), self.file.erase):
            self.put("a")
            born = self.file.born
            end()
            self.assertFalse(os.path.exists(self.path))
            self.assertGreater(self.file.born, born)
            self.assertEqual(self.names(), [])
