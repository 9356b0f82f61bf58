"""
C{simmail scenario}: play scenarios against an application, and report.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from simmail.errors import Invalid

if TYPE_CHECKING:
    from simmail.scenario.outcome import Result

#: Exit statuses.
PASSED, FAILED, NOT_RUN = 0, 1, 2


def add_scenario(scenario: argparse.ArgumentParser) -> None:
    """Declare the commands."""
    commands = scenario.add_subparsers(title="commands", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="play scenarios against an application", description=(
        "Play scenarios and report.  Exits with 0 when all passed, 1 when one failed, 2 when it could not be played."))
    run.add_argument("scenario", nargs="+", metavar="FILE|NAME", help="a file, or a name of simmail scenario list")
    run.add_argument("--app", metavar="CMD", default="", help="the application: a command, careful or careless; it is "
                     "started for each of its turns, and its turn is over when it has ended")
    run.add_argument("--resident", action="store_true", help="start the application once; its turns are over when it "
                     "has been quiet for a while")
    run.add_argument("--quiet", metavar="SECONDS", type=float, default=1.0, help="for how long (default: 1)")
    run.add_argument("--patience", metavar="SECONDS", type=float, default=300.0,
                     help="how long a turn may take (default: 300)")
    run.add_argument("--runs", metavar="K", type=_count, default=1, help="play each so often (default: 1)")
    run.add_argument("--seed", metavar="TEXT", default="", help="draw what happens from another seed")
    run.add_argument("--url", help="a running service; one of its own is started unless this is given")
    run.add_argument("--key", default="", help="an administrator's key of it (default: SIMMAILD_KEY)")
    run.add_argument("--report", metavar="DIR", help="write report.txt, junit.xml and report.html there")
    run.add_argument("--format", choices=("text", "junit", "html"), default="text", help="what is printed at the end")
    run.set_defaults(do=_run)
    listed = commands.add_parser("list", help="the scenarios that are shipped")
    listed.set_defaults(do=_list)
    show = commands.add_parser("show", help="print a scenario")
    show.add_argument("scenario", metavar="FILE|NAME")
    show.set_defaults(do=_show)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError("must be from 1 to 10000")
    return int(text)


def _list(parsed: argparse.Namespace) -> int:
    from simmail.scenario.library import shipped

    for script in shipped():
        print(f"{script.name:25} {script.title}")
    return PASSED


def _show(parsed: argparse.Namespace) -> int:
    from simmail.scenario.library import read

    sys.stdout.write(read(parsed.scenario)[1].decode("utf-8", "replace"))
    return PASSED


def _run(parsed: argparse.Namespace) -> int:
    # Here, for the other commands need nothing of it.
    from simmail.client import ApiError, Client
    from simmail.scenario.application import NotRunning, TestedCommand
    from simmail.scenario.library import load
    from simmail.scenario.play import results
    from simmail.scenario.report import FORMATS

    found: list[Result] = []
    status = NOT_RUN
    try:
        if parsed.report:
            Path(parsed.report).mkdir(parents=True, exist_ok=True)
        scripts = [load(name) for name in parsed.scenario]
        program = TestedCommand(parsed.app, parsed.resident, parsed.quiet, parsed.patience, dict(os.environ))
        program.arguments()
        with _service(parsed) as (url, key), Client(url, key) as admin:
            # One after another: what was played before one that cannot be is reported.
            for result in results(admin, scripts, program, parsed.runs, parsed.seed, ProgressLine().tell):
                found.append(result)
        status = PASSED if all(one.passed for one in found) else FAILED
    except (ApiError, NotRunning, Invalid, OSError, RuntimeError, ValueError) as error:
        print(f"simmail: {error}", file=sys.stderr)
    if found:
        sys.stdout.write(FORMATS[parsed.format][0](found))
    for made, name in FORMATS.values() if parsed.report else ():
        (Path(parsed.report) / name).write_text(made(found), encoding="utf-8")
    return status


@contextmanager
def _service(parsed: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Where a service is, with a key: the one that is named, or one of its own for as long."""
    if parsed.url:
        yield parsed.url, parsed.key or os.environ.get("SIMMAILD_KEY", "")
        return
    from simmail.testing.service import OwnService

    own = OwnService()
    try:
        yield own.place
    finally:
        own.stop()


class ProgressLine:
    """Tells on standard error what is being done: on a terminal in one line that changes, else a line each step."""

    def __init__(self) -> None:
        self._moving = sys.stderr.isatty()

    def tell(self, what: str, at: datetime | None) -> None:
        """Show what is being done, at an instant; C{None}: it is done, and stays."""
        line = what if at is None else f"{what}  {at:%a %Y-%m-%d %H:%M}"
        if self._moving:
            sys.stderr.write(f"\r\x1b[K{line[:100]}" + ("\n" if at is None else ""))
            sys.stderr.flush()
        elif at is None or ": step " in what:
            print(line, file=sys.stderr, flush=True)
