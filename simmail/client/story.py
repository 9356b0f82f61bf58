"""
What happened, told in lines: who got what, who decided what and why, what comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from simmail.client.answers import PendingJob
from simmail.core.records.event import Event, Recorded

#: What an event is called in a story; the others are not told.
TOLD = {
    "mail.delivered": "sent", "world.mail": "came by itself", "persona.received": "got", "persona.junked": "junked",
    "persona.ignored": "will not answer", "persona.batched": "answers with another", "persona.sent": "wrote",
    "persona.bounced": "bounced", "persona.promised": "promised", "persona.waiting": "waits for",
    "job.scheduled": "plans", "job.failed": "failed", "fault.hit": "fault", "writer.fallback": "fell back",
    "link.opened": "opened", "link.failed": "could not open",
}


class Story(Struct, frozen=True):
    """
    Events, oldest first, and the jobs to come, as text.

    C{message_id}: nothing but that mail, and what answers it.
    """

    events: Sequence[Recorded]
    jobs: Sequence[PendingJob]
    message_id: str = ""

    def __str__(self) -> str:
        return "\n".join(self.lines) or "Nothing happened."

    @property
    def lines(self) -> list[str]:
        """What happened, each line with its instant in front."""
        lines = [_line(one) for one in self.events if one.type in TOLD and self._concerns(one)]
        if not self.message_id:
            lines += [f"{one.due:%Y-%m-%d %H:%M:%S}  next: {one.plan}" for one in self.jobs]
        return lines

    def _concerns(self, one: Recorded) -> bool:
        return not self.message_id or self.message_id in Event(one.type, one.at, one.data).message_ids


def _line(one: Recorded) -> str:
    data = one.data
    who = one.persona.name if one.persona is not None else data.get("from") or data.get("address") or ""
    said = [f"{one.at:%Y-%m-%d %H:%M:%S}  {who} {TOLD[one.type]}".replace("   ", "  ")]
    if data.get("subject"):
        said.append(f"\u201c{data['subject']}\u201d")
    for name, word in (("from", "from"), ("to", "to")):
        if data.get(name) and data[name] != who:
            said.append(f"{word} {_text(data[name])}")
    if data.get("kind"):
        said.append(f"({data['kind']})")
    for name in ("plan", "what", "url", "error", "note", "because" if data.get("because") else "why", "reason"):
        if data.get(name):
            said.append(f"\u2014 {_text(data[name])}")
    return " ".join(said)


def _text(value: Any) -> str:
    return "; ".join(_text(one) for one in value) if isinstance(value, Iterable) and not isinstance(
        value, (str, dict)) else str(value)
