"""
The mail of snapshots in a store of objects: put when one is made, and brought to a disk that has it not.

It is put whole, file by file: what a snapshot needs lasts however the log of its universe goes on.
"""

from __future__ import annotations

from typing import Any

from simmail.errors import NotFound
from simmail.interfaces import IObjectStore
from simmail.mailstore.export.carrying import ArrivingTree, CarriedTree, Row
from simmail.mailstore.replication.objects import image_part, image_prefix, read_image_part
from simmail.mailstore.replication.opening import InThread

#: Octets of files after which a part is put.
LARGEST = 8 * 1024 * 1024


class StoredImages:
    """
    Those of one server.

    @param in_thread: runs a function in a thread; root: of the mail of all universes.
    """

    def __init__(self, objects: IObjectStore, in_thread: InThread, root: str) -> None:
        self._objects, self._in_thread, self._root = objects, in_thread, root

    async def keep(self, image: str) -> None:
        """Put the mail of a snapshot that is on this disk.  @raise Unavailable: the store is away."""
        tree = CarriedTree(self._root, image)
        pages = tree.changes()
        number = octets = 0
        rows: list[Row] = []
        while (page := await self._in_thread(next, pages, None)) is not None:
            rows += page
            octets += sum(len(row[4]) for row in page)
            if octets >= LARGEST:
                number += 1
                await self._objects.put(_name(image, number), await self._in_thread(image_part, rows))
                rows, octets = [], 0
        last = await self._in_thread(lambda: image_part(rows, tree.counter()))
        await self._objects.put(_name(image, number + 1), last)

    async def fetch(self, image: str) -> None:
        """
        Have the mail of a snapshot on this disk, where it is not.

        @raise NotFound: not all of it is in the store.  @raise Unavailable: the store is away.
        """
        tree = ArrivingTree(self._root, image)
        await self._in_thread(tree.begin)
        try:
            number = counter = 0
            while not counter:
                number += 1
                name = _name(image, number)
                rows, counter = await self._in_thread(read_image_part, await self._objects.get(name), name)
                await self._in_thread(tree.put, rows)
            await self._in_thread(tree.finish, counter)
        except BaseException:
            await self._in_thread(tree.clear)
            raise

    async def erase(self, image: str) -> None:
        """Remove the mail of a snapshot from the store, if it is there."""
        prefix, token = image_prefix(image), ""
        names: list[str] = []
        while prefix:
            page: Any = await self._objects.list(prefix, token)
            names += page.names
            token = page.token
            if not token:
                break
        for name in names:
            await self._objects.delete(name)


def _name(image: str, number: int) -> str:
    prefix = image_prefix(image)
    if not prefix:
        raise NotFound(f"{image} is no snapshot")
    return f"{prefix}{number:010}"
