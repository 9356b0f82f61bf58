"""
The OpenAPI 3.1 document, made from the table of routes.

Nothing is written here that the table does not say; what validates requests
is what the document shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import inspect

from simmail import __version__
from simmail.rest.errors import MEANINGS
from simmail.rest.schema import JSON, Error, Route

_REF = "#/components/schemas/{name}"
_PATH_TYPES: dict[str, dict[str, Any]] = {
    "uid": {"type": "integer", "minimum": 1}, "n": {"type": "integer", "minimum": 0},
}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The whole document, as JSON types."""
    shown = [route for route in routes if not route.hidden]
    types: list[Any] = [Error]
    for route in shown:
        types += [one for one in (route.body_shown or route.body, route.query, route.answer) if one is not None]
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
        "security": [{"key": []}],
        "tags": [{"name": one} for one in headings],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in queries},
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key."},
                "token": {"type": "apiKey", "in": "query", "name": "token",
                          "description": "The API key, for clients that cannot set headers."},
            },
        },
    }


def statuses(route: Route) -> list[int]:
    """What a route may answer other than 200, in order."""
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
        {"name": name, "in": "path", "required": True, "schema": _PATH_TYPES.get(name, {"type": "string"})}
        for name in route.names
    ]
    info = inspect.type_info(route.query)
    assert isinstance(info, inspect.StructType)
    if info.fields:
        schema = components[_name(route.query)]
        for field in info.fields:
            found.append({
                "name": field.encode_name, "in": "query", "required": field.required,
                "schema": schema["properties"][field.encode_name]})
    return found


def _responses(route: Route, by_type: dict[str, Any]) -> dict[str, Any]:
    if route.answer is None:
        content: dict[str, Any] = {route.media: {"schema": {"type": "string"} if route.media.startswith("text/") else {}}}
    else:
        content = {JSON: {"schema": by_type[_key(route.answer)]}}
        if route.answer_example is not None:
            content[JSON]["example"] = route.answer_example
    found: dict[str, Any] = {"200": {"description": "done", "content": content}}
    for status in statuses(route):
        schema = by_type[_key(Error)]
        if status == 503 and route.role is None:
            schema = by_type[_key(route.answer)]
        found[str(status)] = {"description": MEANINGS[status], "content": {JSON: {"schema": schema}}}
    return found


def _key(type: Any) -> str:
    return repr(type)


def _name(type: Any) -> str:
    return str(type.__name__)
