"""
Bounces: mail that was accepted and could not be delivered comes back a little later.

Source: decisions, section 8 step 1; RFC 3464.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from simmail.core.jobs import Job
from simmail.core.mail import Mail
from simmail.core.recipients import Verdict

if TYPE_CHECKING:
    from simmail.universe.submission import Recipient, Submission
    from simmail.universe.universe import Universe


class Bounces:
    """The bounces of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    def plan(
        self, submission: Submission, bad: Sequence[tuple[Recipient, Verdict]], mail: Mail, delivery_id: str,
        now: datetime,
    ) -> tuple[Job, ...]:
        """A job for each bad recipient."""
        return ()

    async def perform(self, job: Job) -> None:
        """Send the notice."""
