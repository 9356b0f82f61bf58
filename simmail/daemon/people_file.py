"""
The personas of a file of the owner's, which become those of the default universe: at the start, and when it is asked
to be read again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

from twisted.logger import Logger

from simmail.config import read_yaml
from simmail.errors import Invalid

#: Real seconds after which a file that did not change is taken for written, and after which nobody waits for that.
WRITTEN, LONGEST_WRITING = 0.5, 5.0


class PeopleFile:
    """
    One file of personas.

    @param path: C{""} for none.
    @param in_thread: C{in_thread(work, *arguments)}: a Deferred of what that answers.
    @param configure: takes the entries of the file; those that are wrong change nobody (L{Invalid}).
    @ivar wrong: what is wrong with the file now, C{""} for nothing.
    """

    log = Logger()

    def __init__(
        self, path: str, in_thread: Callable[..., Any], configure: Callable[[list[Any]], Awaitable[Any]]
    ) -> None:
        self.wrong = ""
        self._path = path
        self._in_thread = in_thread
        self._configure = configure
        self._reading = 0

    async def read(self, otherwise: str) -> None:
        """
        Read the file, if there is one; of those who ask meanwhile the last counts.

        @param otherwise: what the log is told when the file is wrong: it changes nobody then.
        """
        if not self._path:
            return
        self._reading += 1
        this = self._reading
        try:
            entries = await self._in_thread(read_when_written, self._path)
            if this != self._reading:
                # It was asked for again meanwhile, and what was read then counts.
                return
            await self._configure(entries)
        except Invalid as error:
            self.log.error("{otherwise}: {error}", otherwise=otherwise, error=error)
            self.wrong = str(error)
        else:
            self.wrong = ""


def read_when_written(path: str) -> list[Any]:
    """
    Return the personas of a file that nobody is just writing: one that changes is looked at again; for a thread.

    @raise Invalid: as C{load_people}, or it goes on changing.
    """
    deadline = time.monotonic() + LONGEST_WRITING
    while True:
        before = _state_of(path)
        if before is None or time.time() - before[0] / 1e9 > WRITTEN:
            return load_people(path)
        time.sleep(WRITTEN / 2)
        if before == _state_of(path):
            return load_people(path)
        if time.monotonic() > deadline:
            raise Invalid("people.file", f"{path}: is being written")


def load_people(path: str) -> list[Any]:
    """
    Return the personas of a YAML file: a list, or an object with a list C{personas}.

    @raise Invalid: unreadable file, bad YAML, or neither, as an empty or half-written file is; C{[]} is nobody.  What
        a persona holds is checked elsewhere.
    """
    value = read_yaml(path, "people.file", ended=True)
    if isinstance(value, dict):
        for name in value:
            if name != "personas":
                raise Invalid("people.file", f"{path}: {name!r} is no field; it holds a list: personas")
        value = value.get("personas")
    if value is None:
        raise Invalid("people.file", f"{path}: is empty; where nobody is meant it says []")
    if not isinstance(value, list):
        raise Invalid("people.file", f"{path}: must be a list of personas")
    return value


def _state_of(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
