"""
A message that the universe itself sends: a persona's mail, a notice.
"""

from __future__ import annotations

from msgspec import Struct


class Outgoing(Struct, frozen=True):
    """
    What the post office takes from within.

    @ivar sender: the reverse-path, C{""} for the null one.
    @ivar kind: of the job it comes from; sent_copy: whose Sent folder gets a copy, C{""} for nobody's.
    """

    sender: str
    recipients: tuple[str, ...]
    octets: bytes
    kind: str
    sent_copy: str = ""
