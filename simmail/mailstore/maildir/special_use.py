"""Special uses of folders (RFC 6154): which there are, whose they are, and how lists are ordered by them."""

from __future__ import annotations

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.core.records.folder import FolderStatus
from simmail.errors import Invalid

_USES = tuple(use for _, use in SPECIAL_FOLDERS if use)
_BY_NAME = dict(SPECIAL_FOLDERS)


def check_special_use(special_use: str) -> str:
    """
    A special use that a folder can have, C{""} for none.

    @raise Invalid: no such use.
    """
    if special_use and special_use not in _USES:
        raise Invalid("special_use", f"{special_use!r} is not one that is kept here")
    return special_use


def use_of(name: str) -> str:
    """The special use that a folder has by its name."""
    return _BY_NAME.get(name, "")


def is_standard(name: str) -> bool:
    """Whether every mailbox has this folder from the start."""
    return name in _BY_NAME


def renamed_use(old: str, new: str, special_use: str) -> str:
    """The special use of a renamed folder: one that came with the name stays behind, with a new folder."""
    return use_of(new) or ("" if is_standard(old) else special_use)


def special_order(status: FolderStatus) -> tuple[int, str]:
    """Sorts special folders first, in their order, then by name."""
    if status.name == "INBOX":
        return 0, ""
    return (_USES.index(status.special_use) + 1 if status.special_use else len(_USES) + 1), status.name
