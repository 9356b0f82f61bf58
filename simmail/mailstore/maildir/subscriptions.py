"""
The names of folders that a mailbox is subscribed to: C{subscriptions}, one a line.

Until it is written these are the standard ones.

Source: RFC 9051 section 6.3.7; the file is as Maildir++ servers have it.
"""

from __future__ import annotations

from collections.abc import Iterable

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.mailstore.maildir.layout import Layout, SUBSCRIPTIONS


def subscriptions(layout: Layout, box: str) -> list[str]:
    """Read the names subscribed to."""
    try:
        return layout.read(f"{box}/{SUBSCRIPTIONS}").decode("utf-8", "replace").split("\n")[:-1]
    except (FileNotFoundError, NotADirectoryError):
        return [name for name, _ in SPECIAL_FOLDERS]


def write_subscriptions(layout: Layout, box: str, names: Iterable[str]) -> None:
    """Write them, all or nothing."""
    layout.write(f"{box}/{SUBSCRIPTIONS}", "".join(f"{name}\n" for name in names).encode("utf-8"))
