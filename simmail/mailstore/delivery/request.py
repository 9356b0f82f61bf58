"""
What the writer can be asked: requests with names, that know what is to be done.

They go to another process, so all they hold, and all that is answered (C{T}), can be encoded (msgpack).  Names of files
are packed (L{packed<simmail.mailstore.maildir.filename.packed>}), for not all of them are UTF-8.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from simmail.mailstore.delivery.folders import OpenFolder, OpenFolders

T = TypeVar("T")


class StoreId(NamedTuple):
    """Which Maildirs are meant: the directory of all universes, and one of them."""

    path: str
    universe: str


class WriterRequest(Struct, Generic[T], frozen=True, array_like=True, tag=True):
    """Anything that is asked, and answered by a C{T}."""


class OfStore(WriterRequest[T], Generic[T], frozen=True):
    """Something asked of the Maildirs of one universe."""

    at: StoreId


class Into(OfStore[None], frozen=True):
    """How deliveries are filed; C{create}: whether mailboxes and folders that are not there are made."""

    create: bool = True


class FolderRequest(OfStore[T], Generic[T], frozen=True):
    """Something done to the mailboxes and folders of one universe."""

    def do(self, folders: OpenFolders) -> T:
        """Do it, and return the answer; raises what goes wrong."""
        raise NotImplementedError


class OfFolder(FolderRequest[T], Generic[T], frozen=True):
    """Something done to one folder that is there."""

    mailbox: str
    name: str

    def open(self, folders: OpenFolders) -> OpenFolder:
        """@raise NotFound: it is not there."""
        return folders.open(self.mailbox, self.name, create=False)
