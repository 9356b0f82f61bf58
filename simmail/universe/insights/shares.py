"""
Reports that are shared: whoever has a share's token sees the report of its universe, as it is then.

What is shown is the report without addresses and without people's names; the token is in the list of shares, so it is
kept as it is, found by its digest and compared in constant time.
Source: API contract, "Insights and shares"; decisions, section 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from simmail.core.insights.campaign import without_people
from simmail.core.insights.report import OTHERS, InsightsReport
from simmail.core.insights.state import LONGEST
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.persona import Persona
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IDatabase
from simmail.universe.committer import Committer
from simmail.universe.insights.insights import Insights

#: Shares that may be there at once.
MOST_SHARES = 1000

Days = Annotated[int, Meta(ge=1, le=LONGEST)]
Title = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]

TABLE = "shares"


class Share(Struct, frozen=True):
    """
    A report that is shared.

    @ivar token: its name in paths, C{shr_} and letters or digits; title: shown at the top.
    @ivar days: how many simulated days it is of; created: when, in simulated time.
    """

    token: str
    title: str
    days: int
    created: datetime


class SharedReport(Struct, frozen=True):
    """
    What whoever has the token sees.

    @ivar title: of the share; universe: its name; insights: where C{sender} of a campaign is a domain.
    """

    title: str
    universe: str
    insights: InsightsReport


# With the universe it is of: a fork has a copy, which must not answer to the token of the original.
_read = msgspec.json.Decoder(tuple[str, Share]).decode


class Shares:
    """
    The shares of one universe.

    @param people: everybody, whose names are not shown.
    @param now: simulated instant.
    """

    def __init__(
        self, universe: str, database: IDatabase, committer: Committer, insights: Insights,
        people: Callable[[], Iterable[Persona]], now: Callable[[], datetime],
    ) -> None:
        self._universe = universe
        self._database = database
        self._committer = committer
        self._insights = insights
        self._people = people
        self._now = now
        self._shares: dict[str, Share] = {}

    async def start(self) -> None:
        """Learn which there are."""
        found = [(key, *_read(octets)) for key, octets in (await self._database.table(self._universe, TABLE)).items()]
        found.sort(key=lambda one: (one[2].created, one[0]))
        self._shares = {key: share for key, universe, share in found if universe == self._universe}

    def list(self) -> list[Share]:
        """Return all, in the order they were made."""
        return list(self._shares.values())

    async def create(self, title: str, days: int) -> Share:
        """
        Share a report.

        @raise Invalid: there are too many.
        """
        if len(self._shares) >= MOST_SHARES:
            raise Invalid("", f"there are {MOST_SHARES} shares; revoke one first")
        made = Share("shr_" + token_urlsafe(32), title, days, self._now())
        await self._commit(Commit(puts=((TABLE, digest(made.token), msgspec.json.encode((self._universe, made))),)))
        self._shares[digest(made.token)] = made
        return made

    async def revoke(self, token: str) -> None:
        """
        Share a report no more.

        @raise NotFound: nobody shares it.
        """
        self.get(token)
        await self._commit(Commit(drops=((TABLE, digest(token)),)))
        self._shares.pop(digest(token), None)

    def get(self, token: str) -> Share:
        """Return a share by its token.  @raise NotFound: there is none."""
        found = self._shares.get(digest(token))
        if found is None or not compare_digest(found.token.encode(), token.encode("utf-8", "replace")):
            raise NotFound("there is no such share")
        return found

    async def shown(self, share: Share) -> SharedReport:
        """
        Return what a share shows now.

        @raise Unavailable: Redis is away.
        """
        names = {name for one in self._people() if " " in (name := " ".join(one.name.casefold().split()))}

        def shown(sender: str, subject: str) -> tuple[str, str]:
            return sender if sender == OTHERS else sender.rpartition("@")[2], without_people(subject, names)

        return SharedReport(share.title, self._universe, await self._insights.report(share.days, shown))

    async def _commit(self, commit: Commit) -> None:
        event = Event("settings.updated", self._now(), {"name": "shares"})
        await self._committer.commit(msgspec.structs.replace(commit, events=(event,)))


def digest(token: str) -> str:
    """Return what a token is found by, which says nothing of it."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()
