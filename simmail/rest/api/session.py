"""
C{/api/session}: signing in and out on the service's own pages, and passes of the console.

Source: decisions, sections 2, 17 and 23 ("Roles and order of errors").
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from simmail.errors import Forbidden
from simmail.rest.answer import Cookied
from simmail.rest.auth import COOKIE, check_not_foreign
from simmail.rest.route import Body, Call, Route
from simmail.server.apikeys import Role
from simmail.server.users import PASS, SESSION, User

HEADING = "Session"


class SignInBody(Body, frozen=True):
    """Who signs in.  C{password}: theirs."""

    email: Annotated[str, Meta(max_length=320)]
    password: Annotated[str, Meta(max_length=1024)]


class UserInfo(Struct, frozen=True):
    """Who is signed in.  C{orgs}: role by organization."""

    email: str
    orgs: dict[str, Role]
    administrator: bool


class SignedIn(Struct, frozen=True):
    """The session is in a cookie.  C{user}: who signed in."""

    user: UserInfo


class SignedOut(Struct, frozen=True):
    """The session is over.  C{status}: always C{deleted}."""

    status: Literal["deleted"] = "deleted"


class NewPass(Struct, frozen=True):
    """
    A bearer token for the universe the request names.

    @ivar token: shown this once; role: what it may do at most; seconds: real seconds that it lasts.
    """

    token: str
    universe: str
    role: Role
    seconds: int


def user_info(user: User) -> UserInfo:
    """Return a user as the API shows them."""
    return UserInfo(user.email, user.orgs, user.administrator)


def _cookie(call: Call, value: str, seconds: int) -> str:
    secure = "; Secure" if call.request.isSecure() else ""
    return f"{COOKIE.decode()}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"


def _session(call: Call) -> str:
    """The token in the session's cookie."""
    cookie: bytes = call.request.getCookie(COOKIE) or b""
    return cookie.decode("ascii", "replace")


async def sign_in(call: Call) -> Cookied:
    check_not_foreign(call.request)
    asked: SignInBody = call.body
    users = call.services.server.users
    token = await users.sign_in(asked.email, asked.password, getattr(call.request.getClientAddress(), "host", ""))
    user, _ = users.holder(token)
    return Cookied(SignedIn(user_info(user)), _cookie(call, token, int(SESSION)))


async def sign_out(call: Call) -> Cookied:
    await call.services.server.users.sign_out(_session(call))
    return Cookied(SignedOut(), _cookie(call, "", 0))


async def person(call: Call) -> User:
    """Return who is signed in.  @raise Forbidden: the caller is no person."""
    user = call.identity.user
    if user is None or call.identity.kind != "user":
        raise Forbidden(f"your role is {call.identity.role}; this call is for signed-in people")
    return user


async def create_pass(call: Call) -> Cookied:
    users = call.services.server.users
    token = await users.create_pass(call.found, call.universe.id, _session(call))
    _, ticket = users.holder(token)
    # Nothing is set; what matters is that nobody keeps the answer.
    return Cookied(NewPass(token, call.universe.id, ticket.role or "viewer", int(PASS)), "")


_USER: dict[str, Any] = {"email": "ann@acme.test", "orgs": {"acme": "member"}, "administrator": False}

ROUTES: tuple[Route, ...] = (
    Route("POST", "/api/session", sign_in, "Sign in; the session is kept in a cookie", SignedIn, role=None,
          body=SignInBody, statuses=(401, 403, 429, 503),
          example={"email": "ann@acme.test", "password": "correct horse"}, answer_example={"user": _USER}),
    Route("DELETE", "/api/session", sign_out, "Sign out", SignedOut, placed=False, locate=person,
          answer_example={"status": "deleted"}),
    Route("POST", "/api/session/pass", create_pass,
          "Make a pass for one universe: 15 minutes at most, at most the role member; signing out ends it", NewPass,
          locate=person,
          answer_example={"token": "smp_…", "universe": "main", "role": "member", "seconds": 900}),
)
