"""
The command line: C{python -m simmail}, installed as C{simmail}.

C{run} starts the service in the foreground, C{ready} asks whether it serves,
C{admin} changes universes and keys of a running server through its API.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from simmail import __version__
from simmail.config import load
from simmail.errors import Invalid


def main(arguments: list[str] | None = None) -> None:
    """Do what the arguments say; exits with 0 when it was done."""
    parsed = _parser().parse_args(arguments)
    try:
        sys.exit(parsed.do(parsed))
    except Invalid as error:
        sys.exit(f"simmail: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simmail", description="A universe of simulated e-mail.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="start the service in the foreground", description=(
        "Start the service (twistd -n simmail); Ctrl-C stops it.  The log is in the state folder."))
    _where(run)
    run.add_argument("--config", metavar="FILE", help="YAML file with what differs from the defaults")
    run.add_argument("--port-base", metavar="N", type=int, default=0, help="added to every default port")
    run.add_argument("--log", metavar="FILE", help="log file, - for the terminal (default: simmail.log in the state)")
    run.set_defaults(do=_run)

    ready = commands.add_parser("ready", help="ask whether the service serves", description=(
        "Exit with 0 when the service is ready, 1 when it is not."))
    _where(ready)
    ready.add_argument("--wait", metavar="SECONDS", type=float, default=0.0, nargs="?", const=30.0,
                       help="wait until it is (30 seconds unless given)")
    ready.set_defaults(do=_ready)

    version = commands.add_parser("version", help="show the version")
    version.set_defaults(do=lambda parsed: print(f"simmail {__version__}"))

    admin = commands.add_parser("admin", help="universes and keys of a running server")
    things = admin.add_subparsers(title="things", required=True, metavar="THING")
    universes = things.add_parser("universes", help="list, create, delete").add_subparsers(
        required=True, metavar="ACTION")
    _admin(universes, "list", "all universes", _universes)
    create = _admin(universes, "create", "a new universe, and an admin key for it", _create_universe)
    create.add_argument("id", help="lower-case letters, digits, - and _")
    create.add_argument("--name", default="")
    create.add_argument("--org", default="default")
    create.add_argument("--seed", default="", help="the id unless given")
    create.add_argument("--clock", metavar="TIME", help="RFC 3339; the universe then starts frozen at it")
    create.add_argument("--running", action="store_true", help="with --clock: not frozen")
    _admin(universes, "delete", "a universe and all that is in it", _delete_universe).add_argument("id")
    keys = things.add_parser("keys", help="list, create, revoke").add_subparsers(required=True, metavar="ACTION")
    _admin(keys, "list", "all keys, by prefix", _keys)
    key = _admin(keys, "create", "a new key; its secret is shown once", _create_key)
    key.add_argument("universe")
    key.add_argument("--role", choices=("viewer", "member", "admin"), default="member")
    key.add_argument("--name", default="")
    _admin(keys, "revoke", "a key works no more", _revoke_key).add_argument("prefix")
    return parser


def _where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", metavar="DIR", help="state folder (default: $SIMMAILD_STATE, or the user's)")
    parser.add_argument("--default-state", metavar="DIR", help=argparse.SUPPRESS)


def _admin(actions: Any, name: str, help: str, do: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=help)
    _where(parser)
    parser.set_defaults(do=do)
    return parser


def state_folder(parsed: argparse.Namespace, configured: str = "") -> Path:
    """The state folder the arguments, the configuration or the environment name, else the user's own."""
    chosen = parsed.state or configured or parsed.default_state or os.environ.get("SIMMAILD_STATE")
    return (Path(chosen) if chosen else Path.home() / ".local" / "state" / "simmail").absolute()


# run

def _run(parsed: argparse.Namespace) -> int:
    from twisted.scripts.twistd import run

    config = load(parsed.config)
    state = state_folder(parsed, config.server.state)
    log = parsed.log or str(state / "simmail.log")
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid("server.state", f"{state} cannot be used: {error.strerror}") from None
    try:
        if log != "-":
            open(log, "ab").close()
    except OSError as error:
        raise Invalid("--log", f"{log} cannot be written: {error.strerror}") from None
    argv = ["twistd", "--nodaemon", "--pidfile=", "--logger=simmail.logs.observer", "simmail", "--state", str(state),
            "--port-base", str(parsed.port_base)]
    if parsed.config:
        argv += ["--config", parsed.config]
    os.environ["SIMMAILD_LOG"] = log
    sys.argv = argv
    run()
    return 0


# ready

def _ready(parsed: argparse.Namespace) -> int:
    state = state_folder(parsed)
    deadline = time.monotonic() + (parsed.wait or 0.0)
    while True:
        why = _not_ready(state)
        if not why:
            return 0
        if time.monotonic() >= deadline:
            print(f"simmail: not ready: {why}", file=sys.stderr)
            return 1
        time.sleep(0.05)


def _not_ready(state: Path) -> str:
    # Here, for it takes as long as a tenth of a start.
    import urllib.request

    try:
        base = _base(state)
        with urllib.request.urlopen(base + "/readyz", timeout=2):
            return ""
    except Invalid as error:
        return str(error)
    except OSError as error:
        return str(error)


def _base(state: Path) -> str:
    try:
        http = json.loads((state / "endpoints.json").read_text(encoding="utf-8"))["http"]
    except (OSError, ValueError, KeyError):
        raise Invalid("state", f"nothing was started with {state}; name the folder with --state") from None
    return f"http://{http['host']}:{http['port']}"


# admin

def _call(parsed: argparse.Namespace, method: str, path: str, body: Any = None) -> Any:
    import urllib.error
    import urllib.request

    state = state_folder(parsed)
    base = _base(state)
    key = (state / "admin.key").read_text(encoding="utf-8").strip()
    request = urllib.request.Request(
        base + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            text = json.load(error)["error"]
        except (ValueError, KeyError):
            text = str(error)
        raise Invalid("", text) from None
    except OSError as error:
        raise Invalid("", f"the server at {base} does not answer: {error}") from None


def _universes(parsed: argparse.Namespace) -> int:
    for one in _call(parsed, "GET", "/api/admin/universes"):
        print(f"{one['id']:<24}{one['org']:<16}{one['name']}")
    return 0


def _create_universe(parsed: argparse.Namespace) -> int:
    body: dict[str, Any] = {"id": parsed.id, "name": parsed.name, "org": parsed.org, "seed": parsed.seed}
    if parsed.clock:
        body["clock"] = {"now": parsed.clock, "frozen": not parsed.running}
    _call(parsed, "POST", "/api/admin/universes", body)
    made = _call(parsed, "POST", "/api/admin/keys", {"universe": parsed.id, "role": "admin", "name": "created with it"})
    print(made["key"])
    return 0


def _delete_universe(parsed: argparse.Namespace) -> int:
    _call(parsed, "DELETE", "/api/admin/universes/" + quote(parsed.id, safe=""))
    return 0


def _keys(parsed: argparse.Namespace) -> int:
    for one in _call(parsed, "GET", "/api/admin/keys"):
        print(f"{one['prefix']:<14}{one['universe']:<24}{one['role']:<8}{one['name']}")
    return 0


def _create_key(parsed: argparse.Namespace) -> int:
    print(_call(parsed, "POST", "/api/admin/keys", {
        "universe": parsed.universe, "role": parsed.role, "name": parsed.name})["key"])
    return 0


def _revoke_key(parsed: argparse.Namespace) -> int:
    _call(parsed, "DELETE", "/api/admin/keys/" + quote(parsed.prefix, safe=""))
    return 0
