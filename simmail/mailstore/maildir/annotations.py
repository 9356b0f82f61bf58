"""
Annotations of folders and of mailboxes as a whole: C{simmail-metadata} in a folder, and C{simmail-metadata-server}.

Each is a JSON object of values in base 64 by the names of entries.  Written by
the writer, all of a change or nothing of it, and synced.
Source: RFC 5464.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping

import msgspec

from simmail.errors import OverAllowance
from simmail.mailstore.maildir.layout import Layout

FILE, SERVER = "simmail-metadata", "simmail-metadata-server"

#: Entries of one folder, and octets of their names and values together.
MOST, ROOM = 100, 1 << 20

_decode = msgspec.json.Decoder(dict[str, str]).decode


def changed(entries: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Entries after a change.  @raise OverAllowance: they have become more, or larger, than they may be."""
    after = {name: value for name, value in {**entries, **changes}.items() if value is not None}
    if len(after) > max(MOST, len(entries)) or _weight(after) > max(ROOM, _weight(entries)):
        raise OverAllowance("too many annotations")
    return after


def _weight(entries: Mapping[str, bytes]) -> int:
    return sum(len(name) + len(value) for name, value in entries.items())


# On disk


def _path(layout: Layout, box: str, folder: str) -> str | None:
    """The file of a folder, or of the mailbox; C{None} where it is not made yet.  @raise NotFound: there is none."""
    if not folder:
        return f"{box}/{SERVER}"
    directory = layout.directory(box, folder)
    return f"{directory}/{FILE}" if directory is not None else None


def read(layout: Layout, box: str, folder: str) -> dict[str, bytes]:
    """
    Read the annotations of a folder, C{""} for the mailbox as a whole.

    @raise NotFound: there is no such mailbox or folder.
    """
    path = _path(layout, box, folder)
    try:
        return {name: b64decode(value) for name, value in _decode(layout.read(path)).items()} if path else {}
    except FileNotFoundError:
        return {}
    except ValueError:
        # Another program has been at it.
        return {}


def write(layout: Layout, box: str, folder: str, entries: Mapping[str, bytes]) -> None:
    """Write all annotations of a folder that is made, or of the mailbox."""
    path = _path(layout, box, folder)
    assert path is not None
    layout.write(path, msgspec.json.encode({name: b64encode(value).decode() for name, value in entries.items()}))
