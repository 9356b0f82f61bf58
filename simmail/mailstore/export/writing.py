"""
The mail of a universe written as ordinary Maildirs: C{mail/<mailbox>/.<folder>/{cur,new,tmp}}.

Any program that knows Maildir++ reads them.  What their names cannot say stands in lists: C{mailboxes}, C{folders} and
C{messages}.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from simmail.durable import opened
from simmail.mailstore.export.copying import copied, put
from simmail.mailstore.export.rows import (
    ExportedFolder, ExportedHeld, ExportedMailbox, ExportedMessage, KEPT, MAIL, bits_of,
)
from simmail.mailstore.maildir import filename, flaglog, savedate
from simmail.mailstore.maildir.annotations import read as read_annotations
from simmail.mailstore.maildir.filename import Row, path_of
from simmail.mailstore.maildir.layout import ABSENT, HELD, Layout, OWED, SUBSCRIPTIONS
from simmail.mailstore.maildir.names import INBOX

#: What Dovecot reads the names of keywords from.
DOVECOT = "dovecot-keywords"

#: Rows that are written together.
_PAGE = 500

#: Writes rows into the list of a name.
Add = Callable[[str, list[Any]], None]


class MailWriter:
    """
    Writes all mail of an image, that nobody opens.

    @param folder: descriptor of the export's folder; add: writes into lists.
    """

    def __init__(self, layout: Layout, folder: int, add: Add) -> None:
        self._layout, self._folder, self._add = layout, folder, add

    def write(self) -> None:
        """All of it."""
        os.mkdir(MAIL, 0o700, dir_fd=self._folder)
        for mailbox, box in sorted(self._layout.boxes().items()):
            self._box(mailbox, box)
        self._held()

    def _box(self, mailbox: str, box: str) -> None:
        layout = self._layout
        self._add("mailboxes", [ExportedMailbox(
            mailbox, f"{MAIL}/{box}", layout.lines(f"{box}/{SUBSCRIPTIONS}") if layout.has(f"{box}/{SUBSCRIPTIONS}")
            else None, layout.lines(f"{box}/{ABSENT}"), _texts(read_annotations(layout, box, "")))])
        # INBOX, in whose directory the others are, first.
        for name, (_, directory) in sorted(layout.folders(box).items(), key=lambda one: (one[0] != INBOX, one[0])):
            if directory is not None:
                self._write_folder(mailbox, name, box, directory)

    def _write_folder(self, mailbox: str, name: str, box: str, directory: str) -> None:
        layout, place = self._layout, f"{MAIL}/{directory}"
        uids = layout.read_uids(directory)
        self._add("folders", [ExportedFolder(
            mailbox, name, place, uids.uidvalidity, uids.uidnext, uids.highestmodseq, uids.expunged, uids.objectid,
            uids.special_use, list(uids.keywords), _texts(read_annotations(layout, box, name)))])
        for part in ("", "/cur", "/new", "/tmp"):
            os.mkdir(place + part, 0o700, dir_fd=self._folder)
        if directory != box:
            put(self._folder, f"{place}/maildirfolder", b"")
        known = [(at, keyword) for at, keyword in enumerate(uids.keywords) if keyword]
        if known:
            put(self._folder, f"{place}/{DOVECOT}", "".join(f"{at} {word}\n" for at, word in known).encode())
        rows = filename.listing(layout.root, directory, lambda uid, key: None).rows
        masks = {uid: mark.mask for mark in flaglog.read(layout.root, directory)
                 for run in mark.uids for uid in run if uid in rows}
        names = bits_of(uids.keywords)
        ordered = [rows[uid] for uid in sorted(rows)]
        with opened(directory, layout.root) as source, opened(place, self._folder) as target:
            for begin in range(0, len(ordered), _PAGE):
                page = ordered[begin:begin + _PAGE]
                saved = savedate.find(layout.root, directory, [one.uid for one in page], [one.date for one in page])
                self._add("messages", [
                    self._message(mailbox, name, one, masks.get(one.uid), names, at, source, target)
                    for one, at in zip(page, saved)])

    def _message(
        self, mailbox: str, name: str, row: Row, mask: int | None, names: Mapping[str, int], saved: int, source: int,
        target: int,
    ) -> ExportedMessage:
        # Whoever noted flags has been told of it, so it is not recent any more.
        recent, flags = row.recent and mask is None, row.mask if mask is None else mask
        path = path_of(row.key, row.uid, row.size, flags, recent)
        octets = copied(source, path_of(row.key, row.uid, row.size, row.mask, row.recent), target, path)
        os.utime(path, ns=(row.date * 1000, row.date * 1000), dir_fd=target)
        return ExportedMessage(
            mailbox, name, row.uid, path[4:].partition(":")[0], octets, row.date,
            [flag for flag, bit in names.items() if flags & bit], recent, saved if saved != row.date else None)

    def _held(self) -> None:
        layout = self._layout
        names = sorted(filename.names(layout.root, HELD)) if layout.has(HELD) else []
        if names:
            os.mkdir(KEPT, 0o700, dir_fd=self._folder)
        self._add("held", [ExportedHeld(name, copied(layout.root, f"{HELD}/{name}", self._folder, f"{KEPT}/{name}"))
                           for name in names])
        if layout.has(OWED):
            self._add("held", [ExportedHeld(OWED, copied(layout.root, OWED, self._folder, OWED))])


def _texts(entries: Mapping[str, bytes]) -> dict[str, str]:
    return {name: b64encode(value).decode() for name, value in sorted(entries.items())}
