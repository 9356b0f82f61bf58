"""Somebody who does not read a language says so once to each correspondent."""

from __future__ import annotations

from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.testing.universe import MemoryServer, now, turned

MARIA, MAREK, EWA = "maria@acme.test", "marek@meble.test", "ewa@meble.test"
POLISH = "Dzień dobry,\n\nczy możemy dostarczyć zamówienie w piątek? Proszę o odpowiedź.\n\nPozdrawiam\n"
MAILS = ((MAREK, POLISH), (MAREK, f"{POLISH}PS: czy piątek jest dobry?\n"), (EWA, POLISH),
         (MAREK, "Hello,\n\ncan we deliver the order on Friday?\n"))


def answers(temperament: str, seed: str) -> list[list[str]]:
    """What is said to each of the mails, each with a subject of its own, two days apart."""
    server = MemoryServer()
    universe = server.universe(seed=seed)
    now(universe.people.create({"name": "Maria Lind", "addresses": [MARIA], "temperament": temperament,
                                "timing": {"reply_rate": 1, "delay": {"median": "20m", "spread": 1}}}))
    found: list[list[str]] = []
    for number, (sender, text) in enumerate(MAILS):
        before = len(now(universe.store.folder(sender, "INBOX")).uids) if universe.store.exists(sender) else 0
        server.send(universe, sender, MARIA, (
            f"From: {sender}\nTo: {MARIA}\nSubject: {number}\nMessage-ID: <{number}@meble.test>\nMIME-Version: 1.0\n"
            f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{text}").encode())
        turned(universe, universe.scheduler.advance(by=timedelta(days=2)))
        folder = now(universe.store.folder(sender, "INBOX")) if universe.store.exists(sender) else None
        uids = list(folder.uids)[before:] if folder else []
        found.append([read(now(folder.read(uid))).text for uid in uids] if folder else [])
    return found


class UnreadTests(SynchronousTestCase):
    """Polish, to people who have none."""

    def test_once(self) -> None:
        """The first mail of each correspondent is told so; later ones to next to nobody, and briefly."""
        again: list[str] = []
        for temperament in ("responsive", "procedural", "ghost"):
            for seed in "abcd":
                first, second, other, plain = answers(temperament, seed)
                self.assertEqual([len(one) for one in (first, other, plain)], [1, 1, 1], (temperament, seed))
                self.assertIn("English", first[0])
                self.assertIn("English", other[0])
                self.assertNotIn("English", plain[0])
                again += second
                self.assertTrue(all(len(one) < len(first[0]) + 60 and "?" not in one for one in second), second)
        self.assertLess(len(again), 6)
