"""What fields and parameters are, in words: as docstrings have it, and in all of the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.description import GLOSSARY, described, schema
from simmail.rest.mcp import mail_tools, world_tools
from simmail.rest.openapi import document, some_of
from simmail.rest.routes import all_routes

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_DURATION = re.compile(r"(\d+(\.\d+)?(ms|s|m|h|d|w))+")
_CLOCK = re.compile(r"\b(simulated|real)\b")
#: Of fields that count something other than things.
_UNITS = re.compile(r"octets|milliseconds|seconds|days|without unit|0 to 1|SMTP|HTTP|\bshare\b|\bchance\b|percent")
_MEASURES = frozenset((
    "bytes_per_second", "days", "delay_ms", "event_days", "factor", "mail_days", "mean", "ms", "rate",
    "retention_days", "score", "seconds", "size", "spread", "threshold"))


class Sender(Struct, rename={"from_": "from"}):
    """
    Whose mail it is; C{from} of the mail.

    @ivar from_: the address, as C{X} writes
        it; since, until: instants.  Note: it has no field of that name.
    @ivar p90: nine tenths.
    """

    from_: str
    since: datetime
    until: datetime | None
    p90: int
    subject: str = ""
    unsaid: str = ""


class Receiver(Sender):
    """One more.  C{subject}: its own; C{to}: another."""

    to: str = ""


class DescriptionTests(SynchronousTestCase):
    """Docstrings, read."""

    def test_fields(self) -> None:
        """Fields are told by their names in JSON, one after the other; of what is no field nothing begins."""
        self.assertEqual(dict(described(Sender).fields), {
            "from": "the address, as `X` writes it", "since": "instants. Note: it has no field of that name",
            "until": "instants. Note: it has no field of that name", "p90": "nine tenths",
            "subject": GLOSSARY["subject"]})
        self.assertEqual(described(Sender).text, "Whose mail it is; `from` of the mail.")

    def test_inherited(self) -> None:
        """What is inherited is as it was, unless said anew; the text is the record's own."""
        found = described(Receiver)
        self.assertEqual(found.text, "One more.")
        self.assertEqual((found.fields["subject"], found.fields["to"], found.fields["p90"]),
                         ("its own", "another", "nine tenths"))

    def test_made(self) -> None:
        """What C{some_of} makes takes the words of the record."""
        made = some_of("Made", Sender, "Some.  C{since}: since when.", without=("until",), more=int)
        found = described(made)
        self.assertEqual((found.text, found.fields["since"], found.fields["p90"]), ("Some.", "since when",
                                                                                    "nine tenths"))
        self.assertNotIn("more", found.fields)

    def test_schema(self) -> None:
        """A schema has them, and says of instants that they are."""
        properties = schema(Sender)["properties"]
        self.assertEqual(properties["p90"], {"type": "integer", "description": "nine tenths"})
        self.assertEqual(properties["since"]["format"], "date-time")
        self.assertEqual(properties["until"]["anyOf"][0], {"type": "string", "format": "date-time"})
        self.assertNotIn("description", properties["unsaid"])


class DocumentTests(SynchronousTestCase):
    """The whole document."""

    document = document(all_routes())
    schemas: dict[str, Any] = document["components"]["schemas"]
    # Where it stands, its schema, and what is said of it.
    parameters = [(f"{method} {path} {one['name']}", one["schema"], one["description"])
                  for path, methods in document["paths"].items() for method, operation in methods.items()
                  for one in operation["parameters"]]
    fields = [(f"{name}.{field}", shown, shown.get("description", ""))
              for name, schema in schemas.items() for field, shown in schema.get("properties", {}).items()]

    def test_described(self) -> None:
        """Every parameter and every field says what it is, in more than its name."""
        self.assertGreater(len(self.parameters), 150)
        self.assertGreater(len(self.fields), 800)
        for where, _, text in (*self.parameters, *self.fields):
            self.assertTrue(text.strip(" .;"), where)
            name = re.split(r"[ .]", where)[-1].replace("_", " ")
            self.assertNotEqual(text.lower().removeprefix("the "), name, where)

    def test_limits(self) -> None:
        """Whatever number may be sent says between which bounds."""
        for where, shown in self.sent():
            for one in _numbers(shown):
                self.assertTrue("maximum" in one and ("minimum" in one or "exclusiveMinimum" in one), (where, one))

    def test_units(self) -> None:
        """Whatever is measured rather than counted says its unit."""
        for where, shown, text in (*self.parameters, *self.fields):
            if re.split(r"[ .]", where)[-1] in _MEASURES and next(_numbers(shown), None) is not None:
                self.assertRegex(text, _UNITS, where)

    def test_clocks(self) -> None:
        """Instants say of which clock they are, and so do durations: those of the types, the defaults, the examples."""
        found = {where: text for where, shown, text in (*self.parameters, *self.fields)
                 if any(one.get("format") == "date-time" or _timely(shown.get("default"))
                        for one in (shown, *shown.get("anyOf", ())))}
        texts = {where: text for where, _, text in self.fields}
        for where, value in self.examples():
            if _timely(value) and not where.startswith(_FREE):
                found[where] = texts[where]
        self.assertGreater(len(found), 60)
        for where, text in found.items():
            self.assertRegex(text, _CLOCK, where)

    def test_tools(self) -> None:
        """Every argument of the tools for agents says what it is."""
        for tool in (*mail_tools.TOOLS, *world_tools.TOOLS):
            for name, shown in tool.listed()["inputSchema"].get("properties", {}).items():
                self.assertTrue(shown.get("description"), (tool.name, name))

    def sent(self) -> Iterator[tuple[str, Any]]:
        """Parameters, and fields of bodies with those of the records in them."""
        yield from ((where, shown) for where, shown, _ in self.parameters)
        waiting = [one["requestBody"]["content"]["application/json"]["schema"]
                   for methods in self.document["paths"].values() for one in methods.values() if "requestBody" in one]
        names: list[str] = []
        while waiting:
            for name in _records(waiting.pop()):
                if name not in names:
                    names.append(name)
                    for field, shown in self.schemas[name].get("properties", {}).items():
                        waiting.append(shown)
                        yield f"{name}.{field}", shown

    def examples(self) -> Iterator[tuple[str, Any]]:
        """The values in the examples of bodies and answers, each with the field it is of."""
        for methods in self.document["paths"].values():
            for one in methods.values():
                contents = [one.get("requestBody", {}).get("content", {}), one["responses"]["200"]["content"]]
                for content in contents:
                    shown = content.get("application/json", {})
                    if "example" in shown:
                        yield from self._values(shown["schema"], shown["example"], "")

    def _values(self, shown: Any, value: Any, where: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, list):
            items = next((one["items"] for one in _kinds(shown) if "items" in one), {})
            for one in value:
                yield from self._values(items, one, where)
        elif isinstance(value, dict):
            names = [one for kind in _kinds(shown) for one in _records(kind)]
            for name in names[:1]:
                for field, one in value.items():
                    yield from self._values(self.schemas[name]["properties"].get(field, {}), one, f"{name}.{field}")
        elif where:
            yield where, value


#: Texts in which an instant or a duration is somebody's word, not the field's.
_FREE = ("Remark.value",)


def _timely(value: Any) -> bool:
    return isinstance(value, str) and bool(_INSTANT.match(value) or _DURATION.fullmatch(value))


def _kinds(shown: Any) -> list[Any]:
    return [shown, *shown.get("anyOf", ()), *shown.get("oneOf", ())]


def _numbers(shown: Any) -> Iterator[Any]:
    for one in _kinds(shown):
        if one.get("type") in ("integer", "number"):
            yield one
        for inner in (one.get("items"), one.get("additionalProperties")):
            if isinstance(inner, dict):
                yield from _numbers(inner)


def _records(shown: Any) -> Iterator[str]:
    for one in _kinds(shown):
        if "$ref" in one:
            yield one["$ref"].rpartition("/")[2]
        for inner in (one.get("items"), one.get("additionalProperties")):
            if isinstance(inner, dict):
                yield from _records(inner)
