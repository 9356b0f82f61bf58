"""
Files of one Maildir folder: what their names say, and listing them.

A message is C{<key>,U=<uid>,S=<size>} in C{new/}, with C{:2,<letters>} behind
it in C{cur/}; letters are Maildir's (C{DFPRST}) and C{a} to C{z} for the
keywords in the folder's table.  Any other name is a stray: another program
put it there and it has no UID yet.
"""

from __future__ import annotations

import os
import re
import stat
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from typing import NamedTuple

from simmail.durable import opened
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, SYSTEM

NEW, CUR = "new/", "cur/"
#: Where files that are too large are put, below their folder.
ASIDE = "simmail-large"

#: Octets of a key; what is longer is hashed.
LONGEST_KEY = 120
HIGHEST_UID = 0xFFFFFFFF

_BITS = {letter: 1 << at for at, (_, letter) in enumerate(SYSTEM)} | {
    chr(ord("a") + at): 1 << (len(SYSTEM) + at) for at in range(MOST_KEYWORDS)}
#: (letter, bit) in the order they have in file names: sorted by ASCII, as Maildir asks for.
_LETTERS = tuple(sorted(_BITS.items()))

SEEN = _BITS["S"]
_SYSTEM_BITS = {name.lower(): 1 << at for at, (name, _) in enumerate(SYSTEM)}

_NAME = re.compile(r"([^,:/\n]{1,120}),U=([1-9][0-9]{0,9}),S=(0|[1-9][0-9]{0,11})(?::2,([A-Za-z]*))?", re.ASCII)


class Row(NamedTuple):
    """One message as its file shows it.  C{date}: microseconds since 1970; C{mask}: flags as bits."""

    uid: int
    mask: int
    size: int
    date: int
    modseq: int
    recent: bool
    key: str


#: The same from a tuple of all, in half the time.
row_of: Callable[[tuple[int, int, int, int, int, bool, str]], Row] = partial(tuple.__new__, Row)


class Listing(NamedTuple):
    """
    What is in a folder, or in its C{new/} alone.

    @ivar rows: by UID, C{modseq} 0; strays: C{new/...} and C{cur/...} without a UID that could be theirs.
    @ivar times: modification times of C{new} and C{cur} (nanoseconds), taken before listing.
    @ivar same: those of the files asked for that are there; they are not among C{rows}.
    """

    rows: dict[int, Row]
    strays: list[str]
    times: tuple[int, int]
    same: frozenset[str] | set[str] = frozenset()


def bit_of_keyword(number: int) -> int:
    """The bit of the keyword in a place (from 0) of the folder's table."""
    return 1 << (len(SYSTEM) + number)


def bit_of(flag: str, keywords: Sequence[str]) -> int:
    """The bit of a flag, in whatever case, by the keywords of a folder's table; 0 for one that is not among them."""
    flag = flag.lower()
    bit = _SYSTEM_BITS.get(flag)
    if bit is None:
        at = next((at for at, keyword in enumerate(keywords) if keyword.lower() == flag), None)
        bit = 0 if at is None else bit_of_keyword(at)
    return bit


@lru_cache(4096)
def mask_of(letters: str) -> int:
    """Flags as bits, from the letters in a file name; unknown letters are none."""
    mask = 0
    for letter in letters:
        mask |= _BITS.get(letter, 0)
    return mask


@lru_cache(4096)
def letters_of(mask: int) -> str:
    """The letters of flags, sorted."""
    return "".join(letter for letter, bit in _LETTERS if mask & bit)


def path_of(key: str, uid: int, size: int, mask: int, recent: bool) -> str:
    """Where the file of a message is, below its folder."""
    if recent:
        return f"new/{key},U={uid},S={size}"
    return f"cur/{key},U={uid},S={size}:2,{letters_of(mask)}"


def key_of_stray(name: str) -> str:
    """The key for a file that another program named."""
    key = name.partition(":")[0].partition(",")[0]
    if key and key.isascii() and key.isprintable() and len(key) <= LONGEST_KEY and not key.startswith("."):
        return key
    return blake2b(os.fsencode(name), digest_size=16).hexdigest()


def mask_of_stray(name: str) -> int:
    """The system flags that another program gave it, as bits; its keywords are not ours."""
    _, mark, info = name.rpartition(":2,")
    return _system_mask(info) if mark else 0


@lru_cache(4096)
def _system_mask(info: str) -> int:
    return mask_of("".join(letter for letter in info.partition(",")[0] if "A" <= letter <= "Z"))


def listing(
    root: int, directory: str, date_of: Callable[[int, str], int | None], parts: Sequence[str] = (NEW, CUR),
    expected: frozenset[str] = frozenset(),
) -> Listing:
    """
    List a folder.

    @param root: descriptor of the directory that C{directory} is below.
    @param date_of: the date of a UID with a key where it is known; for others the file is asked.
    @param expected: files (C{cur/...}) of which only is asked whether they are there.
    """
    times = times_of(root, directory)
    same: set[str] = set()
    rows: dict[int, Row] = {}
    strays: list[str] = []
    # new/ first: what is moved to cur/ meanwhile is then seen twice rather than never.
    for part in parts:
        with opened(f"{directory}/{part}", root) as there:
            names = os.listdir(there)
            if expected:
                # Most of a large folder is as it was: a step for each name would take ten times as long.
                paths = list(map(part.__add__, names))
                same.update(expected.intersection(paths))
                names = [path[len(part):] for path in paths if path not in same]
            for name in names:
                match = _NAME.fullmatch(name)
                # A file in new/ has no flags, one in cur/ has.
                if match is None or (match[4] is None) is not (part is NEW) or (uid := int(match[2])) > HIGHEST_UID:
                    if not name.startswith("."):
                        strays.append(part + name)
                    continue
                key = match[1]
                known = rows.get(uid)
                if known is not None and known.key != key:
                    strays.append(part + name)
                    continue
                date = date_of(uid, key)
                if date is None:
                    try:
                        date = os.stat(name, dir_fd=there).st_mtime_ns // 1000
                    except FileNotFoundError:
                        continue
                rows[uid] = Row(uid, mask_of(match[4] or ""), int(match[3]), date, 0, part is NEW, key)
    return Listing(rows, strays, times, same)


def strays(root: int, directory: str) -> list[str]:
    """Files in C{new/} that have no UID."""
    return [NEW + name for name in names(root, f"{directory}/new")
            if _NAME.fullmatch(name) is None and not name.startswith(".")]


def times_of(root: int, directory: str) -> tuple[int, int]:
    """The modification times of C{new} and C{cur}."""
    return (os.stat(f"{directory}/new", dir_fd=root).st_mtime_ns, os.stat(f"{directory}/cur", dir_fd=root).st_mtime_ns)


def parse(name: str) -> tuple[str, int, int, str | None] | None:
    """(key, UID, size, letters or None) of a file name as the store makes them; None for any other."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    return match[1], int(match[2]), int(match[3]), match[4]


def uid_of(path: str) -> int:
    """The UID in the name of a file that the store has named."""
    return int(path.partition(",U=")[2].partition(",")[0])


def lines(root: int, path: str) -> list[str]:
    """The lines of a file that is appended to, without one that a crash left half written; none when it is no file."""
    try:
        # Not waiting for whoever might write to a pipe.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=root)
    except FileNotFoundError:
        return []
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return []
    with open(fd, "rb") as file:
        octets = file.read()
    return octets.decode("ascii", "replace").split("\n")[:-1]


def append(root: int, path: str, octets: bytes) -> int:
    """Append to a file, and return how long it was.  @raise OSError: the disk refused, and nothing is written."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600, dir_fd=root)
    try:
        before = os.fstat(fd).st_size
        try:
            written = os.write(fd, octets)
            while written < len(octets):
                written += os.write(fd, octets[written:])
        except OSError:
            os.ftruncate(fd, before)
            raise
        return before
    finally:
        os.close(fd)


def keys(root: int, directory: str) -> array[int]:
    """A hash of each message's key, sorted."""
    return array("q", sorted(
        hash(name.partition(",")[0]) for part in (NEW, CUR) for name in names(root, f"{directory}/{part}")))


def find(root: int, directory: str, key: str) -> tuple[int, str] | None:
    """The UID and place of the message with a key."""
    for part in (NEW, CUR):
        for name in names(root, f"{directory}/{part}"):
            if name.startswith(key):
                match = _NAME.fullmatch(name)
                if match is not None and match[1] == key:
                    return int(match[2]), part + name
    return None


def find_uid(root: int, directory: str, uid: int) -> str | None:
    """The place of the message with a UID."""
    wanted = f",U={uid},"
    for part in (NEW, CUR):
        for name in names(root, f"{directory}/{part}"):
            if wanted in name:
                match = _NAME.fullmatch(name)
                if match is not None and int(match[2]) == uid:
                    return part + name
    return None


def uids(root: int, directory: str) -> set[int]:
    """The UIDs in the names of a folder."""
    matches = [_NAME.fullmatch(name) for part in (NEW, CUR) for name in names(root, f"{directory}/{part}")]
    return {int(match[2]) for match in matches if match is not None and int(match[2]) <= HIGHEST_UID}


def highest_uid(root: int, directory: str) -> int:
    """The highest UID in the names of a folder, 0 for none."""
    return max(uids(root, directory), default=0)


def packed(paths: Iterable[str | None]) -> bytes:
    """
    Put the names of files one behind the other, as they are on disk: not all can be told in UTF-8.

    Each ends in a NUL, which no name has; C{None} is the empty name.
    """
    return os.fsencode("".join([f"{path or ''}\0" for path in paths]))


def unpacked(octets: bytes) -> list[str]:
    """Return the names of files that were packed."""
    return os.fsdecode(octets).split("\0")[:-1]


def names(root: int, path: str) -> list[str]:
    """What is in a directory."""
    with opened(path, root) as there:
        return os.listdir(there)
