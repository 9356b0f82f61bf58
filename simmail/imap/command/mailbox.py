"""
Making, naming and counting mailboxes: CREATE, DELETE, RENAME, SUBSCRIBE, UNSUBSCRIBE, STATUS.

Source: RFC 3501 section 6.3; RFC 6154 (CREATE-SPECIAL-USE); RFC 8438 (STATUS=SIZE); RFC 8474 (MAILBOXID).
"""

from __future__ import annotations


from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.errors import Conflict, Invalid, NotFound
from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.mailbox_data import find_folder, status_items, status_line
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No

_USES = {use.lower(): use for use in ("\\Archive", "\\Drafts", "\\Junk", "\\Sent", "\\Trash")}


#: Folders that every mailbox has.
_STANDARD = frozenset(name for name, _ in SPECIAL_FOLDERS)


async def create(imap: ImapConnection, arguments: Arguments) -> bytes:
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
    store, address = imap.store, imap.address
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
    arguments.expect(b"(USE ")
    uses: list[str] = []
    for _ in arguments.listed():
        arguments.expect(b"\\")
        use = _USES.get("\\" + arguments.atom().decode("ascii").lower())
        if use is None:
            raise No("That special use is not kept here", "USEATTR")
        uses.append(use)
    arguments.expect(b")")
    if len(uses) > 1:
        raise No("One special use for each mailbox", "USEATTR")
    return uses[0] if uses else ""


async def delete(imap: ImapConnection, arguments: Arguments) -> None:
    """DELETE; of a folder that every mailbox has, its messages (decisions, section 23)."""
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    if name == "INBOX":
        raise No("INBOX cannot be deleted", "CANNOT")
    imap.causing = frozenset((name,))
    if imap.selected is not None and imap.selected.folder.name == name and name not in _STANDARD:
        _leave(imap)
    store, address = imap.store, imap.address
    try:
        await store.delete_folder(address, name)
    except NotFound:
        if any(found.name.startswith(name + "/") for found in await store.folders(address)):
            # RFC 9051 section 6.3.5.
            raise No("Only mailboxes below it are there", "HASCHILDREN") from None
        raise No("There is no such mailbox", "NONEXISTENT") from None


def _leave(imap: ImapConnection) -> None:
    """The client who takes its own mailbox away knows, and need not be hung up on."""
    imap.deselect()
    imap.write(b"* OK [CLOSED] Previous mailbox closed\r\n")


async def rename(imap: ImapConnection, arguments: Arguments) -> None:
    """RENAME; of INBOX, its messages."""
    arguments.space()
    old = arguments.mailbox()
    arguments.space()
    new = arguments.mailbox().rstrip("/")
    arguments.end()
    store, address = imap.store, imap.address
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
        await store.rename_folder(address, old, new, imap.now())
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    except Conflict as error:
        raise No(str(error), "CANNOT") from None


async def subscribe(imap: ImapConnection, arguments: Arguments) -> None:
    """SUBSCRIBE; the mailbox need not exist (RFC 3501 section 6.3.6 leaves it to us)."""
    await _subscribe(imap, arguments, True)


async def unsubscribe(imap: ImapConnection, arguments: Arguments) -> None:
    """UNSUBSCRIBE."""
    await _subscribe(imap, arguments, False)


async def _subscribe(imap: ImapConnection, arguments: Arguments, on: bool) -> None:
    arguments.space()
    name = arguments.mailbox().rstrip("/")
    arguments.end()
    imap.causing = frozenset((name,))
    await imap.store.subscribe(imap.address, name, on)


async def status(imap: ImapConnection, arguments: Arguments) -> None:
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
