"""
Message-IDs of mail that comes without one, whoever sends it.

The n-th that a sender leaves to the service is called the same in every run, so that answers, which name it, are the
same octets.  Source: decisions, section 23 ("Message-IDs the service makes").
"""

from __future__ import annotations

from simmail.core.compose.message_id import message_id
from simmail.core.rng import Dice
from simmail.interfaces import IDatabase

#: The table of how many mails of a sender were named.
NAMED = "named"


class MissingMessageIds:
    """
    Names the mail of one universe.

    @param domain: of the server, which the names bear.
    """

    def __init__(self, universe: str, database: IDatabase, dice: Dice, domain: str) -> None:
        self._universe = universe
        self._database = database
        self._dice = dice
        self._domain = domain
        self._counts: dict[str, int] = {}

    async def start(self) -> None:
        """Learn how many mails of each sender were named before."""
        for sender, octets in (await self._database.table(self._universe, NAMED)).items():
            self._counts[sender] = int(octets)

    def next(self, sender: str) -> tuple[str, tuple[str, str, bytes]]:
        """
        Return the Message-ID of one more mail of a sender, and the document that counts it: to be committed with it.

        @param sender: an address, C{""} for the null reverse-path.
        """
        sender = sender.lower()
        nth = self._counts[sender] = self._counts.get(sender, 0) + 1
        return message_id(self._dice, "plain", self._domain, "named", sender, nth), (NAMED, sender, b"%d" % nth)
