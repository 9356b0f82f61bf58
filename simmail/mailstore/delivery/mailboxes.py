"""Mailboxes and their folders are made, renamed and removed, subscribed to and annotated; by the writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simmail.errors import Conflict, NotFound
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.delivery.request import FolderRequest, OfFolder
from simmail.mailstore.journal.records import Destination
from simmail.mailstore.maildir.annotations import changed, read, write
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.status import Counts, count_mailboxes
from simmail.mailstore.maildir.subscriptions import subscriptions, write_subscriptions
from simmail.mailstore.maildir.uidlist import UidListDamaged


class MakeMailbox(FolderRequest[None], frozen=True):
    """Make a mailbox when it is not there."""

    mailbox: str

    def do(self, folders: OpenFolders) -> None:
        folders.layout.make_box(self.mailbox)


class DropMailbox(FolderRequest[str], frozen=True):
    """Take a mailbox away; answers what is to be cleared away.  @raise NotFound: it was not there."""

    mailbox: str

    def do(self, folders: OpenFolders) -> str:
        folders.forget(self.mailbox)
        try:
            gone = folders.layout.vanish(mailbox_dir(self.mailbox))
        except FileNotFoundError:
            raise NotFound(f"there is no mailbox {self.mailbox}") from None
        folders.tell_departed(self.mailbox, "")
        return gone


class OwnMailbox(FolderRequest[None], frozen=True):
    """Have a mailbox that is shared with other universes as one of its own: its UID files stay those from now on."""

    mailbox: str

    def do(self, folders: OpenFolders) -> None:
        folders.layout.borrowed.own(mailbox_dir(self.mailbox))


class LeaveShared(FolderRequest[None], frozen=True):
    """Share nothing any more, when no mailbox is left."""

    def do(self, folders: OpenFolders) -> None:
        if not folders.layout.boxes():
            folders.layout.borrowed.leave()


class CountMailboxes(FolderRequest[list[tuple[str, dict[str, Counts]]]], frozen=True):
    """Count the folders of mailboxes."""

    mailboxes: Sequence[str]

    def do(self, folders: OpenFolders) -> list[tuple[str, dict[str, Counts]]]:
        return count_mailboxes(folders.layout, self.mailboxes)


class MakeFolder(FolderRequest[None], frozen=True):
    """Make a folder in the mailbox of a directory.  @raise Conflict: there is one."""

    box: str
    name: str
    special_use: str

    def do(self, folders: OpenFolders) -> None:
        if self.name in folders.layout.folders(self.box):
            raise Conflict(f"folder {self.name} exists")
        folders.layout.make_folder(self.box, self.name, self.special_use)


class MakeStandardFolder(OfFolder[str], frozen=True):
    """Make a standard folder that is only shown; answers its directory."""

    def do(self, folders: OpenFolders) -> str:
        return self.open(folders).directory


class DropFolder(FolderRequest[str | None], frozen=True):
    """Take a folder away; answers what is to be cleared away."""

    mailbox: str
    box: str
    name: str

    def do(self, folders: OpenFolders) -> str | None:
        folders.forget(self.mailbox, self.name)
        gone = folders.layout.drop_folder(self.box, self.name)
        folders.tell_departed(self.mailbox, self.name)
        return gone


class RenameFolder(FolderRequest[list[tuple[str, str]]], frozen=True):
    """Rename a folder and its inferiors; answers (old name, new name) of each."""

    mailbox: str
    box: str
    old: str
    new: str

    def do(self, folders: OpenFolders) -> list[tuple[str, str]]:
        folders.forget(self.mailbox)
        moves = folders.layout.rename_folder(self.box, self.old, self.new)
        for source, target in moves:
            folders.tell_departed(self.mailbox, source, to=Destination(self.mailbox, target, 0, ()))
        return moves


class RenewUidvalidity(OfFolder[None], frozen=True):
    """
    Give a folder that was put in the place of another one, or will be made there, a greater UIDVALIDITY.

    @ivar inode: number of the UID file that the folder had, 0 for any other.
    """

    uidvalidity: int
    uidnext: int
    inode: int

    def do(self, folders: OpenFolders) -> None:
        try:
            folder = self.open(folders)
            try:
                with folder.uids.locked():
                    pass
            except (FileNotFoundError, UidListDamaged):
                folder = folders.reopen((self.mailbox, self.name), create=False)
        except NotFound:
            return
        folders.renew(folder, self.uidvalidity, self.uidnext, self.inode)


class Subscribe(FolderRequest[None], frozen=True):
    """Subscribe to a name, or no more."""

    box: str
    name: str
    on: bool

    def do(self, folders: OpenFolders) -> None:
        names = dict.fromkeys(subscriptions(folders.layout, self.box))
        names.pop(self.name, None)
        if self.on:
            names[self.name] = None
        write_subscriptions(folders.layout, self.box, names)


class Annotate(FolderRequest[list[str]], frozen=True):
    """
    Change annotations of a folder, C{""} for the mailbox, all or none; answers the names of those that are others now.

    @raise OverAllowance: they would be too many, or too large.
    """

    mailbox: str
    folder: str
    changes: Mapping[str, bytes | None]

    def do(self, folders: OpenFolders) -> list[str]:
        layout, box = folders.layout, mailbox_dir(self.mailbox)
        entries = read(layout, box, self.folder)
        after = changed(entries, self.changes)
        names = [name for name in self.changes if entries.get(name) != after.get(name)]
        if names:
            if self.folder and layout.directory(box, self.folder) is None:
                folders.open(self.mailbox, self.folder, create=False)
            write(layout, box, self.folder, after)
        return names


class CopyAnnotations(FolderRequest[None], frozen=True):
    """Give a folder all annotations of another."""

    mailbox: str
    source: str
    target: str

    def do(self, folders: OpenFolders) -> None:
        entries = read(folders.layout, mailbox_dir(self.mailbox), self.source)
        Annotate(self.at, self.mailbox, self.target, dict(entries)).do(folders)
