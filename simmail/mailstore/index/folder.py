"""What the index needs of a folder, which it knows by mailbox, name and UIDVALIDITY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from simmail.core.records.folder import Entry

#: (mailbox, name, UIDVALIDITY) of a folder.
Key = tuple[str, str, int]


class IKeyed(Protocol):
    """What has a key."""

    mailbox: str
    name: str
    uidvalidity: int


class IIndexed(IKeyed, Protocol):
    """
    A folder whose messages are indexed.

    @ivar directory: below the universe's, None while it is not made; gone: the folder is no more.
    """

    directory: str | None
    gone: bool

    @property
    def uids(self) -> Sequence[int]:
        """The UIDs, ascending."""

    def require(self) -> None:
        """@raise NotFound: the folder is gone."""

    def there(self, uids: Sequence[int]) -> Sequence[int]:
        """Return those messages that are there."""

    def entry(self, uid: int) -> Entry | None:
        """Return one message, None when it is gone."""

    def column(self, name: str, uids: Sequence[int]) -> list[Any]:
        """Return one field of each message, None for those that are gone."""

    def paths(self, uids: Sequence[int]) -> list[str | None]:
        """Return where the files of messages are, below the folder."""

    def reads(self, uids: Sequence[int]) -> Deferred[list[tuple[int, bytes]]]:
        """Deferred of the octets of those messages that are there."""


def key_of(folder: IKeyed) -> Key:
    """Return the key of a folder."""
    return folder.mailbox, folder.name, folder.uidvalidity


def slices(sizes: Sequence[int | None], most: int, octets: int) -> Iterator[slice]:
    """Yield the places of messages in order: at most so many in one go, and no more once they have so many octets."""
    begin = end = 0
    while begin < len(sizes):
        taken = 0
        while end < len(sizes) and end - begin < most and taken < octets:
            taken += sizes[end] or 0
            end += 1
        yield slice(begin, end)
        begin = end
