"""
A process that copies universes while mail is delivered, until it is killed; it says what was promised.

    python -m tests.mailstore.image_victim PATH ROUND
"""

from __future__ import annotations

import sys
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred

from simmail.mailstore.images import MailImages
from simmail.mailstore.maildir import sharing
from simmail.mailstore.mailstore import MailStore
from tests.contracts.mailstores import QuickJournal, a_delivery, tiny_digest
from tests.mailstore.promises import MARIA, SENT, TOM, a_letter
from tests.mailstore.victim import say

WINDOW = 4


class ImageVictim:
    """Delivers, and makes images, forks and what is put back."""

    def __init__(self, path: str, number: str) -> None:
        sharing.FEW = 5
        self.path, self.number, self.count = path, number, 0
        self.journal = QuickJournal(f"{path}/journal", reactor, segment=100_000)
        self.images = MailImages(f"{path}/mail", self.journal, f"{path}/index")
        self.store = self.open("main")

    def open(self, universe: str) -> Any:
        """A store."""
        return MailStore(universe, f"{self.path}/mail", self.journal, f"{self.path}/index", reactor, tiny_digest)

    async def run(self) -> None:
        """Begin."""
        await self.journal.ready
        await self.store.uncommitted()
        await self.store.replay(set())
        for _ in range(WINDOW):
            self.deliver()
        number = 0
        while True:
            number += 1
            await self.copy(f"{self.number}-{number}")

    def deliver(self) -> None:
        """One more delivery; when it is promised, the next."""
        self.count += 1
        key = f"{self.number}-{self.count}"
        delivery = a_delivery(key, (TOM, SENT, ("\\Seen",)), MARIA, octets=a_letter(f"d-{key}", self.count % 5 * 1000))

        def promised(copies: Any) -> None:
            say("filed", delivery.id)
            if self.count % 3:
                self.store.committed([delivery.id])
            self.deliver()
        self.store.accept(delivery).addCallback(promised)

    async def copy(self, name: str) -> None:
        """One of each."""
        say("asked", f"kept-{name}")
        await self.images.copy("main", f"kept-{name}")
        say("made", f"kept-{name}")
        say("asked", f"fork-{name}")
        await self.images.copy(f"kept-{name}", f"fork-{name}")
        say("made", f"fork-{name}")
        fork = self.open(f"fork-{name}")
        for at in range(3):
            key = f"f-{name}-{at}"
            delivery = a_delivery(key, MARIA, (TOM, SENT, ("\\Seen",)), octets=a_letter(f"d-{key}", 100))
            await fork.accept(delivery)
            say("forked", f"fork-{name}", delivery.id)
        sent = await fork.folder(TOM, SENT)
        say("flagged", f"fork-{name}", *await sent.expunge(sent.uids[:1]))
        await fork.close()
        say("asked", f"back-{name}")
        await self.images.copy(f"kept-{name}", f"back-{name}", True)
        say("made", f"back-{name}")
        say("going", f"kept-{name}")
        await self.images.erase(f"kept-{name}")
        say("gone", f"kept-{name}")


def main() -> None:
    """Until somebody kills it."""
    victim = ImageVictim(*sys.argv[1:3])
    reactor.callWhenRunning(  # type: ignore[attr-defined]
        lambda: ensureDeferred(victim.run()).addErrback(lambda failure: say("error", repr(failure.value))))
    reactor.run()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
