"""Conversations, kept at hand and never stale."""

from __future__ import annotations

from typing import Any

from simmail.rest.render.conversation import Conversations, FEW, MOST
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase

PATH = "/api/mailboxes/app@sim.test/threads"


class ConversationTests(ServedTestCase):
    """What is kept of conversations."""

    def setUp(self) -> None:
        """A conversation of two, one of one, and a count of what the index is asked."""
        super().setUp()
        for raw in ("Message-ID: <a@x>\nSubject: a\n\n1", "Message-ID: <b@x>\nIn-Reply-To: <a@x>\nSubject: Re: a\n\n2",
                    "Message-ID: <c@x>\nSubject: c\n\n3"):
            self.inject(raw)
        self.folder = now(self.universe.mailboxes.folder("app@sim.test", "INBOX"))
        self.asked: list[list[int]] = []
        digested = self.folder.digested

        def counted(uids: Any, names: Any) -> Any:
            self.asked.append(list(uids))
            return digested(uids, names)

        self.patch(self.folder, "digested", counted)

    def inject(self, raw: str, folder: str = "INBOX") -> None:
        """One more message."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": raw, "folder": folder})

    def roots(self) -> list[tuple[str, list[int]]]:
        """Each conversation with the UIDs of its messages."""
        return [(one["root"], [each["uid"] for each in one["messages"]]) for one in self.good("GET", PATH)]

    def test_asked_once(self) -> None:
        """The index is asked once for each message; without a change nothing is put together again."""
        expected = [("<c@x>", [3]), ("<a@x>", [1, 2])]
        self.assertEqual(sorted(self.roots()), sorted(expected))
        self.assertEqual(sorted(self.roots()), sorted(expected))
        self.assertEqual(self.asked, [[1, 2, 3]])
        self.inject("Message-ID: <d@x>\nReferences: <a@x> <b@x>\nSubject: Re: a\n\n4")
        self.assertEqual(dict(self.roots())["<a@x>"], [1, 2, 4])
        self.assertEqual(self.asked, [[1, 2, 3], [4]])

    def test_changes_show(self) -> None:
        """Deletions, moves, flags and new folders are seen at once."""
        self.roots()
        self.good("DELETE", "/api/mailboxes/app@sim.test/messages/INBOX/1")
        self.assertEqual(dict(self.roots()), {"<a@x>": [2], "<c@x>": [3]})
        self.good("PATCH", "/api/mailboxes/app@sim.test/messages/INBOX/3", {"seen": True})
        flags = {one["root"]: one["messages"][0]["flags"] for one in self.good("GET", PATH)}
        self.assertEqual(flags["<c@x>"], ["\\Seen"])
        self.good("PATCH", "/api/mailboxes/app@sim.test/messages/INBOX/3", {"move_to": "Archive"})
        self.assertEqual(dict(self.roots()), {"<a@x>": [2], "<c@x>": [1]})
        # One comes and one goes: as many as before.
        self.inject("Message-ID: <e@x>\n\n5")
        self.good("DELETE", "/api/mailboxes/app@sim.test/messages/INBOX/2")
        self.assertEqual(dict(self.roots()), {"<e@x>": [4], "<c@x>": [1]})
        self.inject("Message-ID: <f@x>\n\n6", "Junk")
        self.assertEqual(len(self.roots()), 2)

    def test_bounded(self) -> None:
        """Mailboxes over the most are not kept, and are right all the same; a hundred thousand messages are kept."""
        self.assertGreater(MOST, 100_000)
        for most, left in ((2, 0), (3, 1)):
            kept = Conversations(lambda work: work(), most)
            for _ in range(2):
                found = now(kept.of(1, self.universe.mailboxes, "app@sim.test"))
                self.assertEqual(sorted(len(one.messages) for one in found), [1, 2])
            self.assertEqual(len(kept._kept), left)

    def test_references_cost_too(self) -> None:
        """Many references count as messages; those that are named again and again are kept once."""
        named = " ".join(f"<r{n}@x>" for n in range(40))
        self.inject(f"Message-ID: <d@x>\nReferences: {named} {named}\n\n4")
        self.inject(f"Message-ID: <e@x>\nReferences: {named}\n\n5")
        for most, left in ((23, 0), (24 + 1, 1)):
            kept = Conversations(lambda work: work(), most)
            found = now(kept.of(1, self.universe.mailboxes, "app@sim.test"))
            self.assertEqual(len(kept._kept), left)
        told = [one.references for thread in found for one in thread.messages if one.references]
        self.assertEqual([len(one) for one in told], [40, 40])
        self.assertEqual(len({id(one) for references in told for one in references}), 40)

    def test_large_in_thread(self) -> None:
        """Many messages are put together elsewhere, few at once."""
        works: list[Any] = []

        def in_thread(work: Any) -> Any:
            works.append(work)
            return work()

        kept = Conversations(in_thread)
        now(kept.of(1, self.universe.mailboxes, "app@sim.test"))
        self.assertEqual(works, [])
        for n in range(FEW):
            now(self.universe.mailboxes.inject("app@sim.test", "INBOX", b"Subject: %d\r\n\r\n" % n))
        self.assertEqual(len(now(kept.of(1, self.universe.mailboxes, "app@sim.test"))), FEW + 2)
        self.assertEqual(len(works), 1)
