"""
Where to connect, who calls, and how things stand: C{/api/connection}, C{/api/me}, C{/api/universes}, C{/api/status}.

Source: API contract, "Other read resources"; decisions, section 23 ("Connection").
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from simmail.errors import NotFound
from simmail.rest.answer import Octets
from simmail.rest.api.session import UserInfo, user_info
from simmail.rest.auth import DEMO
from simmail.rest.context import MailListener
from simmail.rest.render.message import disposition
from simmail.rest.route import Call, Route
from simmail.server.apikeys import Role
from simmail.universe.clock import ClockStatus
from simmail.universe.fingerprint import Fingerprint, fingerprint

HEADING = "Connection and identity"


class CertificateInfo(Struct, frozen=True):
    """
    The TLS certificate.

    @ivar self_signed: nobody else vouches for it; sha256: its fingerprint in hexadecimal; subject: whom it is for.
    """

    self_signed: bool
    sha256: str
    subject: str


class ConnectionFacts(Struct, frozen=True):
    """
    What a mail program has to know.

    @ivar domain: name of the mail server; services: ports that mail programs connect to.
    @ivar auth_mechanisms: SASL mechanisms; plain_auth_allowed: whether passwords may be sent without TLS.
    @ivar smtp_auth_required: whether sending needs a login; certificate: of TLS, null without.
    """

    domain: str
    services: tuple[MailListener, ...]
    auth_mechanisms: tuple[str, ...]
    plain_auth_allowed: bool
    smtp_auth_required: bool
    certificate: CertificateInfo | None


class LoginName(Struct, frozen=True):
    """
    A login under the name that signs in to its universe, whatever others have the same login.

    @ivar username: what to sign in with; address: of its mailbox; password: one that was made, shown this once.
    """

    username: str
    address: str
    password: str | UnsetType = UNSET


class KeyInfo(Struct, frozen=True):
    """
    An API key, without its secret.

    @ivar prefix: begins the key, and names it in paths; name: what it is for; role: what it may do.
    """

    prefix: str
    name: str
    universe: str
    role: Role


class UniverseItem(Struct, frozen=True):
    """
    A universe the caller can open.

    @ivar id: its name in calls; name: shown to people; org: id of its organization.
    @ivar created: in real time; role: the caller's in it; ends: when it goes by itself, in real time; null for never.
    """

    id: str
    name: str
    org: str
    created: datetime
    role: Role
    ends: datetime | None = None


class OrgInfo(Struct, frozen=True):
    """
    An organization the caller belongs to.

    @ivar id: its name in calls; name: shown to people; role: the person's in it.
    """

    id: str
    name: str
    role: Role


class Me(Struct, frozen=True):
    """
    Who calls.

    @ivar kind: how they showed who they are; universes: those they can open; key: the API key, where one was used.
    @ivar user: the person, where one is signed in; orgs: their organizations.
    """

    kind: Literal["key", "user", "pass", "demo"]
    universes: list[UniverseItem]
    key: KeyInfo | UnsetType = UNSET
    user: UserInfo | UnsetType = UNSET
    orgs: list[OrgInfo] | UnsetType = UNSET
    administrator: bool = False


class Status(Struct, frozen=True):
    """
    What is there.

    @ivar mailboxes: how many; messages: in all folders of all mailboxes; folders: messages by name of the folder, of
        all mailboxes.
    @ivar personas: how many; cases: how many; pending_jobs: how many; clock: what time it is.
    @ivar writer: C{templates}, or the AI writer's name.
    """

    mailboxes: int
    messages: int
    folders: dict[str, int]
    personas: int
    cases: int
    pending_jobs: int
    clock: ClockStatus
    writer: str


def read_connection(call: Call) -> ConnectionFacts:
    config, facts = call.services.config, call.services.certificate()
    plain = config.smtp.plain_auth_allowed
    return ConnectionFacts(
        config.server.domain, call.services.listeners, ("PLAIN", "LOGIN"),
        config.local if plain is None else plain,
        config.auth_required,
        None if facts is None else CertificateInfo(facts.self_signed, facts.sha256, facts.subject))


def read_certificate(call: Call) -> Octets:
    facts = call.services.certificate()
    if facts is None:
        raise NotFound("there is no certificate")
    return Octets(facts.pem, "application/x-pem-file", (
        ("Content-Disposition", disposition(f"{call.services.config.server.domain}.pem")),))


def _universes(call: Call) -> list[UniverseItem]:
    identity, server = call.identity, call.services.server
    role: Any = identity.role
    if identity.kind != "user" or identity.user is None:
        one = call.universe
        return [UniverseItem(one.id, one.name, one.org, one.created, role, one.record.ends)]
    users, demo = server.users, call.services.config.server.demo
    return [UniverseItem(one.id, one.name, one.org, one.created,
                         "viewer" if demo and one.id == DEMO else users.role(identity.user, one.id),
                         one.ends)
            for one in users.universes(identity.user)]


def list_universes(call: Call) -> list[UniverseItem]:
    return _universes(call)


def read_me(call: Call) -> Me:
    who = call.identity
    role: Any = who.role
    if who.kind == "key":
        return Me("key", _universes(call), KeyInfo(who.prefix, who.name, who.universe, role),
                  administrator=who.administrator)
    kind: Any = who.kind
    if who.kind == "demo" or who.user is None:
        return Me(kind, _universes(call))
    orgs = [OrgInfo(one.id, one.name, "admin" if who.user.administrator else who.user.orgs[one.id])
            for one in call.services.server.orgs() if who.user.administrator or one.id in who.user.orgs]
    return Me(kind, _universes(call), UNSET, user_info(who.user), orgs, who.administrator)


async def read_status(call: Call) -> Status:
    universe = call.universe
    folders = await universe.store.totals()
    return Status(len(universe.store.mailboxes()), sum(folders.values()), folders, len(universe.people),
                  len(universe.cases), len(universe.pending), universe.clock_status(),
                  universe.model.name if universe.model.on else "templates")


async def read_fingerprint(call: Call) -> Fingerprint:
    return await fingerprint(call.universe)


_UNIVERSE = {"id": "main", "name": "main", "org": "default", "created": "2025-11-21T08:00:00Z", "role": "admin",
             "ends": None}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/status", read_status, "Read what there is, and the clock", Status, answer_example={
        "mailboxes": 4, "messages": 12, "folders": {"INBOX": 9, "Sent": 3}, "personas": 2, "cases": 0,
        "pending_jobs": 1, "writer": "templates",
        "clock": {"now": "2026-03-01T09:00:00Z", "real": "2025-11-21T08:12:00Z", "speed": 1.0, "frozen": True,
                  "next_job": {"id": "j_5t2k8w", "kind": "reply", "due": "2026-03-01T09:45:00Z"}, "pending": 1}}),
    Route("GET", "/api/me", read_me, "Read who calls", Me, placed=False, answer_example={
        "kind": "key", "universes": [_UNIVERSE], "administrator": False,
        "key": {"prefix": "9f2c41d07a", "name": "ci", "universe": "main", "role": "admin"}}),
    Route("GET", "/api/universes", list_universes, "List the universes the caller can open", list[UniverseItem],
          placed=False, answer_example=[_UNIVERSE]),
    Route("GET", "/api/connection", read_connection, "Read how mail programs connect", ConnectionFacts, answer_example={
        "domain": "sim.test", "services": [
            {"name": "SMTP", "address": "127.0.0.1", "port": 2525, "security": "starttls"}],
        "auth_mechanisms": ["PLAIN", "LOGIN"], "plain_auth_allowed": True, "smtp_auth_required": False,
        "certificate": {"self_signed": True, "sha256": "5e" * 32, "subject": "CN=localhost"}}),
    Route("GET", "/api/connection/cert", read_certificate, "Save the TLS certificate (PEM)",
          media="application/x-pem-file", statuses=(404,)),
    Route("GET", "/api/fingerprint", read_fingerprint,
          "Read a fingerprint of the universe: equal where everything that happened is equal", Fingerprint,
          answer_example={"fingerprint": "c0" * 32, "counts": {"messages": 12, "personas": 2}}),
)
