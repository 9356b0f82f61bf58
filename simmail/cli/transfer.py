"""
C{simmail admin universes export} and C{import}: a universe in a folder of its own.

The service of the state folder does it.  Where none runs, one is started for it that answers nobody else and in which
nothing goes on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from simmail.cli.client import call
from simmail.daemon.state_folder import ENDPOINTS, EXPORTS
from simmail.errors import Invalid

#: Real seconds that an export or import may take.
LONGEST = 24 * 3600


def add_transfers(action: Callable[..., argparse.ArgumentParser]) -> None:
    """Put both below the parser of universes; C{action}: makes the parser of one."""
    export = action("export", "a universe to a folder: Maildirs, and all else in lines of JSON", export_universe)
    export.add_argument("id")
    export.add_argument("directory", help="is not there yet")
    imported = action("import", "a universe from such a folder; prints what gets into it", import_universe)
    imported.add_argument("directory")
    imported.add_argument("--as", metavar="ID", dest="universe", default="", help="another than it had")
    for one in (export, imported):
        add_config(one)


def add_config(parser: argparse.ArgumentParser) -> None:
    """Put the option below a parser of what starts a service where none runs."""
    parser.add_argument("--config", metavar="FILE", help="configuration, for when the service does not run")


def export_universe(parsed: argparse.Namespace) -> int:
    """Export; prints what was written."""
    done = _asked(parsed, f"universes/{quote(parsed.id, safe='')}/export", {})
    print(f"{done['counts']['messages']} messages, {done['counts']['events']} events and {done['counts']['jobs']} jobs "
          f"in {done['directory']}")
    if done["fingerprint"]:
        print(f"Fingerprint {done['fingerprint']}")
    return 0


def import_universe(parsed: argparse.Namespace) -> int:
    """Import; prints what gets into it."""
    made = _asked(parsed, "import", {"id": parsed.universe})
    print(f"Universe {made['universe']}")
    if made["fingerprint"]:
        print(f"Fingerprint {made['fingerprint']}")
    print_access(made)
    return 0


def print_access(made: Any) -> None:
    """Print what gets into a universe: its key, logins, and where mail programs connect."""
    print(f"API key {made['key']}")
    for one in made["logins"]:
        print(f"Login {one['username']}" + (f" password {one['password']}" if "password" in one else ""))
    for one in made["connection"]["services"]:
        print(f"{one['name']} {one['address']}:{one['port']}")


def _asked(parsed: argparse.Namespace, path: str, body: dict[str, Any]) -> Any:
    directory = Path(os.path.abspath(parsed.directory))
    with running(parsed), _linked(parsed.folder, directory.parent) as token:
        return call(parsed, "POST", path, {"place": token, "name": directory.name, **body}, LONGEST)


@contextmanager
def _linked(state: Path, directory: Path) -> Iterator[str]:
    """A link in the state folder, which says that we may write there."""
    token = token_hex(8)
    link = state / EXPORTS / token
    try:
        link.parent.mkdir(mode=0o700, exist_ok=True)
        link.symlink_to(directory)
    except OSError as error:
        raise Invalid("state", f"{state} cannot be used: {error.strerror}") from None
    try:
        yield token
    finally:
        link.unlink(missing_ok=True)


@contextmanager
def running(parsed: argparse.Namespace) -> Iterator[None]:
    """There is a service; what is started for it is stopped again."""
    state: Path = parsed.folder
    if (state / ENDPOINTS).exists():
        yield
        return
    config = ["--config", parsed.config] if parsed.config else []
    service = subprocess.Popen(
        [sys.executable, "-m", "simmail", "run", "--state", str(state), "--resting", "--ready-line", *config],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        assert service.stdout is not None
        if not service.stdout.readline():
            raise Invalid("state", f"no service can be started on {state}")
        yield
    finally:
        service.terminate()
        service.wait()
