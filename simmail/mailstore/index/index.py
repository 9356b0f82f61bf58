"""
The index of one universe: what is quicker to keep than to work out again.

A file that can be deleted at any time: everything in it follows from the
Maildirs.  It holds each loaded folder as it last was (so that a folder need
not be listed, and MODSEQs outlive a restart), the digests of messages, and
full text.  Used in one thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from simmail.core.message.summary import Digest
from simmail.mailstore.index import fulltext, messages
from simmail.mailstore.index.fulltext import FullText
from simmail.mailstore.index.messages import DigestRows
from simmail.mailstore.index.sqlite import IndexFile
from simmail.mailstore.maildir.files import Shown

_FOLDERS = (
    "create table folders (id integer primary key, mailbox text, name text, uidvalidity integer, "
    "snapshot blob, unique (mailbox, name))")


class Snapshot(NamedTuple):
    """
    A folder as it was.

    @ivar times: of C{new} and C{cur} (nanoseconds) when it was so for certain, (0, 0) for never.
    @ivar vanished: messages expunged, packed; known for MODSEQs from C{vanished_from} on.
    """

    uidvalidity: int
    uidnext: int
    highestmodseq: int
    times: tuple[int, int]
    vanished_from: int
    vanished: bytes
    rows: bytes


_pack = msgspec.msgpack.Encoder().encode
_snapshot = msgspec.msgpack.Decoder(Snapshot).decode


class Index:
    """
    The index in one file.

    @param digest: takes the digest of a message; shown: takes only its envelope and structure, None for never.
    @param shared: other processes use the file too.
    @ivar digests: of messages.
    @ivar fulltext: which of them hold a text.
    """

    def __init__(
        self, path: str, digest: Callable[[bytes], Digest], shown: Shown | None = None, shared: bool = False
    ) -> None:
        self._file = IndexFile(path, (_FOLDERS, *messages.SCHEMA, *fulltext.SCHEMA), fulltext.EXTRAS, shared)
        self.fulltext = FullText(self._file)
        self.digests = DigestRows(self._file, self.fulltext, digest, shown)
        self._folders: dict[tuple[str, str, int], int] = {}
        self._born = 0

    def close(self) -> None:
        """It stays on disk."""
        self._file.close()

    def erase(self) -> None:
        """It is gone."""
        self._file.erase()

    def distrust(self, why: Exception) -> None:
        """It was found damaged: the next who asks finds it empty."""
        self._file.distrust(why)

    @property
    def born(self) -> int:
        """Another number whenever what was known is not known any more."""
        return self._file.born

    # Folders

    def folder(self, mailbox: str, name: str, uidvalidity: int) -> int:
        """The number of a folder; what is kept of one with another UIDVALIDITY goes."""
        key = (mailbox, name, uidvalidity)
        sql = self._file.sql
        if self._born != self._file.born:
            self._folders.clear()
            self._born = self._file.born
        number = self._folders.get(key)
        if number is None:
            row = sql.execute(
                "select id, uidvalidity from folders where mailbox=? and name=?", (mailbox, name)).fetchone()
            if row is not None and row[1] == uidvalidity:
                number = row[0]
            else:
                if row is not None:
                    self._drop(row[0])
                number = sql.execute("insert into folders (mailbox, name, uidvalidity) values (?, ?, ?)", key).lastrowid
            assert number is not None
            self._folders[key] = number
        return number

    def load(self, mailbox: str, name: str, uidvalidity: int) -> Snapshot | None:
        """A folder as it was, if it is known."""
        number = self.folder(mailbox, name, uidvalidity)
        (octets,) = self._file.sql.execute("select snapshot from folders where id=?", (number,)).fetchone()
        if octets is None:
            return None
        try:
            return _snapshot(octets)
        except msgspec.MsgspecError:
            return None

    def recall(self, mailbox: str, name: str, uidvalidity: int) -> tuple[int, Snapshot | None]:
        """The UIDVALIDITY that a folder had when it was last known here (0: it was not), and C{load}."""
        row = self._file.sql.execute(
            "select uidvalidity from folders where mailbox=? and name=?", (mailbox, name)).fetchone()
        return row[0] if row is not None else 0, self.load(mailbox, name, uidvalidity)

    def save(self, mailbox: str, name: str, snapshot: Snapshot) -> None:
        """A folder as it is."""
        number = self.folder(mailbox, name, snapshot.uidvalidity)
        self._file.sql.execute("update folders set snapshot=? where id=?", (_pack(snapshot), number))

    def forget(self, mailbox: str, name: str | None = None) -> None:
        """A folder, or all of a mailbox, is gone or called something else."""
        if name is None:
            rows = self._file.sql.execute("select id from folders where mailbox=?", (mailbox,)).fetchall()
        else:
            rows = self._file.sql.execute(
                "select id from folders where mailbox=? and name=?", (mailbox, name)).fetchall()
        for (number,) in rows:
            self._drop(number)

    def _drop(self, number: int) -> None:
        self._file.sql.execute("delete from folders where id=?", (number,))
        self.digests.drop(number)
        self._folders = {key: value for key, value in self._folders.items() if value != number}
