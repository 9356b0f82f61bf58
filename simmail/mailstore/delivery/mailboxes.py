"""
Mailboxes and their folders are made, renamed and removed, subscribed to and annotated; by the writer.
"""

from __future__ import annotations

from collections.abc import Mapping

from simmail.errors import Conflict, NotFound
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.journal.records import Destination
from simmail.mailstore.maildir.annotations import changed, read, write
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.subscriptions import subscriptions, write_subscriptions


def drop_mailbox(folders: OpenFolders, mailbox: str) -> str:
    """
    Take a mailbox away; answers what is to be cleared away.

    @raise NotFound: it was not there.
    """
    folders.forget(mailbox)
    try:
        gone = folders.layout.drop_box(mailbox_dir(mailbox))
    except FileNotFoundError:
        raise NotFound(f"there is no mailbox {mailbox}") from None
    folders.tell_departed(mailbox, "")
    return gone


def make_folder(folders: OpenFolders, box: str, name: str, special_use: str) -> None:
    """
    Make a folder in the mailbox of a directory.

    @raise Conflict: there is one.
    """
    if name in folders.layout.folders(box):
        raise Conflict(f"folder {name} exists")
    folders.layout.make_folder(box, name, special_use)


def drop_folder(folders: OpenFolders, mailbox: str, box: str, name: str) -> str | None:
    """Take a folder away; answers what is to be cleared away."""
    folders.forget(mailbox, name)
    gone = folders.layout.drop_folder(box, name)
    folders.tell_departed(mailbox, name)
    return gone


def rename_folder(folders: OpenFolders, mailbox: str, box: str, old: str, new: str) -> list[tuple[str, str]]:
    """Rename a folder and its inferiors; answers (old name, new name) of each."""
    folders.forget(mailbox)
    moves = folders.layout.rename_folder(box, old, new)
    for source, target in moves:
        folders.tell_departed(mailbox, source, to=Destination(mailbox, target, 0, ()))
    return moves


def subscribe(folders: OpenFolders, box: str, name: str, on: bool) -> None:
    """Subscribe to a name, or no more."""
    names = dict.fromkeys(subscriptions(folders.layout, box))
    names.pop(name, None)
    if on:
        names[name] = None
    write_subscriptions(folders.layout, box, names)


def annotate(folders: OpenFolders, mailbox: str, folder: str, changes: Mapping[str, bytes | None]) -> list[str]:
    """
    Change annotations of a folder, C{""} for the mailbox, all or none; answers the names of those that are others now.

    @raise OverAllowance: they would be too many, or too large.
    """
    layout, box = folders.layout, mailbox_dir(mailbox)
    entries = read(layout, box, folder)
    after = changed(entries, changes)
    names = [name for name in changes if entries.get(name) != after.get(name)]
    if names:
        if folder and layout.directory(box, folder) is None:
            folders.make(mailbox, folder)
        write(layout, box, folder, after)
    return names


def copy_annotations(folders: OpenFolders, mailbox: str, source: str, target: str) -> None:
    """Give a folder all annotations of another."""
    annotate(folders, mailbox, target, dict(read(folders.layout, mailbox_dir(mailbox), source)))
