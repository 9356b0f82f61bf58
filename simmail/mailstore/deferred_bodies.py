"""
Messages kept for later: on disk, in no mailbox, until what they are kept for is done.

A job that will need the octets of a message (a delivery put off, a notice
that returns the message) names them by its own id; Redis never holds them.
One file each in C{.held} of the universe; several keys of one message share
a file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from twisted.internet.defer import Deferred
from zope.interface import implementer

from simmail.errors import NotFound
from simmail.interfaces import IHeld
from simmail.mailstore.journal.sync import NotSynced, sync_directory
from simmail.mailstore.maildir.layout import HELD, Layout
from simmail.mailstore.threads import IWorker


@implementer(IHeld)
class DeferredBodies:
    """The octets kept for one universe; C{worker}: the thread that does it."""

    def __init__(self, layout: Layout, worker: IWorker) -> None:
        self._layout = layout
        self._worker = worker

    def keep(self, keys: Sequence[str], octets: bytes) -> Deferred[None]:
        return self._worker.call(self._keep, tuple(keys), octets)

    def _keep(self, keys: tuple[str, ...], octets: bytes) -> None:
        try:
            self._keep_all(keys, octets)
        except NotSynced as error:
            self._layout.doubted(error)
            raise

    def _keep_all(self, keys: tuple[str, ...], octets: bytes) -> None:
        layout = self._layout
        try:
            # Where mail is, wherever that folder is called by now.
            os.mkdir(HELD, 0o700, dir_fd=layout.root)
        except FileExistsError:
            pass
        first = f"{HELD}/{keys[0]}"
        layout.write(first, octets)
        for key in keys[1:]:
            self._remove(key)
            os.link(first, f"{HELD}/{key}", src_dir_fd=layout.root, dst_dir_fd=layout.root)
        sync_directory(f"{layout.path}/{HELD}")
        sync_directory(layout.path)

    def read(self, key: str) -> Deferred[bytes]:
        return self._worker.call(self._read, key)

    def _read(self, key: str) -> bytes:
        try:
            return self._layout.read(f"{HELD}/{key}")
        except FileNotFoundError:
            raise NotFound(f"nothing is held for {key}") from None

    def drop(self, keys: Sequence[str]) -> Deferred[None]:
        return self._worker.call(self._drop, tuple(keys))

    def _drop(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._remove(key)

    def _remove(self, key: str) -> None:
        try:
            os.unlink(f"{HELD}/{key}", dir_fd=self._layout.root)
        except FileNotFoundError:
            pass

    def keys(self) -> Deferred[list[str]]:
        return self._worker.call(self._keys)

    def _keys(self) -> list[str]:
        try:
            return sorted(os.listdir(f"{self._layout.path}/{HELD}"))
        except FileNotFoundError:
            return []
