"""
The messages a model is asked with, from the data file C{prompt.yaml}.

What others wrote stands between two lines with a fence that is drawn for each mail, so that nothing in it can be
taken for its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from simmail.core.language_data import read_yaml
from simmail.core.records.fields import convert
from simmail.core.rng import Dice
from simmail.core.wording.chat import ChatMessage
from simmail.core.wording.plan import WordingPlan


class PromptFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The data file; C{version} is part of every key."""

    version: str
    letter: str
    repair: str
    stranger: str
    betraying: tuple[str, ...]
    promising: tuple[str, ...]
    accepting: tuple[str, ...]
    denying: frozenset[str]
    harmless: tuple[str, ...]
    weighty: tuple[tuple[str, ...], ...]
    number_endings: dict[str, tuple[str, ...]]
    numbers: dict[str, tuple[str, ...]]


@cache
def prompt_file() -> PromptFile:
    """Return what the data file holds."""
    found: PromptFile = convert(read_yaml("prompt.yaml"), PromptFile)
    return found


def fence_of(dice: Dice, foreign: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a fence, drawn so that it stands in nothing that others wrote."""
    text = "\n".join(part for one in foreign for part in one)
    return next(fence for nth in range(100) if (fence := f"<<{dice.token(20, 'fence', nth)}>>") not in text)


def letter_messages(plan: WordingPlan, fence: str) -> tuple[ChatMessage, ...]:
    """Return what a model is told to word a mail."""
    given: Mapping[str, Any] = {
        name: value for name, value in msgspec.to_builtins(plan).items() if name not in (
            "before", "mails", "attached")}
    parts = [msgspec.json.format(msgspec.json.encode(given), indent=1).decode("utf-8")]
    if plan.before:
        # It may quote others, or hold what somebody else put into it.
        parts.append(f"{fence}\nThe person's last mail:\n\n{plan.before}\n{fence}")
    for subject, text in plan.mails:
        parts.append(f"{fence}\nSubject: {subject}\n\n{text}\n{fence}")
    for name, text in plan.attached:
        parts.append(f"{fence}\nAttached: {name}\n\n{text}\n{fence}")
    return (ChatMessage("system", prompt_file().letter.format(fence=fence)), ChatMessage("user", "\n\n".join(parts)))


def repair_message(why: str) -> ChatMessage:
    """Return what a model is told whose answer was not taken."""
    return ChatMessage("user", prompt_file().repair.format(why=why))
