"""
What calls answer, as far as programs ask for it; fields that are not named here are passed over.

The shapes are those of the OpenAPI document, which explains each field.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from simmail.core.html.codes import Code
from simmail.core.html.links import Link


class InboxMail(Struct, frozen=True, rename={"from_": "from"}):
    """A message in a mailbox; in lists C{text} is its beginning."""

    uid: int
    folder: str
    flags: list[str]
    time: datetime
    size: int
    message_id: str
    in_reply_to: str
    references: list[str]
    from_: str
    from_name: str
    to: list[str]
    cc: list[str]
    subject: str
    date: datetime | None
    text: str
    html: str
    attachments: list[dict[str, Any]]
    headers: dict[str, str]


class Arrived(Struct, frozen=True):
    """
    A message that was awaited, with the codes and links in it.

    @ivar cursor: where to wait on from (C{since}).
    @ivar also: out-of-office notices that came before a reply.
    """

    message: InboxMail
    codes: list[Code]
    links: list[Link]
    cursor: int = 0
    also: "list[Arrived]" = []


class SeveralArrived(Struct, frozen=True):
    """
    Messages that were awaited together; of what was there already the newest first.

    @ivar cursor: where to wait on from (C{since}).
    """

    messages: list[Arrived]
    cursor: int


class Found(Struct, frozen=True):
    """Codes and links, the surest code first."""

    codes: list[Code]
    links: list[Link]


class Moved(Struct, frozen=True, rename={"from_": "from"}):
    """How far the clock went; C{stopped_by}: C{to}, C{idle}, C{event}, C{limit} or C{stop}."""

    from_: datetime
    to: datetime
    jobs_run: int
    stopped_by: str


class PendingJob(Struct, frozen=True):
    """What is going to happen, when, in a sentence."""

    id: str
    kind: str
    due: datetime
    plan: str
