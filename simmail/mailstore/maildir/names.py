"""
Names of mailboxes and folders, and what they are called on disk.

Each name has exactly one name on disk and the other way round, and no name
leads out of the store: a mailbox is percent-escaped, a folder is Maildir++
(C{/} becomes C{.}) with each level in modified UTF-7 (RFC 3501 section 5.1.3),
in which C{.} is written like a character outside ASCII.

A folder that another program gave a name which cannot be is shown all the
same, under an escape: L{MARK} with the two hexadecimal digits of an octet.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from urllib.parse import unquote_to_bytes

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.core.records.folder import FolderStatus
from simmail.errors import Invalid, NotFound


INBOX = "INBOX"
SEPARATOR = "/"

#: What an escaped octet begins with: no folder is made whose name has it.  By itself it is a level without characters.
MARK = "\ufffd"

LONGEST_MAILBOX = 1024
LONGEST_ON_DISK = 200
DEEPEST = 32

#: What begins the name on disk of a mailbox whose name is kept in a file instead; no escape looks like it.
HASHED = "%-"

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789@_+-")


def check_mailbox(mailbox: str) -> str:
    """
    The name of a mailbox, if it can be one.

    @raise Invalid: it is empty, too long, or has control characters or lone surrogates.
    """
    if not 0 < len(mailbox) <= LONGEST_MAILBOX:
        raise Invalid("mailbox", f"must have from 1 to {LONGEST_MAILBOX} characters")
    _check_characters("mailbox", mailbox)
    return mailbox


def _check_characters(field: str, name: str) -> None:
    # str.isprintable would refuse spaces of other scripts too.
    if any(char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" for char in name):
        raise Invalid(field, "must not have control characters")


def mailbox_dir(mailbox: str) -> str:
    """What a mailbox is called on disk.  @raise Invalid: it cannot be a mailbox."""
    check_mailbox(mailbox)
    octets = mailbox.encode("utf-8")
    escaped = "".join(
        chr(octet) if chr(octet) in _PLAIN or (octet == 0x2E and at) else f"%{octet:02X}"
        for at, octet in enumerate(octets))
    if len(escaped) > LONGEST_ON_DISK:
        return HASHED + sha256(octets).hexdigest()
    return escaped


def mailbox_of(directory: str) -> str | None:
    """The mailbox of a name on disk; None for one that C{mailbox_dir} does not make (or has hashed)."""
    try:
        mailbox = unquote_to_bytes(directory).decode("utf-8")
        return mailbox if mailbox_dir(mailbox) == directory else None
    except (UnicodeError, Invalid):
        return None


def check_folder(name: str) -> str:
    """
    The name of a folder, INBOX in capitals however it was written.

    @raise Invalid: an empty level, C{.} or C{..}, too deep, too long, control characters or lone surrogates; an escape.
    """
    if MARK in name:
        raise Invalid("folder", "the replacement character is kept for names that cannot be")
    folder_dir(name)
    return _canonical(name)


def existing_folder(name: str) -> str:
    """The name of a folder that is to be there already.  @raise NotFound: no folder can have it."""
    try:
        folder_dir(name)
        return _canonical(name)
    except Invalid:
        raise NotFound(f"there is no folder {name!r}") from None


def _canonical(name: str) -> str:
    first, separator, rest = name.partition(SEPARATOR)
    return INBOX + separator + rest if first.upper() == INBOX else name


def folder_dir(name: str) -> str:
    """
    What a folder is called on disk, below its mailbox; C{""} for INBOX.

    @raise Invalid: as C{check_folder}, but for an escape of what could not be named otherwise.
    """
    if len(name) > LONGEST_MAILBOX:
        raise Invalid("folder", "the name is too long")
    _check_characters("folder", name)
    levels = _canonical(name).split(SEPARATOR)
    if not all(levels):
        raise Invalid("folder", "no level of a name may be empty")
    if len(levels) > DEEPEST:
        raise Invalid("folder", f"no more than {DEEPEST} levels")
    if levels == [INBOX]:
        return ""
    directory = "".join("." + (_unescaped(level, not at, len(levels) == 1) if MARK in level
                               else _to_utf7(_possible(level)))
                        for at, level in enumerate(levels))
    if len(directory) > LONGEST_ON_DISK:
        raise Invalid("folder", "the name is too long")
    if not directory.strip("."):
        # What would lead out of the mailbox.
        raise Invalid("folder", "is not an escape of anything")
    return directory


def folder_of(directory: str) -> str | None:
    """The folder of a name on disk (C{".Sent"}); None for one that C{folder_dir} does not make, or makes too long."""
    if not directory.startswith("."):
        return None
    levels = directory[1:].split(".")
    if levels == [""]:
        return None
    name = SEPARATOR.join([_level_of(level, not at) or _escaped(level) for at, level in enumerate(levels)])
    try:
        if name == INBOX:
            name = _escaped(levels[0])
        return name if folder_dir(name) == directory else None
    except Invalid:
        return None


def _possible(level: str) -> str:
    """@raise Invalid: paths have a meaning of their own for it, to this or another program."""
    if level in (".", ".."):
        raise Invalid("folder", "no level of a name may be . or ..")
    return level


def _level_of(level: str, first: bool) -> str:
    """What a level on disk is called, C{""} for what cannot be called that."""
    try:
        name = _from_utf7(level)
        _check_characters("folder", _possible(name))
        odd = MARK in name or _to_utf7(name) != level or (first and _canonical(name) != name)
        return "" if odd else name
    except (ValueError, Invalid):
        return ""


_ESCAPE = re.compile(f"{MARK}([0-9A-F]{{2}})|([ -%'-.0-~])")


def _escaped(level: str) -> str:
    """A level that is no name, for those who want to see it: C{&} and all but printable ASCII escaped, at least one."""
    octets = level.encode("utf-8", "surrogateescape")
    shown = [chr(octet) if 0x20 <= octet < 0x7F and octet != 0x26 else f"{MARK}{octet:02X}" for octet in octets]
    if octets and MARK not in "".join(shown):
        shown[0] = f"{MARK}{octets[0]:02X}"
    return "".join(shown) or MARK


def _unescaped(level: str, first: bool, alone: bool) -> str:
    """The level on disk of an escape.  @raise Invalid: it is none, or what it says has a name without it."""
    if level == MARK:
        return ""
    octets = bytearray()
    at = 0
    while at < len(level):
        match = _ESCAPE.match(level, at)
        if match is None:
            raise Invalid("folder", "is not an escape of anything")
        octets.append(int(match[1], 16) if match[1] else ord(match[2]))
        at = match.end()
    directory = octets.decode("utf-8", "surrogateescape")
    known = _level_of(directory, first)
    if b"." in octets or b"/" in octets or b"\0" in octets or _escaped(directory) != level or (
            known and not (alone and known == INBOX)):
        raise Invalid("folder", "is not an escape of anything")
    return directory


def is_inferior(name: str, of: str) -> bool:
    """Whether a folder is below another one."""
    return name.startswith(of + SEPARATOR)


_SHIFT = re.compile("&|[.\x7f-\U0010ffff]+")
_SHIFTED = re.compile("&([^-]*)-")


def _to_utf7(level: str) -> str:
    def shifted(found: re.Match[str]) -> str:
        octets = found[0].encode("utf-16-be") if found[0] != "&" else b""
        return "&" + b64encode(octets, b"+,").decode("ascii").rstrip("=") + "-"
    return _SHIFT.sub(shifted, level)


def _from_utf7(level: str) -> str:
    """@raise ValueError: it is none."""
    def plain(found: re.Match[str]) -> str:
        digits = found[1].encode("ascii")
        return b64decode(digits + b"=" * (-len(digits) % 4), b"+,", validate=True).decode("utf-16-be") or "&"
    if "&" in _SHIFTED.sub("", level):
        raise ValueError("a shift has no end")
    return _SHIFTED.sub(plain, level)


_USES = tuple(use for _, use in SPECIAL_FOLDERS if use)
_BY_NAME = dict(SPECIAL_FOLDERS)
#: The folders that every mailbox has from the start.
STANDARD = frozenset(_BY_NAME)


def check_special_use(special_use: str) -> str:
    """A special use that a folder can have, C{""} for none.  @raise Invalid: no such use."""
    if special_use and special_use not in _USES:
        raise Invalid("special_use", f"{special_use!r} is not one that is kept here")
    return special_use


def use_of(name: str) -> str:
    """The special use that a folder has by its name."""
    return _BY_NAME.get(name, "")


def renamed_use(old: str, new: str, special_use: str) -> str:
    """The special use of a renamed folder: one that came with the name stays behind, with a new folder."""
    return use_of(new) or ("" if old in STANDARD else special_use)


def special_order(status: FolderStatus) -> tuple[int, str]:
    """Sorts special folders first, in their order, then by name."""
    if status.name == "INBOX":
        return 0, ""
    return (_USES.index(status.special_use) + 1 if status.special_use else len(_USES) + 1), status.name
