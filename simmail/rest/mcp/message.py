"""
JSON-RPC messages of the Model Context Protocol, and what the header of their request must say of them.

Two families of revisions share one endpoint: up to 2025-11-25 a client shakes
hands once (C{initialize}); from 2026-07-28 on each request says everything in
C{_meta}, and again in headers, for what stands between to route by.  Source:
Model Context Protocol, revisions 2025-11-25 and 2026-07-28, "Base protocol" and
"Transports"; JSON-RPC 2.0.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field
from twisted.web.server import Request

#: The revision without a handshake, and those with one, newest first.
STATELESS = "2026-07-28"
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS = (STATELESS, *HANDSHAKE)

#: What a client of the revisions before there was a header speaks.
UNNAMED = "2025-03-26"

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
REFUSED, HEADER_MISMATCH, UNSUPPORTED_VERSION = -32000, -32020, -32022

#: Status of an error by its code; those which the revisions with a handshake answer with 200.
_STATUSES = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNKNOWN_METHOD: 404, INVALID_PARAMS: 400, HEADER_MISMATCH: 400,
             UNSUPPORTED_VERSION: 400, INTERNAL: 500}
_ANSWERED = (UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL)

#: Methods whose object stands in C{Mcp-Name} too, and what it is called in the body.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

_META = "io.modelcontextprotocol/"
_BASE64 = "=?base64?"

Id = int | float | str


class Meta(Struct, frozen=True, rename=lambda name: _META + "".join(
        [part.capitalize() if n else part for n, part in enumerate(name.split("_"))])):
    """What a request says of its client; C{client_capabilities} are those of this request alone."""

    protocol_version: str | None = None
    client_capabilities: dict[str, Any] | None = None


class Params(Struct, frozen=True, rename="camel"):
    """
    Parameters of all methods that are served.

    C{arguments}: of a tool; C{input_responses}: what the person said who was asked before the tool is called again.
    """

    meta: Meta | None = field(name="_meta", default=None)
    name: str | None = None
    uri: str | None = None
    cursor: str | None = None
    protocol_version: str | None = None
    arguments: Raw = Raw(b"{}")
    input_responses: dict[str, Any] | None = None


class RpcMessage(Struct, frozen=True):
    """A request, or a notification if it has no C{id}; what has C{result} or C{error} instead is an answer."""

    jsonrpc: Literal["2.0"]
    method: str = ""
    id: Id | UnsetType = UNSET
    params: Params = Params()


class RpcError(Exception):
    """A message is refused.  C{data}: for the program that sent it."""

    def __init__(self, code: int, text: str, data: Any = UNSET) -> None:
        super().__init__(text)
        self.code = code
        self.data = data

    def status(self, revision: str) -> int:
        """Return the HTTP status that goes with it in a revision."""
        return 200 if revision in HANDSHAKE and self.code in _ANSWERED else _STATUSES[self.code]


class _Told(Struct, frozen=True, omit_defaults=True):
    code: int
    message: str
    data: Any = UNSET


class _Failure(Struct, frozen=True):
    jsonrpc: Literal["2.0"]
    id: Id | None
    error: _Told


class _Success(Struct, frozen=True):
    jsonrpc: Literal["2.0"]
    id: Id
    result: Any


def success(id: Id, result: Any) -> bytes:
    """Return the answer to a request."""
    return msgspec.json.encode(_Success("2.0", id, result))


def failure(id: Id | None, error: RpcError) -> bytes:
    """Return the refusal of a request, of one that cannot be read with the id None."""
    return msgspec.json.encode(_Failure("2.0", id, _Told(error.code, str(error), error.data)))


class _Named(Struct):
    id: Id | None = None


def id_of(octets: bytes) -> Id | None:
    """Return the id of a message that is refused, however wrong the rest is; None if there is none to be seen."""
    try:
        return msgspec.json.decode(octets, type=_Named).id
    except msgspec.MsgspecError:
        return None


def read(octets: bytes) -> RpcMessage:
    """
    Read one message.

    @param octets: valid JSON.
    @raise RpcError: it is no message.
    """
    try:
        message = msgspec.json.decode(octets, type=RpcMessage)
    except msgspec.ValidationError as error:
        raise RpcError(INVALID_REQUEST, f"the body must be one JSON-RPC message: {error}") from None
    if not message.method:
        raise RpcError(INVALID_REQUEST, "the body must be a request or a notification")
    return message


def revision(request: Request) -> str:
    """
    Return the revision that a request says it is of.

    @raise RpcError: one that is not spoken here.
    """
    said = _only(request, "MCP-Protocol-Version")
    if said is None:
        return UNNAMED
    if said not in VERSIONS:
        raise RpcError(UNSUPPORTED_VERSION, "the protocol version is not supported",
                       {"supported": list(VERSIONS), "requested": said[:40]})
    return said


def check(request: Request, message: RpcMessage, spoken: str) -> None:
    """
    Hold a request's headers and its body to each other, as the revision without a handshake wants it.

    @raise RpcError: they differ, or something is missing.
    """
    meta = message.params.meta
    inside = meta.protocol_version if meta is not None else None
    if spoken != STATELESS:
        if inside is not None:
            raise RpcError(HEADER_MISMATCH, "the header MCP-Protocol-Version is not what _meta says")
        return
    if meta is None or inside is None or meta.client_capabilities is None:
        raise RpcError(INVALID_PARAMS, f"params._meta must have {_META}protocolVersion and {_META}clientCapabilities")
    if inside != spoken:
        raise RpcError(HEADER_MISMATCH, "the header MCP-Protocol-Version is not what _meta says")
    if _only(request, "Mcp-Method") != message.method:
        raise RpcError(HEADER_MISMATCH, "the header Mcp-Method is not the method of the body")
    if message.method in _NAMED:
        key = _NAMED[message.method]
        if _plain(_only(request, "Mcp-Name")) != getattr(message.params, key):
            raise RpcError(HEADER_MISMATCH, f"the header Mcp-Name is not the {key} of the body")


def asks(message: RpcMessage) -> bool:
    """Whether a client can ask the person at it for a word (elicitation by a form)."""
    meta = message.params.meta
    offered = (meta.client_capabilities or {}).get("elicitation") if meta is not None else None
    return isinstance(offered, dict) and ("form" in offered or not offered)


def _only(request: Request, name: str) -> str | None:
    """The value of a header field, None if there is none.  @raise RpcError: it is there twice."""
    values = request.requestHeaders.getRawHeaders(name.encode(), [])
    if len(values) > 1:
        raise RpcError(HEADER_MISMATCH, f"the header {name} is there more than once")
    return str(values[0].strip(), "latin-1") if values else None


def _plain(value: str | None) -> str | None:
    """Undo the wrapping of what no header field can hold as it is."""
    if value is None or not (value.startswith(_BASE64) and value.endswith("?=")):
        return value
    try:
        return b64decode(value[len(_BASE64):-2], validate=True).decode("utf-8")
    except (Base64Error, UnicodeDecodeError, ValueError):
        raise RpcError(HEADER_MISMATCH, "the header Mcp-Name is not valid base64") from None
