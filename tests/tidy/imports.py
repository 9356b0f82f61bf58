"""
Who may import whom: between rooms, between the parts of a room, and in no circle.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.tidy.source import House, Module, under

#: What each room may import of simmail's other rooms; top-level seams are open to all.
ROOMS: Mapping[str, frozenset[str]] = {name: frozenset(rooms.split()) for name, rooms in {
    "errors": "",
    "interfaces": "core",
    "config": "core",
    "core": "",
    "mailstore": "core",
    "database": "core",
    "outbound": "core",
    "universe": "core",
    "server": "core universe",
    "smtp": "core universe server",
    "imap": "core universe server",
    "rest": "core universe server",
    "pages": "core universe rest",
    "docs": "rest",
    "daemon": "core universe server",
    "workers": "core server daemon database",
    "cli": "core mailstore database server daemon client testing scenario",
    "client": "core",
    "testing": "core mailstore database universe server client",
    "scenario": "core client",
    "adapters": "core client scenario testing",
}.items()}

#: Modules at the top that any room may use.
SEAMS = frozenset({"concurrency", "durable", "errors", "interfaces", "config"})

#: What lies at the top: a new module belongs in a room.
TOP = frozenset({"tap", "interfaces", "errors", "config", "concurrency", "durable", "__main__"})

#: The parts of a room from the ground up.  A part knows those below it; those beside it, with a space between
#: them, it does not know.  A folder ends with a slash; C{*} stands for the modules that lie in the room itself,
#: of which (as of those in folders) some may be named.
PARTS: Mapping[str, tuple[str, ...]] = {
    "core": ("rng lru language_data", "mime/ net/ time.instant", "records/", "html/ time/", "message/", "compose/",
             "rules/ language/ webhook/", "writer/ inspection/", "decide/ wording/ world/", "insights/ score/"),
    "mailstore": ("threads immediate damage listeners", "journal.records journal.sync", "maildir/", "delivery/ export/",
                  "journal/", "writer/", "journal.journal", "replication/", "index/", "folder/", "memory/", "*"),
    "database": ("layout url", "lua trouble", "connection", "queries", "durability/", "*", "cluster/", "redis",
                 "private/"),
    "daemon": ("listening/", "*"),
    "server": ("*", "transfer/", "installation/", "server", "demo"),
    "universe": ("*", "people/ webhooks/ insights/", "mailflow/", "world/ score/", "jobs/ inspection/",
                 "universe", "fingerprint"),
    "imap": ("wire/", "*", "fetch/", "search/", "untagged/", "command/", "commands", "session", "factory"),
    "rest": ("errors answer", "http/", "render/", "*", "api/", "mcp/", "routes", "app", "site"),
}

#: Rooms whose modules all lie flat in them.
FLAT = frozenset(ROOMS) - frozenset(PARTS)


def between_rooms(house: House) -> list[str]:
    """Rooms import only what the architecture lets them."""
    wrong = set()
    for name, targets in house.edges.items():
        room = name.partition(".")[0]
        if room in ROOMS:
            allowed = ROOMS[room] | SEAMS | {room}
            wrong |= {f"{name} imports {target}" for target in targets if not under(target, allowed)}
    return sorted(wrong)


def part_of(module: Module) -> tuple[int, str] | None:
    """Return the level and the name of a module's part of its room, C{None} if the plan has none for it."""
    room, _, rest = module.name.partition(".")
    levels = {part: level for level, parts in enumerate(PARTS.get(room, ())) for part in parts.split()}
    first, dot, _ = rest.partition(".")
    for part in (rest, f"{first}/" if dot or module.package else "*"):
        if part in levels:
            return levels[part], part
    return None


def between_parts(house: House) -> list[str]:
    """Inside a room a part imports only parts below it."""
    wrong = set()
    for name, targets in house.edges.items():
        for target in targets:
            if name.partition(".")[0] == target.partition(".")[0]:
                one, other = part_of(house.modules[name]), part_of(house.modules[target])
                if one and other and one[1] != other[1] and one[0] <= other[0]:
                    wrong.add(f"{name} imports {target}")
    return sorted(wrong)


def drawer(house: House) -> list[str]:
    """Modules lie where the plan has a place for them."""
    wrong = set()
    for module in house:
        room, _, rest = module.name.partition(".")
        if not rest:
            if module.name and room not in (ROOMS if module.package else TOP):
                wrong.add(f"{module.name} lies at the top")
        elif room in FLAT and "." in rest:
            wrong.add(f"{module.folder} is no part of {room}")
        elif room in PARTS and part_of(module) is None:
            wrong.add(f"{module.name} lies in {room} itself" if "." not in rest and not module.package
                      else f"{room}.{rest.partition('.')[0]} is no part of {room}")
    return sorted(wrong)


def circles(house: House) -> list[list[str]]:
    """
    Return the circles of modules that know each other, the largest first.

    Source: Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
    """
    found: list[list[str]] = []
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in house.edges:
        if root in number:
            continue
        path = [(root, iter(sorted(house.edges[root])))]
        while path:
            name, targets = path[-1]
            if name not in number:
                number[name] = low[name] = len(number)
                stack.append(name)
                on_stack.add(name)
            for target in targets:
                if target not in number:
                    path.append((target, iter(sorted(house.edges[target]))))
                    break
                if target in on_stack:
                    low[name] = min(low[name], number[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == number[name]:
                    at = stack.index(name)
                    found.append(sorted(stack[at:]))
                    on_stack -= set(stack[at:])
                    del stack[at:]
    return sorted((circle for circle in found if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def in_circles(house: House) -> list[str]:
    """No module knows one that knows it, imports for types only and inside functions counted."""
    return sorted(f"{name} lies in a circle" for circle in circles(house) for name in circle)
