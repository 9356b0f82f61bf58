"""
Who is behind an address that nobody knew: what a model makes up, as far as it may.

Source: API contract, "Recipient rules" (C{stranger: ai}).
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simmail.core.language_data import LANGUAGES
from simmail.core.records.persona import Persona
from simmail.core.wording.chat import ChatMessage, ChatQuery, NotWorded, read_answer
from simmail.core.wording.prompt import prompt_file

_SHORT = Annotated[str, Meta(min_length=2, max_length=60)]
_LONG = Annotated[str, Meta(min_length=2, max_length=400)]
_FORBIDDEN = re.compile(r"[\d@\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|://|www\.")


class StrangerWords(Struct, frozen=True):
    """What a model makes up of a person."""

    role: _SHORT
    org: _SHORT
    who: _LONG
    character: _LONG


_SCHEMA: dict[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["role", "org", "who", "character"],
    "properties": {name: {"type": "string"} for name in ("role", "org", "who", "character")}}


def stranger_query(persona: Persona, model: str) -> ChatQuery:
    """Return what is asked about a person."""
    tail = persona.address.rpartition(".")[2]
    plan = {"name": persona.name, "address": persona.address, "temperament": persona.temperament,
            "language": tail if tail in LANGUAGES else LANGUAGES[0]}
    prompt = prompt_file()
    key = sha256(msgspec.json.encode((prompt.version, model, "stranger", plan), order="deterministic")).hexdigest()[:32]
    return ChatQuery(key, 0, (
        ChatMessage("system", prompt.stranger.format()),
        ChatMessage("user", msgspec.json.encode(plan).decode("utf-8"))), _SCHEMA)


def stranger_fields(text: str) -> dict[str, str]:
    """
    Return the persona fields that an answer holds.

    @raise NotWorded: it holds none, or what a person is not made of: figures, addresses, links.
    """
    found: StrangerWords = read_answer(text, StrangerWords)
    fields = {name: " ".join(getattr(found, name).split(" ")).strip() for name in found.__struct_fields__}
    if any(_FORBIDDEN.search(value) or not value for value in fields.values()):
        raise NotWorded("has figures, addresses, links or control characters")
    return fields
