"""
The mail of an export read into a universe that has none.

Of the name of a message only what stands before C{:2,} means anything, for that is all that other programs leave alone;
its flags are those of the list.
"""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import Any, NamedTuple

from simmail.core.time.instant import of_microseconds
from simmail.durable import opened
from simmail.errors import Invalid, Refusal
from simmail.mailstore.export.copying import copied_file, descended, opened_file, put
from simmail.mailstore.export.lists import ENDING
from simmail.mailstore.export.rows import (
    ExportedFolder, ExportedHeld, ExportedMailbox, ExportedMessage, KEPT, MAIL, bits_of,
)
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.annotations import write as write_annotations
from simmail.mailstore.maildir.filename import CUR, NEW, path_of
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, canonical_all, is_keyword
from simmail.mailstore.maildir.layout import ABSENT, COUNTER, HELD, Layout, NAME, OWED, SUBSCRIPTIONS
from simmail.mailstore.maildir.names import (
    HASHED, INBOX, check_folder, check_mailbox, check_special_use, existing_folder, folder_dir, mailbox_dir,
)
from simmail.mailstore.maildir.uidlist import FILE, next_uidvalidity, write_new

#: Reads the rows of the list of a name, with their lines.
Rows = Callable[[str], Iterator[tuple[int, Any]]]


class _Place(NamedTuple):
    """A folder that was made: its directory below the universe's, its keywords, its UIDNEXT."""

    directory: str
    keywords: list[str]
    uidnext: int


class MailReader:
    """
    Puts the mail of an export into a universe that has none and is not opened.

    @param folder: descriptor of the export's folder; rows: reads its lists.
    """

    def __init__(self, layout: Layout, folder: int, rows: Rows) -> None:
        self._layout, self._folder, self._rows = layout, folder, rows
        self._places: dict[tuple[str, str], _Place] = {}

    def read(self) -> int:
        """
        All of it; answers how many messages.

        @raise Invalid: what cannot be, or is not what was written, naming the list and the line.
        """
        boxes = {row.mailbox for _, row in self._checked("mailboxes", self._make_box)}
        highest = 0
        for line, row in self._rows("folders"):
            if row.mailbox not in boxes:
                raise _wrong("folders", line, f"there is no mailbox {row.mailbox} before it")
            with _told("folders", line):
                self._make_folder(row)
            highest = max(highest, row.uidvalidity)
        for mailbox in sorted(boxes):
            if (mailbox, INBOX) not in self._places:
                raise Invalid("folders" + ENDING, f"there is no INBOX of {mailbox}")
        # Those that are given from now on are greater.
        next_uidvalidity(f"{self._layout.base}/{COUNTER}", highest + 1)
        count = self._messages()
        for _ in self._checked("held", self._keep):
            pass
        return count

    def _checked(self, name: str, do: Callable[[Any], None]) -> Iterator[tuple[int, Any]]:
        for line, row in self._rows(name):
            with _told(name, line):
                do(row)
            yield line, row

    def _make_box(self, row: ExportedMailbox) -> None:
        layout, box = self._layout, mailbox_dir(check_mailbox(row.mailbox))
        _same(row.directory, f"{MAIL}/{box}")
        self._make(box)
        if box.startswith(HASHED):
            layout.write(f"{box}/{NAME}", row.mailbox.encode())
        if row.subscriptions is not None:
            put(layout.root, f"{box}/{SUBSCRIPTIONS}", _lines(row.subscriptions))
        if row.absent:
            put(layout.root, f"{box}/{ABSENT}", _lines([check_folder(one) for one in row.absent]))
        if row.annotations:
            write_annotations(layout, box, "", _octets(row.annotations))

    def _make(self, directory: str) -> None:
        try:
            os.mkdir(directory, 0o700, dir_fd=self._layout.root)
        except FileExistsError:
            raise Invalid("", "is there twice") from None
        for part in ("new", "cur", "tmp"):
            os.mkdir(f"{directory}/{part}", 0o700, dir_fd=self._layout.root)

    def _make_folder(self, row: ExportedFolder) -> None:
        layout, box = self._layout, mailbox_dir(row.mailbox)
        name = existing_folder(row.folder)
        below = folder_dir(name)
        directory = f"{box}/{below}" if below else box
        _same(row.directory, f"{MAIL}/{directory}")
        if (row.mailbox, name) in self._places:
            raise Invalid("", "is there twice")
        if below:
            self._make(directory)
            put(layout.root, f"{directory}/maildirfolder", b"")
        keywords = [one and canonical_all([one])[0] for one in row.keywords]
        if len(keywords) > MOST_KEYWORDS or not all(is_keyword(one) for one in keywords if one):
            raise Invalid("keywords", "are too many, or flags of the system")
        if not (0 < row.uidvalidity <= filename.HIGHEST_UID and 0 < row.uidnext <= filename.HIGHEST_UID
                and 0 <= row.expunged <= row.highestmodseq < 1 << 63):
            raise Invalid("uidvalidity", "or another number is out of range")
        write_new(layout.root, f"{directory}/{FILE}", row.uidvalidity, row.objectid,
                  check_special_use(row.special_use), row.uidnext, row.highestmodseq, row.expunged, keywords)
        if row.annotations:
            write_annotations(layout, box, name, _octets(row.annotations))
        self._places[row.mailbox, name] = _Place(directory, keywords, row.uidnext)

    def _messages(self) -> int:
        count, rows = 0, self._rows("messages")
        done: set[tuple[str, str]] = set()
        for place, some in groupby(rows, lambda one: (one[1].mailbox, one[1].folder)):
            if place not in self._places or place in done:
                line, _ = next(some)
                raise _wrong("messages", line, "is in a folder that is listed elsewhere" if place in done else
                             "is in a folder that is not listed")
            done.add(place)
            count += self._fill(place, some)
        for place in self._places.keys() - done:
            self._fill(place, iter(()))
        return count

    def _fill(self, place: tuple[str, str], rows: Iterator[tuple[int, Any]]) -> int:
        directory, keywords, uidnext = self._places[place]
        bits = {flag.lower(): bit for flag, bit in bits_of(keywords).items()}
        shown, count, before = f"{MAIL}/{directory}", 0, 0
        saved: dict[int, list[int]] = {}
        with ExitStack() as stack:
            parts = {part: stack.enter_context(descended(self._folder, f"{shown}/{part[:3]}")) for part in (NEW, CUR)}
            there = {name.partition(":")[0]: (part, name) for part, fd in parts.items() for name in os.listdir(fd)
                     if not name.startswith(".")}
            target = stack.enter_context(opened(directory, self._layout.root))
            for line, row in rows:
                with _told("messages", line):
                    self._file(row, there, parts, target, shown, bits, range(before + 1, uidnext))
                before, count = row.uid, count + 1
                if row.saved is not None:
                    saved.setdefault(row.saved, []).append(row.uid)
            for part, name in there.values():
                raise Invalid(f"{shown}/{part}{name}", "is in no list")
        for at, uids in saved.items():
            savedate.note(self._layout, directory, at, uids)
        return count

    def _file(
        self, row: ExportedMessage, there: dict[str, tuple[str, str]], parts: Mapping[str, int], target: int,
        shown: str, bits: Mapping[str, int], uids: range,
    ) -> None:
        parsed = filename.parse(row.file)
        if parsed is None or parsed[3] is not None or parsed[1] != row.uid or row.uid not in uids:
            raise Invalid("file", f"{row.file!r} is not the name of a message with UID {row.uid}, or out of order")
        key, uid, size, _ = parsed
        for date in (row.date, row.saved or 0):
            # Else nobody could be told it.
            of_microseconds(date)
        mask = 0
        for flag in row.flags:
            if flag.lower() not in bits:
                raise Invalid("flags", f"{flag!r} is none of the folder")
            mask |= bits[flag.lower()]
        found = there.pop(row.file, None)
        if found is None:
            raise Invalid("file", f"{shown}/cur/{row.file} is missing")
        part, name = found
        path = path_of(key, uid, size, mask, row.recent and not mask)
        with open(opened_file(parts[part], name, f"{shown}/{part}{name}"), "rb", 0) as file:
            digest, octets = copied_file(file, target, path)
        if (digest, octets) != (row.sha256, size):
            raise Invalid("file", f"{shown}/{part}{name} is not what was written")
        os.utime(path, ns=(row.date * 1000, row.date * 1000), dir_fd=target)

    def _keep(self, row: ExportedHeld) -> None:
        layout = self._layout
        if row.file == OWED:
            source, target, shown = self._folder, layout.root, OWED
        else:
            if not row.file.isascii() or not row.file.replace("-", "").replace("_", "").isalnum():
                raise Invalid("file", f"{row.file!r} cannot be")
            os.makedirs(f"{layout.path}/{HELD}", 0o700, exist_ok=True)
            source, target, shown = self._folder, layout.root, f"{KEPT}/{row.file}"
        with ExitStack() as stack:
            if shown != OWED:
                source = stack.enter_context(descended(self._folder, KEPT))
            with open(opened_file(source, row.file, shown), "rb", 0) as file:
                digest, _ = copied_file(file, target, OWED if shown == OWED else f"{HELD}/{row.file}")
        if digest != row.sha256:
            raise Invalid("file", f"{shown} is not what was written")


def _wrong(name: str, line: int, text: str) -> Invalid:
    return Invalid(f"{name}{ENDING}, line {line}", text)


@contextmanager
def _told(name: str, line: int) -> Iterator[None]:
    """What is wrong is said with the list and the line."""
    try:
        yield
    except Refusal as error:
        raise _wrong(name, line, str(error)) from None
    except FileExistsError:
        raise _wrong(name, line, "is there twice") from None
    except (ValueError, OverflowError) as error:
        raise _wrong(name, line, str(error)) from None


def _same(directory: str, expected: str) -> None:
    if directory != expected:
        raise Invalid("directory", f"must be {expected}")


def _lines(names: Iterable[str]) -> bytes:
    if any("\n" in name for name in names):
        raise Invalid("", "a name has more than one line")
    return "".join(f"{name}\n" for name in names).encode()


def _octets(entries: Mapping[str, str]) -> dict[str, bytes]:
    return {name: b64decode(value, validate=True) for name, value in entries.items()}
