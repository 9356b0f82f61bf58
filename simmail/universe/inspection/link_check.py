"""
Whether the links of a mail work: each is opened through the guarded client, but for those that do something.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import gatherResults

from simmail.core.decide.page_visit import Errand, Visit
from simmail.core.html.links import Link
from simmail.core.inspection.report import LinkReport
from simmail.core.records.settings import LinkPolicy
from simmail.interfaces import IBrowser

#: Links of one mail that are opened.
MOST_OPENED = 20

#: Links that are left alone: opening one may confirm, sign in or unsubscribe somebody.
_DOES_SOMETHING = ("verify", "sign_in", "reset", "invite", "unsubscribe")


class LinkCheck:
    """
    Opens links.

    @param policy: the link policy: who may be visited, and as whom.
    """

    def __init__(self, browser: IBrowser, policy: Callable[[], LinkPolicy]) -> None:
        self._browser = browser
        self._policy = policy

    async def look(self, links: tuple[Link, ...]) -> tuple[LinkReport, ...]:
        """Return what became of each link."""
        opened = [link for link in links if link.kind not in _DOES_SOMETHING][:MOST_OPENED]
        visits: list[Visit] = await gatherResults(
            [self._browser.visit(self._errand(link.url)) for link in opened], consumeErrors=True)
        found = {link.url: visit for link, visit in zip(opened, visits)}
        return tuple(_told(link, found.get(link.url)) for link in links)

    def _errand(self, url: str) -> Errand:
        policy = self._policy()
        return Errand(url, "", policy.user_agent, policy.allow if isinstance(policy.allow, tuple) else None,
                      policy.deny if isinstance(policy.deny, tuple) else ())


def _told(link: Link, visit: Visit | None) -> LinkReport:
    if visit is None:
        why = "left alone: opening it may do something" if link.kind in _DOES_SOMETHING else "not opened: too many"
        return LinkReport(link.url, link.text, why=why)
    why = visit.error or (f"HTTP status {visit.status}" if visit.broken else "")
    return LinkReport(link.url, link.text, visit.status, visit.final_url, visit.ms, not visit.broken, why)
