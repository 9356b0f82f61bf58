"""
Cases: what a thread of mail is about, who is on it and what they may say of it.

Source: decisions, section 6.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

How = Literal["header", "thread", "key", "persona", "none"]
Status = Literal["open", "waiting", "closed"]
Knows = Literal["all", "some", "little"]


class CasePerson(Struct, frozen=True, omit_defaults=True):
    """Somebody on a case: a persona by id, or an address (the application's own, mostly)."""

    persona_id: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    knows: Knows | UnsetType = UNSET
    wants: str | UnsetType = UNSET


class Note(Struct, frozen=True):
    """Something written down about a case."""

    at: datetime
    text: str
    source: str = ""


class Deliverable(Struct, frozen=True, omit_defaults=True):
    """Something a persona is to send by an instant."""

    name: str
    persona_id: str | UnsetType = UNSET
    due: datetime | UnsetType = UNSET
    text: str | UnsetType = UNSET


class Case(Struct, frozen=True, omit_defaults=True):
    """
    One case, as stored and as shown.

    @ivar facts, secrets: name to any JSON value.
    @ivar keys: tokens such as C{INV-2041} that mark its mail.
    """

    id: str
    title: str
    status: Status | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    facts: dict[str, Any] | UnsetType = UNSET
    secrets: dict[str, Any] | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    people: tuple[CasePerson, ...] | UnsetType = UNSET
    keys: tuple[str, ...] | UnsetType = UNSET
    opened: datetime | UnsetType = UNSET
    due: datetime | UnsetType = UNSET
    notes: tuple[Note, ...] | UnsetType = UNSET
    deliverables: tuple[Deliverable, ...] | UnsetType = UNSET
