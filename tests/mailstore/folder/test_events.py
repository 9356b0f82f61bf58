"""What happens to folders is told to who listens to their mailbox, whoever did it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from simmail.errors import NotFound
from tests.contracts.mailstores import a_delivery, result_of
from tests.mailstore.folders import JOE, MARIA, FolderCase


class EventTests(FolderCase):
    """C{FolderEvents}."""

    def setUp(self) -> None:
        super().setUp()
        result_of(self.store.create(JOE))
        self.heard: list[tuple[str, str]] = []
        result_of(self.store.events.listen(MARIA, self.hear))

    def hear(self, event: Any) -> None:
        self.heard.append((event.kind, event.name))

    def look(self) -> list[tuple[str, str]]:
        """What is heard after a look at what other programs did."""
        self.heard.clear()
        self.provider.clock.advance(5)
        result_of(self.store.events.look())
        return self.heard

    def test_ours(self) -> None:
        """Of that mailbox, and once: a look afterwards finds nothing new."""
        for mailbox in (MARIA, JOE):
            result_of(self.store.create_folder(mailbox, "Work"))
        result_of(self.store.subscribe(MARIA, "Work", True))
        result_of(self.store.rename_folder(MARIA, "Work", "Play"))
        result_of(self.store.delete_folder(MARIA, "Play"))
        self.assertEqual(self.heard, [("made", "Work"), ("subscribed", "Work"), ("renamed", "Play"), ("gone", "Play")])
        self.assertEqual(self.look(), [])

    def test_of_others(self) -> None:
        """Folders that another program made or removed are found."""
        box = Path(self.path, "mail", "main", MARIA)
        for part in ("cur", "new", "tmp"):
            os.makedirs(box / ".Foreign" / part)
        self.assertEqual(self.look(), [("made", "Foreign")])
        shutil.rmtree(box / ".Foreign")
        self.assertEqual(self.look(), [("gone", "Foreign")])
        self.assertEqual(self.look(), [])

    def test_mail(self) -> None:
        """Mail that is filed where nobody has the folder loaded is told too, and the folder that it made."""
        self.folder = self.archive = None
        result_of(self.store.accept(a_delivery(1, (MARIA, "Lists"))))
        self.assertEqual(self.heard, [("made", "Lists"), ("added", "Lists")])

    def test_no_more(self) -> None:
        """Who does not listen any more hears nothing, and nothing is kept of the mailbox."""
        self.store.events.unlisten(MARIA, self.hear)
        self.store.events.unlisten(MARIA, self.hear)
        result_of(self.store.create_folder(MARIA, "Work"))
        self.assertEqual(self.heard, [])
        self.assertEqual(self.store.events._heard, {})

    def test_no_mailbox(self) -> None:
        """Nobody listens to a mailbox that is not there."""
        self.assertRaises(NotFound, result_of, self.store.events.listen("nobody@acme.test", self.hear))
