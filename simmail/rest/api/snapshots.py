"""
C{/api/reset} and C{/api/snapshots}: a universe as new, as it was, or once more.

Source: decisions, section 16.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from simmail.rest.api.admin import ClockStart, clock_of, ttl_of, universe as named_universe
from simmail.rest.api.connection import ConnectionFacts, LoginName, read_connection
from simmail.rest.route import Body, Call, Deleted, Route
from simmail.server.remainder import DEFAULT, Kept
from simmail.server.resets import Removed
from simmail.server.snapshots import Forked, LONGEST_NAME, UniverseSnapshot
from simmail.universe.clock import begun
from simmail.universe.universe import Durability, Universe

HEADING = "Reset, snapshots and forks"

#: In the place of a snapshot's id: the universe as it is.
NOW = "now"


#: No seed is an empty one: to leave it as it is, it is left out.
Seed = Annotated[str, Meta(min_length=1, max_length=200)]


class Reset(Body, frozen=True):
    """
    What a reset keeps.  Keys and personas of the configuration always stay.

    @ivar keep: what is not removed; seed: another seed from then on; the same unless given.
    @ivar clock: an instant of simulated time, where the clock then stands unless C{frozen} is false, or an object;
        unless given, where it was when the universe was made.
    """

    keep: tuple[Kept, ...] = DEFAULT
    seed: Seed = ""
    clock: str | ClockStart | None = None


class SnapshotItem(Struct, frozen=True):
    """
    A snapshot.

    @ivar id: made up, C{s_} and hexadecimal digits; name: what it is called.
    @ivar created: when it was taken, in real time; at: when it was taken, in simulated time.
    @ivar messages: in all mailboxes; personas: how many; pending_jobs: how many.
    @ivar fingerprint: null of a universe with very many messages or events; C{GET /api/fingerprint} in a fork tells it.
    @ivar durability: where its mail is: `replicated`, in the store of objects too, or `local`, on one disk alone.
    """

    id: str
    name: str
    created: datetime
    at: datetime
    messages: int
    personas: int
    pending_jobs: int
    fingerprint: str | None
    durability: Durability = "local"


#: One line, as lists and the command line show it.
Name = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]


class NewSnapshot(Body, frozen=True):
    """A snapshot to be taken.  C{name}: what to call it."""

    name: Name = ""


class NewFork(Body, frozen=True):
    """
    A new universe.

    @ivar id: what to call it; made up unless given; name: shown to people; that of the original unless given.
    @ivar seed: another one from then on; that of the original unless given.
    @ivar ttl: a duration of real time after which it goes by itself; null for never.
    """

    id: str = ""
    name: Name = ""
    seed: Seed = ""
    ttl: str | None = None


class ForkedUniverse(Struct, frozen=True):
    """
    A fork and what gets into it.

    @ivar universe: its id; key: an admin key for it, shown this once; fingerprint: of the snapshot, which may be null.
    @ivar logins: with the passwords they had; ends: when it goes by itself, in real time; null for never.
    @ivar connection: what a mail program has to know.
    """

    universe: str
    key: str
    fingerprint: str | None
    logins: list[LoginName]
    ends: datetime | None
    connection: ConnectionFacts


async def snapshot(call: Call) -> UniverseSnapshot:
    """Return the snapshot the path names.  @raise NotFound: the universe has none of that id."""
    return call.services.server.snapshots.get(call.universe.id, call.path["id"])


async def snapshot_or_now(call: Call) -> UniverseSnapshot | None:
    """Return the same, None for the universe as it is."""
    return None if call.path["id"] == NOW else await snapshot(call)


async def snapshot_of_named(call: Call) -> UniverseSnapshot:
    """Return a snapshot of a universe that the path names, for an administrator.  @raise NotFound: one of them."""
    universe = await named_universe(call)
    return call.services.server.snapshots.get(universe.id, call.path["snapshot"])


async def snapshot_or_now_of_named(call: Call) -> UniverseSnapshot | None:
    """Return the same, None for the universe as it is."""
    if call.path["snapshot"] != NOW:
        return await snapshot_of_named(call)
    await named_universe(call)
    return None


def _item(one: UniverseSnapshot) -> SnapshotItem:
    return SnapshotItem(one.id, one.name, one.created, one.at, one.messages, one.personas, one.pending_jobs,
                        one.fingerprint or None, one.durability)


async def reset(call: Call) -> Removed:
    asked: Reset = call.body
    clock = None
    if asked.clock is not None:
        clock = begun(call.services.reactor.seconds(), *clock_of(asked.clock))
    return await call.services.server.reset_universe(call.universe.id, asked.keep, asked.seed, clock)


def _listed(call: Call, universe: Universe) -> list[SnapshotItem]:
    return [_item(one) for one in call.services.server.snapshots.of(universe.id)]


def list_snapshots(call: Call) -> list[SnapshotItem]:
    return _listed(call, call.universe)


async def create_snapshot(call: Call) -> SnapshotItem:
    return _item(await call.services.server.snapshots.create(call.universe, call.body.name))


async def restore_snapshot(call: Call) -> SnapshotItem:
    await call.services.server.snapshots.restore(call.found)
    return _item(call.found)


async def _fork(call: Call, universe: Universe) -> ForkedUniverse:
    asked: NewFork = call.body
    snapshots, ttl = call.services.server.snapshots, ttl_of(asked.ttl)
    made: Forked = (
        await snapshots.fork_now(universe, asked.id, asked.name, asked.seed, ttl) if call.found is None
        else await snapshots.fork(call.found, asked.id, asked.name, asked.seed, ttl))
    return ForkedUniverse(
        made.universe.id, made.key, made.fingerprint or None, [LoginName(*one) for one in made.logins],
        made.universe.record.ends, read_connection(call))


async def fork_snapshot(call: Call) -> ForkedUniverse:
    return await _fork(call, call.universe)


async def delete_snapshot(call: Call) -> Deleted:
    await call.services.server.snapshots.delete(call.found)
    return Deleted()


# For administrators: of any universe

def list_snapshots_of(call: Call) -> list[SnapshotItem]:
    return _listed(call, call.found)


async def create_snapshot_of(call: Call) -> SnapshotItem:
    return _item(await call.services.server.snapshots.create(call.found, call.body.name))


async def restore_snapshot_of(call: Call) -> SnapshotItem:
    return await restore_snapshot(call)


async def fork_of(call: Call) -> ForkedUniverse:
    return await _fork(call, call.services.server.universe(call.path["id"]))


_SNAPSHOT: dict[str, Any] = {
    "id": "s_5b1c09d2a7", "name": "before the sale", "created": "2025-11-21T08:12:00Z", "at": "2026-03-01T09:45:00Z",
    "messages": 12, "personas": 2, "pending_jobs": 1, "fingerprint": "c0" * 32,
    "durability": "local"}
FORK: dict[str, Any] = {
    "universe": "shop-5b1c09d2a7", "key": "sm_9f2c41d07a_…", "fingerprint": "c0" * 32,
    "logins": [{"username": "app@sim.test%shop-5b1c09d2a7", "address": "app@sim.test"}],
    "ends": "2025-11-21T09:12:00Z", "connection": {
        "domain": "sim.test", "services": [
            {"name": "SMTP", "address": "127.0.0.1", "port": 2525, "security": "starttls"}],
        "auth_mechanisms": ["PLAIN", "LOGIN"], "plain_auth_allowed": True, "smtp_auth_required": False,
        "certificate": {"self_signed": True, "sha256": "5e" * 32, "subject": "CN=localhost"}}}
_OF = "/api/admin/universes/{id}/snapshots"

ROUTES: tuple[Route, ...] = (
    Route("POST", "/api/reset", reset, "Remove everything from the universe but what is kept", Removed, role="admin",
          body=Reset, example={"keep": ["accounts", "settings", "webhooks"]}, answer_example={
              "messages": 12, "mailboxes": 3, "personas": 2, "cases": 0, "events": 41, "jobs": 4,
              "fingerprint": "c0" * 32}),
    Route("GET", "/api/snapshots", list_snapshots, "List snapshots, newest first", list[SnapshotItem],
          answer_example=[_SNAPSHOT]),
    Route("POST", "/api/snapshots", create_snapshot, "Keep the universe as it is now", SnapshotItem, role="member",
          body=NewSnapshot, example={"name": "before the sale"}, answer_example=_SNAPSHOT),
    Route("POST", "/api/snapshots/{id}/restore", restore_snapshot, "Put the universe back as it was", SnapshotItem,
          role="admin", locate=snapshot, answer_example=_SNAPSHOT),
    Route("POST", "/api/snapshots/{id}/fork", fork_snapshot,
          "Make a new universe of a snapshot, or with the id now of the universe as it is", ForkedUniverse,
          role="admin", body=NewFork, locate=snapshot_or_now, statuses=(409,), example={"ttl": "1h"},
          answer_example=FORK),
    Route("DELETE", "/api/snapshots/{id}", delete_snapshot, "Delete a snapshot; forks of it stay", Deleted,
          role="admin", locate=snapshot, answer_example={"status": "deleted"}),
    Route("GET", _OF, list_snapshots_of, "List the snapshots of any universe", list[SnapshotItem], role="admin",
          placed=False, locate=named_universe, answer_example=[_SNAPSHOT]),
    Route("POST", _OF, create_snapshot_of, "Keep any universe as it is now", SnapshotItem, role="admin", placed=False,
          body=NewSnapshot, locate=named_universe, example={"name": "before the sale"}, answer_example=_SNAPSHOT),
    Route("POST", _OF + "/{snapshot}/restore", restore_snapshot_of, "Put any universe back as it was", SnapshotItem,
          role="admin", placed=False, locate=snapshot_of_named, answer_example=_SNAPSHOT),
    Route("POST", _OF + "/{snapshot}/fork", fork_of, "Make a new universe of any, or of a snapshot of it",
          ForkedUniverse, role="admin", placed=False, body=NewFork, locate=snapshot_or_now_of_named,
          statuses=(404, 409),
          example={"ttl": "1h"}, answer_example=FORK),
)
