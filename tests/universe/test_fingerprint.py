"""Tests for C{simmail.universe.fingerprint}: what makes two runs alike, and what does not."""

from __future__ import annotations

from simmail.core.records.settings import Pace
from simmail.testing.universe import MemoryServer, now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.universe import Universe
from tests.universe.test_road import MAIL, RoadTestCase, persona


class FingerprintTests(RoadTestCase):
    """One hash over what is the case."""

    def run_of(self, message_id: bytes = b"one", text: bytes = b"lunch", flag: bool = False) -> Universe:
        """A universe of its own server, in which a mail was answered."""
        server = MemoryServer()
        universe = server.universe()
        now(universe.people.create(persona()))
        server.send(universe, "app@sim.test", "maria@acme.test",
                    MAIL.replace(b"<one@", b"<%b@" % message_id).replace(b"lunch", text))
        turned(universe, universe.scheduler.advance(until="idle"))
        if flag:
            now(universe.mailboxes.change("app@sim.test", "INBOX", 1, seen=True))
        return universe

    def print_of(self, universe: Universe) -> str:
        return now(fingerprint(universe)).fingerprint

    def test_message_id_is_left_out(self) -> None:
        """The application's own Message-IDs stand for their ordinal, also where an answer refers to them."""
        self.assertEqual(self.print_of(self.run_of(b"one")), self.print_of(self.run_of(b"another")))

    def test_told_apart(self) -> None:
        """Another text, another flag, a setting: each is another fingerprint; to look changes nothing."""
        first = self.run_of()
        before = self.print_of(first)
        self.assertEqual(self.print_of(first), before)
        others = [self.print_of(self.run_of(text=b"dinner")), self.print_of(self.run_of(flag=True))]
        now(first.settings.put("pace", Pace(2.0)))
        others.append(self.print_of(first))
        self.assertEqual(len({before, *others}), 4)

    def test_outside(self) -> None:
        """Who signed in, and from where, is of the world outside."""
        before = now(fingerprint(self.universe))
        now(self.server.roster.accounts(self.universe).put("app@sim.test", "secret word"))
        made = now(fingerprint(self.universe))
        now(self.server.roster.sign_in("app@sim.test", "secret word", "smtp", "192.0.2.1"))
        self.assertIn("auth.ok", [one["type"] for one in self.events()])
        self.assertEqual(now(fingerprint(self.universe)), made)
        self.assertEqual(before.counts.get("events", 0), made.counts.get("events", 0))

    def test_counts(self) -> None:
        """What went into it is counted by kind."""
        counts = now(fingerprint(self.run_of())).counts
        self.assertEqual((counts["personas"], counts["relations"], counts["jobs"]), (1, 1, 1))
        self.assertGreaterEqual(counts["mail"], 3)
