"""
C{simmail admin check} and C{rebuild-index}: what is damaged in a state folder or does not fit together, and mending.

Files are looked at as they lie there, also while the service runs; they are mended while none does.  The database is
asked through the service.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from simmail.cli.client import call
from simmail.cli.transfer import add_config, running
from simmail.daemon.state_folder import ENDPOINTS, stopped
from simmail.errors import Invalid, Unavailable

#: What the commands exit with: all is well, something is damaged, nothing could be said.
WELL, DAMAGED, UNKNOWN = 0, 1, 2

#: Real seconds that a look at the database may take.
LONGEST = 3600


def add_checks(things: Any, where: Callable[[argparse.ArgumentParser], None]) -> None:
    """Put both beside the things of C{admin}; C{where}: adds the options that say which server is meant."""
    for name, help, description, do in (
        ("check", "look for damage in the journal, in mailboxes and in the database",
         "Look for damage in the journal, in the files of messages, in UID files and indexes, and, where the server "
         "runs or with --repair, for what does not fit together in mail and database.  Nothing is changed without "
         "--repair.  Files are mended while the server does not run.  Exit with 0 when all is well or was mended, 1 "
         "when something is damaged, 2 when that cannot be said.", check),
        ("rebuild-index", "have indexes made anew from the mail",
         "Remove the indexes of all universes or of one, while the server does not run; they are made anew when they "
         "are needed.", rebuild_index),
    ):
        parser = things.add_parser(name, help=help, description=description)
        where(parser)
        parser.add_argument("universe", nargs="?", default="", metavar="ID", help="only this universe")
        parser.set_defaults(do=do)
        if name == "check":
            parser.add_argument("--repair", action="store_true", help="mend what can be; see what it would do first")
            add_config(parser)


def _mail(parsed: argparse.Namespace) -> Path:
    folder: Path = parsed.folder
    if not (folder / "mail").is_dir():
        raise Invalid("state", f"there is no mail in {folder}; name the folder with --state")
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No service runs on a state folder, nor starts meanwhile."""
    try:
        with stopped(folder):
            yield
    except Unavailable as error:
        raise Invalid("state", str(error)) from None


def check(parsed: argparse.Namespace) -> int:
    """Look, and mend what can be if that is wanted."""
    try:
        left = _files(parsed)
        # Without a service the database is at rest too, and starting one to look at it would not be a mere look.
        if parsed.repair or (parsed.folder / ENDPOINTS).exists():
            left += _database(parsed)
    except Invalid as error:
        print(f"simmail: {error}", file=sys.stderr)
        return UNKNOWN
    return DAMAGED if left else WELL


def _files(parsed: argparse.Namespace) -> int:
    # Here, for it takes as long as a tenth of a start.
    from simmail.mailstore.inspection import Inspection

    folder, count, left = _mail(parsed), 0, 0
    inspection = Inspection(folder, parsed.universe, time.time)
    for finding in list(inspection.findings()):
        count += 1
        print(finding)
        if parsed.repair and finding.mend is not None:
            with _alone(folder):
                finding.mend()
        else:
            left += 1
    said = f"{count} things are damaged" if count else "all is well"
    print(f"{inspection.messages} messages in {inspection.folders} folders and {inspection.segments} segments of the "
          f"journal were looked at: {said}{f', {count - left} were mended' if parsed.repair and count else ''}")
    return left


def _database(parsed: argparse.Namespace) -> int:
    left = 0
    with running(parsed):
        universes = [parsed.universe] if parsed.universe else [one["id"] for one in call(parsed, "GET", "universes")]
        for universe in universes:
            found = call(parsed, "POST", f"universes/{quote(universe, safe='')}/check", {"repair": parsed.repair},
                         LONGEST)
            for one in found:
                print(f"{universe}: {one['where']} {one['trouble']}" + (
                    f" (mending: {one['remedy']})" if one["remedy"] else ""))
            left += sum(not one["mended"] for one in found)
            print(f"{universe}: mail and database {'do not fit together' if found else 'fit together'}")
    return left


def rebuild_index(parsed: argparse.Namespace) -> int:
    """Remove indexes."""
    from simmail.mailstore.maildir.names import mailbox_dir
    from simmail.mailstore.mending import drop_index

    index = _mail(parsed) / "index"
    only = mailbox_dir(parsed.universe) if parsed.universe else "*"
    with _alone(parsed.folder):
        for path in sorted(index.glob(f"{only}.sqlite")):
            drop_index(path)
            print(f"{path.name} is made anew when it is needed")
    return WELL
