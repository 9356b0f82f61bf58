"""
The folder of an export: made beside its place and put there when it is complete, and read back when it is wanted.

C{manifest.json} says what it is, which lists there are, how long they are, and their digests.  All that is done here
waits for the disk: it is for threads.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from simmail.errors import Conflict, Invalid, NotFound
from simmail.mailstore.export.copying import opened_file, put
from simmail.mailstore.export.lists import Listed, ListWriter, rows
from simmail.mailstore.export.reading import MailReader
from simmail.mailstore.export.rows import LISTS
from simmail.mailstore.export.writing import MailWriter
from simmail.mailstore.journal.sync import sync_directory, sync_disk
from simmail.mailstore.maildir.layout import Layout

MANIFEST = "manifest.json"
FORMAT, VERSION = "simmail universe", 1
#: Octets of a manifest.
LONGEST = 1 << 20

_TOKEN = re.compile(r"[0-9a-f]{16}")


class _Kind(Struct):
    """What a manifest of any version says."""

    format: str
    version: int


class _Manifest(_Kind):
    lists: dict[str, Listed]
    digest: str


class ExportFolder:
    """
    One export.

    @param links: directory of links to where exports are, which who may read the state folder puts there.
    @param mail: directory of all universes' mail.
    @param token: the link; name: what the export is called there.
    @raise Invalid: there is no such link.
    """

    def __init__(self, links: str, mail: str, token: str, name: str) -> None:
        if not _TOKEN.fullmatch(token) or not os.path.islink(f"{links}/{token}"):
            raise Invalid("place", "is no link in the state folder")
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise Invalid("name", "cannot be that of a folder")
        parent = os.path.realpath(f"{links}/{token}")
        self.path, self._mail = f"{parent}/{name}", mail
        self._making = f"{parent}/.{name}.unfinished"
        self._folder = -1
        self._lists: dict[str, ListWriter] = {}
        self._listed: Mapping[str, Listed] = {}

    # Written

    def begin(self, lists: Sequence[str]) -> None:
        """
        Begin to write.

        @param lists: names of those there are besides those of mail.
        @raise Conflict: something is there.  @raise Invalid: nothing can be made there.
        """
        if os.path.lexists(self.path):
            raise Conflict(f"{self.path} is there already")
        # What a crash left.
        shutil.rmtree(self._making, ignore_errors=True)
        try:
            os.mkdir(self._making, 0o700)
            self._folder = os.open(self._making, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Invalid("name", f"{self.path} cannot be made: {error.strerror}") from None
        self._lists = {name: ListWriter(self._folder, name) for name in (*lists, *LISTS)}

    def add(self, name: str, rows: Sequence[Any]) -> None:
        """Write rows into a list."""
        self._lists[name].add(rows)

    def add_mail(self, image: str) -> None:
        """Write all mail of an image, which nobody opens."""
        layout = Layout(self._mail, image, _never)
        try:
            MailWriter(layout, self._folder, self.add).write()
        finally:
            layout.close()

    def finish(self, facts: Mapping[str, Any]) -> None:
        """It is complete and there; C{facts}: what the manifest says besides."""
        manifest = {"format": FORMAT, "version": VERSION, **facts,
                    "lists": {name: one.close() for name, one in self._lists.items()}}
        manifest["digest"] = _digest(manifest)
        put(self._folder, MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        sync_disk(self._folder)
        if os.path.lexists(self.path):
            raise Conflict(f"{self.path} is there already")
        os.rename(self._making, self.path)
        sync_directory(os.path.dirname(self.path))

    def close(self) -> None:
        """Nothing more is done; what was not finished is gone."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1
            if self._lists:
                shutil.rmtree(self._making, ignore_errors=True)

    # Read

    def open(self, kinds: Mapping[str, Any]) -> bytes:
        """
        Begin to read: all lists are as they were written; answers the manifest.

        @param kinds: types of the rows of those lists that are not of mail, by name.
        @raise Invalid: it is none, or what is wrong with it, naming the file and the line.
        """
        try:
            self._folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Invalid("name", f"{self.path} cannot be read: {error.strerror}") from None
        with open(opened_file(self._folder, MANIFEST, MANIFEST), "rb") as file:
            octets = file.read(LONGEST)
        try:
            kind = msgspec.json.decode(octets, type=_Kind)
            if kind.format != FORMAT or kind.version != VERSION:
                raise Invalid(MANIFEST, f"is of {kind.format!r}, version {kind.version}; read is {FORMAT!r}, version "
                                        f"{VERSION}")
            manifest = msgspec.json.decode(octets, type=_Manifest)
            whole = msgspec.json.decode(octets)
        except msgspec.MsgspecError as error:
            raise Invalid(MANIFEST, str(error)) from None
        del whole["digest"]
        if manifest.lists.keys() != {*kinds, *LISTS}:
            raise Invalid(MANIFEST, f"must name the lists {', '.join(sorted((*kinds, *LISTS)))}")
        if manifest.digest != _digest(whole):
            raise Invalid(MANIFEST, "is not what was written: its digest is another")
        self._listed = manifest.lists
        for name, type in {**kinds, **LISTS}.items():
            for _ in rows(self._folder, name, type, manifest.lists[name]):
                pass
        return octets

    def rows(self, name: str, type: Any) -> Iterator[tuple[int, Any]]:
        """Read a list: (number of the line, row)."""
        return rows(self._folder, name, type, self._listed[name])

    def take_mail(self, universe: str) -> int:
        """
        Put all mail into a universe that has none and is not opened; answers how many messages.

        Failing midway it leaves what it has put: that is to be erased.
        @raise Invalid: what is wrong with it, naming the file and the line.
        """
        layout = Layout(self._mail, universe, _never)
        try:
            count = MailReader(layout, self._folder, lambda name: self.rows(name, LISTS[name])).read()
            sync_disk(layout.root)
            return count
        except NotFound as error:
            raise Invalid("", str(error)) from None
        finally:
            layout.close()


def _never() -> float:
    """Nothing is made here that begins with the time."""
    return 0.0


def _digest(manifest: Mapping[str, Any]) -> str:
    return sha256(msgspec.json.encode(manifest, order="deterministic")).hexdigest()
