"""
Visits kept in a folder, so that the next run has the same web.

One JSON file for each address; in it what was found for each job that went
there.  Source: decisions, section 23 ("Writer on": C{links.record/replay}).
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from zope.interface import implementer

from simmail.core.decide.page_visit import Errand, Visit
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IBrowser


class RecordedPage(Struct, frozen=True):
    """An address and what was found there, by the id of the job, in the order of going there."""

    url: str
    method: str
    visits: dict[str, Visit] = {}


def writable(folder: str, field: str) -> Path:
    """Return a folder that is made where there is none.  @raise Invalid: naming the field, it cannot be written."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(0, "it cannot be written")
    except OSError as error:
        raise Invalid(field, f"{folder}: {error.strerror}") from None
    return path


def readable(folder: str, field: str) -> Path:
    """Return a folder that was recorded in.  @raise Invalid: naming the field, it is not there."""
    path = Path(folder)
    if not path.is_dir():
        raise Invalid(field, f"{folder}: there is no such folder")
    return path


def keep(path: Path, recorded: Struct) -> None:
    """
    Keep a record as JSON for people, whole or not at all.

    @raise OSError: the disk refused.  @raise UnicodeEncodeError: it has text that cannot be written.
    """
    fresh = path.with_suffix(".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(recorded), indent=1))
    fresh.replace(path)


def _path(folder: Path, errand: Errand) -> Path:
    named = f"{_method(errand)} {errand.url}".encode("utf-8", "surrogatepass")
    return folder / (sha256(named).hexdigest()[:32] + ".json")


def _method(errand: Errand) -> str:
    return "POST" if errand.one_click else "GET"


@implementer(IBrowser)
class Recorder:
    """
    A browser whose visits are kept (C{links.record}).

    @raise Invalid: the folder cannot be written.
    """

    log = Logger()

    def __init__(self, browser: IBrowser, folder: str) -> None:
        self._browser = browser
        self._folder = writable(folder, "links.record")

    def visit(self, errand: Errand) -> Deferred[Visit]:
        """Open a page, and keep what was found."""
        done: Deferred[Visit] = self._browser.visit(errand)
        return done.addCallback(self._keep, errand)

    def _keep(self, visit: Visit, errand: Errand) -> Visit:
        path = _path(self._folder, errand)
        try:
            page = msgspec.json.decode(path.read_bytes(), type=RecordedPage)
        except (OSError, msgspec.MsgspecError):
            page = RecordedPage(errand.url, _method(errand))
        page.visits[errand.job_id] = visit
        try:
            keep(path, page)
        except (OSError, UnicodeEncodeError) as error:
            self.log.error("a visit was not recorded: {error}", error=error)
        return visit


@implementer(IBrowser)
class Replayer:
    """
    A browser that knows only what was recorded (C{links.replay}); it never dials.

    A job finds what the same job found, any other what the last one found.
    """

    def __init__(self, folder: str) -> None:
        self._folder = readable(folder, "links.replay")

    def visit(self, errand: Errand) -> Deferred[Visit]:
        """What was found there; it fails with C{NotFound} where nobody has been."""
        try:
            page = msgspec.json.decode(_path(self._folder, errand).read_bytes(), type=RecordedPage)
            visits = page.visits
            found = visits.get(errand.job_id) or list(visits.values())[-1]
        except (OSError, msgspec.MsgspecError, IndexError):
            return fail(NotFound(f"no visit to {errand.url} is recorded in {self._folder}"))
        return succeed(found)
