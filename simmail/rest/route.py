"""
What a call of the API is: its declaration, and its state while it is answered.

A L{Route} is declared once, in the file of its heading.  From it come the
Klein route, the guard's checks, the decoding of parameters and body, the
OpenAPI document and the table the tests walk.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import force_setattr
from twisted.web.server import Request

from simmail.core.rules.quota_plan import Feature
from simmail.errors import Refusal
from simmail.rest.answer import JSON
from simmail.rest.errors import ErrorReply
from simmail.server.apikeys import Role, ToolSet
from simmail.server.users import User

if TYPE_CHECKING:
    from simmail.rest.context import Services
    from simmail.universe.universe import Universe

#: Of messages in a folder: RFC 9051 section 2.3.1.1.
MOST_UID = 2**32 - 1
Uid = Annotated[int, Meta(ge=1, le=MOST_UID)]

#: Names in a path that are numbers.
NUMBERS = frozenset(("uid", "n"))

# Klein's words for names that are numbers, and for the one that may hold slashes.
_CONVERTERS = {**dict.fromkeys(NUMBERS, "number:"), "folder": "path:"}
#: A name in a path.
NAME = re.compile(r"\{([a-z_]+)\}")


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of request bodies: a field that is not declared is refused by name."""


class Query(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of query parameters; C{token} and C{universe} go with every call and are not declared."""


class NoQuery(Query, frozen=True):
    """No parameters."""


class Deleted(Struct, frozen=True):
    """What C{DELETE} answers.  C{status}: always C{deleted}."""

    status: Literal["deleted"] = "deleted"


class Route(Struct, frozen=True):
    """
    One call of the API, declared.

    @ivar path: with names in braces, as OpenAPI writes it.
    @ivar call: answers it; may return an awaitable.
    @ivar answer: type of the answer, a tuple for one of several; for octets C{None}, and C{media} says what they are.
    @ivar role: the least that may call it; C{None}: open to everyone, no key asked for.
    @ivar limited: open to everyone, but each address may call only so often.
    @ivar feature: of the plan, or C{None}.
    @ivar placed: acts in a universe; a call that does not needs the role in any one only.
    @ivar lasting: stays open; ends when its caller may no longer make it.  Of some routes only some calls do.
    @ivar polled: its answers have an C{ETag}, and are not sent again to who has them.
    @ivar locate: finds what the path names before anything in parameters or body is refused (404 comes before 400).
    @ivar statuses: what it may answer besides those every call may.
    @ivar body: decoded into this; body_shown: what the OpenAPI document says of it, where that differs.
    @ivar large: the body may be as large as a message.
    @ivar example: an example of the body; answer_example: of the answer, a tuple where it is one of several.
    @ivar refuse: says a refusal in the form of another protocol than this API's.
    @ivar endpoint: a name no other route has, made of method and path.
    @ivar detached: goes on to its end when the client leaves: all but GET.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    call: Callable[[Call], Any]
    summary: str
    answer: Any = None
    heading: str = ""
    role: Role | None = "viewer"
    feature: Feature | None = None
    body: Any = None
    body_shown: Any = None
    query: type[Query] = NoQuery
    locate: Callable[[Call], Awaitable[Any]] | None = None
    statuses: tuple[int, ...] = ()
    large: bool = False
    media: str = JSON
    example: Any = None
    answer_example: Any = None
    query_example: str = ""
    hidden: bool = False
    limited: bool = False
    placed: bool = True
    polled: bool = False
    lasting: bool | Callable[[Call], bool] = False
    refuse: Callable[[Call, Refusal, ErrorReply], ErrorReply] | None = None
    endpoint: str = ""
    detached: bool = True

    def __post_init__(self) -> None:
        """Each call asks for these."""
        force_setattr(self, "endpoint", f"{self.method} {self.path}")
        force_setattr(self, "detached", self.method != "GET")

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the path, in order."""
        return tuple(NAME.findall(self.path))

    @property
    def rule(self) -> str:
        """The path as Klein's router writes it."""
        return NAME.sub(lambda match: f"<{_CONVERTERS.get(match[1], '')}{match[1]}>", self.path)


class Identity(NamedTuple):
    """
    Who calls the API: an API key, a signed-in person, a pass of the console, or anybody who looks at the demo.

    @ivar kind: C{key}, C{user}, C{pass} or C{demo}; prefix: under what calls are counted.
    @ivar universe: C{""} for a person who has not named one.
    @ivar tools: the tools of C{/mcp} that are all it may call; C{None}: whatever its role may.
    """

    kind: str
    prefix: str
    name: str
    universe: str
    role: Role
    administrator: bool
    user: User | None = None
    tools: ToolSet | None = None


class Call(Struct):
    """
    One request on its way through the API.

    @ivar path: the values of the names in the path.
    @ivar begun: real Unix time.
    @ivar identity, universe: set by the guard before anything looks; C{universe} is C{None} where none is acted in.
    @ivar query: the route's C{query} struct; body: its C{body} struct.
    @ivar found: what C{route.locate} found.
    @ivar gone: the client has left; there is nobody to answer.
    """

    route: Route
    request: Request
    services: Services
    path: dict[str, Any]
    request_id: str
    begun: float
    identity: Identity = None  # type: ignore[assignment]
    universe: Universe = None  # type: ignore[assignment]
    query: Any = None
    body: Any = None
    found: Any = None
    gone: bool = False
