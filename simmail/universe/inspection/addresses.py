"""
Addresses for one deliverability check each: what is sent there is reported on under its token.

The mail is in the address's mailbox, so there is nothing to keep but the token.
Source: decisions, section 10.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
from msgspec import Struct
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit
from simmail.errors import NotFound, TooMany
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.committer import Committer

#: Addresses that may be open at once; real seconds that one is.
MOST_OPEN, OPEN = 100, 24 * 60 * 60

_TABLE = "check_addresses"


class CheckAddress(Struct, frozen=True):
    """
    A deliverability-check address.

    @ivar token: its name in paths; address: where to send the mail.
    @ivar created: in real time; expires: when it goes by itself, in real time.
    """

    token: str
    address: str
    created: datetime
    expires: datetime


_read = msgspec.json.Decoder(CheckAddress).decode


class CheckAddresses:
    """
    The open addresses of one universe.

    @param domain: the server's; unique: makes tokens; reactor: real time.
    """

    def __init__(
        self, universe: str, domain: str, database: IDatabase, store: IMailStore, committer: Committer,
        unique: Callable[[], str], reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._domain = domain
        self._database = database
        self._store = store
        self._committer = committer
        self._unique = unique
        self._reactor = reactor
        self._turn = Lock(reactor)
        self._open: dict[str, CheckAddress] = {}

    async def start(self) -> None:
        """Learn which are open."""
        table = await self._database.table(self._universe, _TABLE)
        self._open = {one.token: one for one in sorted(map(_read, table.values()), key=lambda one: one.created)}

    async def open(self) -> CheckAddress:
        """
        Open an address.

        @raise TooMany: as many are open as may be.
        """
        async with self._turn:
            now = datetime.fromtimestamp(self._reactor.seconds(), UTC)
            gone = [token for token, one in self._open.items() if one.expires <= now]
            if len(self._open) - len(gone) >= MOST_OPEN:
                first = next(one for one in self._open.values() if one.expires > now)
                raise TooMany(f"{MOST_OPEN} deliverability-check addresses are open; the first ends at "
                              f"{first.expires:%Y-%m-%dT%H:%M:%SZ}", (first.expires - now).total_seconds())
            token = self._unique()
            made = CheckAddress(token, f"check-{token}@{self._domain}", now,
                                datetime.fromtimestamp(self._reactor.seconds() + OPEN, UTC))
            await self._store.create(made.address)
            await self._committer.commit(Commit(
                puts=((_TABLE, token, msgspec.json.encode(made)),), drops=tuple((_TABLE, one) for one in gone)))
            for one in gone:
                del self._open[one]
            self._open[token] = made
            return made

    def get(self, token: str) -> CheckAddress:
        """Return an address by its token.  @raise NotFound: there is none, or it has ended."""
        found = self._open.get(token)
        if found is None or found.expires.timestamp() <= self._reactor.seconds():
            raise NotFound(f"no deliverability-check address of the token {token[:60]}")
        return found
