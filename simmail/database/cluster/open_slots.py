"""
Slots that are moved from one primary to another key by key (C{CLUSTER SETSLOT}, C{MIGRATE}).

The rules, of the cluster specification of Redis and Valkey:

  - C{MOVED} ("MOVED Redirection"): the slot is another primary's for good.  The map is asked for anew, and what was
    refused goes there in its order.
  - C{ASK} ("ASK redirection"; "Live resharding"): the primary that has the slot lacks the key and names another that
    may have it, which takes the command behind C{ASKING} only.  The map stays what it is.
  - C{TRYAGAIN} ("Multi-key operations"): of several keys some are there and some are not.  The command is sent again
    after a moment, a few times.
  - C{CLUSTERDOWN}, C{LOADING}, C{READONLY}: the connection is made anew until they are over.

Each of these answers says that nothing was done, so what is sent again is done once.  A commit says so itself besides:
its C{once} is remembered with its outcome among the keys that move, and one that was made is answered as it was.

A client of plain keys asks the old primary first and the new one next, key by key.  Scripts cannot be asked for so:
they name the hash tag of a universe, which is no key, and where half of the keys is elsewhere they would find half of a
universe.  So with the first C{ASK} what is left of the slot is brought over, with the C{MIGRATE} that who moves it
uses too; then the old primary answers C{ASK} to all that is asked of the slot, and as long as it says that it is moving
the slot, what is asked goes to the new one, behind C{ASKING}.  Who moves the slot finds keys gone (C{NOKEY}), which
means nothing to him, and ends it.  If he gives it up, all is brought back; where the new primary does not let us any
more, what is in the slot stays away and is not served as if it were empty.  What takes two keys at once (erasing a
universe, forgetting outcomes, a copy within one slot) is refused before anything is done, until it has ended.
"""

from __future__ import annotations

from typing import NamedTuple

from simmail.database.connection import Word
from simmail.database.durability.synced import Ask
from simmail.database.url import RedisUrl

#: Keys of one C{MIGRATE}: both Redis do nothing else meanwhile; and milliseconds of silence after which it fails.
TOGETHER, LONGEST = 500, 5000


class Redirection(NamedTuple):
    """
    What C{MOVED} and C{ASK} say.

    @ivar ask: it is C{ASK}.
    @ivar place: C{host:port}.
    """

    ask: bool
    slot: int
    place: str


def redirection(text: str, asked: str) -> Redirection | None:
    """
    Read an error answer; None: it is no redirection.

    @param asked: the host that gave it, which is meant where none is told ("Redirection", of Redis 7).
    """
    words = text.lstrip("-").split()
    if len(words) < 3 or words[0] not in ("MOVED", "ASK") or not words[1].isascii() or not words[1].isdigit():
        return None
    host, _, port = words[2].rpartition(":")
    if not port.isascii() or not port.isdigit():
        return None
    return Redirection(words[0] == "ASK", int(words[1]), f"{asked if host in ('', '?') else host}:{port}")


def migrating(reply: bytes) -> frozenset[int]:
    """The slots that a primary is moving away key by key: of its answer to C{CLUSTER NODES}, its own line."""
    for line in reply.decode("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) > 2 and "myself" in words[2].split(","):
            return frozenset(
                int(slot[1:]) for slot, arrow, _ in (word.partition("->-") for word in words[8:])
                if arrow and slot[1:].isdigit())
    return frozenset()


async def bring_over(ask: Ask, slot: int, place: str, link: RedisUrl) -> bool:
    """
    Have all keys of a slot at the primary to which it is being moved.

    What it does twice, or besides another, it does once: a key is at one of the two, and nobody writes to the new one
    before the old one has none.

    @param ask: asks the primary that moves it away.
    @param place: C{host:port} of the other.
    @param link: with which password that is reached.
    @return: false: it is not being moved (any more).
    @raise RuntimeError: Redis does not let us.
    """
    if slot not in migrating(bytes(await ask(("CLUSTER", "NODES")))):
        return False
    await _carry(ask, slot, place, ("REPLACE", *_let_in(link)))
    return True


async def bring_back(ask: Ask, slot: int, place: str, link: RedisUrl) -> None:
    """
    Have all keys of a slot at the primary that has kept it, after its move was given up.

    @param ask: asks the other, to which nobody writes any more.
    @param place: C{host:port} of the one that has it.
    @raise RuntimeError: it has a key of that name.
    @raise Unavailable: the other is not told any more that the slot comes to it, and gives nothing away.
    """
    await _carry(ask, slot, place, _let_in(link))


def _let_in(link: RedisUrl) -> tuple[Word, ...]:
    if link.username:
        return "AUTH2", link.username, link.password
    return ("AUTH", link.password) if link.password else ()


async def _carry(ask: Ask, slot: int, place: str, how: tuple[Word, ...]) -> None:
    host, _, port = place.rpartition(":")
    while keys := await ask(("CLUSTER", "GETKEYSINSLOT", slot, TOGETHER)):
        await ask(("MIGRATE", host, port, "", 0, LONGEST, *how, "KEYS", *keys))
