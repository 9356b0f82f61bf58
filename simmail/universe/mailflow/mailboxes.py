"""
Mailboxes as the API reads and changes them.

Nothing here causes an event or a reaction (decisions, section 23: "APPEND,
COPY, MOVE and inject cause no events and no reactions"); who watches a folder
is told by the folder.  Source: API contract, "Mailboxes and mail".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from simmail.config import Config
from simmail.core.compose.complete import complete
from simmail.core.message.parse import read_title
from simmail.core.message.summary import Digest
from simmail.core.mime.address import parse, stored
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Copy
from simmail.core.records.folder import Entry, FolderStatus, counted
from simmail.errors import NotFound, TooLarge
from simmail.interfaces import IFolder, IMailStore
from simmail.universe.mailflow.missing_message_id import MissingMessageIds
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.people.personas import Personas
from simmail.universe.policy import Policy

#: The class below has a method of that name.
List = list

#: Folders whose messages make up conversations, in the contract's order.
THREADED = ("INBOX", "Sent", "Archive")

_EMPTY = counted({})


class Counts(Struct, frozen=True):
    """Messages.  C{total}: how many; C{unread}: how many of them are not read."""

    total: int
    unread: int


class MailboxSummary(Struct, frozen=True):
    """
    One mailbox.

    @ivar can_login: whether mail programs can sign in to it.
    @ivar unread: messages in all folders that are not read; total: messages in all folders.
    @ivar folders: the same by the names of those folders that hold any.
    @ivar display_name: name of the login, where it has one.
    @ivar persona_id: of the persona behind it, if any; persona: that persona's name.
    """

    address: str
    can_login: bool
    unread: int
    total: int
    folders: dict[str, Counts]
    display_name: str | UnsetType = UNSET
    persona_id: str | UnsetType = UNSET
    persona: str | UnsetType = UNSET


class FiledMessage(NamedTuple):
    """One message: where it is, what the folder says of it, what the index knows."""

    folder: str
    entry: Entry
    digest: Digest


class Mailboxes:
    """The mailboxes of one universe."""

    def __init__(
        self, config: Config, store: IMailStore, policy: Policy, people: Personas, recent: RecentMail,
        names: MissingMessageIds, now: Callable[[], datetime], commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._most = config.limits.message
        self._store = store
        self._policy = policy
        self._people = people
        self._recent = recent
        self._names = names
        self._now = now
        self._commit = commit

    async def list(self) -> List[MailboxSummary]:
        """All mailboxes: those without a persona first, then by address."""
        counts = await self._store.counts()
        items = []
        for address in self._store.mailboxes():
            total, unread, folders = counts.get(address) or _EMPTY
            persona = self._people.at(address)
            account = self._policy.account(address)
            items.append(MailboxSummary(
                address, bool(account and account.can_login), unread, total,
                {name: Counts(*counts) for name, counts in folders.items()},
                account.display_name or UNSET if account else UNSET, persona.id if persona else UNSET,
                persona.name if persona else UNSET))
        return sorted(items, key=lambda item: (bool(item.persona_id), item.address))

    async def folders(self, address: str) -> List[FolderStatus]:
        """The folders of a mailbox, special ones first.  @raise NotFound: no such mailbox."""
        found: List[FolderStatus] = await self._store.folders(stored(address))
        return found

    async def folder(self, address: str, name: str) -> IFolder:
        """One folder.  @raise NotFound: no such mailbox or folder."""
        found: IFolder = await self._store.folder(stored(address), name)
        return found

    async def messages(
        self, address: str, folder: str = "INBOX", limit: int = 100, before: int | None = None
    ) -> List[FiledMessage]:
        """Messages of one folder, newest first, with UIDs below C{before}."""
        opened = await self.folder(address, folder)
        uids = [uid for uid in opened.uids if before is None or uid < before][-limit:]
        return await self._filed(opened, uids[::-1])

    async def _filed(self, folder: IFolder, uids: List[int]) -> List[FiledMessage]:
        digests = await folder.digests(uids)
        result = []
        for uid in uids:
            entry = folder.entry(uid)
            if entry is not None and uid in digests:
                result.append(FiledMessage(folder.name, entry, digests[uid]))
        return result

    async def read(self, address: str, folder: str, uid: int) -> tuple[Entry, bytes]:
        """One message whole.  @raise NotFound: no such mailbox, folder or message."""
        opened = await self.folder(address, folder)
        entry = opened.entry(uid)
        if entry is None:
            raise NotFound(f"no message {uid} in {folder} of {address}")
        return entry, await opened.read(uid)

    async def find(self, address: str, message_id: str) -> tuple[str, int] | None:
        """Where in a mailbox a Message-ID is, newest first."""
        for status in await self.folders(address):
            opened = await self.folder(address, status.name)
            for filed in await self._filed(opened, list(opened.uids)[::-1]):
                if filed.digest.message_id == message_id:
                    return status.name, filed.entry.uid
        return None

    async def change(
        self, address: str, folder: str, uid: int, seen: bool | None = None, move_to: str | None = None
    ) -> tuple[str, int]:
        """
        Set or clear C{\\Seen}, move to another folder.

        @return: where the message is now.
        @raise NotFound: no such mailbox, message or target folder.
        """
        opened = await self.folder(address, folder)
        if opened.entry(uid) is None:
            raise NotFound(f"no message {uid} in {folder} of {address}")
        target = await self.folder(address, move_to) if move_to is not None else None
        if seen is not None:
            await opened.flag([uid], ["\\Seen"], "+" if seen else "-", None)
        if target is None or target.name == opened.name:
            return folder, uid
        moved = await opened.move([uid], target, self._now())
        if not moved:
            raise NotFound(f"no message {uid} in {folder} of {address}")
        return target.name, moved[0][1]

    async def delete(self, address: str, folder: str, uid: int) -> None:
        """The message is gone.  @raise NotFound: no such mailbox, folder or message."""
        opened = await self.folder(address, folder)
        if not await opened.expunge([uid]):
            raise NotFound(f"no message {uid} in {folder} of {address}")

    async def inject(self, to: str, folder: str, octets: bytes) -> tuple[str, int]:
        """
        Put a message into a mailbox; nobody is notified and nobody replies.

        @return: folder and UID.
        @raise TooLarge: over the message limit.
        @raise Unavailable: Redis is away, and the message has no Message-ID of its own.
        """
        address = parse(to)
        if len(octets) > self._most:
            raise TooLarge(f"message over {self._most} octets")
        now = self._now()
        counted: list[tuple[str, str, bytes]] = []

        def name() -> str:
            message_id, document = self._names.next(read_title(octets).author)
            counted.append(document)
            return message_id

        octets = complete(octets, name, now)
        if counted:
            # Before the mail is there: no name is given twice.
            await self._commit(Commit(puts=tuple(counted)))
        await self._store.create(address)
        opened = await self.folder(address, folder)
        uid: int = await opened.append(octets, (), now)
        self._recent.note(Copy(address, opened.name, uid, opened.uidvalidity))
        return opened.name, uid
