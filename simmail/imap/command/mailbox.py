"""
Making, naming and counting mailboxes: CREATE, DELETE, RENAME, SUBSCRIBE, UNSUBSCRIBE, STATUS.

Source: RFC 3501 section 6.3; RFC 6154 (CREATE-SPECIAL-USE); RFC 8438 (STATUS=SIZE); RFC 8474 (MAILBOXID).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.core.records.folder import FolderStatus
from simmail.errors import Conflict, Invalid, NotFound
from simmail.imap.command.select import find_folder
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_USES = {use.lower(): use for use in ("\\Archive", "\\Drafts", "\\Junk", "\\Sent", "\\Trash")}


#: Folders that every mailbox has.
_STANDARD = frozenset(name for name, _ in SPECIAL_FOLDERS)


async def create(imap: ImapServer, arguments: Arguments) -> bytes:
    """CREATE; names above the new one come to be as well."""
    arguments.space()
    name = arguments.mailbox()
    use = ""
    if not arguments.at_end():
        arguments.space()
        use = _special_use(arguments)
    arguments.end()
    # RFC 3501 section 6.3.3: a trailing separator only says that names will follow below.
    name = name.rstrip("/")
    store, address = imap.login.universe.store, imap.login.address
    existing = {status.name: status for status in await store.folders(address)}
    if name in existing:
        raise No("The mailbox exists", "ALREADYEXISTS")
    if use and any(status.special_use == use for status in existing.values()):
        raise No(f"Another mailbox is {use}", "USEATTR")
    if not name:
        raise No("A mailbox needs a name", "CANNOT")
    # Before anything is made.
    store.check_folder(name)
    levels = name.split("/")
    above = ["/".join(levels[:depth]) for depth in range(1, len(levels))]
    imap.causing = frozenset((name, *above))
    try:
        for one in above:
            if one not in existing:
                await store.create_folder(address, one, "")
        await store.create_folder(address, name, use)
    except Conflict:
        raise No("The mailbox exists", "ALREADYEXISTS") from None
    except Invalid as error:
        raise No(str(error), "USEATTR" if error.field == "special_use" else "CANNOT") from None
    folder = await store.folder(address, name)
    return b"[MAILBOXID (%b)] CREATE completed" % folder.objectid.encode("ascii")


def _special_use(arguments: Arguments) -> str:
    arguments.expect(b"(USE (")
    uses: list[str] = []
    while not arguments.skip(b")"):
        if uses:
            arguments.space()
        arguments.expect(b"\\")
        use = _USES.get("\\" + arguments.atom().decode("ascii").lower())
        if use is None:
            raise No("That special use is not kept here", "USEATTR")
        uses.append(use)
    arguments.expect(b")")
    if len(uses) > 1:
        raise No("One special use for each mailbox", "USEATTR")
    return uses[0] if uses else ""


async def delete(imap: ImapServer, arguments: Arguments) -> None:
    """DELETE; of a folder that every mailbox has, its messages (decisions, section 23)."""
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    if name == "INBOX":
        raise No("INBOX cannot be deleted", "CANNOT")
    imap.causing = frozenset((name,))
    if imap.selected is not None and imap.selected.folder.name == name and name not in _STANDARD:
        _leave(imap)
    store, address = imap.login.universe.store, imap.login.address
    try:
        await store.delete_folder(address, name)
    except NotFound:
        if any(found.name.startswith(name + "/") for found in await store.folders(address)):
            # RFC 9051 section 6.3.5.
            raise No("Only mailboxes below it are there", "HASCHILDREN") from None
        raise No("There is no such mailbox", "NONEXISTENT") from None


def _leave(imap: ImapServer) -> None:
    """The client who takes its own mailbox away knows, and need not be hung up on."""
    imap.deselect()
    imap.write(b"* OK [CLOSED] Previous mailbox closed\r\n")


async def rename(imap: ImapServer, arguments: Arguments) -> None:
    """RENAME; of INBOX, its messages."""
    arguments.space()
    old = arguments.mailbox()
    arguments.space()
    new = arguments.mailbox().rstrip("/")
    arguments.end()
    store, address = imap.login.universe.store, imap.login.address
    names = {status.name for status in await store.folders(address)}
    if new in names:
        raise No("The mailbox exists", "ALREADYEXISTS")
    if old not in names and not any(name.startswith(old + "/") for name in names):
        raise No("There is no such mailbox", "NONEXISTENT")
    store.check_folder(new)
    levels = new.split("/")
    imap.causing = frozenset((old, *("/".join(levels[:depth]) for depth in range(1, len(levels) + 1))))
    for depth in range(1, len(levels)):
        above = "/".join(levels[:depth])
        if above not in names and above != old:
            await store.create_folder(address, above, "")
    selected = imap.selected
    if selected is not None and old != "INBOX" and (selected.folder.name + "/").startswith(old + "/"):
        _leave(imap)
    try:
        await store.rename_folder(address, old, new, imap.login.universe.clock.now())
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    except Conflict as error:
        raise No(str(error), "CANNOT") from None


async def subscribe(imap: ImapServer, arguments: Arguments) -> None:
    """SUBSCRIBE; the mailbox need not exist (RFC 3501 section 6.3.6 leaves it to us)."""
    await _subscribe(imap, arguments, True)


async def unsubscribe(imap: ImapServer, arguments: Arguments) -> None:
    """UNSUBSCRIBE."""
    await _subscribe(imap, arguments, False)


async def _subscribe(imap: ImapServer, arguments: Arguments, on: bool) -> None:
    arguments.space()
    name = arguments.mailbox().rstrip("/")
    arguments.end()
    imap.causing = frozenset((name,))
    await imap.login.universe.store.subscribe(imap.login.address, name, on)


_ITEMS = {
    b"MESSAGES": "total", b"RECENT": "recent", b"UIDNEXT": "uidnext", b"UIDVALIDITY": "uidvalidity",
    b"UNSEEN": "unseen", b"SIZE": "size", b"HIGHESTMODSEQ": "highestmodseq", b"MAILBOXID": "objectid",
    b"DELETED": "", b"DELETED-STORAGE": "", b"APPENDLIMIT": "",
}


def status_items(arguments: Arguments) -> list[bytes]:
    """A parenthesised list of STATUS items."""
    arguments.expect(b"(")
    items: list[bytes] = []
    while not arguments.skip(b")"):
        if items:
            arguments.space()
        item = arguments.word()
        if item not in _ITEMS:
            raise Bad(f"Unknown STATUS item {item.decode('ascii', 'replace')[:50]}")
        items.append(item)
    if not items:
        raise Bad("No STATUS items")
    return list(dict.fromkeys(items))


async def status_line(imap: ImapServer, found: FolderStatus, items: list[bytes]) -> bytes:
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


async def status(imap: ImapServer, arguments: Arguments) -> None:
    """STATUS."""
    arguments.space()
    name = arguments.mailbox()
    arguments.space()
    items = status_items(arguments)
    arguments.end()
    if b"HIGHESTMODSEQ" in items:
        imap.enabled.add(b"CONDSTORE")
    folder = await find_folder(imap, name)
    imap.write(await status_line(imap, folder.status(), items))
