"""What tests of adapters have in common: a service, a small scenario, and what an agent does in it."""

from __future__ import annotations

import re
from textwrap import dedent

from simmail.client import Client
from simmail.scenario.application import TestedCommand
from simmail.scenario.library import load
from simmail.scenario.outcome import Played
from simmail.scenario.play import results
from tests.journeys.running import JourneyCase
from tests.journeys.test_docs import DOCS

#: Actions that answer the mail of C{lunch.yaml} of the page on scenarios.
SEARCH = {"tool": "search_emails", "arguments": {"query": "is:unread"}}
REPLY = {"tool": "reply", "arguments": {"id": "app@acme.test/INBOX/1", "text": "Yes, Friday at 12:30 is fine."}}


class AdapterCase(JourneyCase):
    """One service for all of a test."""

    def setUp(self) -> None:
        """Start it."""
        service, folder = self.service(), self.folder()
        service.start()
        self.url, self.key = f"http://127.0.0.1:{service.port('http')}", service.key
        self.admin = Client(self.url, self.key)
        self.addCleanup(self.admin.close)
        page = re.search(r"``lunch.yaml``::\n\n((?:    .*\n)+)", (DOCS / "scenarios.rst").read_text(encoding="utf-8"))
        assert page is not None
        self.lunch = str(folder / "lunch.yaml")
        (folder / "lunch.yaml").write_text(dedent(page[1]), encoding="utf-8")

    def universes(self) -> list[str]:
        """The ids of all."""
        return [one["id"] for one in self.admin.call("GET", "/api/admin/universes")]

    def played(self, name: str, app: str) -> Played:
        """What C{simmail scenario run} makes of it."""
        result, = results(self.admin, [load(name)], TestedCommand(app), 1, "", lambda what, at: None)
        return result.runs[0]
