"""
The command line: C{python -m simmail}, installed as C{simmail}.

C{run} starts the service in the foreground, C{ready} asks whether it serves,
C{mcp} bridges agents to it, C{scenario} tests an application, C{admin} administers a running server through its API.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path

from simmail import __version__
from simmail.cli.admin import add_commands
from simmail.cli.bridge import add_bridge
from simmail.cli.client import base, opened
from simmail.cli.scenario import add_scenario
from simmail.cli.shell import add_shell
from simmail.config import load
from simmail.daemon.gc import expect_much
from simmail.daemon.log_writer import writable
from simmail.daemon.signals import hold
from simmail.errors import Invalid


def main(arguments: list[str] | None = None) -> None:
    """Do what the arguments say; exits with 0 when it was done."""
    parsed = _parser(_usual(sys.argv[1:] if arguments is None else arguments)).parse_args(arguments)
    # For admin, which is asked of the server of a folder.
    parsed.folder = state_folder(parsed)
    try:
        sys.exit(parsed.do(parsed))
    except Invalid as error:
        sys.exit(f"simmail: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _usual(arguments: list[str]) -> str:
    """The state folder when none is named, for people: C{scripts/run} gives its own."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("--default-state")
    try:
        given = early.parse_known_args(arguments)[0].default_state
    except argparse.ArgumentError:
        given = None
    return f"{given}" if given else "$SIMMAILD_STATE, or the user's ~/.local/state/simmail"


def _parser(usual: str) -> argparse.ArgumentParser:
    where = partial(_where, usual=usual)
    parser = argparse.ArgumentParser(prog="simmail", description="A universe of simulated e-mail.")
    where(parser)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="start the service in the foreground", description=(
        "Start the service (twistd -n simmail); Ctrl-C stops it.  The log is in the state folder."))
    where(run)
    run.add_argument("--config", metavar="FILE", help="YAML file with what differs from the defaults")
    run.add_argument("--port-base", metavar="N", type=int, default=0, help="added to every default port")
    run.add_argument("--webhook-host", metavar="HOST:PORT", action="append", default=[],
                     help="a test endpoint that webhooks may reach wherever it is; may be repeated")
    run.add_argument("--log", metavar="FILE", help=(
        "log file, - for the terminal (default: $SIMMAILD_LOG, or simmail.log in the state)"))
    run.add_argument("--ready-line", action="store_true", help=(
        "print one line of JSON once it serves, instead of addresses and secrets for people"))
    run.add_argument("--worker", default="", help=argparse.SUPPRESS)
    run.add_argument("--settle", default="", help=argparse.SUPPRESS)
    run.add_argument("--resting", action="store_true", help=argparse.SUPPRESS)
    run.set_defaults(do=_run)

    ready = commands.add_parser("ready", help="ask whether the service serves", description=(
        "Exit with 0 when the service is ready, 1 when it is not."))
    where(ready)
    ready.add_argument("--wait", metavar="SECONDS", type=float, default=0.0, nargs="?", const=30.0,
                       help="wait until it is (30 seconds unless given)")
    ready.set_defaults(do=_ready)

    version = commands.add_parser("version", help="show the version")
    version.set_defaults(do=lambda parsed: print(f"simmail {__version__}"))

    bridge = commands.add_parser("mcp", help="the Model Context Protocol on standard input and output", description=(
        "Carry the Model Context Protocol from standard input and output to a running server, with the key in the "
        "environment's SIMMAILD_KEY, else that of the state folder."))
    where(bridge)
    add_bridge(bridge)

    add_scenario(commands.add_parser("scenario", help="play scenarios against an application, and report"))

    admin = commands.add_parser("admin", help="organisations, users, universes, keys and plans of a running server")
    where(admin)
    add_commands(admin, where)

    add_shell(commands, parser)
    return parser


def _where(parser: argparse.ArgumentParser, usual: str) -> None:
    # Suppressed: what was said further left is not forgotten where nothing is said.
    parser.add_argument("--state", metavar="DIR", default=argparse.SUPPRESS,
                        help=f"state folder (default: {usual.replace('%', '%%')})")
    parser.add_argument("--default-state", metavar="DIR", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def state_folder(parsed: argparse.Namespace, configured: str = "") -> Path:
    """Return the state folder the arguments, the configuration or the environment name, else the user's own."""
    chosen = (getattr(parsed, "state", None) or configured or getattr(parsed, "default_state", None)
              or os.environ.get("SIMMAILD_STATE"))
    return (Path(chosen) if chosen else Path.home() / ".local" / "state" / "simmail").absolute()


# run

def _run(parsed: argparse.Namespace) -> int:
    # Until the service can act on them: it stops in order also when it has hardly begun.
    hold()
    expect_much()
    from twisted.scripts.twistd import run

    config = load(parsed.config, os.environ)
    state = state_folder(parsed, config.server.state)
    log = parsed.log or os.environ.get("SIMMAILD_LOG") or str(state / "simmail.log")
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid("server.state", f"{state} cannot be used: {error.strerror}") from None
    try:
        if log != "-":
            writable(log)
    except OSError as error:
        raise Invalid("--log", f"{log} cannot be written: {error.strerror}") from None
    argv = ["twistd", "--nodaemon", "--pidfile=", "--logger=simmail.daemon.logfile.observer",
            "simmail", "--state", str(state),
            "--port-base", str(parsed.port_base)]
    if parsed.resting:
        argv.append("--resting")
    if parsed.worker:
        argv += ["--worker", parsed.worker]
    elif parsed.settle:
        argv += ["--settle", parsed.settle]
    elif parsed.ready_line:
        argv.append("--ready-line")
    elif log != "-" or config.log.format == "text":
        # Where a program reads the log it is not met by other text.
        argv.append("--banner")
    if parsed.config:
        argv += ["--config", parsed.config]
    for place in parsed.webhook_host:
        argv += ["--webhook-host", place]
    os.environ.update(SIMMAILD_LOG=log, SIMMAILD_LOG_FORMAT=config.log.format)
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
    from http.client import HTTPException

    try:
        with opened(base(state) + "/readyz", 2):
            return ""
    except (Invalid, OSError, HTTPException) as error:
        return str(error)
