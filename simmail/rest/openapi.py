"""
The OpenAPI 3.1 document, made from the table of routes.

Nothing is written here that the table does not say; what validates requests
is what the document shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import GenericAlias
from typing import Any, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, UnsetType

from simmail import __version__
from simmail.rest.answer import JSON
from simmail.rest.description import described, schemas
from simmail.rest.errors import Error
from simmail.rest.errors import MEANINGS, UNCHANGED
from simmail.rest.route import MOST_UID, NoQuery, Route

_REF = "#/components/schemas/{name}"
_TEXT: dict[str, Any] = {"type": "string"}
#: Of each name in a path what it is, of which type, and an example as the demo universe has it, to be tried there.
_PATH: dict[str, tuple[str, dict[str, Any], Any]] = {
    "address": ("an e-mail address", _TEXT, "orders@garden.test"),
    "folder": ("name of the folder in the mailbox; slashes in it may stand as they are", _TEXT, "INBOX"),
    "uid": ("UID of the message in its folder (RFC 9051 section 2.3.1.1)",
            {"type": "integer", "minimum": 1, "maximum": MOST_UID}, 1),
    "n": ("which attachment of the message, in the order in which the message lists them, from 0",
          {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}, 0),
    "email": ("address the user signs in with", _TEXT, "ann@acme.test"),
    "prefix": ("what the key begins with, as lists of keys show it", _TEXT, "9f2c41d07a"),
    "token": ("what was answered when it was made", _TEXT, "0b1c2d3e4f5a6b7c8d9e0f1a"),
    "snapshot": ("id of the snapshot; to fork, `now`: the universe as it is", _TEXT, "s_5b1c09d2a7"),
}
#: The same of C{id}, by what stands before it.
_PATH_IDS = {
    "personas": ("id of the persona", "p_pga0r999p3ex"), "cases": ("id of the case", "c_demo_invoice"),
    "scenarios": ("id of the scenario", "tarpit"), "events": ("number of the event in the log, from 1", "1"),
    "jobs": ("id of the job", "j_5t2k8w"), "streams": ("id of the stream", "customers"),
    "snapshots": ("id of the snapshot; to fork, `now`: the universe as it is", "s_5b1c09d2a7"),
    "universes": ("id of the universe", "shop"), "orgs": ("id of the organization", "shop"),
}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the whole document, as JSON types."""
    shown = [route for route in routes if not route.hidden]
    types: list[Any] = [Error]
    for route in shown:
        types += [one for one in (route.body_shown or route.body, route.query, *_answers(route)) if one is not None]
    found, components = schemas(types, _REF)
    by_type = {_key(type): schema for type, schema in zip(types, found)}
    queries = {_name(route.query) for route in shown}
    paths: dict[str, dict[str, Any]] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_type, components)
    headings = dict.fromkeys(route.heading for route in shown if route.heading)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "simmail", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"},
            "description": (
                "A universe of simulated e-mail: mailboxes, people who answer, a clock to move. Instants are RFC 3339; "
                "durations are numbers with units, such as `90s`, `45m`, `2h` or `3d`. Both are of simulated time, "
                "which the universe's clock tells, or of real time."),
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}, {"session": []}],
        "tags": [{"name": one} for one in headings],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in queries},
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
    told = described(route.query).text
    if told and route.query is not NoQuery:
        operation["x-query"] = told
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
    found = [path_parameter(route, name) for name in route.names]
    query = components[_name(route.query)]
    examples = dict(parse_qsl(route.query_example))
    for name, schema in query["properties"].items():
        parameter = {"name": name, "in": "query", "required": name in query.get("required", ()),
                     "description": schema.get("description", ""), "schema": _without_null(schema)}
        if name in examples:
            parameter["example"] = examples[name]
        found.append(parameter)
    return found


def path_parameter(route: Route, name: str) -> dict[str, Any]:
    """Return what is said of a name in a route's path."""
    text, schema, example = _PATH[name] if name != "id" else ("", _TEXT, None)
    if name == "id":
        text, example = _PATH_IDS[route.path.partition("/{id}")[0].rpartition("/")[2]]
    return {"name": name, "in": "path", "required": True, "description": text, "schema": schema, "example": example}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema: no parameter is ever null, it is left out; the parameter itself says what it is."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(kinds) == 1:
        return dict(kinds[0])
    return {key: value for key, value in schema.items()
            if key != "description" and (key != "default" or value is not None)}


def _responses(route: Route, by_type: dict[str, Any]) -> dict[str, Any]:
    if route.answer is None:
        schema: dict[str, Any] = {"type": "string"} if route.media.startswith("text/") else {}
        content: dict[str, Any] = {route.media: {"schema": schema}}
    else:
        kinds = [by_type[_key(one)] for one in _answers(route)]
        content = {JSON: {"schema": kinds[0] if len(kinds) == 1 else {"oneOf": kinds}}}
        if route.answer_example is not None:
            content[JSON].update(_shown(route))
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


def _shown(route: Route) -> dict[str, Any]:
    """Examples of an answer; where it is one of several each is called as its type is."""
    if not isinstance(route.answer_example, tuple):
        return {"example": route.answer_example}
    names = [getattr(one, "__name__", "Answer") for one in _answers(route)]
    return {"examples": {name: {"value": one} for name, one in zip(names, route.answer_example, strict=True)}}


def _answers(route: Route) -> tuple[Any, ...]:
    return route.answer if isinstance(route.answer, tuple) else (route.answer,)


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

    @param text: its docstring; fields of which it says nothing are what they are in the record.
    @param without: fields that the service sets; keep: those required as in the record; others: types that differ.
    @param forbid: other fields are refused.
    """
    types = {**get_type_hints(record, include_extras=True), **others}
    fields = [(one, type) if one in keep else (one, type | UnsetType, UNSET)
              for one, type in types.items() if one not in without]
    fields.sort(key=len)
    return msgspec.defstruct(
        name, fields, frozen=True, forbid_unknown_fields=forbid,
        namespace={"__doc__": text, "__described__": (record,)})


def list_of(item: Any) -> Any:
    """Declare a list of what L{some_of} has made."""
    return GenericAlias(list, (item,))
