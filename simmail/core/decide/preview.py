"""
A decision told without being carried out, for C{POST /api/personas/{id}/preview}.

Source: decisions, section 2 (C{{decision, why[], would_send, due}}).
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from simmail.core.decide.decision import (
    Batch, Bounce, Expect, Follow, Ignore, Junk, PlannedJob, Reactions, Receive, Skip,
)
from simmail.core.records.conversation import Remark

Decision = Literal["reply", "batch", "forward", "ignore", "junk", "bounce"]

_DECISIONS: dict[type[object], Decision] = {
    Batch: "batch", Ignore: "ignore", Junk: "junk", Bounce: "bounce",
}
_PLANNED: dict[str, Decision] = {"reply": "reply", "forward": "forward"}
#: Kinds of jobs that send mail in answer to a mail.
_SENT = frozenset(("reply", "ooo", "forward", "bounce", "deliver"))


class Preview(Struct, frozen=True):
    """
    What a persona would do with a mail.

    @ivar why: one sentence each, what decided first.
    @ivar would_send: whether any mail would come back because of it.
    @ivar remarks: what would be kept of it with its thread.
    @ivar decision: what would be done.
    @ivar due: when the first of it would be sent, in simulated time; null where nothing is sent, or with a reply
        planned already.
    """

    decision: Decision
    why: tuple[str, ...]
    would_send: bool
    due: datetime | None
    remarks: tuple[Remark, ...] = ()


def previewed(reactions: Reactions) -> Preview:
    """What reactions come to."""
    decision: Decision = "ignore"
    first: list[str] = []
    later: list[str] = []
    dues: list[datetime] = []
    remarks: tuple[Remark, ...] = ()
    for one in reactions:
        if isinstance(one, PlannedJob) and one.kind in _SENT:
            dues.append(one.due)
        if isinstance(one, Follow):
            thread = one.thread
            remarks = tuple(remark for remark in thread.remarks if remark.message_id == thread.last_message_id)
        decided = _PLANNED.get(one.kind) if isinstance(one, PlannedJob) else _DECISIONS.get(type(one))
        if decided is not None:
            decision = decided
            first += [one.why, *getattr(one, "because", ())]
        elif isinstance(one, PlannedJob):
            later.append(f"{one.plan}: {one.why}")
        elif isinstance(one, (Receive, Expect, Skip)):
            later.append(one.why if not isinstance(one, Skip) else f"{one.url or one.domain} left alone: {one.why}")
    batched = decision == "batch"
    return Preview(
        decision, tuple(dict.fromkeys(first + later)), bool(dues) or batched, min(dues, default=None), remarks)
