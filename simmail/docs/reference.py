"""
The pages of reference, written as reStructuredText from what the service itself goes by.

C{http} is the OpenAPI document, which is made from the route table and the records; C{settings} is C{etc/simmail.yaml}
with its comments, and the types and bounds of C{Config}.  There is no second text that could differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from simmail.config import Config, shipped
from simmail.rest.openapi import document
from simmail.rest.routes import all_routes


def http() -> str:
    """Return every call by heading, with parameters, body and answer, and below them every record."""
    shown = document(all_routes())
    calls: dict[str, list[str]] = {tag["name"]: [] for tag in shown["tags"]}
    for path, methods in shown["paths"].items():
        for method, call in methods.items():
            calls[call["tags"][0]] += _call(f"{method.upper()} {path}", call)
    lines = []
    for heading, below in calls.items():
        lines += [heading, "-" * len(heading), "", *below]
    lines += ["Records", "-------", ""]
    for name, schema in sorted(shown["components"]["schemas"].items()):
        lines += [f".. _{_label(name)}:", "", f".. rubric:: {name}", "", _prose(schema.get("description", "")), ""]
        for field, one in schema.get("properties", {}).items():
            lines += _item(field, one, one.get("description", ""), field in schema.get("required", ()))
        lines.append("")
    return "\n".join(lines)


def settings() -> str:
    """Return every setting with its default, what it is, type and bounds; some share the words of the one before."""
    text = shipped("simmail.yaml").decode()
    known = msgspec.json.schema(Config)["$defs"]
    lines, said, section = [], "", ""
    for line in text.split("\n\n", 1)[1].split("\n"):
        if opened := re.match(r"(\w+):$", line):
            section = opened[1]
            lines += ["", section, "-" * len(section), ""]
        elif comment := re.match(r"  # (.*)", line):
            said = f"{said} {comment[1]}".lstrip()
        elif setting := re.match(r"  (\w+): (.*)", line):
            kind = type(getattr(Config(), section)).__name__
            told = " ".join(filter(None, (_prose(said), f"({_kind(known[kind]['properties'][setting[1]])})")))
            lines += [f"``{section}.{setting[1]}``: ``{setting[2]}``", f"    {told}", ""]
            said = ""
    return "\n".join(lines)


def _call(line: str, call: Mapping[str, Any]) -> Iterator[str]:
    yield from (f".. rubric:: ``{line}``", "", _prose(f"{call['summary']}.  {call.get('description', '')}"), "")
    for one in call["parameters"]:
        yield from _item(one["name"], one["schema"], one["description"], one.get("required", False))
    for word, content in (("Body", call.get("requestBody", {})), ("Answer", call["responses"].get("200", {}))):
        kinds = [_kind(one.get("schema", {})) if name == "application/json" else f"``{name}``"
                 for name, one in content.get("content", {}).items()]
        if kinds:
            yield from (f"{word}: {', '.join(kinds)}", "")


def _item(name: str, schema: Mapping[str, Any], text: str, required: bool) -> Iterator[str]:
    default = f", ``{msgspec.json.encode(schema['default']).decode()}`` unless given" if "default" in schema else ""
    yield from (f"``{name}``: {_kind(schema)}{default}{', required' if required else ''}", f"    {_prose(text)}", "")


_BOUNDS = {"minimum": "at least", "exclusiveMinimum": "over", "maximum": "at most", "exclusiveMaximum": "under",
           "minLength": "characters: at least", "maxLength": "characters: at most", "minItems": "items: at least",
           "maxItems": "items: at most"}


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a schema and its bounds, in a line."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f":ref:`{name} <{_label(name)}>`"
    if "enum" in schema:
        return "one of " + ", ".join(f"``{one}``" if one else "nothing" for one in schema["enum"])
    several = schema.get("anyOf", schema.get("oneOf"))
    if several:
        return " or ".join(_kind(one) for one in several)
    kind = str(schema.get("format", schema.get("type", "anything")))
    if kind == "array" and "items" in schema:
        kind = f"list of {_kind(schema['items'])}"
    bounds = [f"{words} {schema[name]}" for name, words in _BOUNDS.items() if name in schema]
    return kind + (f" ({', '.join(bounds)})" if bounds else "")


def _label(name: str) -> str:
    return f"record-{name.lower()}"


def _prose(text: str) -> str:
    """A description as reStructuredText: what is between backquotes is literal, all else means itself."""
    parts = re.split(r"`+([^`]+)`+", " ".join(text.split()))
    return "".join(f"``{one}``" if n % 2 else re.sub(r"([\\*|_<>])", r"\\\1", one) for n, one in enumerate(parts))
