"""
Things kept at hand: documents that were read or committed lately, and mails that were read.

One process decides for a universe at a time, so what it last committed is
what there is; the cache saves asking Redis for it again.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable
from sys import intern

from twisted.internet.defer import Deferred, maybeDeferred

from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.records.delivery import Copy
from simmail.errors import NotFound
from simmail.interfaces import IFolder

#: Memory for documents (octets); the oldest used goes first.  What one costs beside itself.
MOST, PLACE = 16 << 20, 300

#: Memory for mails kept read (octets), and the longest mail that is kept.
MOST_READ, LONGEST_READ = 24 << 20, 256 << 10

#: What a mail costs when it was read: its octets, their text, header fields cut out; and the least of all that.
TIMES, LEAST = 3, 3000

#: Longer ones that are kept for a moment: between being filed and decided about.
MOST_LARGE = 2

Fetch = Callable[[str, list[str]], Deferred[list[bytes | None]]]


class DocumentCache:
    """
    Documents by (table, key), as bytes.

    @param fetch: reads documents of one table.
    """

    def __init__(self, fetch: Fetch, most: int = MOST) -> None:
        self._fetch = fetch
        self._most = most
        self._documents: OrderedDict[tuple[str, str], bytes | None] = OrderedDict()
        self._size = 0

    async def get(self, wanted: Iterable[tuple[str, str]]) -> list[bytes | None]:
        """The documents, in the order asked for; all that are missing are fetched in one round trip."""
        wanted = list(wanted)
        documents = self._documents
        missing = [one for one in dict.fromkeys(wanted) if one not in documents]
        if missing:
            # Issued together, awaited one after another: the connection answers them in one go.
            under_way = [(one, self._fetch(one[0], [one[1]])) for one in missing]
            for at, (one, answer) in enumerate(under_way):
                try:
                    (octets,) = await answer
                except BaseException:
                    # What was asked beside it fails likewise, and is told once.
                    for _, other in under_way[at + 1:]:
                        other.addErrback(lambda failure: None)
                    raise
                # What was committed meanwhile is newer.
                if one not in documents:
                    self.put(*one, octets)
        result = []
        for one in wanted:
            if one in documents:
                documents.move_to_end(one)
                result.append(documents[one])
            else:
                # A cache too small for what was asked of it at once.
                (octets,) = await self._fetch(one[0], [one[1]])
                result.append(octets)
        return result

    def expect(self, wanted: Iterable[tuple[str, str]]) -> None:
        """These will be asked for in a moment: what is missing is fetched meanwhile, and nobody waits."""
        wanted = [one for one in wanted if one not in self._documents]
        if wanted:
            # What cannot be had now is told to who then asks.
            Deferred.fromCoroutine(self.get(wanted)).addErrback(lambda failure: None)

    def put(self, table: str, key: str, octets: bytes | None) -> None:
        """A document as it was just committed (None: dropped)."""
        documents = self._documents
        # Tables are few, documents many.
        table = intern(table)
        if (table, key) in documents:
            self._size -= _cost(documents[table, key])
        documents[table, key] = octets
        documents.move_to_end((table, key))
        self._size += _cost(octets)
        while self._size > self._most and documents:
            self._size -= _cost(documents.popitem(last=False)[1])

    def clear(self) -> None:
        """Everything may be different now."""
        self._documents.clear()
        self._size = 0


def _cost(octets: bytes | None) -> int:
    return PLACE + len(octets or b"")


class MailCache:
    """
    Mails read lately, by their octets: a mail is looked at when it is filed, decided about and answered.

    Under the octets themselves nothing kept can be out of date.  Where copies were filed is kept beside, so that
    the file need not be read again while the copy is there.

    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    def __init__(
        self, in_thread: Callable[..., Awaitable[Mail]] = maybeDeferred, most: int = MOST_READ
    ) -> None:
        self._most = most
        self._size = 0
        # None: kept, and not read yet.
        self._mails: OrderedDict[bytes, Mail | None] = OrderedDict()
        self._places: dict[bytes, list[Copy]] = {}
        self._octets: dict[Copy, bytes] = {}
        self._large: deque[tuple[bytes, Mail]] = deque(maxlen=MOST_LARGE)
        self._in_thread = in_thread

    async def understand(self, octets: bytes) -> Mail:
        """What C{read} gives, worked out in a thread where that takes long; for a moment C{read} knows it then."""
        if len(octets) <= LONGEST_READ:
            return self.read(octets)
        for held, mail in self._large:
            if held is octets:
                return mail
        mail = await self._in_thread(read, octets)
        self._large.append((octets, mail))
        return mail

    def read(self, octets: bytes) -> Mail:
        """The mail, as C{core.message.parse.read} gives it."""
        if len(octets) > LONGEST_READ:
            return next((mail for held, mail in self._large if held is octets), None) or read(octets)
        self._keep(octets)
        mail = self._mails[octets]
        if mail is None:
            mail = self._mails[octets] = read(octets)
        return mail

    def _keep(self, octets: bytes) -> None:
        if octets in self._mails:
            self._mails.move_to_end(octets)
            return
        self._mails[octets] = None
        self._size += TIMES * len(octets) + LEAST
        while self._size > self._most:
            old, _ = self._mails.popitem(last=False)
            self._size -= TIMES * len(old) + LEAST
            for copy in self._places.pop(old, ()):
                self._octets.pop(copy, None)

    def filed(self, copy: Copy, octets: bytes, mail: Mail | None = None) -> None:
        """A mail has a copy there, and is likely to be read again; C{mail}, when it is known what that gives."""
        if len(octets) <= LONGEST_READ:
            self._keep(octets)
            if mail is not None:
                self._mails[octets] = mail
            self._places.setdefault(octets, []).append(copy)
            self._octets[copy] = octets

    async def at(self, folder: IFolder, uid: int) -> Mail:
        """
        The mail of a copy.

        @raise NotFound: it is not there (any more).
        """
        if folder.entry(uid) is None:
            raise NotFound(f"no message {uid} in {folder.name} of {folder.mailbox}")
        octets = self._octets.get(Copy(folder.mailbox, folder.name, uid, folder.uidvalidity))
        if octets is None:
            octets = await folder.read(uid)
            if len(octets) > LONGEST_READ:
                # Nobody else has these octets, by which a long one would be known again.
                return await self._in_thread(read, octets)
        return await self.understand(octets)
