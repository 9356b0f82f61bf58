"""What the index needs of a folder, which it knows by mailbox, name and UIDVALIDITY."""

from __future__ import annotations

from collections.abc import Sequence
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
