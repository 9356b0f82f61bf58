"""
One turn with a language model, as values: what it is asked, what it answers.

The model is asked for a JSON object (C{{text, used_facts}}); what servers make of that differs, so the answer is
always read here.  Source: decisions, section 9 ("Writer").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

#: How far a server can be told what an answer looks like: by a JSON schema, that it is JSON, or in words alone;
#: C{none}: it does not answer, or has not yet; C{replay}: what was recorded is answered.
Level = Literal["schema", "json", "text", "none", "replay"]

#: Characters of an answer that are looked at.
LONGEST = 20_000


class ChatMessage(NamedTuple):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatQuery(Struct, frozen=True):
    """
    What is asked.

    @ivar key: what the whole exchange is about, as a digest: the same key, the same question; turn: which question of
        the exchange it is, from 0.
    @ivar schema: of the answer (JSON Schema).
    """

    key: str
    turn: int
    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any]


class ChatAnswer(Struct, frozen=True):
    """
    What came back.

    @ivar error: why there is no answer, C{""} where there is one.
    """

    text: str = ""
    error: str = ""


class Worded(Struct, frozen=True):
    """The words of a mail, and the facts they tell, by label."""

    text: Annotated[str, Meta(max_length=LONGEST)]
    used_facts: Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(max_length=100)]


#: JSON Schema of L{Worded}, as strict as servers want it.
WORDED: Mapping[str, Any] = MappingProxyType({
    "type": "object", "additionalProperties": False, "required": ["text", "used_facts"],
    "properties": {"text": {"type": "string"}, "used_facts": {"type": "array", "items": {"type": "string"}}}})


class NotWorded(Exception):
    """An answer is not what was asked for; the text says why."""


def read_answer(text: str, kind: Any = Worded) -> Any:
    """
    Return the object that an answer holds, alone or between the marks of a code block.

    @raise NotWorded: it holds none, or another one.
    """
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.strip("`").removeprefix("json").strip()
    if len(text) > 2 * LONGEST:
        raise NotWorded("is too long")
    try:
        return msgspec.json.decode(text.encode("utf-8"), type=kind)
    except UnicodeEncodeError:
        raise NotWorded("is no text") from None
    except msgspec.ValidationError as error:
        raise NotWorded(f"is another object: {error}") from None
    except (msgspec.DecodeError, RecursionError):
        raise NotWorded("is no JSON object") from None
