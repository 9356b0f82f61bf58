"""
C{simmail admin}: organisations, users, universes, keys and plans of a running server, changed through its API.

It asks what C{/api/admin} is asked, with the key in the state folder; a
refusal is the API's own text.  Source: decisions, section 1.  What looks
at the files in the state folder is in L{simmail.cli.check}.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from simmail.cli.check import add_checks
from simmail.cli.client import call
from simmail.cli.transfer import LONGEST, add_transfers, print_access
from simmail.errors import Invalid

#: Real seconds in which a running service makes another first key.
LONGEST_RESET = 10.0

ROLES = ("viewer", "member", "admin")


def add_commands(admin: argparse.ArgumentParser, where: Callable[[argparse.ArgumentParser], None]) -> None:
    """
    Put the things of C{admin} and what can be done with them below its parser.

    @param where: adds the options that say which server is meant; they may stand at any place.
    """
    things = admin.add_subparsers(title="things", required=True, metavar="THING")

    def thing(name: str, help: str) -> Callable[..., argparse.ArgumentParser]:
        parser = things.add_parser(name, help=help)
        where(parser)
        actions = parser.add_subparsers(required=True, metavar="ACTION")

        def action(name: str, help: str, do: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
            made: argparse.ArgumentParser = actions.add_parser(name, help=help)
            where(made)
            made.set_defaults(do=do)
            return made

        return action

    _universes(thing("universes", "list, create, delete, snapshot, snapshots, restore, fork, move, export, import"))
    _keys(thing("keys", "list, create, revoke, reset-first"))
    _orgs(thing("orgs", "list, create, change, suspend, resume"))
    _users(thing("users", "list, create, change, delete"))
    _nodes(thing("nodes", "list, remove"))
    thing("plans", "list")("list", "all plans, their features and limits", list_plans)
    add_checks(things, where)


def _universes(action: Callable[..., argparse.ArgumentParser]) -> None:
    action("list", "all universes", list_universes)
    create = action("create", "a new universe, and an admin key for it", create_universe)
    create.add_argument("id", nargs="?", help="lower-case letters, digits, - and _; made up where there is a --ttl")
    create.add_argument("--name", default="")
    create.add_argument("--org", default="default")
    create.add_argument("--ttl", metavar="DURATION", help="such as 90m or 2d: it goes by itself, in real time")
    create.add_argument("--durability", choices=("local", "replicated"),
                        help="whether what is acknowledged is in the object store too (default: as configured)")
    create.add_argument("--login", metavar="ADDRESS", nargs="?", const=True,
                        help="with a login (app@ the server's domain unless given), which is shown with its password")
    create.add_argument("--seed", default="", help="the id unless given")
    create.add_argument("--clock", metavar="TIME", help="RFC 3339; the universe then starts frozen at it")
    create.add_argument("--running", action="store_true", help="with --clock: not frozen")
    action("delete", "a universe and all that is in it", _asking("DELETE", "universes", "id")).add_argument("id")
    move = action("move", "have another server of the installation have a universe", move_universe)
    move.add_argument("id")
    move.add_argument("node", help="its name (server.node)")
    snapshot = action("snapshot", "keep a universe as it is now; prints the snapshot's id", create_snapshot)
    snapshot.add_argument("id")
    snapshot.add_argument("--name", default="")
    action("snapshots", "the snapshots of a universe, newest first", list_snapshots).add_argument("id")
    restore = action("restore", "put a universe back as it was; what came since is gone", restore_snapshot)
    restore.add_argument("id")
    restore.add_argument("snapshot")
    fork = action("fork", "a new universe that begins as another is; prints what gets into it", fork_universe)
    fork.add_argument("id")
    fork.add_argument("--snapshot", default="now", help="begin as the universe was then (default: as it is now)")
    fork.add_argument("--as", metavar="ID", dest="fork", default="", help="of the new one (default: made up)")
    fork.add_argument("--seed", default="", help="that of the original unless given")
    fork.add_argument("--ttl", metavar="DURATION", help="such as 90m or 2d: it goes by itself, in real time")
    add_transfers(action)


def _keys(action: Callable[..., argparse.ArgumentParser]) -> None:
    action("list", "all keys, by prefix", list_keys)
    key = action("create", "a new key; its secret is shown once", create_key)
    key.add_argument("universe")
    key.add_argument("--role", choices=ROLES, default="member")
    key.add_argument("--name", default="")
    key.add_argument("--tools", choices=("mail", "world"), help="for these tools over MCP, and nothing else")
    action("revoke", "a key works no more", _asking("DELETE", "keys", "prefix")).add_argument("prefix")
    action("reset-first", "a new key in the state folder; all keys that first starts made work no more", reset_first)


def _orgs(action: Callable[..., argparse.ArgumentParser]) -> None:
    action("list", "all organisations, their plans", list_orgs)
    create = action("create", "a new organisation", create_org)
    create.add_argument("id", help="lower-case letters, digits, - and _")
    create.add_argument("--name", default="")
    create.add_argument("--plan", help="see admin plans list (default: self-hosted)")
    change = action("change", "put an organisation on another plan", change_org)
    change.add_argument("id")
    change.add_argument("--plan", required=True)
    for name, help, suspended in (
        ("suspend", "refuse everything of an organisation; its clocks stand still", True),
        ("resume", "take a suspension back", False),
    ):
        action(name, help, _asking("PATCH", "orgs", "id", {"suspended": suspended})).add_argument("id")


def _users(action: Callable[..., argparse.ArgumentParser]) -> None:
    action("list", "everybody who can sign in, with their roles", list_users)
    for name, help, do in (
        ("create", "somebody who can sign in; a password is made and shown once unless one is given", create_user),
        ("change", "change somebody: what is left out stays", change_user),
    ):
        one = action(name, help, do)
        one.add_argument("email")
        one.add_argument("--role", metavar="ORG=ROLE", action="append", type=_role,
                         help="a role in an organisation: viewer, member or admin; may be repeated")
        one.add_argument("--administrator", choices=("yes", "no"), help="of the whole server")
        # Not as an argument: those are seen by everybody who looks at the list of processes.
        one.add_argument("--password-stdin", action="store_true", help="the first line of standard input")
    action("delete", "somebody can sign in no more, and is signed out",
           _asking("DELETE", "users", "email")).add_argument("email")


def _nodes(action: Callable[..., argparse.ArgumentParser]) -> None:
    action("list", "the servers of the installation: where they are, whether they run, their universes", list_nodes)
    remove = action("remove", "a server that is gone for good: nobody waits for it any more", remove_node)
    remove.add_argument("node", help="its name (server.node)")
    remove.add_argument("--lose-local", action="store_true",
                        help="also if universes are lost with it, whose mail is on its disk alone")


def _role(text: str) -> tuple[str, str]:
    org, equals, role = text.partition("=")
    if not equals or role not in ROLES:
        raise argparse.ArgumentTypeError(f"must be ORG=ROLE, the role one of {', '.join(ROLES)}")
    return org, role


def _named(thing: str, name: str) -> str:
    return f"{thing}/{quote(name, safe='')}"


def _asking(method: str, thing: str, name: str, body: Any = None) -> Callable[[argparse.Namespace], int]:
    """An action that is one call and says nothing; C{name}: of the argument that names one of its things."""
    def ask(parsed: argparse.Namespace) -> int:
        call(parsed, method, _named(thing, getattr(parsed, name)), body)
        return 0

    return ask


# Universes and keys

def list_universes(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "universes"):
        ends = f" (until {one['ends']})" if one.get("ends") else ""
        where = " (replicated)" if one.get("durability") == "replicated" else ""
        print(f"{one['id']:<23} {one['org']:<15} {one['name']}{ends}{where}")
    return 0


def move_universe(parsed: argparse.Namespace) -> int:
    moved = call(parsed, "POST", _named("universes", parsed.id) + "/move", {"node": parsed.node}, LONGEST)
    print(f"{moved['universe']} is at {moved['node']}; nobody served it for {moved['seconds']:.1f} s")
    return 0


def create_universe(parsed: argparse.Namespace) -> int:
    body: dict[str, Any] = {"id": parsed.id, "name": parsed.name, "org": parsed.org, "seed": parsed.seed}
    if parsed.clock:
        body["clock"] = {"now": parsed.clock, "frozen": not parsed.running}
    if parsed.id is None:
        del body["id"]
    if parsed.ttl:
        body["ttl"] = parsed.ttl
    if parsed.durability:
        body["durability"] = parsed.durability
    if parsed.login:
        body["login"] = parsed.login
    made = call(parsed, "POST", "universes", body)
    if parsed.login:
        print_access(made)
        return 0
    print(call(parsed, "POST", "keys", {"universe": made["id"], "role": "admin", "name": "created with it"})["key"])
    return 0


def create_snapshot(parsed: argparse.Namespace) -> int:
    print(call(parsed, "POST", _named("universes", parsed.id) + "/snapshots", {"name": parsed.name})["id"])
    return 0


def list_snapshots(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", _named("universes", parsed.id) + "/snapshots"):
        where = " (replicated)" if one.get("durability") == "replicated" else ""
        print(f"{one['id']:<14}{one['created']:<29}{one['messages']:>9} messages  {one['name']}{where}".rstrip())
    return 0


def restore_snapshot(parsed: argparse.Namespace) -> int:
    call(parsed, "POST", _named(_named("universes", parsed.id) + "/snapshots", parsed.snapshot) + "/restore")
    return 0


def fork_universe(parsed: argparse.Namespace) -> int:
    body = {"id": parsed.fork, "seed": parsed.seed, "ttl": parsed.ttl}
    path = _named(_named("universes", parsed.id) + "/snapshots", parsed.snapshot) + "/fork"
    made = call(parsed, "POST", path, {key: value for key, value in body.items() if value})
    print(f"Universe {made['universe']}")
    print_access(made)
    return 0


def list_keys(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "keys"):
        print(f"{one['prefix']:<14}{one['universe']:<24}{one['role']:<8}{one['tools'] or '-':<6}{one['name']}")
    return 0


def create_key(parsed: argparse.Namespace) -> int:
    print(call(parsed, "POST", "keys", {
        "universe": parsed.universe, "role": parsed.role, "name": parsed.name, "tools": parsed.tools})["key"])
    return 0


def reset_first(parsed: argparse.Namespace) -> int:
    """Ask the service of the state folder for it by a file there: who has no key has no other way in."""
    from simmail.daemon.bootstrap import KEY, RESET

    folder: Path = parsed.folder
    asked = folder / RESET
    try:
        asked.touch(0o600)
    except OSError as error:
        raise Invalid("state", f"{folder} cannot be used: {error.strerror}") from None
    if not (folder / "endpoints.json").exists():
        print(f"It is made at the next start on {folder}.")
        return 0
    deadline = time.monotonic() + LONGEST_RESET
    while asked.exists():
        if time.monotonic() > deadline:
            asked.unlink(missing_ok=True)
            raise Invalid("", f"the service of {folder} makes none; see its log")
        time.sleep(0.05)
    print((folder / KEY).read_text(encoding="utf-8").strip())
    return 0


# Servers

def list_nodes(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "nodes"):
        universes = ", ".join(id + (" (local)" if id in one["local"] else "") for id in one["universes"])
        print(f"{one['name']:<15} {one['address'] or '-':<23} {'alive' if one['alive'] else 'away':<7}"
              f"{universes or 'no universes'}")
    return 0


def remove_node(parsed: argparse.Namespace) -> int:
    gone = call(parsed, "DELETE", _named("nodes", parsed.node) + ("?lose_local=true" if parsed.lose_local else ""),
                timeout=LONGEST)
    print(f"{gone['name']} is removed; {', '.join(gone['lost']) or 'no universe'} went with it")
    return 0


# Organisations and plans

def list_orgs(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "orgs"):
        print(f"{one['id']:<24}{one['plan']:<16}{'suspended' if one['suspended'] else 'active':<11}{one['name']}")
    return 0


def create_org(parsed: argparse.Namespace) -> int:
    plan = {"plan": parsed.plan} if parsed.plan else {}
    call(parsed, "POST", "orgs", {"id": parsed.id, "name": parsed.name, **plan})
    return 0


def change_org(parsed: argparse.Namespace) -> int:
    call(parsed, "PATCH", _named("orgs", parsed.id), {"plan": parsed.plan})
    return 0


def list_plans(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "plans"):
        limits = ", ".join(f"{name} {limit}" for name, limit in one["limits"].items() if limit is not None)
        print(f"{one['name']:<16}{' '.join(one['features']) or 'no features'}; {limits or 'no limits'}")
    return 0


# Users

def list_users(parsed: argparse.Namespace) -> int:
    for one in call(parsed, "GET", "users"):
        roles = " ".join(f"{org}={role}" for org, role in sorted(one["orgs"].items()))
        print(f"{one['email']:<40}{'administrator ' if one['administrator'] else ''}{roles}".rstrip())
    return 0


def _password() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _given(parsed: argparse.Namespace) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if parsed.role is not None:
        body["orgs"] = dict(parsed.role)
    if parsed.administrator is not None:
        body["administrator"] = parsed.administrator == "yes"
    if parsed.password_stdin:
        body["password"] = _password()
    return body


def create_user(parsed: argparse.Namespace) -> int:
    made = call(parsed, "POST", "users", {"email": parsed.email, **_given(parsed)})
    if "password" in made:
        print(made["password"])
    return 0


def change_user(parsed: argparse.Namespace) -> int:
    call(parsed, "PATCH", _named("users", parsed.email), _given(parsed))
    return 0
