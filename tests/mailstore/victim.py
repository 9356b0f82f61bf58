"""
A process that uses a mail store until it is killed, and says on standard output what was promised to it.

    python -m tests.mailstore.victim PATH ROUND
"""

from __future__ import annotations

import os
import sys
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, ensureDeferred

from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.mailstore import MailStore
from tests.contracts.mailstores import AT, a_delivery, tiny_digest
from tests.mailstore.promises import BATCH, MARIA, SAVED, SENT, TOM, a_letter

WINDOW = 32


def say(*words: object) -> None:
    """One promise; a line this short is written whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Victim:
    """Delivers, flags, expunges and appends without end."""

    def __init__(self, path: str, number: str) -> None:
        # Small segments, so that some are dropped before the end.
        self.journal = Journal(f"{path}/journal", reactor, segment=100_000)
        self.store: Any = MailStore("main", f"{path}/mail", self.journal, f"{path}/index", reactor, tiny_digest)
        self.number = number
        self.count = 0

    async def run(self) -> None:
        """Begin."""
        await self.journal.ready
        owed = await self.store.uncommitted()
        for delivery, _ in await self.store.replay(set()):
            say("replayed", delivery.id)
        self.store.committed(owed)
        await self.store.create(MARIA)
        await self.store.create(TOM)
        for _ in range(WINDOW):
            self.deliver()
        await ensureDeferred(self.change())

    def deliver(self) -> None:
        """One more delivery; when it is promised, the next."""
        self.count += 1
        key = f"{self.number}-{self.count}"
        delivery = a_delivery(key, (TOM, SENT, ("\\Seen",)), MARIA, octets=a_letter(f"d-{key}", self.count % 7 * 3000))

        def promised(copies: Any) -> None:
            say("filed", delivery.id, *(f"{copy.uidvalidity}:{copy.uid}" for copy in copies))
            if self.count % 3:
                self.store.committed([delivery.id])
                say("settled", delivery.id)
            self.deliver()
        self.store.accept(delivery).addCallback(promised)

    async def change(self) -> None:
        """Flags, expunges, appends."""
        inbox = await self.store.folder(MARIA, "INBOX")
        drafts = await self.store.folder(TOM, "Drafts")
        while True:
            await pause()
            flagged = set(inbox.having("\\Flagged"))
            uids = [uid for uid in list(inbox.uids)[-200:] if uid % 5 == 0 and uid not in flagged]
            changed, _ = await inbox.flag(uids[:3], ["\\Flagged", "Key"], "+")
            for uid in changed:
                say("flagged", uid)
            for uid in await inbox.expunge([uid for uid in inbox.uids if uid % 11 == 0][:2]):
                say("expunged", uid)
            self.count += 1
            octets = a_letter(f"a-{self.number}-{self.count}", 100)
            say("appended", await drafts.append(octets, ["\\Draft"], AT))
            letters = [a_letter(f"m-{self.number}-{self.count}-{at}", 50 * at) for at in range(BATCH)]
            for uid in await drafts.append_all([(letter, ["\\Draft"], AT) for letter in letters], SAVED):
                say("appended", uid)
            archive = await self.store.folder(TOM, "Archive")
            revision = a_letter(f"r-{self.number}-{self.count}", 200)
            if archive.uids:
                say("revised", await archive.replace(archive.uids[-1], archive, revision, [], AT))
            else:
                say("revised", await archive.append(revision, [], AT))


def pause() -> Deferred[None]:
    """A moment."""
    done: Deferred[None] = Deferred()
    reactor.callLater(0.003, done.callback, None)  # type: ignore[attr-defined]
    return done


def main() -> None:
    """Until somebody kills it."""
    victim = Victim(*sys.argv[1:3])
    reactor.callWhenRunning(  # type: ignore[attr-defined]
        lambda: ensureDeferred(victim.run()).addErrback(lambda failure: say("error", repr(failure.value))))
    reactor.run()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
