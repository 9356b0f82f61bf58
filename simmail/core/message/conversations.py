"""
Conversations: which messages belong together.

The key of a message is the Message-ID its conversation began with.  A list of
messages is put together by their References and In-Reply-To alone; a subject
never joins strangers; where it may, as in THREAD of IMAP, is
C{imap.search.thread}'s matter.  Source: RFC 5322 section 3.6.4; API contract, "Thread".
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any, Generic, NamedTuple, TypeVar

from simmail.core.message.mail import Mail

M = TypeVar("M")

#: References of one message that are followed: a chain of thousands tells nothing more.
MOST_REFERENCES = 100

_EARLIEST = datetime.min.replace(tzinfo=timezone.utc)


class Thread(NamedTuple, Generic[M]):
    """
    A conversation.

    @ivar root: the Message-ID it began with, also when that message is not among C{messages}.
    @ivar subject: of its first message here.
    @ivar last: the instant of its last one.
    @ivar messages: oldest first.
    """

    root: str
    subject: str
    last: datetime
    messages: tuple[M, ...]


class _Facts(NamedTuple):
    """What threading asks of a message."""

    message_id: str
    parents: tuple[str, ...]
    subject: str
    at: datetime


def thread_key(mail: Mail | Any) -> str:
    """
    The Message-ID of the conversation a message belongs to: the first it refers to, else its own.

    C{mail}: any record with C{message_id}, C{in_reply_to} and C{references}.
    """
    references: tuple[str, ...] = mail.references
    return str(references[0] if references else mail.in_reply_to or mail.message_id)


def group(messages: Iterable[M]) -> list[Thread[M]]:
    """
    The conversations of messages, that with the latest message first.

    A message is any record with C{message_id}, C{in_reply_to}, C{references}
    and C{subject} (or a C{digest} with these) and with a C{date}, C{sent} or C{at}
    (or an C{entry} with C{date}); one without an instant counts as oldest.
    Copies of one message stand together.
    """
    listed = list(messages)
    facts = [_facts(one, n) for n, one in enumerate(listed)]
    leaders = _Leaders()
    for one in facts:
        leaders.join(one.message_id, one.parents)
    gathered: dict[str, list[int]] = {}
    for n, one in enumerate(facts):
        gathered.setdefault(leaders.of(one.message_id), []).append(n)
    threads = []
    for places in gathered.values():
        places.sort(key=lambda n: (facts[n].at, n))
        first = facts[places[0]]
        threads.append(Thread(
            first.parents[0] if first.parents else first.message_id, first.subject, facts[places[-1]].at,
            tuple(listed[n] for n in places)))
    threads.sort(key=lambda one: one.last, reverse=True)
    return threads


class _Leaders:
    """Sets of Message-IDs that are known to belong together."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}

    def of(self, one: str) -> str:
        """The member that stands for a set."""
        top = one
        while (above := self.above.get(top, top)) != top:
            top = above
        while one != top:
            self.above[one], one = top, self.above.get(one, top)
        return top

    def join(self, one: str, others: tuple[str, ...]) -> None:
        """All of these belong together."""
        top = self.of(one)
        for other in others:
            self.above[self.of(other)] = top


def followed(references: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a message's references that are followed, each once; the first stays the first."""
    if len(references) > MOST_REFERENCES:
        references = references[0], *references[1 - MOST_REFERENCES:]
    return tuple(dict.fromkeys(references)) if len(references) > 1 else references


def _facts(message: Any, n: int) -> _Facts:
    digest = getattr(message, "digest", message)
    parents = followed(digest.references)
    if digest.in_reply_to and digest.in_reply_to not in parents:
        parents = (*parents, digest.in_reply_to)
    entry = getattr(message, "entry", None)
    if entry is not None:
        at = entry.date
    else:
        at = next((found for name in ("date", "sent", "at") if (found := getattr(message, name, None))), None)
    if at is not None and at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    # A message without an id of its own is a conversation of its own.
    return _Facts(digest.message_id or f"\0{n}", parents, digest.subject, at or _EARLIEST)
