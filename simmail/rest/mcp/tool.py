"""
A tool as agents see it, and how it does what calls of the API do.

A tool adds no way to read or to change anything: it calls what a route of the
API calls, with the same record of what was asked, after the same look at role
and plan.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from inspect import isawaitable
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from simmail.errors import Invalid
from simmail.rest import description, validate
from simmail.rest.answer import Paged
from simmail.rest.auth import check_rank
from simmail.rest.mcp.fence import Fence
from simmail.rest.openapi import path_parameter
from simmail.rest.route import Call, NoQuery, Route

#: The argument with which a tool that destroys does it without asking first.
CONFIRMED = "confirmed"


class ToolAnswer(Struct, frozen=True):
    """What a tool answers: text for a model, and what programs want to know of it, which holds no text of mail."""

    text: str
    structured: Any = UNSET


class Tool(Struct, frozen=True):
    """
    One tool.

    @ivar arguments: the record its arguments are read into.
    @ivar reads: changes nothing; destroys: what it takes away is gone; outside: its effects leave the mailbox.
    @ivar waits: stays open, and ends when its caller leaves.
    @ivar schema: makes that of the arguments, as the client is told; without it, it is that of the record.
    """

    name: str
    text: str
    arguments: Any
    run: Callable[[Call, Any], Awaitable[ToolAnswer]]
    reads: bool = False
    destroys: bool = False
    outside: bool = False
    waits: bool = False
    schema: Callable[[], dict[str, Any]] | UnsetType = UNSET

    def listed(self) -> dict[str, Any]:
        """Return what clients are told of it."""
        shown: dict[str, Any] = schema(self.arguments) if self.schema is UNSET else self.schema()
        if self.destroys:
            shown = {**shown, "properties": {**shown.get("properties", {}), CONFIRMED: {
                "type": "boolean", "description": "true: do it without asking", "default": False}}}
        return {"name": self.name, "title": self.name.replace("_", " ").capitalize(), "description": self.text,
                "inputSchema": shown,
                "annotations": {"readOnlyHint": self.reads, "destructiveHint": self.destroys,
                                "idempotentHint": self.reads, "openWorldHint": self.outside}}


def schema(arguments: Any) -> dict[str, Any]:
    """Return the JSON Schema of a record, an object with all that it refers to inside."""
    root = description.schema(arguments)
    root.pop("title", None)
    return {"type": "object", **root}


async def asked(call: Call, route: Route, given: Any = None, path: dict[str, Any] | None = None) -> Any:
    """
    Return what a route of the API answers.

    @param given: its body or query.
    @raise Refusal: what it is refused with there.
    """
    assert route.role is not None
    check_rank(call.identity.role, route.role)
    if route.feature is not None:
        call.universe.plan().require(route.feature)
    one = Call(route, call.request, call.services, path or {}, call.request_id, call.begun, call.identity,
               call.universe, *((NoQuery(), given) if route.body is not None else (given, None)))
    if route.locate is not None:
        one.found = await route.locate(one)
    answer = route.call(one)
    return await answer if isawaitable(answer) else answer


def served(route: Route, name: str, text: str, path: dict[str, str] | None = None, own: bool = False) -> Tool:
    """
    Return the tool that is one call of the API.

    @param path: names in its path that always mean the same; others are arguments.
    @param own: whether all it answers is the server's own word, and none of it text of mail.
    """
    fixed = path or {}
    names = [one for one in route.names if one not in fixed]
    record: Any = route.body if route.body is not None else route.query

    def shown() -> dict[str, Any]:
        found = schema(route.body_shown or record)
        if _is_list(record):
            items = {**found, "description": "all that there shall be"}
            found = {"type": "object", "properties": {"items": items}, "required": ["items"],
                     "additionalProperties": False, "$defs": items.pop("$defs", {})}
        said = {one: {"type": "string", "description": path_parameter(route, one)["description"]} for one in names}
        return {**found, "properties": {**said, **found.get("properties", {})},
                "required": [*names, *found.get("required", ())]} if names else found

    async def run(call: Call, given: dict[str, Any]) -> ToolAnswer:
        place: dict[str, Any] = {**fixed, **{one: given.pop(one, None) for one in names}}
        for one in names:
            if not isinstance(place[one], str):
                raise Invalid(one, "is required, and must be text")
        value = given.pop("items") if list(given) == ["items"] and _is_list(record) else given
        depth = call.services.config.limits.json_depth
        answer = await asked(call, route, validate.body(msgspec.json.encode(value), record, depth), place)
        return told(answer, own)

    return Tool(name, text, dict[str, Any], run, reads=route.method == "GET", destroys=route.method == "DELETE",
                schema=shown)


@cache
def _is_list(record: Any) -> bool:
    return bool(msgspec.json.schema(record).get("type") == "array")


def told(answer: Any, own: bool) -> ToolAnswer:
    """Return an answer of the API as a tool's; C{own}: none of it is text of mail."""
    items = answer.items if isinstance(answer, Paged) else answer
    text = msgspec.json.format(msgspec.json.encode(items), indent=1).decode()
    more = f"There is more: ask again with {msgspec.json.encode(answer.more).decode()}." if isinstance(
        answer, Paged) and answer.more else ""
    if own:
        return ToolAnswer(text, msgspec.to_builtins(items) if not isinstance(items, list) else UNSET)
    fence = Fence()
    return ToolAnswer(fence.around([fence(text), *([more] if more else [])]))
