"""
What each field of a record is, in words: as the record's docstring says, else as its name means everywhere.

A docstring describes fields behind C{@ivar}, one after the other (C{@ivar name: text; other: text}), or as
C{C{name}: text} at the beginning of a sentence; what stands before them is about the whole record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, inspect

#: What fields and parameters of these names are in records that do not say.
GLOSSARY: Mapping[str, str] = {
    "address": "an e-mail address",
    "administrator": "whether they administer the whole server",
    "auto_replied": "copies that a notice of absence answered",
    "bounced": "copies that did not arrive",
    "case_id": "id of the case it belongs to",
    "count": "how many",
    "deferred": "copies that were told to come again",
    "delivered": "copies that did not bounce",
    "clicked": "copies of which a link was opened",
    "email": "address they sign in with",
    "folder": "name of the folder in the mailbox",
    "ignored": "copies that nobody answered, on purpose",
    "junked": "copies that the junk filter took",
    "limit": "how many at most in one answer",
    "median_reply": "within which half of the replies came: a duration of simulated time, null without replies",
    "message_id": "Message-ID of the mail, in angle brackets",
    "persona_id": "id of the persona",
    "replied": "copies that got an answer",
    "reply_rate": "answers to the copies that arrived",
    "seed": "what everything in it is drawn from",
    "sent": "copies that were accepted, or refused with the SMTP command RCPT",
    "subject": "its Subject header field",
    "uid": "UID of the message in its folder (RFC 9051 section 2.3.1.1)",
    "universe": "id of the universe",
    "unsubscribed": "copies whose unsubscribe link was followed",
}

_NAME = r"(?:C\{[a-z_0-9]+\}|[a-z_0-9]+)"
_MARK = re.compile(rf"(?:(?:^|(?<=[.;]) )(?:@ivar )?|@ivar )({_NAME}(?:, {_NAME})*): ")
_MARKUP = re.compile(r"[CL]\{([^{}]*)\}")


class Description(Struct, frozen=True):
    """
    What a record is, and what its fields are.

    @ivar fields: as they are called in JSON.
    """

    text: str
    fields: Mapping[str, str]


def text_of(docstring: str) -> str:
    """Return text as people read it, without markup."""
    return " ".join(_MARKUP.sub(r"`\1`", docstring).replace("\\\\", "\\").split())


@cache
def described(record: type[Struct]) -> Description:
    """Return what the docstrings of a record, and of those it is made of, say."""
    text, found = "", dict(GLOSSARY)
    # What C{some_of} has made of another takes its words.
    for one in (*getattr(record, "__described__", ()), *reversed(record.__mro__)):
        if one is not Struct and isinstance(one, msgspec.StructMeta):
            text, own = _read(one)
            found.update(own)
    return Description(text, {name: found[name] for name in record.__struct_encode_fields__ if name in found})


@cache
def _read(record: Any) -> tuple[str, dict[str, str]]:
    called = {**dict(zip(record.__struct_fields__, record.__struct_encode_fields__)),
              **{name: name for name in record.__struct_encode_fields__}}
    docstring = " ".join((record.__dict__.get("__doc__") or "").split())
    marks = [mark for mark in _MARK.finditer(docstring)
             if all(one in called for one in _names(mark[1]))]
    ends = [mark.start() for mark in marks[1:]] + [len(docstring)]
    found = {}
    for mark, end in zip(marks, ends):
        said = text_of(docstring[mark.end():end]).strip(" .;")
        found.update(dict.fromkeys([called[one] for one in _names(mark[1])], said))
    return text_of(docstring[:marks[0].start()] if marks else docstring).rstrip(";"), found


def _names(text: str) -> list[str]:
    return [one.removeprefix("C{").removesuffix("}") for one in text.split(", ")]


def schemas(types: Sequence[Any], template: str) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Return the JSON Schemas of types, and of the records in them by name, with all that is said of their fields."""
    found, components = msgspec.json.schema_components(types, ref_template=template)
    records: dict[str, inspect.StructType] = {}
    for one in inspect.multi_type_info(types):
        _collect(one, records)
    for name, info in records.items():
        schema, said = components[name], described(info.cls)
        schema.pop("description", None)
        if said.text:
            schema["description"] = said.text
        for field in info.fields:
            shown = schema["properties"][field.encode_name]
            if field.encode_name in said.fields:
                shown.setdefault("description", said.fields[field.encode_name])
            _date(field.type, shown)
    return found, components


def schema(type: Any) -> dict[str, Any]:
    """Return the JSON Schema of one type, with those of the records in it inside."""
    (found,), components = schemas([type], "#/$defs/{name}")
    named = str(found.get("$ref", "")).rpartition("/")[2]
    root = dict(components.pop(named)) if named else found
    return {**root, "$defs": components} if components else root


def _date(type: inspect.Type, shown: dict[str, Any]) -> None:
    """Tell that text is an instant, of which C{msgspec} says nothing where one without a zone might be taken."""
    kinds = type.types if isinstance(type, inspect.UnionType) else (type,)
    if any(isinstance(one, inspect.DateTimeType) for one in kinds):
        for one in (shown, *shown.get("anyOf", ())):
            if one.get("type") == "string":
                one["format"] = "date-time"


def _collect(info: Any, records: dict[str, inspect.StructType]) -> None:
    if isinstance(info, inspect.StructType):
        if info.cls.__name__ in records:
            return
        records[info.cls.__name__] = info
        for field in info.fields:
            _collect(field.type, records)
    elif isinstance(info, inspect.Metadata):
        _collect(info.type, records)
    elif isinstance(info, inspect.UnionType):
        for one in info.types:
            _collect(one, records)
    elif isinstance(info, inspect.DictType):
        _collect(info.value_type, records)
    elif isinstance(info, (inspect.ListType, inspect.VarTupleType)):
        _collect(info.item_type, records)
