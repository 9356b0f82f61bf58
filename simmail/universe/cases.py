"""
Cases: what threads are about.

Source: decisions, section 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.core.cases import Case, How
from simmail.core.mail import Mail
from simmail.core.persona import Persona
from simmail.core.situation import ThreadState

if TYPE_CHECKING:
    from simmail.universe.universe import Universe


class Cases:
    """The cases of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._by_id: dict[str, Case] = {}

    def get(self, case_id: str | None) -> Case | None:
        """A case by its id."""
        return self._by_id.get(case_id or "")

    def __len__(self) -> int:
        return len(self._by_id)

    def facts(self, case: Case | None, persona: Persona) -> dict[str, str]:
        """What a persona may state of a case."""
        return {}

    def match(self, mail: Mail, persona: Persona, correspondent: str, thread: ThreadState) -> tuple[Case | None, How]:
        """The case a mail belongs to, and how that was seen."""
        return None, "none"
