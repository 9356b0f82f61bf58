"""
C{/api/admin/universes/{id}/export}, C{/check}, C{/move}, C{/api/admin/import} and C{/nodes}: for C{simmail admin}.

Where an export is on the disk is told by a link in the state folder, so that a key alone gives nobody a way to files.
"""

from __future__ import annotations

from simmail.rest.api.admin import administrator, universe
from simmail.rest.api.connection import LoginName, read_connection
from simmail.rest.api.snapshots import FORK, ForkedUniverse
from simmail.rest.route import Body, Call, Query, Route
from simmail.server.installation.membership import RemovedServer, ServerMember
from simmail.server.installation.moving import MovedUniverse
from simmail.server.transfer.differences import differences, Misfit
from simmail.server.transfer.transfers import Exported

HEADING = "Administration"


class ExportPlace(Body, frozen=True):
    """
    Where an export is.

    @ivar place: the name of a link in the state folder to the folder it is in; name: what it is called there.
    """

    place: str
    name: str


class ImportedPlace(ExportPlace, frozen=True):
    """Where an export is, and what its universe is to be called.  C{id}: what it was called unless given."""

    id: str = ""


class NewPlace(Body, frozen=True):
    """Where a universe is to be.  C{node}: the name of a server of the installation (C{server.node})."""

    node: str


class Loss(Query, frozen=True):
    """What goes with a server.  C{lose_local}: universes whose mail is on its disk alone may be lost."""

    lose_local: bool = False


class Check(Body, frozen=True):
    """What is to be done with what does not fit together.  C{repair}: mend it."""

    repair: bool = False


async def check_universe(call: Call) -> list[Misfit]:
    return await differences(call.found, call.body.repair)


async def export_universe(call: Call) -> Exported:
    return await call.services.server.transfers.write(call.found, call.body.place, call.body.name)


async def move_universe(call: Call) -> MovedUniverse:
    return await call.services.server.move_universe(call.found.id, call.body.node)


def list_nodes(call: Call) -> list[ServerMember]:
    return call.services.server.members.all()


async def remove_node(call: Call) -> RemovedServer:
    return await call.services.server.members.remove(call.path["name"], call.query.lose_local)


async def import_universe(call: Call) -> ForkedUniverse:
    asked: ImportedPlace = call.body
    made = await call.services.server.transfers.read(asked.place, asked.name, asked.id)
    return ForkedUniverse(
        made.universe.id, made.key, made.fingerprint or None, [LoginName(*one) for one in made.logins],
        made.universe.record.ends, read_connection(call))


_PLACE = {"place": "9f2c41d07a9f2c41", "name": "shop-2026"}

ROUTES: tuple[Route, ...] = (
    Route("POST", "/api/admin/universes/{id}/check", check_universe, "Look for what does not fit together",
          list[Misfit], role="admin", placed=False, body=Check, locate=universe, hidden=True,
          example={"repair": False}, answer_example=[]),
    Route("POST", "/api/admin/universes/{id}/export", export_universe, "Export a universe to a folder", Exported,
          role="admin", placed=False, body=ExportPlace, locate=universe, statuses=(409,), hidden=True,
          example=_PLACE, answer_example={
              "universe": "shop", "directory": "/srv/shop-2026", "counts": {"messages": 12, "events": 41},
              "fingerprint": "c0" * 32}),
    Route("POST", "/api/admin/universes/{id}/move", move_universe,
          "Move a universe to another server of the installation", MovedUniverse, role="admin", placed=False,
          body=NewPlace, locate=universe, statuses=(409,), hidden=True, example={"node": "b"},
          answer_example={"universe": "shop", "node": "b", "seconds": 0.4}),
    Route("GET", "/api/admin/nodes", list_nodes, "List the servers of the installation", list[ServerMember],
          role="admin", placed=False, locate=administrator, hidden=True, answer_example=[
              {"name": "b", "address": "10.0.0.2:7025", "alive": True, "universes": ["oak", "shop"],
               "local": ["oak"]}]),
    Route("DELETE", "/api/admin/nodes/{name}", remove_node, "Remove a server that is gone for good", RemovedServer,
          role="admin", placed=False, locate=administrator, query=Loss, query_example="lose_local=true", hidden=True,
          statuses=(404, 409), answer_example={"name": "b", "lost": ["oak"]}),
    Route("POST", "/api/admin/import", import_universe, "Import a universe from a folder", ForkedUniverse,
          role="admin", placed=False, body=ImportedPlace, locate=administrator, statuses=(409,), hidden=True,
          example=_PLACE, answer_example=FORK),
)
