"""
What a client is told of mailboxes: LIST and STATUS responses.

Source: RFC 3501 sections 7.2.2 and 7.2.4; RFC 5258 (LIST-EXTENDED); RFC 6154 (SPECIAL-USE); RFC 3348 (CHILDREN);
RFC 8438 (STATUS=SIZE); RFC 8474 (MAILBOXID).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from simmail.core.records.folder import FolderStatus
from simmail.errors import Invalid, NotFound
from simmail.imap.connection import ImapConnection
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.interfaces import IFolder

_ITEMS = {
    b"MESSAGES": "total", b"RECENT": "recent", b"UIDNEXT": "uidnext", b"UIDVALIDITY": "uidvalidity",
    b"UNSEEN": "unseen", b"SIZE": "size", b"HIGHESTMODSEQ": "highestmodseq", b"MAILBOXID": "objectid",
    b"DELETED": "", b"DELETED-STORAGE": "", b"APPENDLIMIT": "",
}


async def find_folder(imap: ImapConnection, name: str, code: str = "NONEXISTENT") -> IFolder:
    """Return a folder of the client's mailbox.  @raise No: there is none."""
    try:
        folder: IFolder = await imap.store.folder(imap.address, name)
    except NotFound:
        if code == "TRYCREATE":
            try:
                imap.store.check_folder(name)
            except Invalid as error:
                # That would be refused too.
                raise No(str(error), "CANNOT") from None
        raise No("There is no such mailbox", code) from None
    return folder


def status_items(arguments: Arguments) -> list[bytes]:
    """A parenthesised list of STATUS items."""
    items: list[bytes] = []
    for _ in arguments.listed():
        item = arguments.word()
        if item not in _ITEMS:
            raise Bad(f"Unknown STATUS item {item.decode('ascii', 'replace')[:50]}")
        items.append(item)
    if not items:
        raise Bad("No STATUS items")
    return list(dict.fromkeys(items))


async def status_line(imap: ImapConnection, found: FolderStatus, items: list[bytes]) -> bytes:
    """The untagged STATUS of a folder."""
    shown: list[bytes] = []
    for item in items:
        if item == b"APPENDLIMIT":
            shown.append(b"APPENDLIMIT %d" % imap.config.limits.message)
        elif item == b"MAILBOXID":
            shown.append(b"MAILBOXID (%b)" % found.objectid.encode("ascii"))
        elif item in (b"DELETED", b"DELETED-STORAGE"):
            folder = await find_folder(imap, found.name)
            deleted = folder.having("\\Deleted")
            octets = sum(size or 0 for size in folder.column("size", deleted))
            # Octets here (RFC 9208), not units of 1024 as in a quota.
            shown.append(b"%b %d" % (item, len(deleted) if item == b"DELETED" else octets))
        else:
            shown.append(b"%b %d" % (item, getattr(found, _ITEMS[item])))
    return b"* STATUS %b (%b)\r\n" % (quoted_name(found.name, imap.utf8), b" ".join(shown))


def names_above(names: Iterable[str]) -> set[str]:
    """Return all that lies above some names."""
    return {
        "/".join(levels[:depth])
        for levels in (name.split("/") for name in names) for depth in range(1, len(levels))}


def attributes_of(
    name: str, found: FolderStatus | None, subscribed: Container[str], parents: Container[str] | None, extended: bool
) -> list[bytes]:
    """
    Return the attributes of a mailbox name.

    @param found: None where there is no such mailbox.
    @param parents: names below which there are others, None not to tell.
    """
    attributes: list[bytes] = []
    if found is None:
        attributes += [b"\\NonExistent"] if extended else [b"\\Noselect"]
    if name in subscribed:
        attributes.append(b"\\Subscribed")
    if parents is not None:
        attributes.append(b"\\HasChildren" if name in parents else b"\\HasNoChildren")
    if found is not None and found.special_use:
        attributes.append(found.special_use.encode("ascii"))
    return attributes


async def list_names(imap: ImapConnection, names: Mapping[str, str]) -> None:
    """
    Send a LIST response for each of some names, as they are now (RFC 5465 section 5.4).

    @param names: with what each was called before, C{""} for no other name.
    """
    store, address = imap.store, imap.address
    folders = {status.name: status for status in await store.folders(address)}
    subscribed: set[str] = await store.subscribed(address)
    parents = names_above(folders)
    for name, old in names.items():
        attributes = attributes_of(name, folders.get(name), subscribed, parents, True)
        line = b'* LIST (%b) "/" %b' % (b" ".join(attributes), quoted_name(name, imap.utf8))
        if old and name in folders:
            line += b' ("OLDNAME" (%b))' % quoted_name(old, imap.utf8)
        await imap.send(line + b"\r\n")
