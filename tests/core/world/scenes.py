"""Mail of the world as tests want it: of any kind, in any language, as often as one likes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from simmail.core.records.persona import Persona, new_persona
from simmail.core.records.world import Company
from simmail.core.rng import Dice
from simmail.core.world.kinds import KINDS, composed
from simmail.core.world.occasion import Composition, Occasion
from simmail.core.world.people import newcomer

#: A Tuesday.
NOW = datetime(2026, 3, 3, 9, 12, 7, tzinfo=UTC)
INBOX = "hello@acme.test"
COMPANY = Company(name="Acme", industry="furniture", inboxes=(INBOX,))


def writer(kind: str, language: str, n: int) -> Persona | None:
    """Who writes the n-th mail, None for a machine."""
    if KINDS[kind].sort == "machine":
        return None
    dice = Dice("scene").on(kind, language, n)
    fields = newcomer(language, KINDS[kind].sort, dice, lambda address: False)
    return new_persona(fields, f"p_scene{n}", "world", NOW, dice)


def occasion(kind: str, language: str = "en", n: int = 0, **more: Any) -> Occasion:
    """The occasion of the n-th mail."""
    return Occasion(**{  # type: ignore[arg-type] # what tests leave out
        "id": f"j_scene{n}", "kind": kind, "language": language, "mix": "new", "company": COMPANY, "to": INBOX,
        "dice": Dice("scene").on(kind, language, n), "now": NOW, "server": "sim.test",
        "persona": writer(kind, language, n), "nth": 1, "serial": n + 1, **more})


def mail(kind: str, language: str = "en", n: int = 0, **more: Any) -> Composition:
    """The n-th mail of a kind."""
    return composed(occasion(kind, language, n, **more))
