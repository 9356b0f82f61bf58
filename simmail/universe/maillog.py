"""
The mail log: what happens to mail, a line each, in mail's own words.

Lines are events of Twisted's logger like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.logger import Logger, LogLevel


class MailLog(Logger):
    """
    The mail log of one universe.

    @param seconds: real Unix time.
    """

    def __init__(self, universe: str, seconds: Callable[[], float], observer: Any = None) -> None:
        super().__init__("simmail.mail", observer=observer)
        self._universe = universe
        self._seconds = seconds

    def line(self, format: str, /, **fields: Any) -> None:
        """
        Write a line at level info.

        Twisted's own way there sorts all levels to see whether this is one, and formats field by field; that costs as
        much as reading a header.

        @param fields: what the format names; become the event, with its text ready in C{said}.
        """
        fields["said"] = format.format_map(fields)
        fields.update(
            universe=self._universe, log_logger=self, log_level=LogLevel.info, log_namespace=self.namespace,
            log_source=self.source, log_format=format, log_time=self._seconds())
        self.observer(fields)
