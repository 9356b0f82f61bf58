"""
C{/api/admin}: organisations, plans and users, for the server's own administrators.

Source: decisions, section 1.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from simmail.core.rules.quota_plan import Plan
from simmail.errors import Conflict
from simmail.rest.api.admin import administrator
from simmail.rest.route import Body, Call, Deleted, Route
from simmail.server.apikeys import Role
from simmail.server.organizations import Org
from simmail.server.passwords import new_password
from simmail.server.users import User

HEADING = "Administration"


class OrgItem(Struct, frozen=True):
    """
    An organization.

    @ivar id: the organization's; name: shown to people.
    @ivar plan: name of its plan; suspended: its keys and people are refused.
    """

    id: str
    name: str
    plan: str
    suspended: bool


class NewOrg(Body, frozen=True):
    """A new organization.  C{id}: what to call it in calls; C{name}: shown to people; C{plan}: name of its plan."""

    id: str
    name: Annotated[str, Meta(max_length=200)] = ""
    plan: str = "self-hosted"


class OrgChange(Body, frozen=True):
    """
    What to change of an organization; what is left out stays.

    @ivar plan: name of another plan; suspended: its keys and people are refused.
    """

    plan: str | None = None
    suspended: bool | None = None


class UserItem(Struct, frozen=True):
    """Somebody who can sign in.  C{orgs}: role by organization."""

    email: str
    orgs: dict[str, Role]
    administrator: bool


class CreatedUser(UserItem, frozen=True):
    """A new user.  C{password}: one that was made, shown this once."""

    password: str | UnsetType = UNSET


class NewUser(Body, frozen=True):
    """
    A new user; without a password one is made.

    @ivar password: one is made unless given; orgs: role by organization.
    """

    email: str
    password: str | None = None
    orgs: dict[str, Role] = {}
    administrator: bool = False


class UserChange(Body, frozen=True):
    """
    What to change of a user; what is left out stays.

    @ivar password: the new one; orgs: role by organization, replaced whole.
    """

    password: str | None = None
    orgs: dict[str, Role] | None = None
    administrator: bool | None = None


async def org(call: Call) -> Org:
    """Return the organization the path names.  @raise NotFound: there is none."""
    await administrator(call)
    return call.services.server.org(call.path["id"])


async def user(call: Call) -> User:
    """Return the user the path names.  @raise NotFound: there is none."""
    await administrator(call)
    return call.services.server.users.get(call.path["email"])


def _org(one: Org) -> OrgItem:
    return OrgItem(one.id, one.name, one.plan, one.suspended)


def _user(one: User) -> UserItem:
    return UserItem(one.email, one.orgs, one.administrator)


def list_orgs(call: Call) -> list[OrgItem]:
    return [_org(one) for one in call.services.server.orgs()]


async def create_org(call: Call) -> OrgItem:
    asked: NewOrg = call.body
    return _org(await call.services.server.create_org(asked.id, asked.name, asked.plan))


async def change_org(call: Call) -> OrgItem:
    asked: OrgChange = call.body
    return _org(await call.services.server.change_org(call.found.id, asked.plan, asked.suspended))


def list_plans(call: Call) -> list[Plan]:
    return list(call.services.server.plans.values())


def list_users(call: Call) -> list[UserItem]:
    return [_user(one) for one in call.services.server.users.all()]


async def create_user(call: Call) -> CreatedUser:
    asked: NewUser = call.body
    password = new_password() if asked.password is None else asked.password
    user = await call.services.server.users.create(asked.email, password, asked.orgs, asked.administrator)
    return CreatedUser(user.email, user.orgs, user.administrator, UNSET if asked.password is not None else password)


async def change_user(call: Call) -> UserItem:
    asked: UserChange = call.body
    return _user(await call.services.server.users.change(
        call.found.email, asked.password, asked.orgs, asked.administrator))


async def delete_user(call: Call) -> Deleted:
    if call.identity.user is not None and call.identity.user.email == call.found.email:
        raise Conflict("you cannot delete yourself")
    await call.services.server.users.delete(call.found.email)
    return Deleted()


_ORG = {"id": "acme", "name": "Acme", "plan": "team", "suspended": False}
_USER: dict[str, Any] = {"email": "ann@acme.test", "orgs": {"acme": "member"}, "administrator": False}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/admin/orgs", list_orgs, "List organizations", list[OrgItem], role="admin", placed=False,
          locate=administrator, answer_example=[_ORG]),
    Route("POST", "/api/admin/orgs", create_org, "Create an organization", OrgItem, role="admin", placed=False,
          body=NewOrg, locate=administrator, statuses=(409,), example={"id": "acme", "name": "Acme", "plan": "team"},
          answer_example=_ORG),
    Route("PATCH", "/api/admin/orgs/{id}", change_org,
          "Put an organization on another plan, suspend it or take it back", OrgItem, role="admin", placed=False,
          body=OrgChange, locate=org, example={"suspended": True}, answer_example={**_ORG, "suspended": True}),
    Route("GET", "/api/admin/plans", list_plans, "List plans", list[Plan], role="admin", placed=False,
          locate=administrator, answer_example=[{
              "name": "free", "features": [], "limits": {
                  "people": 25, "logins": 5, "streams": 2, "mail_per_month": 1000, "ai_credits": 0,
                  "learned_per_month": 5, "retention_days": 30, "universes": 1, "snapshots": 1}}]),
    Route("GET", "/api/admin/users", list_users, "List users", list[UserItem], role="admin", placed=False,
          locate=administrator, answer_example=[_USER]),
    Route("POST", "/api/admin/users", create_user,
          "Create a user; without a password one is made, and shown this once", CreatedUser, role="admin", placed=False,
          body=NewUser, locate=administrator, statuses=(409,),
          example={"email": "ann@acme.test", "password": "correct horse", "orgs": {"default": "member"}},
          answer_example=_USER),
    Route("PATCH", "/api/admin/users/{email}", change_user, "Change a user: what is left out stays", UserItem,
          role="admin", placed=False, body=UserChange, locate=user, example={"orgs": {"default": "viewer"}},
          answer_example={**_USER, "orgs": {"default": "viewer"}}),
    Route("DELETE", "/api/admin/users/{email}", delete_user, "Delete a user, who is signed out everywhere", Deleted,
          role="admin", placed=False, locate=user, statuses=(409,), answer_example={"status": "deleted"}),
)
