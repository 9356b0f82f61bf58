"""
What a reset leaves of a universe: the documents that are kept, laid aside before all else goes.

Source: decisions, section 16: accounts, settings and webhooks unless told otherwise; personas of the configuration
always; and what the plan counts by the month, which a reset gives back no more than a deletion of mail does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

import msgspec

from simmail.core.records.case import Case
from simmail.core.records.commit import Commit
from simmail.core.records.persona import Persona
from simmail.interfaces import IDatabase
from simmail.universe.insights.shares import TABLE as SHARES
from simmail.universe.policy import Account
from simmail.universe.usage import TABLE as USAGE
from simmail.universe.webhooks.webhooks import TABLE as WEBHOOKS

Kept = Literal["personas", "accounts", "settings", "webhooks", "cases"]

#: All that can be kept, and what is unless told otherwise.
KEPT: tuple[Kept, ...] = get_args(Kept)
DEFAULT: tuple[Kept, ...] = ("accounts", "settings", "webhooks")

#: Whole tables, by what they are kept with.
_TABLES: tuple[tuple[Kept, str], ...] = (
    ("accounts", "accounts"), ("settings", "settings"), ("settings", SHARES), ("webhooks", WEBHOOKS),
    ("cases", "cases"))

#: Says in an image that it has all that is kept.
_MARK = ("reset", "kept")

_persona = msgspec.json.Decoder(Persona).decode
_case = msgspec.json.Decoder(Case).decode
_account = msgspec.json.Decoder(Account).decode


async def lay_aside(database: IDatabase, universe: str, image: str, keep: Collection[str]) -> None:
    """
    Copy what is kept of a universe to the id C{image}, all in one commit; once it is there, it stays as it is.

    Doing it again is safe, also when the universe has nothing any more.
    """
    table, name = _MARK
    if (await database.get(image, table, [name]))[0] is not None:
        return
    puts: list[tuple[str, str, bytes]] = [(table, name, b"true")]

    def take(into: str, rows: Iterable[tuple[str, bytes]]) -> None:
        puts.extend((into, key, octets) for key, octets in rows)

    for kind, one in _TABLES:
        if kind in keep:
            take(one, (await database.table(universe, one)).items())
    take(USAGE, (await database.table(universe, USAGE)).items())
    people = await database.table(universe, "personas")
    # Cases name people by their ids.
    named = {one.persona_id for table, _, octets in puts if table == "cases" for one in _case(octets).people or ()}
    take("personas", ((key, octets) for key, octets in people.items()
                      if "personas" in keep or key in named or _persona(octets).provider == "config"))
    counters = await database.table(universe, "counters")
    take("counters", ((key, octets) for key, octets in counters.items()
                      if "personas" in keep and key.startswith("persona:") or "cases" in keep and key == "cases"))
    await database.commit(image, Commit(puts=tuple(puts)))


async def finish(database: IDatabase, universe: str) -> None:
    """What was laid aside is in its place: it does not say so any more."""
    await database.commit(universe, Commit(drops=(_MARK,)))


async def mailboxes(database: IDatabase, image: str) -> tuple[str, ...]:
    """Return the addresses that have a mailbox with what was laid aside: those of logins and people."""
    found = {account.address for account in map(_account, (await database.table(image, "accounts")).values())}
    for octets in (await database.table(image, "personas")).values():
        found.update(_persona(octets).addresses)
    return tuple(sorted(found))
