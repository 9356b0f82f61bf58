"""
The job: something planned for a simulated instant.

Source: decisions, section 7 ("Clock and jobs").
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

JobKind = Literal[
    "reply", "followup", "correction", "ooo", "initiate", "deliver",
    "nudge", "bounce", "forward", "link", "world",
]
JobState = Literal["pending", "running", "done", "failed", "skipped"]


class Job(Struct, frozen=True):
    """
    One planned thing.

    C{plan} is one sentence for people; C{data} is what the doing needs (not
    shown by the API); C{thread} and whom it is for is what batching looks for.
    """

    id: str
    kind: JobKind
    state: JobState
    created: datetime
    due: datetime
    persona_id: str | None = None
    case_id: str | None = None
    message_id: str | None = None
    plan: str = ""
    note: str = ""
    attempts: int = 0
    thread: str = ""
    data: dict[str, Any] = {}
