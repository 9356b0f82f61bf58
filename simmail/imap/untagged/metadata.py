"""
METADATA responses: annotations that others change.

Source: RFC 5464 section 4.4.2.
"""

from __future__ import annotations

from collections.abc import Callable

from simmail.imap.connection import ImapConnection
from simmail.imap.wire.names import quoted_name


def quoted_mailbox(folder: str, utf8: bool) -> bytes:
    """Return the name of a mailbox for the wire; C{""} is the server."""
    return quoted_name(folder, utf8) if folder else b'""'


class MetadataListener:
    """
    Tell a client that has enabled METADATA, or asked for it with NOTIFY, of what others change.

    @param wants: whether it wants to hear of a mailbox, C{""} for the server.
    """

    def __init__(self, imap: ImapConnection, wants: Callable[[str], bool] = lambda folder: True) -> None:
        self._imap = imap
        self._wants = wants
        self._annotations = imap.store.annotations
        self._annotations.listen(self._heard)

    def stop(self) -> None:
        """Nothing more is to be told."""
        self._annotations.unlisten(self._heard)

    def _heard(self, mailbox: str, folder: str, names: tuple[str, ...], origin: object) -> None:
        imap = self._imap
        if origin is imap or mailbox != imap.address or not self._wants(folder):
            return
        for name in names:
            imap.pending.put(("METADATA", folder, name), b"* METADATA %b %b\r\n" % (
                quoted_mailbox(folder, imap.utf8), quoted_name(name, True)))
