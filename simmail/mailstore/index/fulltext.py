"""
Full text: which messages hold a text, by SQLite's FTS5 with trigrams.

The table C{searched} has what searches compare, folded (L{Digest}), so that a
message holds a text where its octets do.  The table C{words} knows for each
three characters in a row which messages have them in any of its fields.  A
text is looked for by all the trigrams in it; what is found is compared with
what is stored, so that the answer is that of a plain comparison of all
messages, only sooner.  (With C{detail=none} no places are kept: a third of the
time and a quarter of the room; the comparison is needed anyway, because fields
are searched singly.)

New messages wait in C{unsearched} until there is nothing else to do, and are
compared one by one until then.  What is expunged stays in C{words} as waste,
which does no harm, until there is more of it than of the rest; then the table
is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.message.summary import SEARCHED
from simmail.mailstore.index.sqlite import IndexFile

#: Messages that are learned at once, and octets of them.
_MOST, _OCTETS = 64, 192 * 1024
#: Trigrams that are asked for of one text.
_TRIGRAMS = 24
#: Messages that are compared one by one without harm.
FEW = 100
#: The greatest id.
_LAST = (1 << 63) - 1
#: Expunged messages that are always borne with.
_WASTE = 10_000

SCHEMA = (
    "create table unsearched (id integer primary key)",
    "create table waste (messages integer)",
    "insert into waste values (0)",
)
EXTRAS = (
    "create virtual table words using fts5"
    "(text, tokenize='trigram case_sensitive 1', detail='none', content='', columnsize=0)",
)


class FullText:
    """
    The table of words of one index.

    @ivar waiting: about how many messages there are whose words are to be learned.
    """

    def __init__(self, file: IndexFile) -> None:
        self._file = file
        self._born, self._has = -1, False
        self.waiting = 0

    @property
    def _learns(self) -> bool:
        """Whether this SQLite knows trigrams."""
        # Opened here, before it is asked whether it is the one that was looked at.
        sql = self._file.sql
        if self._born != self._file.born:
            self._has = self._file.has("words")
            (self.waiting,) = sql.execute("select count(*) from unsearched").fetchone()
            self._born = self._file.born
        return self._has

    # What comes and goes

    def added(self, ids: Sequence[int]) -> None:
        """The digests with these ids are in their tables now."""
        self._file.sql.executemany("insert or replace into unsearched values (?)", [(id,) for id in ids])
        self.waiting += len(ids)

    def copied(self, distance: int, low: int, high: int) -> None:
        """Digests were copied: those with ids from C{low} to C{high}, to ids that are greater by C{distance}."""
        self._file.sql.execute(
            "insert or replace into unsearched select id + ? from searched where id between ? and ?",
            (distance, low, high))
        self.waiting += high - low + 1

    def removed(self, where: str, count: int) -> None:
        """So many digests are gone: those that SQL finds with C{where}."""
        sql = self._file.sql
        count -= sql.execute(f"delete from unsearched where {where}").rowcount
        if count > 0:
            sql.execute("update waste set messages = messages + ?", (count,))

    # Learning

    def unlearned(self, low: int, high: int) -> int:
        """How many digests with ids from C{low} to C{high} there are whose words are to be learned."""
        if not self._learns or not self.waiting:
            return 0
        count: int
        (count,) = self._file.sql.execute(
            "select count(*) from unsearched where id between ? and ?", (low, high)).fetchone()
        return count

    def learn(self, low: int = 0, high: int = _LAST) -> bool:
        """Learn the words of some messages of those with ids from C{low} to C{high}; whether there are more."""
        if not self._learns:
            self.waiting = 0
            return False
        with self._file.together() as sql:
            self._begin_anew()
            rows = sql.execute(
                "select unsearched.id, length(in_header) + length(in_body) "
                "from unsearched left join searched using (id) "
                "where unsearched.id between ? and ? order by 1 limit ?", (low, high, _MOST)).fetchall()
            ids: list[int] = []
            room = _OCTETS
            for id, octets in rows:
                if ids and room < (octets or 0):
                    break
                ids.append(id)
                room -= octets or 0
            some = ",".join(map(str, ids))
            words = " || x'0a' || ".join(SEARCHED)
            sql.execute(f"insert into words(rowid, text) select id, cast({words} as text) "
                        f"from searched where id in ({some})")
            sql.execute(f"delete from unsearched where id in ({some})")
        more = len(ids) < len(rows) or len(rows) == _MOST
        # Of those that go nothing is known here, so that it is never too small.
        self.waiting = 0 if not more and (low, high) == (0, _LAST) else max(self.waiting - len(ids), int(more))
        return more

    def _begin_anew(self) -> None:
        sql = self._file.sql
        (waste,) = sql.execute("select messages from waste").fetchone()
        if waste > _WASTE and waste > sql.execute("select count(*) from searched").fetchone()[0]:
            sql.execute("insert into words(words) values ('delete-all')")
            sql.execute("insert or ignore into unsearched select id from searched")
            sql.execute("update waste set messages = 0")

    # Searching

    def containing(self, names: Sequence[str], text: str, low: int, high: int) -> list[int]:
        """
        The ids, from C{low} to C{high}, of digests with a folded text in one of some fields, ascending.

        @param names: of C{SEARCHED}.
        """
        octets = text.encode("utf-8", "surrogatepass")
        holds = " or ".join([f"instr({name}, ?1)" for name in names])
        wanted = _trigrams(text) if self._learns else []
        among = "id between ?2 and ?3"
        values: tuple[bytes | int | str, ...] = (octets, low, high)
        if wanted:
            among = ("id in (select rowid from words where words match ?4 and rowid between ?2 and ?3 union all "
                     "select id from unsearched where id between ?2 and ?3)")
            values = *values, " AND ".join(wanted)
        (found,) = self._file.sql.execute(
            f"select group_concat(id) from searched where {among} and ({holds})", values).fetchone()
        return sorted(map(int, found.split(b","))) if found else []


def _trigrams(text: str) -> list[str]:
    """The trigrams of a text as FTS5 wants to be asked for them; of a long one some."""
    found = dict.fromkeys([text[at:at + 3] for at in range(len(text) - 2)])
    step = -(-len(found) // _TRIGRAMS) or 1
    return ['"%s"' % one.replace('"', '""') for one in list(found)[::step]
            if not any(["\ud800" <= char <= "\udfff" for char in one])]
