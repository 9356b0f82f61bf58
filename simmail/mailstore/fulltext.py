"""
Full text: which messages may hold a text, by SQLite's FTS5 with trigrams.

The table C{words} knows for each three characters in a row which messages have
them, in header, subject, text or addresses.  A text is looked for by all the
trigrams in it; what is found is compared with what is stored, so that the
answer is that of a plain comparison of all messages, only sooner.  (With
C{detail=none} no places are kept: a third of the time and a quarter of the
room; the comparison is needed anyway, because fields are searched singly.)

New messages wait in C{unsearched} until there is nothing else to do, and are
compared one by one until then.  What is expunged stays in C{words} as waste,
which does no harm, until there is more of it than of the rest; then the table
is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.digest import Digest
from simmail.mailstore.indexfile import IndexFile

#: Messages that are learned at once, and octets of them.
_MOST, _OCTETS = 64, 192 * 1024
#: Characters of a text that SQLite may be asked for (it refuses patterns over 50,000, of which some are escaped).
_LONGEST_LIKE = 20_000
#: Trigrams that are asked for of one text.
_TRIGRAMS = 24
#: Expunged messages that are always borne with.
_WASTE = 10_000

SCHEMA = (
    # odd: of these no word is ever learned, because SQLite takes NUL for the end of a text.
    "create table unsearched (id integer primary key, odd integer)",
    "create table encoded (id integer primary key)",
    "create table waste (messages integer)",
    "insert into waste values (0)",
)
EXTRAS = (
    "create virtual table words using fts5"
    "(text, tokenize='trigram', detail='none', content='', columnsize=0)",
)

#: Fields whose words are learned.
_FIELDS = ("header", "text", "subject", "from_", "to", "cc")
#: What stands in headers before an encoded word.
_ENCODED = "=?"


class FullText:
    """The table of words of one index."""

    def __init__(self, file: IndexFile) -> None:
        self._file = file
        self._born, self._has = -1, False

    @property
    def _learns(self) -> bool:
        """Whether this SQLite knows trigrams."""
        if self._born != self._file.born:
            self._has = self._file.has("words")
            self._born = self._file.born
        return self._has

    # What comes and goes

    def came(self, digests: Sequence[tuple[int, Digest]]) -> None:
        """These, by id, are in their tables now."""
        sql = self._file.sql
        sql.executemany("insert or replace into unsearched values (?, ?)", [
            (id, "\0" in one.text or "\0" in one.subject or b"\0" in one.header) for id, one in digests])
        sql.executemany(
            "insert or ignore into encoded values (?)", [(id,) for id, one in digests if b"=?" in one.header])

    def copied(self, distance: int, low: int, high: int) -> None:
        """Digests were copied: those with ids from C{low} to C{high}, to ids that are greater by C{distance}."""
        sql = self._file.sql
        sql.execute(
            "insert or replace into unsearched select texts.id + ?, coalesce(odd, 0) from texts "
            "left join unsearched using (id) where texts.id between ? and ?", (distance, low, high))
        sql.execute("insert or ignore into encoded select id + ? from encoded where id between ? and ?",
                    (distance, low, high))

    def went(self, where: str, count: int) -> None:
        """So many digests are gone: those that SQL finds with C{where}."""
        sql = self._file.sql
        count -= sql.execute(f"delete from unsearched where {where}").rowcount
        sql.execute(f"delete from encoded where {where}")
        if count > 0:
            sql.execute("update waste set messages = messages + ?", (count,))

    # Learning

    def learn(self) -> bool:
        """Learn the words of some messages; whether there are more."""
        if not self._learns:
            return False
        with self._file.together() as sql:
            self._begin_anew()
            rows = sql.execute(
                "select unsearched.id, length(header) + length(text) from unsearched left join texts using (id) "
                "where not odd order by 1 limit ?", (_MOST,)).fetchall()
            ids: list[int] = []
            room = _OCTETS
            for id, octets in rows:
                if ids and room < (octets or 0):
                    break
                ids.append(id)
                room -= octets or 0
            some = ",".join(map(str, ids))
            words = " || x'0a' || ".join(f'"{name}"' for name in _FIELDS)
            sql.execute(f"insert into words(rowid, text) select id, cast({words} as text) "
                        f"from texts join fields using (id) where id in ({some})")
            sql.execute(f"delete from unsearched where id in ({some})")
        return len(ids) < len(rows) or len(rows) == _MOST

    def _begin_anew(self) -> None:
        sql = self._file.sql
        (waste,) = sql.execute("select messages from waste").fetchone()
        if waste > _WASTE and waste > sql.execute("select count(*) from texts").fetchone()[0]:
            sql.execute("insert into words(words) values ('delete-all')")
            sql.execute("insert or ignore into unsearched select id, 0 from texts")
            sql.execute("update waste set messages = 0")

    # Searching

    def containing(self, table: str, name: str, text: str, low: int, high: int) -> list[int]:
        """
        The ids, from C{low} to C{high}, of digests with a text in a field, ascending.

        Upper and lower case of ASCII letters are the same; a character that is not ASCII stands for any.
        """
        sql = self._file.sql
        if (name, text) == ("header", _ENCODED):
            # Asked for by each search in headers.
            return _ids(sql.execute(
                "select group_concat(id) from (select id from encoded where id between ? and ? order by id)",
                (low, high)).fetchone())
        if len(text) > _LONGEST_LIKE:
            return [id for id, octets in sql.execute(
                f"select id, \"{name}\" from {table} where id between ? and ? and length(\"{name}\") >= ? order by id",
                (low, high, sum(map(len, _runs(text))))) if _may_hold(octets, text)]
        like = f"cast(\"{name}\" as text) like ? escape '\\'"
        pattern = "%" + "".join(
            f"\\{char}" if char in "%_\\" else char if "\0" < char <= "~" else "%" for char in text) + "%"
        wanted = _trigrams(text) if name in _FIELDS and self._learns else []
        if wanted:
            rows = sql.execute(
                f"select group_concat(id) from (select id from {table} where {like} and id in ("
                "select rowid from words where words match ? and rowid between ? and ? union all "
                "select id from unsearched where not odd and id between ? and ?))",
                (pattern, " AND ".join(wanted), low, high, low, high)).fetchone()
        else:
            rows = sql.execute(
                f"select group_concat(id) from {table} where id between ? and ? and {like}",
                (low, high, pattern)).fetchone()
        odd = sql.execute(
            f"select id, \"{name}\" from {table} where id in (select id from unsearched where odd and "
            "id between ? and ?)", (low, high)).fetchall()
        found = _ids(rows) + [id for id, octets in odd if _may_hold(octets, text)]
        return sorted(set(found)) if odd else sorted(found)


def _ids(row: Sequence[bytes | None]) -> list[int]:
    return list(map(int, row[0].split(b","))) if row[0] else []


def _runs(text: str) -> list[str]:
    """The stretches of a text that are compared as they stand."""
    return "".join([char if "\0" < char <= "~" else "\0" for char in text]).split("\0")


def _trigrams(text: str) -> list[str]:
    """The trigrams of a text as FTS5 wants to be asked for them; of a long one some."""
    found = dict.fromkeys(
        run[at:at + 3].lower() for run in _runs(text) for at in range(len(run) - 2))
    step = -(-len(found) // _TRIGRAMS) or 1
    return ['"%s"' % one.replace('"', '""') for one in list(found)[::step]]


def _may_hold(octets: bytes, text: str) -> bool:
    held, at = octets.lower(), 0
    for run in _runs(text.lower()):
        at = held.find(run.encode("ascii"), at)
        if at < 0:
            return False
        at += len(run)
    return True
