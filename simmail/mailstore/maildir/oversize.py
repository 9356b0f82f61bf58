"""
Files that another program put into a folder and that are larger than a message may be.

They are never read whole: what is shown is a stub with the header fields that mail programs list, and the
size; the file itself is put aside, in C{simmail-large/} of the folder, where nothing of ours looks at it
again.  It goes with its folder.
"""

from __future__ import annotations

import os
import re

from simmail.mailstore.maildir.files import stub

#: Where such files are put, below their folder.
ASIDE = "simmail-large"

#: Octets of the file that are looked at, and of its header that are kept, at most.
_HEAD, _KEPT = 64 * 1024, 16 * 1024
_FIELD = re.compile(rb"([!-9;-~]{1,100}):[^\n]*\n(?:[ \t][^\n]*\n)*")
_SHOWN = frozenset((
    b"from", b"sender", b"reply-to", b"to", b"cc", b"subject", b"date", b"message-id", b"in-reply-to", b"references",
    b"auto-submitted", b"precedence", b"list-id"))


def stub_of(directory: int, path: str, size: int, most: int) -> bytes:
    """
    What is shown in the place of a file.

    @param directory: descriptor of the folder; path: below it; size: of the file, in octets; most: that a message
        may have.
    @raise OSError: it cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    try:
        head = os.pread(fd, _HEAD, 0)
    finally:
        os.close(fd)
    name = os.path.basename(path)
    return stub("This message is too large", (
        f"This message has {size} octets. Messages over {most} octets are not shown.\r\n"
        f"Its file is {ASIDE}/{_shown(name)} in the directory of this folder."), _fields(head))


def _shown(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in os.fsencode(name).decode("utf-8", "replace"))


def _fields(head: bytes) -> bytes:
    """Those header fields that are shown, with the ends of lines that messages have."""
    kept: list[bytes] = []
    at = octets = 0
    while (match := _FIELD.match(head, at)) is not None:
        at = match.end()
        if match[1].lower() in _SHOWN and octets + len(match[0]) <= _KEPT and b"\0" not in match[0]:
            kept.append(match[0].replace(b"\r", b"").replace(b"\n", b"\r\n"))
            octets += len(match[0])
    return b"".join(kept)


def put_aside(directory: int, path: str, uid: int) -> None:
    """
    Take a file out of a folder.

    @param uid: of its stub, which makes its name another one when there is one of that name.
    """
    try:
        os.mkdir(ASIDE, 0o700, dir_fd=directory)
    except FileExistsError:
        pass
    name = os.path.basename(path)
    try:
        os.stat(f"{ASIDE}/{name}", dir_fd=directory, follow_symlinks=False)
        name = f"{uid}-{name}"
    except FileNotFoundError:
        pass
    os.rename(path, f"{ASIDE}/{name}", src_dir_fd=directory, dst_dir_fd=directory)
