"""
The OpenAPI 3.1 document, made from the table of routes.

Nothing is written here that the table does not say; what validates requests
is what the document shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import GenericAlias
from typing import Any, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, UnsetType, inspect

from simmail import __version__
from simmail.rest.answer import JSON
from simmail.rest.errors import Error
from simmail.rest.errors import MEANINGS, UNCHANGED
from simmail.rest.route import NoQuery, Route

_REF = "#/components/schemas/{name}"
_MARKUP = re.compile(r"[CL]\{([^{}]*)\}")
_FIELD = re.compile(r"@ivar ([a-z_, ]+):")
#: Names in paths as the demo universe has them, so that what reads them can be tried there.
_PATH_EXAMPLES: dict[str, Any] = {
    "address": "orders@garden.test", "folder": "INBOX", "uid": 1, "n": 0, "email": "ann@acme.test",
    "prefix": "9f2c41d07a", "token": "0b1c2d3e4f5a6b7c8d9e0f1a", "snapshot": "s_5b1c09d2a7",
}
_ID_EXAMPLES = {
    "personas": "p_pga0r999p3ex", "cases": "c_demo_invoice", "faults": "tarpit", "events": "1", "jobs": "j_5t2k8w",
    "admin": "shop", "world": "customers", "snapshots": "s_5b1c09d2a7",
}
_PATH_TYPES: dict[str, dict[str, Any]] = {
    "uid": {"type": "integer", "minimum": 1}, "n": {"type": "integer", "minimum": 0},
}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the whole document, as JSON types."""
    shown = [route for route in routes if not route.hidden]
    types: list[Any] = [Error]
    for route in shown:
        types += [one for one in (route.body_shown or route.body, route.query, *_answers(route)) if one is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    by_type = {_key(type): schema for type, schema in zip(types, schemas)}
    queries = {_name(route.query) for route in shown}
    paths: dict[str, dict[str, Any]] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_type, components)
    headings = dict.fromkeys(route.heading for route in shown if route.heading)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "simmail", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"},
            "description": "A universe of simulated e-mail: mailboxes, people who answer, a clock to move.",
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}, {"session": []}],
        "tags": [{"name": one} for one in headings],
        "paths": paths,
        "components": {
            "schemas": {name: plain(schema) for name, schema in components.items() if name not in queries},
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key."},
                "session": {"type": "apiKey", "in": "cookie", "name": "simmail_session",
                            "description": "A signed-in person (POST /api/session)."},
                "token": {"type": "apiKey", "in": "query", "name": "token",
                          "description": "The API key, for clients that cannot set headers."},
            },
        },
    }


def statuses(route: Route) -> list[int]:
    """Return what a route may answer other than 200, in order."""
    found = set(route.statuses) | {500}
    if route.role is not None:
        found |= {401, 403, 429, 503, 400}
    if route.feature is not None:
        found.add(402)
    if route.names:
        found.add(404)
    if route.body is not None:
        found |= {400, 413}
    return sorted(found)


def _operation(route: Route, by_type: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{route.call.__name__}_put" if _twin(route) else route.call.__name__,
        "summary": route.summary,
        "tags": [route.heading] if route.heading else [],
        "parameters": _parameters(route, components),
        "responses": _responses(route, by_type),
    }
    told = components[_name(route.query)].get("description", "") if route.query is not NoQuery else ""
    if told:
        operation["x-query"] = _text(told)
    if route.role is None:
        operation["security"] = []
    else:
        operation["x-role"] = route.role
        operation["description"] = f"Needs the role {route.role}."
    if route.feature is not None:
        operation["x-feature"] = route.feature
    if route.body is not None:
        content: dict[str, Any] = {"schema": by_type[_key(route.body_shown or route.body)]}
        if route.example is not None:
            content["example"] = route.example
        operation["requestBody"] = {"required": True, "content": {JSON: content}}
    return operation


def _twin(route: Route) -> bool:
    # PUT that behaves the same as PATCH; operation ids must differ.
    return route.method == "PUT" and route.summary == "The same as PATCH"


def _parameters(route: Route, components: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _PATH_TYPES.get(name, {"type": "string"}),
         "example": _ID_EXAMPLES[route.path.split("/")[2]] if name == "id" else _PATH_EXAMPLES[name]}
        for name in route.names
    ]
    info = inspect.type_info(route.query)
    assert isinstance(info, inspect.StructType)
    if info.fields:
        properties = components[_name(route.query)]["properties"]
        examples = dict(parse_qsl(route.query_example))
        for field in info.fields:
            name = field.encode_name
            parameter = {"name": name, "in": "query", "required": field.required,
                         "schema": _without_null(properties[name])}
            if name in examples:
                parameter["example"] = examples[name]
            found.append(parameter)
    return found


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema: no parameter is ever null, it is left out."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(kinds) == 1:
        return dict(kinds[0])
    return {key: value for key, value in schema.items() if key != "default" or value is not None}


def _responses(route: Route, by_type: dict[str, Any]) -> dict[str, Any]:
    if route.answer is None:
        schema: dict[str, Any] = {"type": "string"} if route.media.startswith("text/") else {}
        content: dict[str, Any] = {route.media: {"schema": schema}}
    else:
        kinds = [by_type[_key(one)] for one in _answers(route)]
        content = {JSON: {"schema": kinds[0] if len(kinds) == 1 else {"oneOf": kinds}}}
        if route.answer_example is not None:
            content[JSON]["example"] = route.answer_example
    found: dict[str, Any] = {"200": {"description": "done", "content": content}}
    if route.polled:
        found["304"] = {"description": UNCHANGED}
    for status in statuses(route):
        schema = by_type[_key(Error)]
        if status == 503 and not route.limited and route.role is None:
            schema = by_type[_key(_answers(route)[0])]
        told: dict[str, Any] = {JSON: {"schema": schema}}
        if route.media == "text/html":
            # Who asked for a page may be told so on a page.
            told[route.media] = {"schema": {"type": "string"}}
        found[str(status)] = {"description": MEANINGS[status], "content": told}
    return found


def _answers(route: Route) -> tuple[Any, ...]:
    return route.answer if isinstance(route.answer, tuple) else (route.answer,)


def plain(value: Any) -> Any:
    """A schema whose descriptions, which are docstrings, are without markup."""
    if isinstance(value, dict):
        return {key: _text(one) if key == "description" and isinstance(one, str) else plain(one)
                for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def _text(docstring: str) -> str:
    docstring = _FIELD.sub(lambda named: ", ".join(f"`{one.strip()}`" for one in named[1].split(",")) + ":", docstring)
    return " ".join(_MARKUP.sub(r"`\1`", docstring).replace("\\\\", "\\").split())


def _key(type: Any) -> str:
    return repr(type)


def _name(type: Any) -> str:
    return str(type.__name__)


def some_of(
    name: str, record: type[msgspec.Struct], text: str, without: Iterable[str] = (), keep: Iterable[str] = (),
    forbid: bool = True, **others: Any,
) -> Any:
    """
    Declare what may be said of a record, of which the service fills in what is left out.

    @param text: its description.
    @param without: fields that the service sets; keep: those required as in the record; others: types that differ.
    @param forbid: other fields are refused.
    """
    types = {**get_type_hints(record, include_extras=True), **others}
    fields = [(one, type) if one in keep else (one, type | UnsetType, UNSET)
              for one, type in types.items() if one not in without]
    fields.sort(key=len)
    return msgspec.defstruct(
        name, fields, frozen=True, forbid_unknown_fields=forbid, namespace={"__doc__": text})


def list_of(item: Any) -> Any:
    """Declare a list of what L{some_of} has made."""
    return GenericAlias(list, (item,))
